//! An OpenSSH server with its own openssl.cnf, and files copied to and from it with scp(1).

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{on_path, status_and_output, succeeded};
use crate::time_limit::TIME_LIMIT;

/// The programs of a server and its client.
pub struct Openssh {
    sshd: PathBuf,
    scp: PathBuf,
    keygen: PathBuf,
}

/// A server that listens, until dropped.
pub struct Server<'a> {
    openssh: &'a Openssh,
    child: Child,
    folder: PathBuf,
    port: u16,
    cipher: &'a str,
}

impl Openssh {
    /// The programs, or which one is missing.
    pub fn find() -> Result<Openssh, String> {
        let find = |name: &str| on_path(name).ok_or_else(|| format!("the {name} command"));
        Ok(Openssh { sshd: find("sshd")?, scp: find("scp")?, keygen: find("ssh-keygen")? })
    }

    /// Starts a server that accepts only this cipher. Its openssl.cnf is `config`; its keys and its
    /// log are in `folder`.
    #[track_caller]
    pub fn serve<'a>(&'a self, folder: &Path, config: &Path, cipher: &'a str) -> Server<'a> {
        for name in ["host", "user"] {
            let mut keygen = Command::new(&self.keygen);
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(folder.join(name));
            succeeded(&keygen.output().expect("ssh-keygen runs"), &["ssh-keygen"]);
        }
        // The server's chroot directory, which the init scripts of a system create.
        fs::create_dir_all("/run/sshd").expect("root may");
        let port = free_port();
        let (shown, settings) = (folder.display(), folder.join("sshd_config"));
        let text = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {shown}/host\nAuthorizedKeysFile {shown}/user.pub\n\
             StrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\nSubsystem sftp internal-sftp\n\
             Ciphers {cipher}\n"
        );
        fs::write(&settings, text).expect("a file in the folder");
        let child = Command::new(&self.sshd)
            .args(["-D", "-e", "-f"])
            .arg(&settings)
            .env("OPENSSL_CONF", config)
            .stdin(Stdio::null())
            .stderr(File::create(folder.join("log")).expect("a file in the folder"))
            .spawn()
            .expect("sshd runs");
        let mut server = Server { openssh: self, child, folder: folder.to_owned(), port, cipher };
        server.wait_until_it_listens();
        server
    }
}

impl Server<'_> {
    #[track_caller]
    fn wait_until_it_listens(&mut self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.try_wait().expect("our child");
            assert!(ended.is_none(), "sshd ended: {ended:?}\n{}", self.log());
            assert!(start.elapsed() < TIME_LIMIT, "sshd does not listen:\n{}", self.log());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Copies a file to the server.
    #[track_caller]
    pub fn upload(&self, file: &Path, to: &Path) {
        self.copy(&file.display().to_string(), &format!("root@127.0.0.1:{}", to.display()));
    }

    /// Copies a file from the server.
    #[track_caller]
    pub fn download(&self, file: &Path, to: &Path) {
        self.copy(&format!("root@127.0.0.1:{}", file.display()), &to.display().to_string());
    }

    #[track_caller]
    fn copy(&self, from: &str, to: &str) {
        let mut scp = Command::new(&self.openssh.scp);
        scp.args(["-q", "-F", "none", "-P", &self.port.to_string(), "-c", self.cipher, "-i"]);
        scp.arg(self.folder.join("user"));
        for option in ["BatchMode=yes", "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"] {
            scp.args(["-o", option]);
        }
        // An empty openssl.cnf: the client uses software.
        let output = scp.args([from, to]).env("OPENSSL_CONF", "/dev/null").output().expect("scp runs");
        assert!(output.status.success(), "{}\n--- sshd\n{}", status_and_output(&output), self.log());
    }

    /// The server's log so far.
    pub fn log(&self) -> String {
        let log = fs::read(self.folder.join("log")).expect("the server's log");
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An unused port.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of the loopback interface");
    listener.local_addr().expect("it has one").port()
}
