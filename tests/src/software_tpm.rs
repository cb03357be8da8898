//! A TPM in software (swtpm(8)), for tpm2-openssl, whose provider does not start without one.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::command::on_path;
use crate::time_limit::wait_until;

/// A TPM in a separate process, which ends when this is dropped. It serves one connection at a
/// time.
#[derive(Debug)]
pub struct SoftwareTpm {
    swtpm: Child,
    socket: PathBuf,
}

impl SoftwareTpm {
    /// Starts it with its state in this directory; the error names what is missing.
    pub fn start(folder: &Path) -> Result<SoftwareTpm, String> {
        let swtpm = on_path("swtpm").ok_or("the swtpm command")?;
        // libtss2-tcti-swtpm appends ".ctrl" for the control channel (tcti-swtpm.c).
        let socket = folder.join("tpm");
        let mut command = Command::new(swtpm);
        command
            .args(["socket", "--tpm2", "--flags", "not-need-init,startup-clear", "--tpmstate"])
            .arg(format!("dir={}", folder.display()))
            .arg("--server")
            .arg(format!("type=unixio,path={}", socket.display()))
            .arg("--ctrl")
            .arg(format!("type=unixio,path={}.ctrl", socket.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            // It prints a line for each connection that ends.
            .stderr(Stdio::null());
        let swtpm = command.spawn().map_err(|error| format!("swtpm: {error}"))?;
        wait_until("listening", || socket.exists());
        Ok(SoftwareTpm { swtpm, socket })
    }

    /// The value of TPM2OPENSSL_TCTI for it.
    pub fn tcti(&self) -> String {
        format!("swtpm:path={}", self.socket.display())
    }
}

impl Drop for SoftwareTpm {
    fn drop(&mut self) {
        // It may have ended by itself, which is not a failure of the test.
        let _ = self.swtpm.kill();
        let _ = self.swtpm.wait();
    }
}
