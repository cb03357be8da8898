//! sshd with private keys and a private configuration.

use std::fs::{self, Permissions};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::super::configurations::WorkFolder;
use super::super::server_process::{ServerProcess, free_port};
use super::super::tools;
use super::{MACS, Negotiated};

/// sshd's message if its privilege separation directory is missing.
const MISSING: &str = "Missing privilege separation directory: ";

pub struct Openssh {
    sshd: PathBuf,
    pub scp: PathBuf,
    keygen: PathBuf,
    ciphers: String,
    /// `OpenSSH_10.0p2`
    pub version: String,
}

pub struct Server {
    pub process: ServerProcess,
    pub address: SocketAddr,
}

impl Openssh {
    pub fn find() -> Result<Openssh> {
        ensure!(
            rustix::process::geteuid().is_root(),
            "sshd lets others than root in only if root started it: use sudo"
        );
        let sshd = tools::find(&["sshd"], "openssh-server", "openssh-server")?;
        let scp = tools::find(&["scp"], "openssh-client", "openssh-client")?;
        let ssh = tools::find(&["ssh"], "openssh-client", "openssh-client")?;
        let keygen = tools::find(&["ssh-keygen"], "openssh-client", "openssh-keygen")?;
        let output = tools::run(Command::new(&ssh).arg("-V"))?;
        let version = output.split([' ', ',']).next().unwrap_or_default().trim().to_owned();
        ensure!(version.starts_with("OpenSSH"), "{} is not OpenSSH's: install openssh-client", ssh.display());
        let ciphers = tools::run(Command::new(&ssh).args(["-Q", "cipher"]))?;
        Ok(Openssh { sshd, scp, keygen, ciphers, version })
    }

    /// Fails if OpenSSH does not support the cipher.
    pub fn knows(&self, cipher: &str) -> Result<()> {
        ensure!(
            self.ciphers.lines().any(|line| line.trim() == cipher),
            "{} has no cipher {cipher}: ssh -Q cipher lists them",
            self.version
        );
        Ok(())
    }

    pub fn make_keys(&self, work: &WorkFolder) -> Result<()> {
        for name in ["host", "user"] {
            let mut keygen = Command::new(&self.keygen);
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(work.file(name));
            tools::run(keygen.env("OPENSSL_CONF", work.plain()))?;
        }
        Ok(())
    }

    /// Starts a server for these ciphers with this openssl.cnf; its log is in `folder`.
    pub fn serve(
        &self,
        work: &WorkFolder,
        folder: &Path,
        address: IpAddr,
        openssl_cnf: &Path,
        jobs: &[Negotiated],
    ) -> Result<Server> {
        let address = free_port(address)?;
        let file = folder.join("sshd_config");
        let [host, user] = ["host", "user.pub"].map(|name| work.file(name).display().to_string());
        let is_locked = is_locked(&fs::read_to_string("/etc/shadow").unwrap_or_default());
        let text = configuration(&address.to_string(), &host, &user, jobs, is_locked);
        fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
        self.accepts(&file)?;
        let mut command = Command::new(&self.sshd);
        command.args(["-D", "-e", "-f"]).arg(&file).env("OPENSSL_CONF", openssl_cnf);
        let mut process = ServerProcess::start("sshd", command, folder.join("log"))?;
        process.answers(address)?;
        Ok(Server { process, address })
    }

    /// Checks the configuration with sshd. A missing privilege separation directory, which the
    /// system's start-up script normally creates, is created and kept, because the system's own
    /// server may need it from now on.
    fn accepts(&self, file: &Path) -> Result<()> {
        let test = || {
            tools::run(Command::new(&self.sshd).args(["-t", "-f"]).arg(file).env("OPENSSL_CONF", "/dev/null"))
        };
        let Err(error) = test() else { return Ok(()) };
        let message = format!("{error:#}");
        let missing = message.lines().find_map(|line| Some(line.split_once(MISSING)?.1.trim()));
        let Some(folder) = missing else { bail!(message) };
        fs::create_dir_all(folder)
            .and_then(|()| fs::set_permissions(folder, Permissions::from_mode(0o755)))
            .with_context(|| format!("{folder}, which sshd wants"))?;
        test().map(|_| ())
    }
}

/// The server's configuration: root logs in with the key that was made for this run. No other login
/// is accepted, since the port may be open to the network.
fn configuration(address: &str, host: &str, user: &str, jobs: &[Negotiated], is_locked: bool) -> String {
    let ciphers: Vec<&str> = jobs.iter().map(|job| job.cipher.as_str()).collect();
    let mut macs: Vec<&str> = jobs.iter().filter_map(|job| job.mac.as_deref()).collect();
    macs.extend(macs.is_empty().then_some(MACS[0]));
    let text = format!(
        "ListenAddress {address}\nHostKey {host}\nAuthorizedKeysFile {user}\nStrictModes no\n\
         AuthenticationMethods publickey\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
         PermitRootLogin prohibit-password\nAllowUsers root\nPermitUserRC no\nPrintLastLog no\nUseDNS no\n\
         MaxStartups 100\nPidFile none\nSubsystem sftp internal-sftp\nCiphers {}\nMACs {}\n",
        ciphers.join(","),
        macs.join(",")
    );
    // Without PAM, sshd refuses accounts with a locked password, even with a valid key.
    if is_locked { text + "UsePAM yes\n" } else { text }
}

fn is_locked(shadow: &str) -> bool {
    shadow.lines().any(|line| line.starts_with("root:!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_without_the_key_of_this_run_is_refused() {
        let job = Negotiated { cipher: "aes128-ctr".to_owned(), mac: Some("hmac-sha1".to_owned()) };
        for is_locked in [false, true] {
            let text = configuration("127.0.0.1:1", "/h", "/u.pub", std::slice::from_ref(&job), is_locked);
            for line in [
                "AuthorizedKeysFile /u.pub",
                "AuthenticationMethods publickey",
                "PasswordAuthentication no",
                "KbdInteractiveAuthentication no",
                "PermitRootLogin prohibit-password",
                "AllowUsers root",
                "Ciphers aes128-ctr",
                "MACs hmac-sha1",
            ] {
                assert_eq!(text.lines().filter(|one| *one == line).count(), 1, "{line}: {text}");
            }
            assert_eq!(text.contains("UsePAM yes\n"), is_locked);
        }
    }

    #[test]
    fn a_locked_password_is_recognized() {
        assert!(is_locked("daemon:*:1:\nroot:!:19000:0:99999:7:::\n"));
        assert!(is_locked("root:!$y$j9T$x:19000:\n"));
        assert!(!is_locked("root:*:19000:\ntoor:!:1:\n"));
        assert!(!is_locked(""));
    }
}
