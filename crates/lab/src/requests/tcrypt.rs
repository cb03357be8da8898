//! tcrypt, the kernel's own benchmark: `modprobe tcrypt` measures, and writes the results to the
//! kernel's log.
//!
//! With `sec=0` it measures the cycles of eight rounds after four warm-up rounds, for each key and
//! size. A run is short enough to be interleaved with other contestants; the median of many runs
//! counts. It measures the driver that the kernel prefers for each algorithm.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use outboard_measure::clock::Clock;

/// Rounds per line of its output: test_acipher_cycles() in crypto/tcrypt.c.
pub const ROUNDS: u64 = 12;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel's cycle counter is not known for this architecture.
    #[error("no cycle counter is known here for this kind of CPU")]
    NoCycles,
    #[error("/dev/kmsg: {0}: try again as root")]
    Log(io::Error),
    /// tcrypt runs these tests with one request in flight only.
    #[error("tcrypt does these one at a time")]
    OneAtATime,
    #[error("modprobe tcrypt: {0}: install kmod")]
    Modprobe(io::Error),
    #[error("tcrypt logged no result: CONFIG_CRYPTO_TEST=m, and modprobe tcrypt {0} as root?")]
    NoResult(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub algorithm: String,
    pub driver: String,
    /// Encryption, or decryption; none for a digest or an HMAC.
    pub encrypt: Option<bool>,
    /// Bits of a cipher's key; of both halves for XTS.
    pub bits: usize,
    /// Bytes of a request, or of a message.
    pub bytes: usize,
    pub cycles: f64,
    /// Requests to the driver: more than one if a message was hashed in chunks.
    pub requests: u64,
}

impl Line {
    pub fn seconds(&self, cycles_per_second: f64) -> f64 {
        self.cycles / cycles_per_second
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tests {
    Aes,
    TripleDes,
    /// A digest or an HMAC, one message at a time.
    Hash {
        algorithm: &'static str,
        /// Bytes of an HMAC's key; 0 for a digest.
        key: usize,
    },
}

impl Tests {
    /// The module parameters that select these tests with `depth` requests in flight; `None` if
    /// there are none.
    fn arguments(self, depth: usize) -> Option<Vec<String>> {
        let mode = |mode: u32| vec![format!("mode={mode}")];
        let several = |mode: u32| vec![format!("mode={mode}"), format!("num_mb={depth}")];
        Some(match (self, depth) {
            (Tests::Aes, 1) => mode(500),
            (Tests::Aes, _) => several(600),
            (Tests::TripleDes, 1) => mode(501),
            (Tests::TripleDes, _) => several(601),
            (Tests::Hash { algorithm, key }, 1) => {
                vec!["mode=400".to_owned(), format!("alg={algorithm}"), format!("klen={key}")]
            }
            (Tests::Hash { .. }, _) => return None,
        })
    }

    /// Whether tcrypt can run them with `depth` requests in flight.
    pub fn can_do(self, depth: usize) -> bool {
        self.arguments(depth).is_some()
    }
}

pub struct Tcrypt {
    log: File,
    per_second: f64,
}

impl Tcrypt {
    /// Opens the kernel's log. Fails if the speed of the cycle counter is unknown.
    pub fn open(clock: &Clock) -> Result<Tcrypt, Error> {
        let per_second = clock.cycles_per_second().ok_or(Error::NoCycles)?;
        let log = File::options().read(true).custom_flags(libc::O_NONBLOCK).open("/dev/kmsg");
        Ok(Tcrypt { log: log.map_err(Error::Log)?, per_second })
    }

    pub fn cycles_per_second(&self) -> f64 {
        self.per_second
    }

    /// Runs tests with `depth` requests in flight. Blocks until they are complete.
    pub fn run(&mut self, tests: Tests, depth: usize) -> Result<Vec<Line>, Error> {
        let arguments = tests.arguments(depth).ok_or(Error::OneAtATime)?;
        self.log.seek(SeekFrom::End(0)).map_err(Error::Log)?;
        let mut modprobe = Command::new("modprobe");
        modprobe.args(["tcrypt", "sec=0"]).args(&arguments).stdin(Stdio::null()).stderr(Stdio::null());
        // modprobe fails by design, so that the module need not be removed. The results are in the
        // log.
        modprobe.status().map_err(Error::Modprobe)?;
        let lines = read(&self.records().map_err(Error::Log)?);
        if lines.is_empty() { Err(Error::NoResult(arguments.join(" "))) } else { Ok(lines) }
    }

    /// The messages logged since the last read: one record per read(2).
    fn records(&mut self) -> io::Result<String> {
        let (mut text, mut record) = (String::new(), [0; 8192]);
        loop {
            match self.log.read(&mut record) {
                Ok(size) => {
                    let line = String::from_utf8_lossy(&record[..size]);
                    text.push_str(line.split_once(';').map_or("", |(_, message)| message));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(text),
                // Older records were overwritten: the next read continues after them.
                Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Extracts the figures from the log. The kernel may have logged a line in two records.
fn read(log: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut about: Option<Line> = None;
    for line in log.lines() {
        if let Some((_, what)) = line.split_once("testing speed of ") {
            about = heading(what);
            continue;
        }
        let Some(about) = &mut about else { continue };
        if let Some((before, _)) = line.split_once(" bit key") {
            about.bits = last_number(before).unwrap_or(0);
        }
        if let Some((before, after)) = line.split_once(" byte blocks,") {
            let updates = after.split_once(" updates)").and_then(|(before, _)| last_number(before));
            // A whole message is one request; otherwise each chunk is one, and the final is
            // another.
            about.requests = updates.filter(|&updates| updates > 1).map_or(1, |updates| updates as u64 + 1);
            about.bytes = last_number(before).unwrap_or(0);
        }
        if let Some((_, counted)) = line.split_once("1 operation in ") {
            let mut words = counted.split([' ', '(']).filter(|word| !word.is_empty());
            let (cycles, bytes) = (words.next().and_then(number), words.nth(1).and_then(number));
            if let (Some(cycles), Some(bytes)) = (cycles, bytes) {
                lines.push(Line { cycles, bytes: bytes as usize, ..about.clone() });
            }
        }
        if let Some((counted, _)) = line.split_once(" cycles/operation") {
            let cycles = counted.rsplit([' ', ':']).next().and_then(number);
            lines.extend(cycles.map(|cycles| Line { cycles, ..about.clone() }));
        }
    }
    lines
}

fn number(text: &str) -> Option<f64> {
    text.parse::<u64>().ok().map(|number| number as f64)
}

fn last_number(text: &str) -> Option<usize> {
    text.rsplit(|one: char| !one.is_ascii_digit()).next()?.parse().ok()
}

/// `async cbc(aes) (virtio_crypto_aes_cbc) encryption`, `async sha256 (sim-sha256)`
fn heading(text: &str) -> Option<Line> {
    let mut words = text.split_whitespace().skip(1);
    let (algorithm, driver) = (words.next()?.to_owned(), words.next()?);
    let driver = driver.strip_prefix('(')?.strip_suffix(')')?.to_owned();
    let encrypt = words.next().map(|direction| direction == "encryption");
    Some(Line { algorithm, driver, encrypt, bits: 0, bytes: 0, cycles: 0.0, requests: 1 })
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
            encrypt: Some(encrypt),
            bits,
            bytes,
            cycles,
            requests: 1,
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

    const DIGESTS: &str = "tcrypt: \\x0atesting speed of async sha256 (sim-sha256)\n\
        tcrypt: test  0 (   16 byte blocks,   16 bytes per update,   1 updates):    901 cycles/operation,   56 cycles/byte\n\
        tcrypt: test  1 (   64 byte blocks,   16 bytes per update,   4 updates): \n\
        tcrypt:   4100 cycles/operation,   64 cycles/byte\n\
        tcrypt: test 21 ( 8192 byte blocks, 8192 bytes per update,   1 updates): 123456 cycles/operation,   15 cycles/byte\n";

    #[test]
    fn messages_in_pieces_are_told_from_whole_ones() {
        let found = read(DIGESTS);
        let figures: Vec<_> = found.iter().map(|line| (line.bytes, line.cycles, line.requests)).collect();
        assert_eq!(figures, [(16, 901.0, 1), (64, 4100.0, 5), (8192, 123_456.0, 1)]);
        for line in found {
            assert_eq!((line.algorithm.as_str(), line.driver.as_str()), ("sha256", "sim-sha256"));
            assert_eq!((line.encrypt, line.bits), (None, 0));
        }
    }

    #[test]
    fn digests_and_hmacs_come_one_at_a_time() {
        let arguments = |tests: Tests| {
            [1, 16].map(|depth| tests.arguments(depth).map(|words| words.join(" ")).unwrap_or_default())
        };
        assert_eq!(arguments(Tests::Aes), ["mode=500", "mode=600 num_mb=16"]);
        assert_eq!(arguments(Tests::TripleDes), ["mode=501", "mode=601 num_mb=16"]);
        let hmac = Tests::Hash { algorithm: "hmac(sha1)", key: 20 };
        assert_eq!(arguments(hmac), ["mode=400 alg=hmac(sha1) klen=20", ""]);
        assert!(hmac.can_do(1) && !hmac.can_do(2));
    }

    #[test]
    fn a_line_without_a_figure_is_not_read() {
        for log in [
            "",
            "nothing",
            "1 operation in 7 cycles (16 bytes)",
            "testing speed of async\n1 operation in 7",
            "   901 cycles/operation",
            "testing speed of async sha256 (sim-sha256)\nhashing failed ret=-5",
        ] {
            assert_eq!(read(log), [], "{log}");
        }
    }
}
