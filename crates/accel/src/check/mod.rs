//! Checks a driver's results: published examples first, then requests of many lengths, compared
//! with independent reference code. An AEAD driver must also reject forgeries.

mod aead;
pub(crate) mod aes;
mod ccm;
mod des;
mod examples;
mod gcm;
mod hashes;
mod messages;
mod modes;
mod sha;
mod soak;
mod vectors;

use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Accelerator, Algorithm, Direction, Error, Request, Session};
pub use hashes::check_hash_seeded;
pub(crate) use hashes::hash_examples;
use modes::Reference;
pub use soak::{key_lengths, soak};
use vectors::{VECTORS, Vector, hex};

/// One block, odd numbers of blocks, around pages and units, the longest.
const LENGTHS: [usize; 9] = [16, 32, 48, 240, 1008, 4080, 4096, 4112, 16_400];

const RANDOM_LENGTHS: usize = 6;

/// Since the reference AES is slow.
const RANDOM_MOST: usize = 32 * 1024;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub requests: usize,
    pub bytes: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("{doing}: {error}")]
    Failed { doing: String, error: Error },
    #[error("{doing}: the result is wrong from byte {at} on")]
    Wrong { doing: String, at: usize },
    #[error("{doing}: it accepted a forgery, so changes of a message would not be detected")]
    Accepted { doing: String },
}

/// Repeats a check that the module refuses since the engine has stopped: on a busy machine the
/// engine may complete late what it has, and works then.
pub(crate) fn again_while_stopped(check: impl Fn() -> Result<Checked, Fault>) -> Result<Checked, Fault> {
    const IN_ALL: Duration = Duration::from_secs(3);
    const PAUSE: Duration = Duration::from_millis(50);
    static SINCE: OnceLock<Instant> = OnceLock::new();
    loop {
        match check() {
            Err(Fault::Failed { error: Error::Stopped { .. }, .. })
                if SINCE.get_or_init(Instant::now).elapsed() < IN_ALL =>
            {
                thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

/// With every key length, in both directions, one request at a time and in batches. The same seed
/// gives the same requests.
pub fn check_seeded(
    accelerator: &dyn Accelerator,
    algorithm: Algorithm,
    seed: u64,
) -> Result<Checked, Fault> {
    let mut checked = Checked::default();
    let mut random = Random::seeded(seed);
    if algorithm.has_tags() {
        aead::check(accelerator, algorithm, &mut checked, &mut random)?;
        return Ok(checked);
    }
    each_example(accelerator, algorithm, &mut checked, &mut |run| {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            run.lengths(direction, &mut random)?;
        }
        run.batch(&mut random)
    })?;
    Ok(checked)
}

/// In parentheses: text after "key:" is removed from what is shown to others
/// (`crates/documents/src/secrets`).
fn with_key(algorithm: Algorithm, len: usize) -> String {
    format!("{} ({}-bit key)", algorithm.kernel_name(), len * 8)
}

pub(crate) fn examples(accelerator: &dyn Accelerator, algorithm: Algorithm) -> Result<(), Fault> {
    each_example(accelerator, algorithm, &mut Checked::default(), &mut |_| Ok(()))
}

fn each_example(
    accelerator: &dyn Accelerator,
    algorithm: Algorithm,
    checked: &mut Checked,
    more: &mut dyn FnMut(&mut Run<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for vector in VECTORS.iter().filter(|vector| vector.algorithm == algorithm) {
        let key = hex(vector.key);
        let name = with_key(algorithm, key.len());
        let opened = accelerator.open(&key);
        let mut session =
            opened.map_err(|error| Fault::Failed { doing: format!("opening a session of {name}"), error })?;
        let reference = Reference::new(algorithm, &key);
        let mut run = Run { session: &mut *session, algorithm, reference, name, checked };
        run.example(vector)?;
        more(&mut run)?;
    }
    Ok(())
}

struct Run<'a> {
    session: &'a mut dyn Session,
    algorithm: Algorithm,
    reference: Reference,
    name: String,
    checked: &'a mut Checked,
}

impl Run<'_> {
    fn example(&mut self, vector: &Vector) -> Result<(), Fault> {
        let [iv, plain, cipher] = [vector.iv, vector.plain, vector.cipher].map(hex);
        let which = format!(" of {}", vector.source);
        self.one(Direction::Encrypt, &iv, &plain, &cipher, &which)?;
        self.one(Direction::Decrypt, &iv, &cipher, &plain, &which)
    }

    fn lengths(&mut self, direction: Direction, random: &mut Random) -> Result<(), Fault> {
        let (most, block) = (self.session.max_request(direction), self.algorithm.block_len());
        let lengths = LENGTHS.into_iter().chain([block, most]).filter(|&len| len <= most);
        let others = (0..RANDOM_LENGTHS)
            .map(|_| block + random.below(most.min(RANDOM_MOST) / block) * block)
            .collect::<Vec<_>>();
        for len in lengths.chain(others) {
            let (iv, input) = (self.iv(random), random.bytes(len));
            let expected = self.reference.crypt(direction, &iv, &input);
            self.one(direction, &iv, &input, &expected, "")?;
        }
        Ok(())
    }

    /// An IV. Engines whose counter is shorter than 128 bits fail where it overflows.
    fn iv(&self, random: &mut Random) -> Vec<u8> {
        let mut iv = random.bytes(self.algorithm.iv_len());
        if self.algorithm == Algorithm::CtrAes {
            let ones = [0, 2, 4, 8, 16][random.below(5)];
            iv[16 - ones..].fill(0xff);
        }
        iv
    }

    fn one(
        &mut self,
        direction: Direction,
        iv: &[u8],
        input: &[u8],
        expected: &[u8],
        which: &str,
    ) -> Result<(), Fault> {
        let doing = || format!("{} {} bytes by {}{which}", verb(direction), input.len(), self.name);
        // Every other request begins with a block from the caller's buffer.
        let kept_back =
            if self.checked.requests % 2 == 0 { 0 } else { self.algorithm.block_len().min(input.len()) };
        let (head, rest) = input.split_at(kept_back);
        let result = self.session.crypt(&Request { head, ..Request::new(direction, iv, rest) });
        let result = result.map_err(|error| Fault::Failed { doing: doing(), error })?;
        compare(result, expected).map_err(|at| Fault::Wrong { doing: doing(), at })?;
        self.session.release();
        self.checked.requests += 1;
        self.checked.bytes += input.len();
        Ok(())
    }

    fn batch(&mut self, random: &mut Random) -> Result<(), Fault> {
        let (most, block) = (self.session.max_batch(), self.algorithm.block_len());
        let longest = self.session.max_request(Direction::Encrypt).min(4096);
        let mut text = |n: usize| {
            let len = block + block * random.below(longest / block) * (n % 2);
            (self.iv(random), random.bytes(len))
        };
        let texts: Vec<_> = (0..most).map(&mut text).collect();
        let direction = |n: usize| if n % 3 == 0 { Direction::Decrypt } else { Direction::Encrypt };
        let requests: Vec<_> =
            texts.iter().enumerate().map(|(n, (iv, input))| Request::new(direction(n), iv, input)).collect();
        let doing = |n: usize| format!("{}, request {n} of {most} at once", self.name);
        self.session.submit(&requests).map_err(|error| Fault::Failed { doing: doing(0), error })?;
        for (n, request) in requests.iter().enumerate() {
            let expected = self.reference.crypt(request.direction, request.iv, request.input);
            let result = self.session.result(n).map_err(|error| Fault::Failed { doing: doing(n), error })?;
            compare(result, &expected).map_err(|at| Fault::Wrong { doing: doing(n), at })?;
            self.checked.requests += 1;
            self.checked.bytes += request.input.len();
        }
        self.session.release();
        Ok(())
    }
}

fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::Encrypt => "encrypting",
        Direction::Decrypt => "decrypting",
    }
}

/// Fails with the index of the first byte that differs.
fn compare(result: &[u8], expected: &[u8]) -> Result<(), usize> {
    if result == expected {
        return Ok(());
    }
    let same = result.iter().zip(expected).take_while(|(left, right)| left == right).count();
    Err(same)
}

/// Pseudo-random numbers (xorshift64*). Nothing here has to be secret.
struct Random(u64);

impl Random {
    /// The same seed gives the same numbers. Nearby seeds give unrelated ones.
    fn seeded(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit.max(1)
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(len).collect()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
