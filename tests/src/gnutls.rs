//! TLS sessions between OpenSSL's command and GnuTLS's, over TCP.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::command::{command, on_path};
use crate::openssh::free_port;
use crate::time_limit::TIME_LIMIT;

/// GnuTLS's commands.
pub struct Gnutls {
    server: PathBuf,
    client: PathBuf,
}

/// A suite, as both name it.
#[derive(Clone, Copy, Debug)]
pub struct Suite<'a> {
    /// `-tls1_2` or `-tls1_3`.
    pub version: &'a str,
    /// OpenSSL's name.
    pub name: &'a str,
    /// Its part of a GnuTLS priority string.
    pub priority: &'a str,
}

/// Where sessions of one suite take place.
pub struct SessionSetup<'a> {
    /// The commands of the one side.
    pub gnutls: &'a Gnutls,
    /// `openssl`, the other side.
    pub openssl: &'a Path,
    /// Its openssl.cnf.
    pub config: &'a Path,
    /// A folder with `key.pem` and `cert.pem`, for the sessions' files.
    pub folder: &'a Path,
    /// The suite.
    pub suite: Suite<'a>,
}

impl Gnutls {
    /// The commands, or which one is missing.
    pub fn find() -> Result<Gnutls, String> {
        let find = |name: &str| on_path(name).ok_or_else(|| format!("the {name} command (gnutls-bin)"));
        Ok(Gnutls { server: find("gnutls-serv")?, client: find("gnutls-cli")? })
    }
}

impl SessionSetup<'_> {
    /// Sends bytes from gnutls-cli to `openssl s_server` and returns those that arrived.
    pub fn send(&self, plain: &[u8]) -> Result<Vec<u8>, String> {
        let mut server = self.s_server(&["-quiet"])?;
        let _client = self.gnutls_client(&server, plain)?;
        server.wait_for_output(plain.len(), Some)
    }

    /// Fetches a file of the folder with gnutls-cli from `openssl s_server`, over HTTP.
    pub fn fetch(&self, name: &str, length: usize) -> Result<Vec<u8>, String> {
        let server = self.s_server(&["-WWW"])?;
        let mut client = self.gnutls_client(&server, format!("GET /{name} HTTP/1.0\r\n\r\n").as_bytes())?;
        client.wait_for_output(length, |got| {
            let body = got.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
            (got.len() >= body + length).then(|| got[body..].to_vec())
        })
    }

    /// Sends a line with `openssl s_client` to gnutls-serv and returns the reply.
    pub fn echo(&self, line: &[u8]) -> Result<Vec<u8>, String> {
        let port = free_port();
        let number = port.to_string();
        let mut server = Command::new(&self.gnutls.server);
        server.args(["--echo", "--port", &number, "--x509keyfile", "key.pem", "--x509certfile", "cert.pem"]);
        server.args(["--priority", &self.priority()]);
        let mut server = Running::start(server, self.folder, "gnutls-serv", port)?;
        server.wait_for_port()?;
        let mut arguments = vec!["s_client", "-quiet", "-connect"];
        let address = format!("127.0.0.1:{number}");
        let [option, suite] = self.suite_option();
        arguments.extend([address.as_str(), self.suite.version, &option, &suite]);
        let client = command(self.openssl, self.config, &arguments);
        let mut client = Running::start(client, self.folder, "s_client", port)?;
        client.write_input(line);
        client.wait_for_output(line.len(), Some)
    }

    fn s_server(&self, more: &[&str]) -> Result<Running, String> {
        let port = free_port();
        let address = format!("127.0.0.1:{port}");
        let [option, suite] = self.suite_option();
        let mut arguments = vec!["s_server", "-accept", &address, "-cert", "cert.pem", "-key", "key.pem"];
        arguments.extend([self.suite.version, &option, &suite]);
        arguments.extend(more);
        let server = command(self.openssl, self.config, &arguments);
        let mut server = Running::start(server, self.folder, "s_server", port)?;
        server.wait_for_port()?;
        Ok(server)
    }

    fn gnutls_client(&self, server: &Running, input: &[u8]) -> Result<Running, String> {
        let mut client = Command::new(&self.gnutls.client);
        client.args(["--insecure", "--logfile", "gnutls-cli.log", "--priority", &self.priority()]);
        client.args(["--port", &server.port.to_string(), "127.0.0.1"]);
        let mut client = Running::start(client, self.folder, "gnutls-cli", server.port)?;
        client.write_input(input);
        Ok(client)
    }

    fn priority(&self) -> String {
        format!("NONE:+ECDHE-RSA:+RSA:+GROUP-ALL:+SIGN-ALL:{}", self.suite.priority)
    }

    /// TLS 1.3 has separate suites, and an option for them.
    fn suite_option(&self) -> [String; 2] {
        match self.suite.version {
            "-tls1_3" => ["-ciphersuites".to_owned(), self.suite.name.to_owned()],
            _ => ["-cipher".to_owned(), format!("{}:@SECLEVEL=0", self.suite.name)],
        }
    }
}

/// A command that runs, with its outputs in files; ended when dropped.
struct Running {
    child: Child,
    input: Option<JoinHandle<ChildStdin>>,
    name: &'static str,
    port: u16,
    output: PathBuf,
    complaints: PathBuf,
}

impl Running {
    fn start(mut command: Command, folder: &Path, name: &'static str, port: u16) -> Result<Running, String> {
        let [output, complaints] = ["out", "err"].map(|end| folder.join(format!("{name}.{end}")));
        let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        command.current_dir(folder).stdin(Stdio::piped());
        command.stdout(create(&output)?).stderr(create(&complaints)?);
        let child = command.spawn().map_err(|error| format!("{name}: {error}"))?;
        Ok(Running { child, input: None, name, port, output, complaints })
    }

    /// Writes its input and does not close it: at the end of the input the commands end a session
    /// differently.
    fn write_input(&mut self, input: &[u8]) {
        let (mut stdin, input) = (self.child.stdin.take().expect("it is piped"), input.to_vec());
        self.input = Some(thread::spawn(move || {
            // If it does not read all of it, the output is incomplete, which fails the test.
            let _ = stdin.write_all(&input);
            stdin
        }));
    }

    /// Waits until it listens.
    fn wait_for_port(&mut self) -> Result<(), String> {
        let local = format!(":{:04X}", self.port);
        self.wait("listen", |_| {
            let sockets = ["tcp", "tcp6"].map(|name| fs::read_to_string(format!("/proc/net/{name}")));
            let listens = sockets.iter().flatten().flat_map(|text| text.lines()).any(|line| {
                let mut fields = line.split_whitespace().skip(1);
                // TCP_LISTEN (linux/net_tcp_states.h)
                fields.next().is_some_and(|at| at.ends_with(&local)) && fields.nth(1) == Some("0A")
            });
            listens.then_some(())
        })
    }

    /// Waits until it has printed at least `length` bytes.
    fn wait_for_output(
        &mut self,
        length: usize,
        is_all: impl Fn(Vec<u8>) -> Option<Vec<u8>>,
    ) -> Result<Vec<u8>, String> {
        self.wait("give all of it", |output| {
            let so_far = fs::metadata(output).map_or(0, |data| data.len());
            // Not read before: the sessions need the CPU.
            if so_far < length as u64 { None } else { is_all(fs::read(output).ok()?) }
        })
    }

    fn wait<T>(&mut self, what: &str, ready: impl Fn(&Path) -> Option<T>) -> Result<T, String> {
        let start = Instant::now();
        loop {
            let ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            if let Some(ready) = ready(&self.output) {
                return Ok(ready);
            }
            if ended || start.elapsed() > TIME_LIMIT {
                return Err(format!("{} does not {what}:\n{}", self.name, self.stderr()));
            }
            thread::sleep(Duration::from_millis(30));
        }
    }

    fn stderr(&self) -> String {
        fs::read_to_string(&self.complaints).unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A process that has already ended cannot be killed; this is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
