//! Tests whether the time for removing padding and MAC from a TLS record depends on them: the
//! statistical test of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?",
//! DATE 2017).
//!
//! Records of two classes are processed in random order and measured. Welch's t shows whether the
//! times of the classes differ. It is computed repeatedly with the slowest measurements removed,
//! because they would hide a small difference. |t| above 10 shows a leak; below 5 this number of
//! measurements shows none. The test must detect a planted leak in code of the same size; otherwise
//! the result is invalid.
//!
//! Run `cargo bench -p outboard-provider --bench constant_time` on an idle machine. `make bench`
//! runs it too.

use std::hint::black_box;
use std::process::ExitCode;

use outboard_measure::clock::Clock;

#[path = "../src/cipher"]
mod cipher {
    // The provider's own source file. This benchmark does not use all of it, and not its tests.
    #[allow(dead_code, unused_imports)]
    mod unpad;

    use std::hint::black_box;
    use unpad::{Padding, unpad};

    /// The code under test.
    pub fn right(record: &[u8], mac_size: usize) {
        let found = unpad(black_box(record), mac_size, Padding::Equal);
        black_box(found.map(|found| (found.len, found.mac.map(|mac| mac.as_slice().len()))));
    }

    /// The code under test, followed by an inspection of the padding in variable time.
    pub fn leaky(record: &[u8], mac_size: usize) {
        right(record, mac_size);
        let padding = record.last().copied().unwrap_or(0);
        let wrong =
            black_box(record).iter().rev().take(usize::from(padding) + 1).position(|&byte| byte != padding);
        black_box(wrong);
    }
}

/// Record length in bytes. It is public, so all records of a test have the same length.
const RECORD: usize = 512;

/// Number of measurements of a test.
const MEASURED: usize = 400_000;

/// Number of measurements between generations of records, so that all records are cached equally.
const BATCH: usize = 1000;

/// Percentages of the measurements that are kept; the slowest ones are removed.
const KEPT: [usize; 8] = [100, 99, 95, 90, 80, 70, 60, 50];

const LEAKS: f64 = 10.0;
const SUSPECT: f64 = 5.0;

/// Generates a decrypted record of a class.
type Make = fn(&mut Random) -> Vec<u8>;

/// xorshift64*
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }
}

/// Random data with `padding` bytes of padding before the length byte.
fn padded(random: &mut Random, padding: u8) -> Vec<u8> {
    let mut record: Vec<u8> = (0..RECORD).map(|_| random.next() as u8).collect();
    record[RECORD - 1 - usize::from(padding)..].fill(padding);
    record
}

fn short(random: &mut Random) -> Vec<u8> {
    padded(random, 0)
}

fn long(random: &mut Random) -> Vec<u8> {
    padded(random, 255)
}

/// The longest padding with one wrong byte.
fn wrong(random: &mut Random) -> Vec<u8> {
    let mut record = long(random);
    let at = RECORD - 2 - random.below(255);
    record[at] ^= 1;
    record
}

/// Valid padding of random length.
fn any(random: &mut Random) -> Vec<u8> {
    let padding = random.next() as u8;
    padded(random, padding)
}

/// The largest |t| of two classes over all values of `KEPT`.
fn largest_t(clock: &Clock, work: fn(&[u8], usize), mac_size: usize, classes: [Make; 2]) -> f64 {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut all: Vec<(usize, u64)> = Vec::with_capacity(MEASURED);
    while all.len() < MEASURED {
        let records: Vec<(usize, Vec<u8>)> = (0..BATCH)
            .map(|_| {
                let class = random.below(2);
                (class, classes[class](&mut random))
            })
            .collect();
        for (class, record) in &records {
            let start = clock.now();
            work(black_box(record), mac_size);
            all.push((*class, clock.now().saturating_sub(start)));
        }
    }
    let mut times: Vec<u64> = all.iter().map(|&(_, time)| time).collect();
    times.sort_unstable();
    let kept = |percent: usize| times[(times.len() * percent / 100).saturating_sub(1)];
    KEPT.into_iter().map(|percent| welch(&all, kept(percent)).abs()).fold(0.0, f64::max)
}

/// Welch's t of the measurements that took at most `longest`.
fn welch(all: &[(usize, u64)], longest: u64) -> f64 {
    let [a, b] = [0, 1].map(|class| {
        let times =
            all.iter().filter(|&&(of, time)| of == class && time <= longest).map(|&(_, time)| time as f64);
        // Welford's algorithm, which avoids subtraction of large numbers.
        let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
        for time in times {
            count += 1.0;
            let off = time - mean;
            mean += off / count;
            squares += off * (time - mean);
        }
        (mean, squares / (count - 1.0).max(1.0) / count.max(1.0))
    });
    let (difference, variance) = (a.0 - b.0, a.1 + b.1);
    if variance > 0.0 { difference / variance.sqrt() } else { 0.0 }
}

fn main() -> ExitCode {
    let clock = Clock::calibrate();
    let classes: [(&str, [Make; 2]); 4] = [
        ("padding of 0 and of 255 bytes", [short, long]),
        ("right and wrong padding", [long, wrong]),
        ("any length and the shortest", [any, short]),
        ("the same twice", [any, any]),
    ];
    println!(
        "Taking padding and MAC off TLS records of {RECORD} bytes: {MEASURED} measurements each, the largest |t|"
    );
    let mut worst: f64 = 0.0;
    for mac_size in [20, 32, 48] {
        for (what, classes) in classes {
            let t = largest_t(&clock, cipher::right, mac_size, classes);
            worst = worst.max(t);
            println!("  {:<8}{t:>8.2}  MAC of {mac_size} bytes, {what}", verdict(t));
        }
    }
    let planted = largest_t(&clock, cipher::leaky, 20, [long, wrong]);
    println!(
        "  {:<8}{planted:>8.2}  a planted leak: MAC of 20 bytes, right and wrong padding",
        verdict(planted)
    );
    if planted < LEAKS {
        println!(
            "The planted leak was not found, so this run says nothing: measure again on a quiet machine."
        );
        return ExitCode::from(2);
    }
    if worst < LEAKS { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn verdict(t: f64) -> &'static str {
    match t {
        t if t >= LEAKS => "LEAKS",
        t if t >= SUSPECT => "suspect",
        _ => "none",
    }
}
