//! Scripts for AEADs: sequences of EVP calls, single calls and whole messages, for which two
//! providers must return the same.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::bytes::{array, bytes, first_difference};
use crate::evp::{Cipher, Context, Direction, Outcome};

const BLOCK: usize = 16;
const CONTEXTS: usize = 3;

/// How a message is modified before it is decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forged {
    /// Nothing.
    Not,
    /// A bit of its ciphertext.
    Text,
    /// A bit of its tag.
    Tag,
    /// A bit of its additional data.
    Aad,
}

/// A whole message.
#[derive(Clone, Debug)]
pub struct Message {
    /// Bytes of data.
    pub length: usize,
    /// Bytes of additional data.
    pub aad: usize,
    /// Additional data comes in two updates.
    pub aad_in_two: bool,
    /// The data comes in two updates; the length of the first.
    pub cut_at: Option<usize>,
    /// One buffer for input and output.
    pub in_place: bool,
    /// Bytes of the tag.
    pub tag: usize,
    /// With a final call.
    pub finish: bool,
}

/// One call, or the calls of a message.
#[derive(Clone, Debug)]
pub enum Step {
    /// `EVP_CipherInit_ex2` without a cipher.
    Again {
        /// A new key.
        key: bool,
        /// A new IV.
        iv: bool,
        /// The direction, or -1 for "as before".
        direction: Option<Direction>,
    },
    /// Additional data.
    Aad(usize),
    /// The announced length of the data.
    Announce(usize),
    /// An update of data.
    Text {
        /// Bytes.
        length: usize,
        /// One buffer.
        in_place: bool,
    },
    /// `EVP_Cipher` of data.
    OneShot(usize),
    /// `EVP_Cipher` without output, and without input or with this number of bytes.
    OneShotAad(Option<usize>),
    /// `EVP_CipherFinal_ex`.
    Finish,
    /// Requests a tag of this length.
    Tag(usize),
    /// Sets a tag of this length that belongs to no message.
    SetTag(usize),
    /// Sets the length of tags.
    TagLength(usize),
    /// Sets the length of nonces.
    NonceLength(usize),
    /// Sets the IV from which the context increments.
    CountedIv,
    /// The next IV; the number of its bytes that are returned.
    NextIv(usize),
    /// Sets the eight explicit bytes of a received IV.
    BroughtIv,
    /// `EVP_CIPHER_CTX_copy`; both contexts remain in use.
    Copy,
    /// Reads the parameters of a context.
    Ask,
    /// Encrypts a message under a new nonce.
    Seal(Message),
    /// Decrypts a message that was encrypted under a new nonce; its tag is set before the data, or
    /// after it.
    Open(Message, Forged, bool),
}

/// A whole script.
#[derive(Clone, Debug)]
pub struct Script {
    /// The seed of keys, nonces and data.
    pub seed: u64,
    /// Which of the ciphers.
    pub cipher: usize,
    /// The first direction.
    pub direction: Direction,
    /// Nonces count, as in protocols, and messages precede the steps: look-ahead predicts the next.
    pub counts: bool,
    /// The steps, each with the index of its context.
    pub steps: Vec<(usize, Step)>,
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => prop::sample::select(vec![0, 1, 15, 16, 17, 31, 32, 33, 64, 4095, 4096, 4097]),
        4 => 0..200_usize,
        3 => 0..5000_usize,
        1 => 0..=70_000_usize,
        1 => prop::sample::select(vec![16_401, 65_535, 65_536, 65_537]),
    ]
}

fn aad() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => prop::sample::select(vec![0, 5, 13, 16]),
        2 => 0..100_usize,
        1 => 4000..4200_usize,
    ]
}

fn tag() -> impl Strategy<Value = usize> {
    prop_oneof![4 => Just(16), 2 => prop::sample::select(vec![4, 6, 8, 10, 12, 14]), 1 => 0..18_usize]
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Encrypt, Direction::Decrypt])
}

fn message() -> impl Strategy<Value = Message> {
    let cut_at = prop::option::weighted(0.15, 0..6000_usize);
    let aad_in_two = prop::bool::weighted(0.2);
    let finish = prop::bool::weighted(0.9);
    (length(), aad(), aad_in_two, cut_at, any::<bool>(), tag(), finish).prop_map(
        |(length, aad, aad_in_two, cut_at, in_place, tag, finish)| {
            let cut_at = cut_at.map(|at| at.min(length));
            Message { length, aad, aad_in_two, cut_at, in_place, tag, finish }
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let forged = prop_oneof![
        3 => Just(Forged::Not), 1 => Just(Forged::Text), 1 => Just(Forged::Tag), 1 => Just(Forged::Aad)
    ];
    prop_oneof![
        10 => message().prop_map(Step::Seal),
        10 => (message(), forged, prop::bool::weighted(0.8)).prop_map(|(m, f, b)| Step::Open(m, f, b)),
        4 => (any::<bool>(), prop::bool::weighted(0.7), prop::option::of(direction()))
            .prop_map(|(key, iv, direction)| Step::Again { key, iv, direction }),
        3 => aad().prop_map(Step::Aad),
        2 => length().prop_map(Step::Announce),
        6 => (length(), any::<bool>()).prop_map(|(length, in_place)| Step::Text { length, in_place }),
        1 => length().prop_map(Step::OneShot),
        1 => prop::option::of(aad()).prop_map(Step::OneShotAad),
        4 => Just(Step::Finish),
        4 => tag().prop_map(Step::Tag),
        3 => tag().prop_map(Step::SetTag),
        1 => tag().prop_map(Step::TagLength),
        1 => prop::sample::select(vec![7, 8, 11, 12, 12, 12, 13, 16, 0, 1]).prop_map(Step::NonceLength),
        1 => Just(Step::CountedIv),
        2 => prop::sample::select(vec![1, 8, 12]).prop_map(Step::NextIv),
        1 => Just(Step::BroughtIv),
        3 => Just(Step::Copy),
        3 => Just(Step::Ask),
    ]
}

/// Any script, for one of this number of ciphers.
pub fn script(ciphers: usize) -> impl Strategy<Value = Script> {
    (any::<u64>(), 0..ciphers, direction(), any::<bool>(), vec((0..CONTEXTS, step()), 1..12)).prop_map(
        |(seed, cipher, direction, counts, steps)| Script { seed, cipher, direction, counts, steps },
    )
}

/// Runs a script with both ciphers and returns where their results differ.
pub fn play(script: &Script, left: &Cipher, right: &Cipher) -> Result<(), String> {
    let (seed, counts) = (script.seed, script.counts);
    let mut player = Player { ciphers: [left, right], seed, counts, nonces: 0, pairs: Vec::new(), calls: 0 };
    player.start(script.direction)?;
    for (number, (which, step)) in script.steps.iter().enumerate() {
        let index = which % player.pairs.len();
        player
            .step(index, step)
            .map_err(|problem| format!("step {number}, {step:?}, context {index}: {problem}"))?;
    }
    Ok(())
}

/// One context of either provider, and its key.
struct Pair {
    contexts: [Context; 2],
    key: Vec<u8>,
    nonce_length: usize,
}

struct Player<'a> {
    ciphers: [&'a Cipher; 2],
    seed: u64,
    counts: bool,
    /// Nonces so far, if they count.
    nonces: u64,
    pairs: Vec<Pair>,
    calls: u64,
}

/// Messages before the steps, and their length in bytes: look-ahead starts with the fourth.
const PRECEDING: usize = 8;
const LENGTH: usize = 600;

impl Player<'_> {
    fn start(&mut self, direction: Direction) -> Result<(), String> {
        let (key, iv) = (self.fresh(self.ciphers[0].key_length()), array(self.seed ^ 1));
        let (contexts, ciphers) = ([Context::new(), Context::new()], self.ciphers);
        self.pairs.push(Pair { contexts, key: key.clone(), nonce_length: 12 });
        self.both(0, "init", |context, side| {
            context.init(Some(ciphers[side]), Some(&key), Some(&iv), Some(direction))
        })?;
        let usual = Message {
            length: LENGTH,
            aad: 13,
            aad_in_two: false,
            cut_at: None,
            in_place: true,
            tag: BLOCK,
            finish: true,
        };
        let count = if self.counts && !self.is_ccm() { PRECEDING } else { 0 };
        for _ in 0..count {
            match direction {
                Direction::Encrypt => self.seal(0, &usual)?,
                Direction::Decrypt => self.open(0, &usual, Forged::Not, self.seed & 1 == 0)?,
            }
        }
        self.ask(0)
    }

    /// The next nonce.
    fn nonce(&mut self) -> [u8; BLOCK] {
        if !self.counts {
            return array(self.seed ^ self.calls);
        }
        self.nonces += 1;
        let mut nonce = [0; BLOCK];
        nonce[4..12].copy_from_slice(&self.nonces.to_be_bytes());
        nonce
    }

    fn step(&mut self, index: usize, step: &Step) -> Result<(), String> {
        match step {
            Step::Again { key, iv, direction } => self.again(index, *key, *iv, *direction),
            Step::Aad(length) => {
                let data = self.fresh(*length);
                self.both(index, "additional data", |context, _| context.additional(&data)).map(drop)
            }
            Step::Announce(length) => {
                self.both(index, "announce", |context, _| context.announce(*length)).map(drop)
            }
            Step::Text { length, in_place } => {
                let text = self.fresh(*length);
                self.text(index, &text, *in_place).map(drop)
            }
            Step::OneShot(length) => {
                let input = self.fresh(length + BLOCK);
                let mut outputs = [vec![0xa5; length + 2 * BLOCK], vec![0xa5; length + 2 * BLOCK]];
                self.both(index, "EVP_Cipher", |context, side| {
                    context.one_shot(&input, *length, &mut outputs[side])
                })?;
                same_bytes("EVP_Cipher's output", &outputs)
            }
            Step::OneShotAad(length) => {
                let data = length.map(|length| self.fresh(length));
                let one_shot = |context: &mut Context, _| context.one_shot_without_output(data.as_deref());
                self.both(index, "EVP_Cipher", one_shot).map(drop)
            }
            Step::Finish => self.finish(index).map(drop),
            Step::Tag(length) => self.tag(index, *length).map(drop),
            Step::SetTag(length) => {
                let tag = self.fresh(*length);
                self.both(index, "set tag", |context, _| context.set_tag(&tag)).map(drop)
            }
            Step::TagLength(length) => {
                self.both(index, "set tag length", |context, _| context.set_tag_length(*length)).map(drop)
            }
            Step::NonceLength(length) => {
                // With fewer bytes OpenSSL's GCM increments and copies bytes before its IV
                // (getivgen, setivinv).
                let shortest = if self.is_ccm() { 0 } else { 8 };
                let length = &(*length).max(shortest);
                let set =
                    self.both(index, "set IV length", |context, _| context.set_nonce_length(*length))?;
                if set.returned == 1 {
                    self.pairs[index].nonce_length = *length;
                }
                Ok(())
            }
            Step::CountedIv => {
                let iv = self.fresh(16);
                self.both(index, "set counted IV", |context, _| context.set_counted_iv(&iv)).map(drop)
            }
            Step::NextIv(length) => {
                let mut ivs = [Vec::new(), Vec::new()];
                self.both(index, "next IV", |context, side| {
                    let (iv, outcome) = context.next_iv(*length);
                    ivs[side] = iv;
                    outcome
                })?;
                same_bytes("the next IV", &ivs)
            }
            Step::BroughtIv => {
                let iv = self.fresh(8);
                self.both(index, "set brought IV", |context, _| context.set_brought_iv(&iv)).map(drop)
            }
            Step::Copy => self.copy(index),
            Step::Ask => self.ask(index),
            Step::Seal(message) => self.seal(index, message),
            Step::Open(message, forged, tag_first) => self.open(index, message, *forged, *tag_first),
        }
    }

    fn again(
        &mut self,
        index: usize,
        key: bool,
        iv: bool,
        direction: Option<Direction>,
    ) -> Result<(), String> {
        let (new_key, new_iv) = (self.fresh(self.ciphers[0].key_length()), self.nonce());
        self.both(index, "init", |context, _| {
            context.init(None, key.then_some(new_key.as_slice()), iv.then_some(&new_iv), direction)
        })?;
        if key {
            self.pairs[index].key = new_key;
        }
        Ok(())
    }

    fn seal(&mut self, index: usize, message: &Message) -> Result<(), String> {
        let nonce = self.nonce();
        if self.is_ccm() {
            // The tag length is set with the key.
            let key = self.pairs[index].key.clone();
            self.both(index, "init", |context, _| context.init(None, None, None, Some(Direction::Encrypt)))?;
            self.both(index, "set tag length", |context, _| context.set_tag_length(message.tag))?;
            self.both(index, "init", |context, _| context.init(None, Some(&key), Some(&nonce), None))?;
        } else {
            let init =
                |context: &mut Context, _| context.init(None, None, Some(&nonce), Some(Direction::Encrypt));
            self.both(index, "init", init)?;
        }
        let (aad, text) = (self.fresh(message.aad), self.fresh(message.length));
        self.body(index, message, &aad, &text)?;
        if message.finish {
            self.finish(index)?;
        }
        self.tag(index, message.tag).map(drop)
    }

    fn open(
        &mut self,
        index: usize,
        message: &Message,
        forged: Forged,
        tag_first: bool,
    ) -> Result<(), String> {
        let (key, nonce) = (self.pairs[index].key.clone(), self.nonce());
        let (mut aad, plain) = (self.fresh(message.aad), self.fresh(message.length));
        let lengths = (self.pairs[index].nonce_length, message.tag.clamp(4, 16));
        let sealed = sealed(self.ciphers[1], self.is_ccm(), lengths, &key, &nonce, &aad, &plain);
        let Some((mut text, mut tag)) = sealed else { return Ok(()) };
        match forged {
            Forged::Text if !text.is_empty() => text[message.length / 2] ^= 4,
            Forged::Aad if !aad.is_empty() => aad[message.aad / 2] ^= 4,
            Forged::Tag => tag[0] ^= 4,
            _ => {}
        }
        if self.is_ccm() {
            let init = |context: &mut Context, _| context.init(None, None, None, Some(Direction::Decrypt));
            self.both(index, "init", init)?;
            self.both(index, "set tag", |context, _| context.set_tag(&tag))?;
            self.both(index, "init", |context, _| context.init(None, Some(&key), Some(&nonce), None))?;
        } else {
            let init =
                |context: &mut Context, _| context.init(None, None, Some(&nonce), Some(Direction::Decrypt));
            self.both(index, "init", init)?;
            if tag_first {
                self.both(index, "set tag", |context, _| context.set_tag(&tag))?;
            }
        }
        let opened = self.body(index, message, &aad, &text)?;
        if !tag_first && !self.is_ccm() {
            self.both(index, "set tag", |context, _| context.set_tag(&tag))?;
        }
        if message.finish {
            let outcome = self.finish(index)?;
            let is_forged = text.len() == plain.len() && forged != Forged::Not;
            // CCM's final call reports nothing about its message.
            if outcome.returned == 1 && !self.is_ccm() && !is_forged && opened != plain {
                return Err("the message is another one".to_owned());
            }
        }
        Ok(())
    }

    /// Length, additional data and data.
    fn body(&mut self, index: usize, message: &Message, aad: &[u8], text: &[u8]) -> Result<Vec<u8>, String> {
        if self.is_ccm() && !aad.is_empty() {
            self.both(index, "announce", |context, _| context.announce(text.len()))?;
        }
        let parts: &[&[u8]] = if aad.is_empty() {
            &[]
        } else if message.aad_in_two {
            &[&aad[..aad.len() / 2], &aad[aad.len() / 2..]]
        } else {
            &[aad]
        };
        for part in parts {
            self.both(index, "additional data", |context, _| context.additional(part))?;
        }
        let (first, second) = text.split_at(message.cut_at.unwrap_or(text.len()));
        let mut all = self.text(index, first, message.in_place)?;
        if message.cut_at.is_some() {
            all.extend(self.text(index, second, message.in_place)?);
        }
        Ok(all)
    }

    fn text(&mut self, index: usize, input: &[u8], in_place: bool) -> Result<Vec<u8>, String> {
        let room = input.len() + 2 * BLOCK;
        let mut outputs = [vec![0xa5; room], vec![0xa5; room]];
        let outcome = self.both(index, "update", |context, side| {
            let output = &mut outputs[side];
            if in_place {
                output[..input.len()].copy_from_slice(input);
                context.update_in_place(output, input.len())
            } else {
                context.update(input, output)
            }
        })?;
        same_bytes("update's output", &outputs)?;
        let [mut output, _] = outputs;
        output.truncate(usize::try_from(outcome.written).unwrap_or(0));
        Ok(output)
    }

    fn finish(&mut self, index: usize) -> Result<Outcome, String> {
        let mut outputs = [vec![0xa5; 2 * BLOCK], vec![0xa5; 2 * BLOCK]];
        let outcome = self.both(index, "final", |context, side| context.finish(&mut outputs[side]))?;
        same_bytes("final's output", &outputs)?;
        Ok(outcome)
    }

    fn tag(&mut self, index: usize, length: usize) -> Result<Vec<u8>, String> {
        let mut tags = [Vec::new(), Vec::new()];
        self.both(index, "get tag", |context, side| {
            let (tag, outcome) = context.tag(length);
            tags[side] = tag;
            outcome
        })?;
        same_bytes("the tag", &tags)?;
        let [tag, _] = tags;
        Ok(tag)
    }

    fn copy(&mut self, index: usize) -> Result<(), String> {
        let pair = &self.pairs[index];
        let [(left, left_outcome), (right, right_outcome)] =
            [pair.contexts[0].copy(), pair.contexts[1].copy()];
        let succeeded = left_outcome.returned == 1;
        alike("copy", &[left_outcome, right_outcome])?;
        if succeeded {
            let (key, nonce_length) = (pair.key.clone(), pair.nonce_length);
            self.pairs.push(Pair { contexts: [left, right], key, nonce_length });
            if self.pairs.len() > CONTEXTS {
                self.pairs.remove(0);
            }
        }
        Ok(())
    }

    fn ask(&mut self, index: usize) -> Result<(), String> {
        let contexts = &mut self.pairs[index].contexts;
        let answers = contexts
            .each_mut()
            .map(|context| (context.nonce_length(), context.original_iv(), context.updated_iv()));
        if answers[0] != answers[1] {
            return Err(format!("different answers: {answers:?}"));
        }
        self.pairs[index].nonce_length = usize::try_from(answers[0].0).unwrap_or(0);
        Ok(())
    }

    fn is_ccm(&self) -> bool {
        self.ciphers[0].is_ccm()
    }

    fn both(
        &mut self,
        index: usize,
        what: &str,
        mut call: impl FnMut(&mut Context, usize) -> Outcome,
    ) -> Result<Outcome, String> {
        self.calls += 1;
        let [left, right] = &mut self.pairs[index].contexts;
        let outcomes = [call(left, 0), call(right, 1)];
        alike(what, &outcomes)?;
        let [outcome, _] = outcomes;
        Ok(outcome)
    }

    fn fresh(&mut self, length: usize) -> Vec<u8> {
        self.calls += 1;
        bytes(self.seed.wrapping_add(self.calls), length)
    }
}

/// A message encrypted by one provider, with nonces and tags of these lengths; `None` where it
/// rejects them.
pub fn sealed(
    cipher: &Cipher,
    is_ccm: bool,
    (nonce_length, tag_length): (usize, usize),
    key: &[u8],
    nonce: &[u8; 16],
    aad: &[u8],
    plain: &[u8],
) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut context = Context::new();
    let is_fine = |outcome: Outcome| (outcome.returned == 1).then_some(());
    is_fine(context.init(Some(cipher), None, None, Some(Direction::Encrypt)))?;
    is_fine(context.set_nonce_length(nonce_length))?;
    if is_ccm {
        is_fine(context.set_tag_length(tag_length))?;
    }
    is_fine(context.init(None, Some(key), Some(nonce), None))?;
    if is_ccm {
        is_fine(context.announce(plain.len()))?;
    }
    if !aad.is_empty() {
        is_fine(context.additional(aad))?;
    }
    let mut text = vec![0; plain.len() + BLOCK];
    is_fine(context.update(plain, &mut text))?;
    is_fine(context.finish(&mut [0; BLOCK]))?;
    let (tag, outcome) = context.tag(tag_length);
    is_fine(outcome)?;
    text.truncate(plain.len());
    Some((text, tag))
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
