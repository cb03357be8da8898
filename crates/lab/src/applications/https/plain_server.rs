//! A web server without TLS within this process, for a program that terminates TLS.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::super::server_process::LOCALHOST;

/// Largest header of a request, in bytes.
const HEADER: usize = 8 << 10;

/// Time limit for a client that sends or receives nothing.
const SILENCE: Duration = Duration::from_secs(600);

/// Answers each request with one file. Dropping this value ends it; transfers that have begun
/// continue until their clients are gone.
pub struct PlainServer {
    pub address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl PlainServer {
    /// Serves `file` at a free port of 127.0.0.1.
    pub fn start(file: &Path) -> Result<PlainServer> {
        let listener = TcpListener::bind((LOCALHOST, 0)).context("no port of 127.0.0.1")?;
        let address = listener.local_addr()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (file, ends) = (file.to_owned(), is_over.clone());
        let thread = thread::Builder::new().name("plain-server".to_owned());
        let thread = thread.spawn(move || accept(&listener, &file, &ends)).context("no thread")?;
        Ok(PlainServer { address, is_over, thread: Some(thread) })
    }
}

impl Drop for PlainServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // It waits in accept(2). If no connection is possible, the thread ends with the process.
        let is_woken = TcpStream::connect(self.address).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| is_woken) {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, file: &Path, ends: &AtomicBool) {
    for client in listener.incoming() {
        if ends.load(Ordering::Acquire) {
            return;
        }
        let Ok(client) = client else { continue };
        let file: PathBuf = file.to_owned();
        // Without a thread the client sees its connection end, and reports it. So it does when an
        // answer fails.
        let _ = thread::Builder::new().spawn(move || answer(client, &file));
    }
}

fn answer(mut client: TcpStream, file: &Path) -> io::Result<()> {
    client.set_read_timeout(Some(SILENCE))?;
    client.set_write_timeout(Some(SILENCE))?;
    let mut header = Vec::new();
    let mut part = [0; 1024];
    while !header.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = client.read(&mut part)?;
        if read == 0 || header.len() > HEADER {
            return Ok(());
        }
        header.extend_from_slice(&part[..read]);
    }
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    write!(client, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n")?;
    io::copy(&mut file, &mut client)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_gets_the_file_until_the_server_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, [7; 100_000]).unwrap();
        let server = PlainServer::start(&file).unwrap();
        // One that sends nothing delays nobody.
        let silent = TcpStream::connect(server.address).unwrap();
        for _ in 0..2 {
            let mut client = TcpStream::connect(server.address).unwrap();
            client.write_all(b"GET /file HTTP/1.1\r\n").unwrap();
            client.write_all(b"Host: x\r\n\r\n").unwrap();
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).unwrap();
            let end = answer.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
            assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n"));
            assert_eq!(answer[end..], [7; 100_000]);
        }
        drop(silent);
        let address = server.address;
        drop(server);
        assert!(TcpStream::connect(address).is_err());
    }
}
