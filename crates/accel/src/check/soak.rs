//! Many requests of all sizes, many of them in flight: detects drivers that fail only under load.

use super::modes::Reference;
use super::{Checked, Fault, Random, again_while_stopped, compare, with_key};
use crate::{Accelerator, Algorithm, Direction, Request, Session};

const LONGEST: usize = 64 * 1024;

/// To limit the time that the reference needs.
const OF_A_BATCH: usize = 2 * LONGEST;

/// None for an AEAD, which has its own check.
pub fn key_lengths(algorithm: Algorithm) -> Vec<usize> {
    algorithm.key_lens().filter(|_| !algorithm.has_tags()).collect()
}

/// Two sessions with one random key, each with a batch in flight. The same seed gives the same
/// requests. After the first pair of batches it continues, up to a limit, while `go_on` returns
/// true.
pub fn soak(
    accelerator: &dyn Accelerator,
    algorithm: Algorithm,
    key_length: usize,
    seed: u64,
    go_on: &dyn Fn() -> bool,
) -> Result<Checked, Fault> {
    again_while_stopped(|| soak_once(accelerator, algorithm, key_length, seed, go_on))
}

fn soak_once(
    accelerator: &dyn Accelerator,
    algorithm: Algorithm,
    key_length: usize,
    seed: u64,
    go_on: &dyn Fn() -> bool,
) -> Result<Checked, Fault> {
    const PAIRS: usize = 8;
    let mut random = Random::seeded(seed);
    let key = random.bytes(key_length);
    let name = with_key(algorithm, key_length);
    let refused = |error| Fault::Failed { doing: format!("opening a session of {name}"), error };
    let mut first = accelerator.open(&key).map_err(refused)?;
    let mut second = accelerator.open(&key).map_err(refused)?;
    let reference = Reference::new(algorithm, &key);
    let mut checked = Checked::default();
    for pair in 0..PAIRS {
        if pair > 0 && !go_on() {
            break;
        }
        let batches = [&first, &second].map(|session| batch(algorithm, &**session, &mut random));
        for (session, batch) in [&mut first, &mut second].into_iter().zip(&batches) {
            let requests: Vec<_> = batch.iter().map(Text::request).collect();
            session
                .submit(&requests)
                .map_err(|error| Fault::Failed { doing: doing(&name, batch, 0), error })?;
        }
        for (session, batch) in [&mut first, &mut second].into_iter().zip(&batches) {
            for (n, text) in batch.iter().enumerate() {
                let failed = |error| Fault::Failed { doing: doing(&name, batch, n), error };
                let result = session.result(n).map_err(failed)?;
                let expected = reference.crypt(text.direction, &text.iv, &text.input);
                compare(result, &expected)
                    .map_err(|at| Fault::Wrong { doing: doing(&name, batch, n), at })?;
                checked.requests += 1;
                checked.bytes += text.input.len();
            }
            session.release();
        }
    }
    Ok(checked)
}

struct Text {
    direction: Direction,
    iv: Vec<u8>,
    input: Vec<u8>,
}

impl Text {
    fn request(&self) -> Request<'_> {
        Request::new(self.direction, &self.iv, &self.input)
    }
}

/// The more requests, the shorter they are.
fn batch(algorithm: Algorithm, session: &dyn Session, random: &mut Random) -> Vec<Text> {
    let most = session.max_batch();
    let count = [1, 2, 3 + random.below(most), most][random.below(4)].min(most);
    let block = algorithm.block_len();
    let longest = (OF_A_BATCH / count).min(LONGEST);
    let text = |_| {
        let direction = [Direction::Encrypt, Direction::Decrypt][random.below(2)];
        let longest = longest.min(session.max_request(direction));
        // Half of the requests are short, some have about a page, none exceeds the room.
        let blocks = match random.below(4) {
            0 | 1 => random.below(17),
            2 => 4096 / block - 1 + random.below(3),
            _ => random.below(longest / block + 1),
        };
        let least = usize::from(algorithm == Algorithm::XtsAes);
        let len = blocks.clamp(least, longest / block) * block;
        Text { direction, iv: random.bytes(algorithm.iv_len()), input: random.bytes(len) }
    };
    (0..count).map(text).collect()
}

fn doing(name: &str, batch: &[Text], n: usize) -> String {
    let (verb, len) = (super::verb(batch[n].direction), batch[n].input.len());
    format!("{verb} {len} bytes by {name}, request {n} of {} at once", batch.len())
}
