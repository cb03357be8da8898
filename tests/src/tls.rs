//! TLS sessions between `openssl s_server` and `openssl s_client`, each with its own configuration.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::command::{command, status_and_output};
use crate::time_limit::TIME_LIMIT;

/// One session's parameters.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    /// `openssl`.
    pub openssl: &'a Path,
    /// A folder with `key.pem` and `cert.pem`, for the session's files.
    pub folder: &'a Path,
    /// `-tls1_2` and its like.
    pub version: &'a str,
    /// The cipher suite.
    pub suite: &'a str,
    /// The server's openssl.cnf.
    pub server: &'a Path,
    /// The client's openssl.cnf.
    pub client: &'a Path,
}

/// The data that a session transferred.
#[derive(Debug)]
pub struct Received {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The client's output about the session; empty for a download.
    pub about: String,
}

/// Copies a server's key and certificate to this folder. They are generated once, since that takes
/// seconds on an emulated CPU.
#[track_caller]
pub fn put_certificate(openssl: &Path, config: &Path, folder: &Path) {
    static MADE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    let paths = [folder.join("key.pem"), folder.join("cert.pem")];
    let made = MADE.get_or_init(|| {
        make_certificate(openssl, config, folder, &paths);
        paths.each_ref().map(|path| fs::read(path).expect("what openssl req wrote"))
    });
    for (path, pem) in paths.iter().zip(made) {
        fs::write(path, pem).expect("a file in the folder");
    }
}

#[track_caller]
fn make_certificate(openssl: &Path, config: &Path, folder: &Path, paths: &[PathBuf; 2]) {
    let [key, certificate] = paths.each_ref().map(|path| text(path));
    let mut arguments =
        vec!["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=outboard", "-days", "2"];
    arguments.extend(["-keyout", &key, "-out", &certificate]);
    // `req` needs its own section in the configuration, which that of a session lacks.
    let own = folder.join("req.cnf");
    fs::write(&own, "[req]\ndistinguished_name = name\n[name]\n").expect("a file in the folder");
    arguments.extend(["-config", own.to_str().expect("a plain name")]);
    let output = command(openssl, config, &arguments).output().expect("openssl req");
    assert!(output.status.success(), "openssl req: {}", status_and_output(&output));
}

impl Session<'_> {
    /// Sends a file from the client to the server.
    pub fn upload(&self, file: &Path) -> Result<Received, String> {
        let (socket, got) = (self.folder.join("upload.socket"), self.folder.join("upload.got"));
        let mut server = self.server(&socket, &["-quiet"], Stdio::from(create(&got)))?;
        let client = self
            .client(&socket, &["-nocommands", "-no_ign_eof", "-tlsextdebug"])
            .stdin(File::open(file).map_err(|error| error.to_string())?)
            .output()
            .map_err(|error| error.to_string())?;
        let ended = server.end();
        if !client.status.success() {
            return Err(format!("s_client: {}\ns_server: {ended:?}", status_and_output(&client)));
        }
        ended?;
        let bytes = fs::read(&got).map_err(|error| error.to_string())?;
        Ok(Received { bytes, about: String::from_utf8_lossy(&client.stdout).into_owned() })
    }

    /// Sends a file, by its name in the session's folder, from the server to the client over HTTP.
    pub fn download(&self, name: &str) -> Result<Received, String> {
        let (socket, request) = (self.folder.join("download.socket"), self.folder.join("request"));
        fs::write(&request, format!("GET /{name} HTTP/1.0\r\n\r\n")).map_err(|error| error.to_string())?;
        let mut server = self.server(&socket, &["-WWW"], Stdio::null())?;
        let client = self
            .client(&socket, &["-quiet"])
            .stdin(File::open(&request).map_err(|error| error.to_string())?)
            .output()
            .map_err(|error| error.to_string())?;
        let ended = server.end();
        if !client.status.success() {
            return Err(format!("s_client: {}\ns_server: {ended:?}", status_and_output(&client)));
        }
        ended?;
        let blank = client.stdout.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let start = blank.ok_or_else(|| format!("no answer: {}", status_and_output(&client)))? + 4;
        Ok(Received { bytes: client.stdout[start..].to_vec(), about: String::new() })
    }

    fn server(&self, socket: &Path, more: &[&str], output: Stdio) -> Result<Server, String> {
        // The new server would fail if the socket file of an earlier session existed.
        let _ = fs::remove_file(socket);
        let [option, suite] = self.suite_option();
        let mut arguments =
            vec!["s_server", "-unix", socket.to_str().expect("a plain name"), "-naccept", "1"];
        arguments.extend(["-cert", "cert.pem", "-key", "key.pem", self.version, &option, &suite]);
        arguments.extend(more);
        let complaints = self.folder.join("server.stderr");
        let child = command(self.openssl, self.server, &arguments)
            .current_dir(self.folder)
            // Kept open: a quiet server closes the connection at the end of its input.
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(create(&complaints))
            .spawn()
            .map_err(|error| format!("s_server: {error}"))?;
        let mut server = Server { child, complaints };
        server.wait_until_it_listens(socket)?;
        Ok(server)
    }

    /// TLS 1.3 has separate suites, and an option for them.
    fn suite_option(&self) -> [String; 2] {
        match self.version {
            "-tls1_3" => ["-ciphersuites".to_owned(), self.suite.to_owned()],
            _ => ["-cipher".to_owned(), format!("{}:@SECLEVEL=0", self.suite)],
        }
    }

    fn client(&self, socket: &Path, more: &[&str]) -> std::process::Command {
        let [option, suite] = self.suite_option();
        let mut arguments = vec!["s_client", "-unix", socket.to_str().expect("a plain name")];
        arguments.extend([self.version, &option, &suite]);
        arguments.extend(more);
        let mut client = command(self.openssl, self.client, &arguments);
        client.current_dir(self.folder);
        client
    }
}

/// A running server; ended when dropped.
struct Server {
    child: Child,
    complaints: PathBuf,
}

impl Server {
    fn wait_until_it_listens(&mut self, socket: &Path) -> Result<(), String> {
        let path = socket.to_str().expect("a plain name");
        let listens = || {
            let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
            // The fourth field has __SO_ACCEPTCON when the socket listens.
            let ours = sockets.lines().find(|line| line.ends_with(path));
            ours.and_then(|line| line.split_whitespace().nth(3)) == Some("00010000")
        };
        self.wait_for(|_| listens())
    }

    fn end(&mut self) -> Result<(), String> {
        let mut status = None;
        self.wait_for(|child| {
            status = child.try_wait().ok().flatten();
            status.is_some()
        })?;
        if status.is_some_and(|status| status.success()) {
            Ok(())
        } else {
            Err(self.complaint("ended badly"))
        }
    }

    fn wait_for(&mut self, mut done: impl FnMut(&mut Child) -> bool) -> Result<(), String> {
        let start = Instant::now();
        while !done(&mut self.child) {
            if start.elapsed() > TIME_LIMIT {
                return Err(self.complaint("hangs"));
            }
            if self.child.try_wait().is_ok_and(|status| status.is_some()) && !done(&mut self.child) {
                return Err(self.complaint("ended too early"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn complaint(&self, what: &str) -> String {
        format!("s_server {what}: {}", fs::read_to_string(&self.complaints).unwrap_or_default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A process that has already ended cannot be killed; this is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn create(path: &Path) -> File {
    File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text(path: &Path) -> String {
    path.to_str().expect("a plain name").to_owned()
}
