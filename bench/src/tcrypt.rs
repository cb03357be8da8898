//! tcrypt, the kernel's own benchmark: `modprobe tcrypt` measures and answers in the kernel's log.
//!
//! With `sec=0` it takes the cycles of eight rounds after four to warm up, for each key and size. That is short, so it
//! can take its turn among the others; the median of many turns is what counts.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use outboard_measure::clock::Clock;

/// Rounds for each line of its answer: test_acipher_cycles() in crypto/tcrypt.c.
const ROUNDS: u64 = 12;

/// What it says of AES-128-CBC encryption.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    /// Bytes and cycles of a request.
    pub cycles: Vec<(usize, f64)>,
    /// Requests that the driver was given, of whatever key and direction.
    pub requests: u64,
    /// The drivers of cbc(aes) that were measured; one, if any.
    driver: Option<String>,
}

/// Ready to be run.
pub struct Tcrypt {
    driver: String,
    log: File,
    per_second: f64,
}

impl Tcrypt {
    /// Looks whether it measures `driver`.
    pub fn find(driver: &str, clock: &Clock) -> Result<Tcrypt> {
        let per_second =
            clock.cycles_per_second().context("no cycle counter is known here for this kind of CPU")?;
        let log = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/kmsg")
            .context("/dev/kmsg")?;
        let mut tcrypt = Tcrypt { driver: driver.to_owned(), log, per_second };
        // The first time, more modules are loaded and templates made.
        tcrypt.run(1)?;
        Ok(tcrypt)
    }

    /// MB/s by size with `depth` requests in flight, and how many requests the driver was given.
    pub fn run(&mut self, depth: usize) -> Result<(Vec<(usize, f64)>, u64)> {
        self.log.seek(SeekFrom::End(0)).context("/dev/kmsg")?;
        let mut modprobe = Command::new("modprobe");
        modprobe.args(["tcrypt", "sec=0"]).stdin(Stdio::null()).stderr(Stdio::null());
        match depth {
            1 => modprobe.arg("mode=500"),
            _ => modprobe.args(["mode=600", &format!("num_mb={depth}")]),
        };
        // It fails by design, so that it need not be removed; what it measured is in the log.
        modprobe.status().context("modprobe tcrypt")?;
        let answer = read(&self.records()?, depth);
        match &answer.driver {
            None => bail!(
                "tcrypt said nothing of cbc(aes): CONFIG_CRYPTO_TEST=m, and modprobe tcrypt mode=500 as root?"
            ),
            Some(driver) => ensure!(
                *driver == self.driver,
                "tcrypt measures the kernel's first driver of cbc(aes), which is {driver}: use a CPU without AES instructions"
            ),
        }
        let speed = |(bytes, cycles): &(usize, f64)| (*bytes, *bytes as f64 * self.per_second / cycles / 1e6);
        Ok((answer.cycles.iter().map(speed).collect(), answer.requests))
    }

    /// What the log has since it was looked at last: one record for each read(2).
    fn records(&mut self) -> Result<String> {
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
                Err(error) => return Err(error).context("/dev/kmsg"),
            }
        }
    }
}

/// Picks AES-128-CBC out of the log. A line may have come in two records.
fn read(log: &str, depth: usize) -> Answer {
    let (mut answer, mut ours, mut encryption, mut key) = (Answer::default(), false, false, 0);
    for line in log.lines() {
        if let Some((_, what)) = line.split_once("testing speed of ") {
            ours = what.contains("cbc(aes) (") && !what.contains("cts(");
            encryption = what.trim_end().ends_with("encryption");
            if ours {
                answer.driver =
                    what.split('(').next_back().and_then(|rest| rest.split(')').next()).map(str::to_owned);
            }
            continue;
        }
        if let Some((before, _)) = line.split_once(" bit key") {
            key = before.rsplit('(').next().and_then(|bits| bits.parse().ok()).unwrap_or(0);
        }
        let Some((_, counted)) = line.split_once("1 operation in ").filter(|_| ours) else { continue };
        answer.requests += ROUNDS * depth as u64;
        let mut words = counted.split([' ', '(']).filter(|word| !word.is_empty());
        let (cycles, bytes) =
            (words.next().and_then(|n| n.parse().ok()), words.nth(1).and_then(|n| n.parse().ok()));
        if let (true, 128, Some(cycles), Some(bytes)) = (encryption, key, cycles, bytes) {
            answer.cycles.push((bytes, cycles));
        }
    }
    answer
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
        tcrypt: \\x0atesting speed of async cbc(aes) (virtio_crypto_aes_cbc) decryption\n\
        tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 2 cycles (16 bytes)\n\
        tcrypt: \\x0atesting speed of async cts(cbc(aes)) (cts(cbc(aes-generic))) encryption\n\
        tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 3 cycles (16 bytes)\n";

    #[test]
    fn the_encryption_with_128_bits_is_picked() {
        let answer = read(LOG, 1);
        assert_eq!(answer.cycles, [(16, 70011.0), (1024, 70500.0)]);
        assert_eq!((answer.requests, answer.driver.as_deref()), (48, Some("virtio_crypto_aes_cbc")));
    }

    #[test]
    fn of_many_in_flight_a_line_stands_for_all() {
        let log = LOG.replace("async", "multibuffer");
        assert_eq!(read(&log, 16).requests, 48 * 16);
        assert_eq!(read("nothing", 1), Answer::default());
    }
}
