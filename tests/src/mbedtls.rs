//! A server with Mbed TLS: lighttpd with its module mod_mbedtls, and files fetched
//! from it with `openssl s_client`.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::{command, on_path, status_and_output};
use crate::openssh::free_port;
use crate::time_limit::TIME_LIMIT;

/// The path of the module in Debian, where lighttpd looks for it.
const MODULE: &str = "/usr/lib/lighttpd/mod_mbedtls.so";

/// lighttpd with Mbed TLS.
pub struct Mbedtls(PathBuf);

/// A server that listens, until dropped.
pub struct Server<'a> {
    child: Child,
    folder: &'a Path,
    port: u16,
}

impl Mbedtls {
    /// The program, or what is missing of it.
    pub fn find() -> Result<Mbedtls, String> {
        let program = on_path("lighttpd").ok_or("the lighttpd command (lighttpd)")?;
        if !Path::new(MODULE).exists() {
            return Err(format!("{MODULE} (lighttpd-mod-mbedtls)"));
        }
        Ok(Mbedtls(program))
    }

    /// Serves the files of a folder, which has `key.pem` and `cert.pem`, in every suite that Mbed
    /// TLS has.
    pub fn serve<'a>(&self, folder: &'a Path) -> Result<Server<'a>, String> {
        let (port, shown) = (free_port(), folder.display());
        // Suites of TLS 1.3 by the names that Mbed TLS has for them.
        let text = format!(
            "server.modules = (\"mod_mbedtls\")\nserver.document-root = \"{shown}\"\n\
             server.bind = \"127.0.0.1\"\nserver.port = {port}\nssl.engine = \"enable\"\n\
             ssl.pemfile = \"{shown}/cert.pem\"\nssl.privkey = \"{shown}/key.pem\"\n\
             ssl.openssl.ssl-conf-cmd = (\"MinProtocol\" => \"TLSv1.2\", \"CipherString\" => \"HIGH\", \"Ciphersuites\" => \
             \"TLS1-3-AES-256-GCM-SHA384:TLS1-3-AES-128-GCM-SHA256:TLS1-3-AES-128-CCM-SHA256\")\n"
        );
        let settings = folder.join("lighttpd.conf");
        fs::write(&settings, text).map_err(|error| error.to_string())?;
        let log = File::create(folder.join("lighttpd.log")).map_err(|error| error.to_string())?;
        let child = Command::new(&self.0)
            .args(["-D", "-f"])
            .arg(&settings)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(|error| format!("lighttpd: {error}"))?;
        let mut server = Server { child, folder, port };
        server.wait_until_it_listens()?;
        Ok(server)
    }
}

impl Server<'_> {
    fn wait_until_it_listens(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            if ended || start.elapsed() > TIME_LIMIT {
                return Err(format!("lighttpd does not listen:\n{}", self.log()));
            }
            thread::sleep(Duration::from_millis(30));
        }
        Ok(())
    }

    /// Fetches a file of the folder with this version (`-tls1_2`, `-tls1_3`) and suite, as OpenSSL
    /// names it.
    pub fn fetch(
        &self,
        openssl: &Path,
        config: &Path,
        [version, suite]: [&str; 2],
        name: &str,
    ) -> Result<Vec<u8>, String> {
        let request = self.folder.join("request");
        fs::write(&request, format!("GET /{name} HTTP/1.0\r\n\r\n")).map_err(|error| error.to_string())?;
        let address = format!("127.0.0.1:{}", self.port);
        // TLS 1.3 has separate suites, and an option for them.
        let option = if version == "-tls1_3" { "-ciphersuites" } else { "-cipher" };
        let client =
            command(openssl, config, &["s_client", "-quiet", "-connect", &address, version, option, suite])
                .stdin(File::open(&request).map_err(|error| error.to_string())?)
                .output()
                .map_err(|error| error.to_string())?;
        let body = client.stdout.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        match body {
            Some(at) if client.status.success() && client.stdout.starts_with(b"HTTP/1.0 200") => {
                Ok(client.stdout[at + 4..].to_vec())
            }
            _ => Err(format!("s_client: {}\nlighttpd: {}", status_and_output(&client), self.log())),
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("lighttpd.log")).unwrap_or_default()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // A process that has already ended cannot be killed; this is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
