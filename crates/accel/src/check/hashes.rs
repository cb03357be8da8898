//! Checks a driver for digests or HMAC: messages with boundary cases of padding.

use super::examples::EXAMPLES;
use super::vectors::hex;
use super::{Checked, Fault, Random, compare, sha};
use crate::{Accelerator, Digest, Error, HashAlgorithm, HashSession};

/// Around the blocks and the padding of both families, around pages, and the longest request.
const LENGTHS: [usize; 27] = [
    0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 110, 111, 112, 113, 119, 127, 128, 129, 191, 255, 256, 4095, 4096,
    4097, 16_385, 65_535, 65_536,
];

const RANDOM_LENGTHS: usize = 6;
const RANDOM_MOST: usize = 20_000;

/// Besides those of the examples, from one byte to the maximum of the module. OpenSSL's own have
/// the length of a digest or of a block.
const KEYS: [usize; 6] = [1, 20, 63, 64, 129, 256];

/// The same seed gives the same messages.
pub fn check_hash_seeded(
    accelerator: &dyn Accelerator<dyn HashSession>,
    algorithm: HashAlgorithm,
    seed: u64,
) -> Result<Checked, Fault> {
    let (mut checked, mut random) = (Checked::default(), Random::seeded(seed));
    let mut keys = each_example(accelerator, algorithm, &mut checked)?;
    keys.dedup();
    if algorithm.hmac {
        keys.extend(KEYS.map(|len| random.bytes(len)));
    }
    for key in keys {
        let mut run = Run::new(accelerator, algorithm, key, &mut checked)?;
        run.lengths(&mut random)?;
        run.batch(&mut random)?;
    }
    Ok(checked)
}

pub(crate) fn hash_examples(
    accelerator: &dyn Accelerator<dyn HashSession>,
    algorithm: HashAlgorithm,
) -> Result<(), Fault> {
    let mut checked = Checked::default();
    each_example(accelerator, algorithm, &mut checked)?;
    let mut run = Run::new(accelerator, algorithm, Vec::new(), &mut checked)?;
    let empty = run.expected(&[]);
    run.whole(&[], &empty, "")
}

fn each_example(
    accelerator: &dyn Accelerator<dyn HashSession>,
    algorithm: HashAlgorithm,
    checked: &mut Checked,
) -> Result<Vec<Vec<u8>>, Fault> {
    let mut keys = Vec::new();
    for example in EXAMPLES.iter().filter(|example| example.algorithm == algorithm) {
        let mut run = Run::new(accelerator, algorithm, example.key.to_vec(), checked)?;
        run.whole(example.message, &hex(example.digest), &format!(" of {}", example.source))?;
        keys.push(example.key.to_vec());
    }
    Ok(keys)
}

struct Run<'a> {
    session: Box<dyn HashSession>,
    algorithm: HashAlgorithm,
    key: Vec<u8>,
    name: String,
    checked: &'a mut Checked,
}

impl<'a> Run<'a> {
    fn new(
        accelerator: &dyn Accelerator<dyn HashSession>,
        algorithm: HashAlgorithm,
        key: Vec<u8>,
        checked: &'a mut Checked,
    ) -> Result<Run<'a>, Fault> {
        let name = match algorithm.hmac {
            true => format!("{} ({}-byte key)", algorithm.kernel_name(), key.len()),
            false => algorithm.kernel_name().to_owned(),
        };
        let opened = accelerator.open(&key);
        let session =
            opened.map_err(|error| Fault::Failed { doing: format!("opening a session of {name}"), error })?;
        Ok(Run { session, algorithm, key, name, checked })
    }

    fn expected(&self, message: &[u8]) -> Vec<u8> {
        sha::digest(self.algorithm, &self.key, message)
    }

    fn whole(&mut self, message: &[u8], expected: &[u8], which: &str) -> Result<(), Fault> {
        let doing = format!("hashing {} bytes by {}{which}", message.len(), self.name);
        let result = self.session.digest(message);
        self.compare(doing, result, expected, message.len())
    }

    fn compare(
        &mut self,
        doing: String,
        result: Result<Digest, Error>,
        expected: &[u8],
        len: usize,
    ) -> Result<(), Fault> {
        let digest = match result {
            Ok(digest) => digest,
            Err(error) => return Err(Fault::Failed { doing, error }),
        };
        compare(digest.as_slice(), expected).map_err(|at| Fault::Wrong { doing, at })?;
        self.checked.requests += 1;
        self.checked.bytes += len;
        Ok(())
    }

    fn lengths(&mut self, random: &mut Random) -> Result<(), Fault> {
        let others: Vec<usize> = (0..RANDOM_LENGTHS).map(|_| random.below(RANDOM_MOST)).collect();
        let most = self.session.max_request();
        for len in LENGTHS.into_iter().chain(others).filter(|&len| len <= most) {
            let message = random.bytes(len);
            let expected = self.expected(&message);
            self.whole(&message, &expected, "")?;
        }
        Ok(())
    }

    fn batch(&mut self, random: &mut Random) -> Result<(), Fault> {
        let (count, most) = (self.session.max_batch(), self.session.max_request().min(4096));
        let mut message = |_| {
            let len = random.below(most + 1);
            random.bytes(len)
        };
        let messages: Vec<Vec<u8>> = (0..count).map(&mut message).collect();
        let all: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let doing = |n: usize| format!("{}, message {n} of {count} at once", self.name);
        let digests = self.session.digests(&all);
        let digests = digests.map_err(|error| Fault::Failed { doing: doing(0), error })?;
        let doings: Vec<String> = (0..count).map(doing).collect();
        for ((message, digest), doing) in messages.iter().zip(digests).zip(doings) {
            let expected = self.expected(message);
            self.compare(doing, Ok(digest), &expected, message.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "hashes_tests.rs"]
mod tests;
