//! Requests of real clients to a service: curl(1) for TLS, ssh(1) for SSH. Both use OpenSSL without
//! a configuration, so that only the service's side can be accelerated.

use std::io::{Read as _, Seek as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

/// Bytes of an exchange, all under one key: twice the most after which look-ahead starts
/// (`outboard tune`).
const BYTES: usize = 2 << 20;

/// Bytes of one HTTP request. curl ends the connection if an error is the answer before it has sent
/// them all.
const REQUEST: usize = 16 << 10;

/// How long a server may take to answer, as the clients have it.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    Tls,
    Ssh,
}

/// An address at which a service answers in a known protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Endpoint {
    pub address: SocketAddr,
    pub protocol: Protocol,
    /// The process that listens is the system's SSH server, to which the keys of the calling user
    /// are offered.
    #[serde(skip)]
    pub has_keys: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    #[serde(flatten)]
    pub endpoint: Endpoint,
    pub cipher: Option<String>,
    /// Bytes that were sent; 0 after a handshake alone.
    pub bytes: usize,
}

impl Exchange {
    /// Whether it is a handshake of SSH that no login followed.
    pub fn is_without_login(&self) -> bool {
        self.endpoint.protocol == Protocol::Ssh && self.bytes == 0
    }
}

impl Endpoint {
    /// Finds out which protocol is spoken at an address; `None`: none of these.
    /// `has_keys`: as in [`Endpoint`].
    pub fn probe(address: SocketAddr, has_keys: bool) -> Option<Self> {
        let protocol = if is_ssh_server(address).ok()? { Protocol::Ssh } else { Protocol::Tls };
        let endpoint = Self { address, protocol, has_keys };
        let answer = match protocol {
            Protocol::Tls => endpoint.https(None, false),
            Protocol::Ssh => endpoint.ssh(None),
        };
        answer.is_ok().then_some(endpoint)
    }

    /// Sends [`BYTES`]. With `cipher`, OpenSSL's name, only that is offered.
    pub fn exchange(self, cipher: Option<&str>) -> Result<Exchange> {
        match self.protocol {
            Protocol::Tls => self.https(cipher, true),
            Protocol::Ssh => self.ssh(cipher),
        }
    }

    /// GET requests, with bodies or one without, in one connection as long as the server keeps it. Most
    /// web servers read and ignore the body. One that closes the connection instead resets it, and its
    /// answer may be lost (RFC 9112, 9.6), so data that was sent counts as an answer.
    fn https(self, cipher: Option<&str>, has_body: bool) -> Result<Exchange> {
        let mut curl = Command::new("curl");
        curl.args(["--disable", "--verbose", "--silent", "--insecure", "--http1.1", "--noproxy", "*"]);
        curl.args(["--max-time", "30", "--output", "/dev/null", "--write-out", "%{size_upload}\n"]);
        curl.args(["--user-agent", "outboard", "--header", "Expect:"]);
        let (length, requests) = if has_body { (REQUEST, BYTES / REQUEST) } else { (0, 1) };
        if has_body {
            curl.args(["--request", "GET", "--data-binary", "@-"]);
        }
        if let Some(cipher) = cipher {
            let Some(suites) = suites(cipher) else { bail!("no suite of TLS 1.2 has {cipher}") };
            curl.args(["--tls-max", "1.2", "--ciphers", &suites]);
        }
        // The fragment repeats the request, and is not sent.
        curl.arg(format!("https://{}/#[1-{requests}]", self.address));
        let output = converse(&mut curl, "curl", length)?;
        let text = String::from_utf8_lossy(&output.stderr);
        // "* SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384 / ..."
        let connection = text.lines().find_map(|line| line.split_once("SSL connection using "));
        let Some((_, connection)) = connection else {
            bail!("{}: no TLS connection: {}", self.address, text.lines().last().unwrap_or("no message"));
        };
        let sent = String::from_utf8_lossy(&output.stdout);
        let sent = sent.lines().filter_map(|line| line.trim().parse::<usize>().ok()).sum();
        if sent == 0 && !text.lines().any(|line| line.starts_with("< HTTP/")) {
            bail!("{}: no HTTP answer: {}", self.address, text.lines().last().unwrap_or("no message"));
        }
        let cipher = connection.split(" / ").nth(1).map(|name| name.trim().to_owned());
        Ok(Exchange { endpoint: self, cipher, bytes: sent })
    }

    /// A login, and data for a command. Without a login, the handshake and the refused
    /// authentication are the exchange.
    fn ssh(self, cipher: Option<&str>) -> Result<Exchange> {
        let mut ssh = Command::new("/usr/bin/ssh");
        ssh.args(self.ssh_arguments(cipher)?);
        let output = converse(&mut ssh, "ssh", BYTES)?;
        let text = String::from_utf8_lossy(&output.stderr);
        // "debug1: kex: client->server cipher: aes128-ctr MAC: ..."
        let cipher = text.lines().find_map(|line| line.split_once("client->server cipher: "));
        let cipher = cipher.and_then(|(_, rest)| rest.split_whitespace().next()).map(str::to_owned);
        if !text.lines().any(|line| line.contains("SSH2_MSG_NEWKEYS received")) || cipher.is_none() {
            bail!("{}: no SSH connection: {}", self.address, text.lines().last().unwrap_or("no message"));
        }
        Ok(Exchange { endpoint: self, cipher, bytes: if output.status.success() { BYTES } else { 0 } })
    }
}

impl Endpoint {
    fn ssh_arguments(self, cipher: Option<&str>) -> Result<Vec<String>> {
        let mut all: Vec<String> = ["-v", "-F", "none", "-T", "-p"].map(str::to_owned).to_vec();
        all.push(self.address.port().to_string());
        let options = [
            "BatchMode=yes",
            "StrictHostKeyChecking=no",
            "UserKnownHostsFile=/dev/null",
            "GlobalKnownHostsFile=/dev/null",
            "ConnectTimeout=30",
            "ServerAliveInterval=10",
        ];
        // Any program can greet as an SSH server does: it learns neither the keys of the calling
        // user nor what its agent would sign.
        let without_keys = ["IdentitiesOnly=yes", "IdentityAgent=none", "IdentityFile=/dev/null"];
        let without_keys = if self.has_keys { &[][..] } else { &without_keys };
        for option in options.iter().chain(without_keys) {
            all.extend(["-o".to_owned(), (*option).to_owned()]);
        }
        if let Some(cipher) = cipher {
            let Some(name) = ssh_name(cipher) else { bail!("SSH has no {cipher}") };
            all.extend(["-c".to_owned(), name]);
        }
        all.extend([self.address.ip().to_string(), "cat >/dev/null".to_owned()]);
        Ok(all)
    }
}

/// Whether a server begins as one of SSH (RFC 4253, 4.2), however long it takes to. A server of another
/// protocol cannot read what an SSH client sends first: it answers with an error or ends the
/// connection.
fn is_ssh_server(address: SocketAddr) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect_timeout(&address, LONGEST_WAIT)?;
    stream.set_read_timeout(Some(LONGEST_WAIT))?;
    // Fails where the connection has ended already.
    let _ = stream.write_all(b"SSH-2.0-outboard\r\n");
    let mut greeting = [0; 4];
    Ok(stream.read_exact(&mut greeting).is_ok() && greeting == *b"SSH-")
}

/// Runs a client with this many bytes on its standard input.
fn converse(command: &mut Command, name: &str, length: usize) -> Result<Output> {
    // A file: the client may end without reading it.
    let mut data = tempfile::tempfile().context("no temporary file can be made")?;
    data.write_all(&vec![0; length])?;
    data.rewind()?;
    // Empty: OpenSSL loads no configuration.
    command.env("OPENSSL_CONF", "").env("LC_ALL", "C");
    command.stdin(Stdio::from(data)).output().with_context(|| format!("{name} cannot be run"))
}

/// The suites of TLS 1.2 with a cipher, by OpenSSL's names.
fn suites(cipher: &str) -> Option<String> {
    let suffix = match cipher {
        "AES-128-CBC" => "AES128-SHA",
        "AES-256-CBC" => "AES256-SHA",
        "AES-128-GCM" => "AES128-GCM-SHA256",
        "AES-256-GCM" => "AES256-GCM-SHA384",
        _ => return None,
    };
    Some(["ECDHE-ECDSA-", "ECDHE-RSA-", "DHE-RSA-", ""].map(|prefix| format!("{prefix}{suffix}")).join(":"))
}

/// SSH's name of a cipher, RFC 4253, 4344 and OpenSSH's PROTOCOL.
fn ssh_name(cipher: &str) -> Option<String> {
    let (bits, mode) = cipher.strip_prefix("AES-")?.split_once('-')?;
    match mode {
        "CBC" => Some(format!("aes{bits}-cbc")),
        "CTR" => Some(format!("aes{bits}-ctr")),
        "GCM" => Some(format!("aes{bits}-gcm@openssh.com")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn ciphers_have_names_in_both_protocols() {
        assert!(suites("AES-128-CBC").unwrap().ends_with(":AES128-SHA"));
        assert_eq!(suites("AES-128-CTR"), None);
        assert_eq!(ssh_name("AES-256-GCM").as_deref(), Some("aes256-gcm@openssh.com"));
        assert_eq!(ssh_name("DES-EDE3-CBC"), None);
    }

    #[test]
    fn keys_are_offered_to_the_system_s_ssh_server_only() {
        let address = "127.0.0.1:2222".parse().unwrap();
        let arguments = |has_keys| {
            let endpoint = Endpoint { address, protocol: Protocol::Ssh, has_keys };
            endpoint.ssh_arguments(Some("AES-128-CTR")).unwrap().join(" ")
        };
        let offered = "-o IdentitiesOnly=yes -o IdentityAgent=none -o IdentityFile=/dev/null";
        assert!(arguments(false).contains(offered), "{}", arguments(false));
        assert!(!arguments(true).contains("Identit"), "{}", arguments(true));
        for both in [arguments(false), arguments(true)] {
            assert!(both.starts_with("-v -F none -T -p 2222 -o BatchMode=yes "), "{both}");
            assert!(both.ends_with(" -c aes128-ctr 127.0.0.1 cat >/dev/null"), "{both}");
        }
    }

    /// A server of one connection: it sends the second text after it has received the first.
    fn server(wanted: &'static [u8], answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut read = vec![0; wanted.len()];
            stream.read_exact(&mut read).unwrap();
            assert_eq!(read, wanted);
            stream.write_all(answer).unwrap();
        });
        address
    }

    #[test]
    fn a_slow_ssh_server_is_waited_for_and_another_server_ends_the_wait() {
        for (answer, is_ssh) in
            [(&b"SSH-2.0-OpenSSH_10.0\r\n"[..], true), (b"HTTP/1.1 400 Bad Request\r\n", false), (b"", false)]
        {
            let address = server(b"SSH-2.0-outboard\r\n", answer);
            assert_eq!(is_ssh_server(address).unwrap(), is_ssh, "{answer:?}");
        }
        let slow = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = slow.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = slow.accept().unwrap();
            // Longer than an idle host needs.
            std::thread::sleep(Duration::from_millis(1500));
            stream.write_all(b"SSH-2.0-OpenSSH_10.0\r\n").unwrap();
        });
        assert!(is_ssh_server(address).unwrap());
        server.join().unwrap();
    }

    #[test]
    fn a_server_of_another_protocol_is_no_endpoint() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            for stream in listener.incoming().take(2).flatten() {
                (&stream).write_all(b"220 mail\r\n").unwrap();
            }
        });
        assert_eq!(Endpoint::probe(address, false), None);
        // The client may not have connected a second time.
        let _ = TcpStream::connect(address);
        server.join().unwrap();
        assert_eq!(Endpoint::probe(address, false), None);
    }
}
