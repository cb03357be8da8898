//! Scripts: arbitrary sequences of EVP calls for which two providers must return the same.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::bytes::{array, bytes, first_difference};
use crate::child::{Exit, fork};
use crate::evp::{Cipher, Context, Direction, Outcome};

const BLOCK: usize = 16;

/// The maximum number of contexts of a script; further copies replace the oldest.
const CONTEXTS: usize = 3;

/// One call.
#[derive(Clone, Debug)]
pub enum Step {
    /// `EVP_CipherUpdate`. In place where EVP allows that: when no byte is buffered.
    Update {
        /// Bytes of input.
        length: usize,
        /// Use one buffer.
        in_place: bool,
        /// The misalignment of the buffers.
        skew: usize,
    },
    /// `EVP_Cipher` of this number of bytes, whole blocks or not.
    OneShot(usize),
    /// `EVP_CIPHER_CTX_copy`; both contexts remain in use.
    Copy,
    /// `EVP_CipherInit_ex2` without a cipher.
    Again {
        /// A new key.
        key: bool,
        /// A new IV.
        iv: bool,
        /// The direction, or -1 for "as before".
        direction: Option<Direction>,
    },
    /// `EVP_CIPHER_CTX_reset` and a new initialization with the cipher.
    Restart {
        /// The direction.
        direction: Direction,
    },
    /// `EVP_CIPHER_CTX_set_padding`.
    Padding(bool),
    /// `EVP_CIPHER_CTX_set_num`.
    Num(i32),
    /// `EVP_CIPHER_CTX_set_key_length`.
    KeyLength(i32),
    /// Reads all parameters of a context.
    Ask,
    /// `EVP_CipherFinal_ex`.
    Finish,
    /// fork(2): the child continues with all contexts, and so does the parent.
    Fork,
}

/// A whole script.
#[derive(Clone, Debug)]
pub struct Script {
    /// The seed of keys, IVs and data.
    pub seed: u64,
    /// Which of the ciphers.
    pub cipher: usize,
    /// The first direction.
    pub direction: Direction,
    /// Whether the key is set at the start; otherwise later, and calls before that must fail in the
    /// same way.
    pub keyed: bool,
    /// Whether an IV is set at the start.
    pub with_iv: bool,
    /// The steps, each with the index of its context.
    pub steps: Vec<(usize, Step)>,
}

/// Lengths at which cipher code fails: around blocks and pages, rarely long.
fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => prop::sample::select(vec![0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 64, 4095, 4096, 4097]),
        4 => 0..200_usize,
        3 => 0..5000_usize,
        1 => 0..=70_000_usize,
        1 => Just(65_536),
    ]
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Encrypt, Direction::Decrypt])
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (length(), any::<bool>(), 0..16_usize)
            .prop_map(|(length, in_place, skew)| Step::Update { length, in_place, skew }),
        3 => prop_oneof![3 => (0..300_usize).prop_map(|blocks| blocks * BLOCK), 1 => 0..100_usize].prop_map(Step::OneShot),
        3 => Just(Step::Copy),
        4 => (any::<bool>(), any::<bool>(), prop::option::of(direction()))
            .prop_map(|(key, iv, direction)| Step::Again { key, iv, direction }),
        1 => direction().prop_map(|direction| Step::Restart { direction }),
        3 => any::<bool>().prop_map(Step::Padding),
        1 => (-1..20_i32).prop_map(Step::Num),
        1 => prop::sample::select(vec![0, 1, 16, 17, 24, 32, 33]).prop_map(Step::KeyLength),
        4 => Just(Step::Ask),
        4 => Just(Step::Finish),
        1 => Just(Step::Fork),
    ]
}

/// Any script, for one of this number of ciphers.
pub fn script(ciphers: usize) -> impl Strategy<Value = Script> {
    let start = (direction(), prop::bool::weighted(0.95), prop::bool::weighted(0.8));
    (any::<u64>(), 0..ciphers, start, vec((0..CONTEXTS, step()), 1..24)).prop_map(
        |(seed, cipher, (direction, keyed, with_iv), steps)| Script {
            seed,
            cipher,
            direction,
            keyed,
            with_iv,
            steps,
        },
    )
}

/// Runs a script with both ciphers and returns where their results differ.
pub fn play(script: &Script, left: &Cipher, right: &Cipher) -> Result<(), String> {
    let ciphers = [left, right];
    let mut player = Player { script, ciphers, block: right.block_size(), pairs: Vec::new(), calls: 0 };
    player.start()?;
    for (number, (which, step)) in script.steps.iter().enumerate() {
        let index = which % player.pairs.len();
        player
            .step(index, step)
            .map_err(|problem| format!("step {number}, {step:?}, context {index}: {problem}"))?;
    }
    Ok(())
}

/// A context of each provider, and the number of bytes that both buffer.
struct Pair {
    contexts: [Context; 2],
    held: usize,
    padding: bool,
    direction: Direction,
    keyed: bool,
}

struct Player<'script> {
    script: &'script Script,
    ciphers: [&'script Cipher; 2],
    /// The block size of the cipher; 1 where no byte is ever buffered.
    block: usize,
    pairs: Vec<Pair>,
    calls: u64,
}

impl Player<'_> {
    fn start(&mut self) -> Result<(), String> {
        let (direction, keyed) = (self.script.direction, self.script.keyed);
        let contexts = [Context::new(), Context::new()];
        self.pairs.push(Pair { contexts, held: 0, padding: true, direction, keyed });
        self.begin(0, direction, keyed)
    }

    fn begin(&mut self, index: usize, direction: Direction, keyed: bool) -> Result<(), String> {
        let (key, iv) = (self.fresh(self.ciphers[0].key_length()), array(self.script.seed ^ 1));
        let ciphers = self.ciphers;
        let iv = self.script.with_iv.then_some(&iv);
        let outcomes = self.both(index, |context, side| {
            context.init(Some(ciphers[side]), keyed.then_some(key.as_slice()), iv, Some(direction))
        });
        let pair = &mut self.pairs[index];
        (pair.held, pair.padding, pair.direction, pair.keyed) = (0, true, direction, keyed);
        alike("init", &outcomes)
    }

    fn step(&mut self, index: usize, step: &Step) -> Result<(), String> {
        match *step {
            Step::Update { length, in_place, skew } => self.update(index, length, in_place, skew),
            Step::OneShot(length) => self.one_shot(index, length),
            Step::Copy => self.copy(index),
            Step::Again { key, iv, direction } => self.again(index, key, iv, direction),
            Step::Restart { direction } => {
                alike("reset", &self.both(index, |context, _| context.reset()))?;
                self.begin(index, direction, true)
            }
            Step::Padding(on) => {
                self.pairs[index].padding = on;
                alike("set_padding", &self.both(index, |context, _| context.set_padding(on)))
            }
            Step::Num(num) => alike("set_num", &self.both(index, |context, _| context.set_num(num))),
            Step::KeyLength(length) => {
                alike("set_key_length", &self.both(index, |context, _| context.set_key_length(length)))
            }
            Step::Ask => self.ask(index),
            Step::Finish => self.finish(index),
            Step::Fork => self.fork(),
        }
    }

    fn update(&mut self, index: usize, length: usize, in_place: bool, skew: usize) -> Result<(), String> {
        let room = skew + length + 2 * BLOCK;
        let mut input = self.fresh(skew);
        input.extend(self.fresh(length));
        let in_place = in_place && self.pairs[index].held == 0;
        let mut outputs = [vec![0xa5; room], vec![0xa5; room]];
        let outcomes = self.both(index, |context, side| {
            let output = &mut outputs[side];
            if in_place {
                output[..skew + length].copy_from_slice(&input);
                context.update_in_place(&mut output[skew..], length)
            } else {
                context.update(&input[skew..], &mut output[skew..])
            }
        });
        let block = self.block;
        let pair = &mut self.pairs[index];
        let total = pair.held + length;
        let holds_last = pair.direction == Direction::Decrypt && pair.padding && block > 1;
        if pair.keyed {
            pair.held = if holds_last && total > 0 { (total - 1) % block + 1 } else { total % block };
        }
        alike("update", &outcomes)?;
        same_bytes("update's output", &outputs)
    }

    fn one_shot(&mut self, index: usize, length: usize) -> Result<(), String> {
        if length == 0 && cfg!(target_arch = "s390x") {
            // OpenSSL's AES_cbc_encrypt for IBM Z without AES instructions writes 256 bytes then
            // (3.0 to 4.0, crypto/aes/asm/aes-s390x.pl).
            return Ok(());
        }
        let input = self.fresh(length + BLOCK);
        let mut outputs = [vec![0xa5; length + 2 * BLOCK], vec![0xa5; length + 2 * BLOCK]];
        let outcomes = self.both(index, |context, side| context.one_shot(&input, length, &mut outputs[side]));
        alike("EVP_Cipher", &outcomes)?;
        same_bytes("EVP_Cipher's output", &outputs)
    }

    fn copy(&mut self, index: usize) -> Result<(), String> {
        let pair = &self.pairs[index];
        if !pair.keyed && self.ciphers[1].is_xts() {
            // The copy of OpenSSL's own context is marked as keyed, and its update calls a null
            // pointer (3.0 to 4.0, cipher_hw_aes_xts_copyctx).
            return Ok(());
        }
        let [(left, left_outcome), (right, right_outcome)] =
            [pair.contexts[0].copy(), pair.contexts[1].copy()];
        let succeeded = left_outcome.returned == 1;
        alike("copy", &[left_outcome, right_outcome])?;
        if succeeded {
            let Pair { held, padding, direction, keyed, .. } = *pair;
            self.pairs.push(Pair { contexts: [left, right], held, padding, direction, keyed });
            if self.pairs.len() > CONTEXTS {
                self.pairs.remove(0);
            }
        }
        Ok(())
    }

    fn again(
        &mut self,
        index: usize,
        key: bool,
        iv: bool,
        direction: Option<Direction>,
    ) -> Result<(), String> {
        let (new_key, new_iv) =
            (self.fresh(self.ciphers[0].key_length()), array(self.script.seed ^ self.calls));
        let outcomes = self.both(index, |context, _| {
            context.init(None, key.then_some(new_key.as_slice()), iv.then_some(&new_iv), direction)
        });
        let pair = &mut self.pairs[index];
        pair.held = 0;
        pair.keyed |= key;
        pair.direction = direction.unwrap_or(pair.direction);
        alike("init", &outcomes)
    }

    fn ask(&mut self, index: usize) -> Result<(), String> {
        let contexts = &mut self.pairs[index].contexts;
        let answers = contexts
            .each_mut()
            .map(|context| (context.numbers(), context.original_iv(), context.updated_iv()));
        if answers[0] == answers[1] { Ok(()) } else { Err(format!("different answers: {answers:?}")) }
    }

    fn finish(&mut self, index: usize) -> Result<(), String> {
        let mut outputs = [vec![0xa5; 2 * BLOCK], vec![0xa5; 2 * BLOCK]];
        let outcomes = self.both(index, |context, side| context.finish(&mut outputs[side]));
        if outcomes[0].returned == 1 {
            self.pairs[index].held = 0;
        }
        alike("final", &outcomes)?;
        same_bytes("final's output", &outputs)
    }

    fn fork(&mut self) -> Result<(), String> {
        let child = fork(Exit::Quick, || {
            (0..self.pairs.len()).all(|index| {
                let continued = self.update(index, 4099, false, 0).and_then(|()| self.finish(index));
                continued.inspect_err(|problem| eprintln!("in the child, context {index}: {problem}")).is_ok()
            })
        });
        child.wait()
    }

    fn both(&mut self, index: usize, mut call: impl FnMut(&mut Context, usize) -> Outcome) -> [Outcome; 2] {
        let [left, right] = &mut self.pairs[index].contexts;
        [call(left, 0), call(right, 1)]
    }

    fn fresh(&mut self, length: usize) -> Vec<u8> {
        self.calls += 1;
        bytes(self.script.seed.wrapping_add(self.calls), length)
    }
}

fn alike(call: &str, outcomes: &[Outcome; 2]) -> Result<(), String> {
    if outcomes[0] == outcomes[1] {
        return Ok(());
    }
    Err(format!("{call} gave {:?} and, by OpenSSL's own cipher, {:?}", outcomes[0], outcomes[1]))
}

fn same_bytes(what: &str, buffers: &[Vec<u8>; 2]) -> Result<(), String> {
    match first_difference(&buffers[0], &buffers[1]) {
        None => Ok(()),
        Some(place) => Err(format!("{what} of {} bytes differs from byte {place} on", buffers[0].len())),
    }
}
