//! tcrypt, the kernel's own benchmark: `modprobe tcrypt` measures and answers in the kernel's log.
//!
//! With `sec=0` it takes the cycles of eight rounds after four to warm up, for each key and size. That is short, so it can take its
//! turn among others; the median of many turns is what counts. Of each algorithm it measures the driver that the kernel prefers.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use crate::clock::Clock;

/// Rounds for each line of its answer: test_acipher_cycles() in crypto/tcrypt.c.
pub const ROUNDS: u64 = 12;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its cycles mean nothing here.
    #[error("no cycle counter is known here for this kind of CPU")]
    NoCycles,
    /// The kernel's log.
    #[error("/dev/kmsg: {0}: try again as root")]
    Log(io::Error),
    /// What loads it.
    #[error("modprobe tcrypt: {0}: install kmod")]
    Modprobe(io::Error),
    /// It is not there, or may not be loaded.
    #[error("tcrypt said nothing: CONFIG_CRYPTO_TEST=m, and modprobe tcrypt mode={0} as root?")]
    Silent(u32),
}

/// One line of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The kernel's name.
    pub algorithm: String,
    /// The driver that the kernel prefers.
    pub driver: String,
    /// Encryption, or decryption.
    pub encrypt: bool,
    /// Of the key; both halves of it for XTS.
    pub bits: usize,
    /// Of a request.
    pub bytes: usize,
    /// That a request took.
    pub cycles: f64,
}

impl Line {
    /// Seconds of a request.
    pub fn seconds(&self, cycles_per_second: f64) -> f64 {
        self.cycles / cycles_per_second
    }
}

/// Ready to be run.
pub struct Tcrypt {
    log: File,
    per_second: f64,
}

impl Tcrypt {
    /// Opens the kernel's log.
    pub fn open(clock: &Clock) -> Result<Tcrypt, Error> {
        let per_second = clock.cycles_per_second().ok_or(Error::NoCycles)?;
        let log = File::options().read(true).custom_flags(libc::O_NONBLOCK).open("/dev/kmsg");
        Ok(Tcrypt { log: log.map_err(Error::Log)?, per_second })
    }

    /// The cycles of a second.
    pub fn cycles_per_second(&self) -> f64 {
        self.per_second
    }

    /// Runs a group of its tests, 0 for modes of AES and 1 for those of triple DES, with `depth` requests in flight.
    pub fn run(&mut self, group: u32, depth: usize) -> Result<Vec<Line>, Error> {
        self.log.seek(SeekFrom::End(0)).map_err(Error::Log)?;
        let mut modprobe = Command::new("modprobe");
        modprobe.args(["tcrypt", "sec=0"]).stdin(Stdio::null()).stderr(Stdio::null());
        let mode = if depth == 1 { 500 + group } else { 600 + group };
        modprobe.arg(format!("mode={mode}"));
        if depth > 1 {
            modprobe.arg(format!("num_mb={depth}"));
        }
        // It fails by design, so that it need not be removed; what it measured is in the log.
        modprobe.status().map_err(Error::Modprobe)?;
        let lines = read(&self.records().map_err(Error::Log)?);
        if lines.is_empty() { Err(Error::Silent(mode)) } else { Ok(lines) }
    }

    /// What the log has since it was looked at last: one record for each read(2).
    fn records(&mut self) -> io::Result<String> {
        let (mut text, mut record) = (String::new(), [0; 8192]);
        loop {
            match self.log.read(&mut record) {
                Ok(size) => {
                    let line = String::from_utf8_lossy(&record[..size]);
                    text.push_str(line.split_once(';').map_or("", |(_, message)| message));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(text),
                // Older ones were overwritten: the next read goes on behind them.
                Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Picks the figures out of the log. A line may have come in two records.
fn read(log: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut about: Option<(String, String, bool)> = None;
    let mut bits = 0;
    for line in log.lines() {
        if let Some((_, what)) = line.split_once("testing speed of ") {
            about = heading(what);
            continue;
        }
        if let Some((before, _)) = line.split_once(" bit key") {
            bits = before.rsplit('(').next().and_then(|bits| bits.parse().ok()).unwrap_or(0);
        }
        let counted = line.split_once("1 operation in ").zip(about.as_ref());
        let Some(((_, counted), (algorithm, driver, encrypt))) = counted else { continue };
        let mut words = counted.split([' ', '(']).filter(|word| !word.is_empty());
        let (cycles, bytes) =
            (words.next().and_then(|n| n.parse().ok()), words.nth(1).and_then(|n| n.parse().ok()));
        if let (Some(cycles), Some(bytes)) = (cycles, bytes) {
            let (algorithm, driver, encrypt) = (algorithm.clone(), driver.clone(), *encrypt);
            lines.push(Line { algorithm, driver, encrypt, bits, bytes, cycles });
        }
    }
    lines
}

/// `async cbc(aes) (virtio_crypto_aes_cbc) encryption`
fn heading(text: &str) -> Option<(String, String, bool)> {
    let mut words = text.split_whitespace().skip(1);
    let (algorithm, driver, direction) = (words.next()?, words.next()?, words.next()?);
    let driver = driver.strip_prefix('(')?.strip_suffix(')')?;
    Some((algorithm.to_owned(), driver.to_owned(), direction == "encryption"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "tcrypt: \\x0atesting speed of async ecb(aes) (ecb(aes-generic)) encryption\n\
        tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 700 cycles (16 bytes)\n\
        tcrypt: \\x0atesting speed of async cbc(aes) (virtio_crypto_aes_cbc) encryption\n\
        tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 70011 cycles (16 bytes)\n\
        tcrypt: test 4 (128 bit key, 1024 byte blocks): \n\
        1 operation in 70500 cycles (1024 bytes)\n\
        tcrypt: test 7 (192 bit key, 16 byte blocks): 1 operation in 1 cycles (16 bytes)\n\
        tcrypt: \\x0atesting speed of multibuffer cts(cbc(aes)) (cts(cbc(aes-generic))) decryption\n\
        tcrypt: test 0 (256 bit key, 16 byte blocks): 1 operation in 3 cycles (16 bytes)\n";

    #[test]
    fn each_figure_has_its_driver_key_and_direction() {
        let line = |algorithm: &str, driver: &str, encrypt, bits, bytes, cycles| Line {
            algorithm: algorithm.into(),
            driver: driver.into(),
            encrypt,
            bits,
            bytes,
            cycles,
        };
        let cbc = |bits, bytes, cycles| line("cbc(aes)", "virtio_crypto_aes_cbc", true, bits, bytes, cycles);
        assert_eq!(
            read(LOG),
            [
                line("ecb(aes)", "ecb(aes-generic)", true, 128, 16, 700.0),
                cbc(128, 16, 70011.0),
                cbc(128, 1024, 70500.0),
                cbc(192, 16, 1.0),
                line("cts(cbc(aes))", "cts(cbc(aes-generic))", false, 256, 16, 3.0),
            ]
        );
        assert!((cbc(128, 16, 70011.0).seconds(70011e3) - 1e-3).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_figure_is_not_read() {
        for log in
            ["", "nothing", "1 operation in 7 cycles (16 bytes)", "testing speed of async\n1 operation in 7"]
        {
            assert_eq!(read(log), [], "{log}");
        }
    }
}
