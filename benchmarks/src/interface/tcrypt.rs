//! tcrypt's figures for AES-128-CBC encryption with the selected driver.

use anyhow::{Result, ensure};
use outboard_lab::requests::tcrypt::{self, Line, ROUNDS, Tests};
use outboard_measure::clock::Clock;

/// tcrypt, ready to run.
pub struct Tcrypt {
    driver: String,
    tcrypt: tcrypt::Tcrypt,
}

impl Tcrypt {
    /// Checks that tcrypt measures `driver`.
    pub fn find(driver: &str, clock: &Clock) -> Result<Tcrypt> {
        let mut tcrypt = Tcrypt { driver: driver.to_owned(), tcrypt: tcrypt::Tcrypt::open(clock)? };
        // The first run loads modules and instantiates templates.
        tcrypt.run(1)?;
        Ok(tcrypt)
    }

    /// Returns the throughput in MB/s by size with `depth` requests in flight, and the number of
    /// requests to the driver.
    pub fn run(&mut self, depth: usize) -> Result<(Vec<(usize, f64)>, u64)> {
        let lines = self.tcrypt.run(Tests::Aes, depth)?;
        let ours: Vec<&Line> = lines.iter().filter(|line| line.algorithm == "cbc(aes)").collect();
        for line in &ours {
            ensure!(
                line.driver == self.driver,
                "tcrypt measures the kernel's first driver of cbc(aes), which is {}: use a CPU without AES instructions",
                line.driver
            );
        }
        ensure!(!ours.is_empty(), "tcrypt logged no result for cbc(aes)");
        Ok(answer(&ours, depth, self.tcrypt.cycles_per_second()))
    }
}

/// A line of tcrypt covers all requests in flight.
fn answer(ours: &[&Line], depth: usize, cycles_per_second: f64) -> (Vec<(usize, f64)>, u64) {
    let asked = ours.iter().filter(|line| line.encrypt == Some(true) && line.bits == 128);
    let speed = |line: &&Line| (line.bytes, line.bytes as f64 / line.seconds(cycles_per_second) / 1e6);
    (asked.map(speed).collect(), ours.len() as u64 * ROUNDS * depth as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encryption_with_128_bits_is_picked() {
        let line = |encrypt, bits, cycles| Line {
            algorithm: "cbc(aes)".into(),
            driver: "virtio_crypto_aes_cbc".into(),
            encrypt,
            bits,
            bytes: 1024,
            cycles,
            requests: 1,
        };
        let lines = [line(Some(true), 128, 1024.0), line(Some(true), 192, 1.0), line(Some(false), 128, 2.0)];
        let all: Vec<&Line> = lines.iter().collect();
        assert_eq!(answer(&all, 1, 1e6), (vec![(1024, 1.0)], 3 * 12));
        assert_eq!(answer(&all, 16, 1e6).1, 3 * 12 * 16);
    }
}
