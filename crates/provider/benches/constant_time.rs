//! Tests whether the time of two operations depends on secrets: removing padding and MAC from a TLS
//! record, and computing and comparing the tag of a GCM message with look-ahead. This is the
//! statistical test of dudect (Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?",
//! DATE 2017).
//!
//! Records of two classes are processed in random order and measured. Welch's t shows whether the
//! times of the classes differ. It is computed repeatedly with the slowest measurements removed,
//! because they would hide a small difference. |t| above 10 shows a leak; below 5 this number of
//! measurements shows none. The test must detect a planted leak in code of the same size; otherwise
//! the result is invalid.
//!
//! With `OUTBOARD_MEMCHECK=NAME` the operation of this name runs once, with secrets that memcheck takes
//! as undefined: it reports each branch and each address that depends on one (scripts/verify).
//!
//! Run `cargo bench -p outboard-provider --bench constant_time` on an idle machine. `make bench`
//! runs it too.

use std::hint::black_box;
use std::process::ExitCode;

use outboard_measure::clock::Clock;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[path = "../../ghash/src/tests/constant_time/memcheck.rs"]
#[allow(dead_code, reason = "not all is used here")]
mod memcheck;

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

#[path = "../src/lookahead"]
mod lookahead {
    // As above.
    #[allow(dead_code, unused_imports)]
    mod length_block;

    use std::hint::black_box;

    use length_block::{HashMultiples, is_tag};
    use outboard_ghash::Powers;

    /// Compares two tags of 16 bytes, which follow each other.
    pub fn compare(tags: &[u8], _: usize) {
        let (expected, tag) = black_box(tags).split_at(16);
        black_box(is_tag(expected.try_into().unwrap_or(&[0; 16]), tag));
    }

    /// The same, byte by byte until a difference.
    pub fn leaky_compare(tags: &[u8], _: usize) {
        let (expected, tag) = black_box(tags).split_at(16);
        black_box(expected.iter().zip(tag).position(|(expected, byte)| expected != black_box(byte)));
    }

    /// The multiples of a hash key of 16 bytes, and the correction of a tag for the lengths of a
    /// record of 1400 bytes.
    pub fn correct(hash_key: &[u8], _: usize) {
        let multiples =
            HashMultiples::new(black_box(hash_key).try_into().unwrap_or(&[0; 16])).expect("memory");
        let mut tag = [0; 16];
        // Bits of 13 bytes of additional data and 1400 of text, and of both padded.
        let [aad, text, padded] = [13, 1400, 1424].map(|bytes| bytes * 8);
        multiples.add_product(&mut tag, ((aad ^ padded) << 64) | text);
        black_box(tag);
    }

    /// GHASH of a record by a hash key of 16 bytes.
    pub fn hash(hash_key: &[u8], _: usize) {
        let hash_key = black_box(hash_key).try_into().unwrap_or(&[0; 16]);
        let powers = Powers::by_each_method(hash_key).next().expect("a method");
        black_box(powers.of_message(&[5; 13], &[7; 700]));
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

/// Generates an input of a class.
type Make = fn(&mut Random) -> Vec<u8>;

/// What is measured, with a length of the MAC where there is one.
type Work = fn(&[u8], usize);

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

/// A random tag, then the same tag with one byte in the range `at` changed, or none if it is empty.
fn tags(random: &mut Random, at: std::ops::Range<usize>) -> Vec<u8> {
    let mut tags: Vec<u8> = (0..16).map(|_| random.next() as u8).collect();
    tags.extend_from_within(..);
    if !at.is_empty() {
        tags[at.start + random.below(at.len())] ^= 1;
    }
    tags
}

fn equal_tags(random: &mut Random) -> Vec<u8> {
    tags(random, 0..0)
}

fn differ_at_the_start(random: &mut Random) -> Vec<u8> {
    tags(random, 0..1)
}

fn differ_at_the_end(random: &mut Random) -> Vec<u8> {
    tags(random, 15..16)
}

fn random_key(random: &mut Random) -> Vec<u8> {
    (0..16).map(|_| random.next() as u8).collect()
}

/// Generates random bytes like [`random_key`], so that both classes cost the same to generate.
fn key_of_zeros(random: &mut Random) -> Vec<u8> {
    random_key(random).into_iter().map(|_| 0).collect()
}

fn key_of_ones(random: &mut Random) -> Vec<u8> {
    random_key(random).into_iter().map(|_| 0xff).collect()
}

/// The largest |t| of two classes over all values of `KEPT`.
fn largest_t(clock: &Clock, work: Work, mac_size: usize, classes: [Make; 2]) -> f64 {
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

/// For memcheck: the operation, its bytes, all of them secret, and the length of its MAC.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn in_memcheck(name: &str) -> ExitCode {
    let (work, make, mac_size): (Work, Make, usize) = match name {
        "unpadding-20" => (cipher::right, any, 20),
        "unpadding-32" => (cipher::right, any, 32),
        "unpadding-48" => (cipher::right, any, 48),
        "leaky-unpadding" => (cipher::leaky, any, 20),
        "comparison" => (lookahead::compare, equal_tags, 0),
        "leaky-comparison" => (lookahead::leaky_compare, equal_tags, 0),
        "correction" => (lookahead::correct, random_key, 0),
        _ => return ExitCode::from(2),
    };
    let mut secret = make(&mut Random(0x9e37_79b9_7f4a_7c15));
    memcheck::undefined(&mut secret);
    work(&secret, mac_size);
    if memcheck::is_running() { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

fn main() -> ExitCode {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Ok(name) = std::env::var("OUTBOARD_MEMCHECK") {
        return in_memcheck(&name);
    }
    let clock = Clock::calibrate();
    let classes: [(&str, [Make; 2]); 4] = [
        ("padding of 0 and of 255 bytes", [short, long]),
        ("right and wrong padding", [long, wrong]),
        ("any length and the shortest", [any, short]),
        ("the same twice", [any, any]),
    ];
    println!("The largest |t|, of {MEASURED} measurements each");
    println!("Removing padding and MAC from TLS records of {RECORD} bytes");
    let mut worst: f64 = 0.0;
    for mac_size in [20, 32, 48] {
        for (what, classes) in classes {
            let t = largest_t(&clock, cipher::right, mac_size, classes);
            worst = worst.max(t);
            println!("  {:<8}{t:>8.2}  MAC of {mac_size} bytes, {what}", verdict(t));
        }
    }
    println!("The tag of a GCM message with look-ahead");
    let of_messages: [(&str, Work, [Make; 2]); 9] = [
        (
            "comparison: equal tags, and a difference at the start",
            lookahead::compare,
            [equal_tags, differ_at_the_start],
        ),
        (
            "comparison: equal tags, and a difference at the end",
            lookahead::compare,
            [equal_tags, differ_at_the_end],
        ),
        ("comparison: the same twice", lookahead::compare, [differ_at_the_end, differ_at_the_end]),
        ("correction: a random hash key and one of zeros", lookahead::correct, [random_key, key_of_zeros]),
        ("correction: a random hash key and one of ones", lookahead::correct, [random_key, key_of_ones]),
        ("correction: the same twice", lookahead::correct, [random_key, random_key]),
        ("GHASH: a random hash key and one of zeros", lookahead::hash, [random_key, key_of_zeros]),
        ("GHASH: a random hash key and one of ones", lookahead::hash, [random_key, key_of_ones]),
        ("GHASH: the same twice", lookahead::hash, [random_key, random_key]),
    ];
    for (what, work, classes) in of_messages {
        let t = largest_t(&clock, work, 0, classes);
        worst = worst.max(t);
        println!("  {:<8}{t:>8.2}  {what}", verdict(t));
    }
    println!("Planted leaks, which must be found");
    let planted: [(&str, f64); 2] = [
        ("MAC of 20 bytes, right and wrong padding", largest_t(&clock, cipher::leaky, 20, [long, wrong])),
        (
            "comparison of tags, a difference at the start and at the end",
            largest_t(&clock, lookahead::leaky_compare, 0, [differ_at_the_start, differ_at_the_end]),
        ),
    ];
    for (what, t) in planted {
        println!("  {:<8}{t:>8.2}  {what}", verdict(t));
    }
    if planted.iter().any(|&(_, t)| t < LEAKS) {
        println!("invalid result: a planted leak was not found. Measure again on an idle machine.");
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
