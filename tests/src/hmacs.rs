//! Scripts for HMAC: arbitrary sequences of calls for which two providers must return the same.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::bytes::bytes;
use crate::child::{Exit, fork};
use crate::digests::{DIGESTS, length};
use crate::evp::{Hmac, HmacContext, Outcome};
use crate::lane::runner;
use crate::world::World;

/// The maximum number of contexts of a script; further copies replace the oldest.
const CONTEXTS: usize = 3;

/// One call.
#[derive(Clone, Debug)]
pub enum Step {
    /// More of the message.
    Update(usize),
    /// A copy; both remain in use.
    Copy,
    /// The end of the message, or once more where it has ended. Any other call then begins another
    /// message.
    Finish,
    /// Another message with the same key, whatever the state of the old one.
    Again,
    /// Another message with a key of this length.
    Key(usize),
    /// The same key as a parameter, which is not passed to drivers.
    KeyParameter(usize),
    /// Another digest, and a key.
    Digest(usize),
    /// fork(2): the child ends the messages of all contexts, and the parent continues.
    Fork,
}

/// The seed of keys and data, and the steps, each with the index of its context.
pub type Script = (u64, Vec<(usize, Step)>);

fn key_length() -> impl Strategy<Value = usize> {
    prop_oneof![4 => Just(20), 2 => prop::sample::select(vec![1, 63, 64, 65, 127, 128, 129, 200])]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        24 => length().prop_map(Step::Update),
        5 => Just(Step::Copy),
        6 => Just(Step::Finish),
        3 => Just(Step::Again),
        2 => key_length().prop_map(Step::Key),
        1 => key_length().prop_map(Step::KeyParameter),
        2 => (0..DIGESTS.len() + 1).prop_map(Step::Digest),
        1 => Just(Step::Fork),
    ]
}

/// Any script.
pub fn script() -> impl Strategy<Value = Script> {
    (any::<u64>(), vec((0..CONTEXTS, step()), 1..24))
}

/// A context of either provider.
struct Pair {
    contexts: [HmacContext; 2],
    ended: bool,
}

impl Pair {
    fn both(&mut self, mut call: impl FnMut(&mut HmacContext) -> Outcome) -> Result<(), String> {
        let [hard, soft] = &mut self.contexts;
        let outcomes = [call(hard), call(soft)];
        if outcomes[0] == outcomes[1] { Ok(()) } else { Err(format!("the outcomes are {outcomes:?}")) }
    }

    fn begin(&mut self, digest: Option<&str>, key: Option<&[u8]>) -> Result<(), String> {
        self.ended = false;
        self.both(|context| context.begin(digest, key))
    }

    fn finish(&mut self) -> Result<(), String> {
        let is_second = std::mem::replace(&mut self.ended, true);
        let sizes = self.contexts.each_ref().map(HmacContext::size);
        let [hard, soft] = self.contexts.each_mut().map(HmacContext::finish);
        // Where OpenSSL 3.0 permits a second one, its bytes mean nothing.
        if (hard == soft || is_second && hard.0 == soft.0) && sizes[0] == sizes[1] {
            Ok(())
        } else {
            Err(format!("final gave {hard:?} and, by OpenSSL, {soft:?}; the sizes are {sizes:?}"))
        }
    }
}

/// Runs a script with both HMACs and returns where their results differ.
pub fn play((seed, steps): &Script, hmacs: [&Hmac; 2]) -> Result<(), String> {
    let mut first = Pair { contexts: hmacs.map(HmacContext::new), ended: false };
    first.begin(Some(DIGESTS[*seed as usize % DIGESTS.len()]), Some(&bytes(*seed, 32)))?;
    let mut pairs = vec![first];
    for (number, (which, step)) in steps.iter().enumerate() {
        let index = which % pairs.len();
        let input = |length| bytes(seed.wrapping_add(number as u64), length);
        one(&mut pairs, index, step, &input)
            .map_err(|problem| format!("step {number}, {step:?}, context {index}: {problem}"))?;
    }
    pairs.iter_mut().filter(|pair| !pair.ended).try_for_each(Pair::finish)
}

fn one(
    pairs: &mut Vec<Pair>,
    index: usize,
    step: &Step,
    input: &dyn Fn(usize) -> Vec<u8>,
) -> Result<(), String> {
    if pairs[index].ended && !matches!(step, Step::Fork | Step::Finish) {
        pairs[index].begin(None, None)?;
    }
    let pair = &mut pairs[index];
    match *step {
        Step::Update(length) => {
            let input = input(length);
            pair.both(|context| context.update(&input))
        }
        Step::Finish => pair.finish(),
        Step::Again => pair.begin(None, None),
        Step::Key(length) => pair.begin(None, Some(&input(length))),
        Step::KeyParameter(length) => pair.both(|context| context.set_key(&mut input(length))),
        Step::Digest(which) => {
            let digest = DIGESTS.get(which).copied().unwrap_or("SHA3-256");
            pair.begin(Some(digest), Some(&input(33)))
        }
        Step::Copy => {
            let contexts = pair.contexts.each_ref().map(HmacContext::copy);
            if pairs.len() == CONTEXTS {
                pairs.remove(0);
            }
            pairs.push(Pair { contexts, ended: false });
            Ok(())
        }
        Step::Fork => {
            let child = fork(Exit::Quick, || {
                pairs.iter_mut().filter(|pair| !pair.ended).all(|pair| {
                    pair.both(|context| context.update(&input(77))).is_ok() && pair.finish().is_ok()
                })
            });
            child.wait()
        }
    }
}

/// Any sequence of calls returns what the default provider returns, for as many sequences as
/// [`runner`] takes.
#[track_caller]
pub fn any_sequence_of_calls_is_answered_alike(world: &World, cases: u32) {
    let (hard, soft) = (world.hard_hmac().expect("it is offered"), world.soft_hmac());
    let answered_alike = |script: Script| play(&script, [&hard, &soft]).map_err(TestCaseError::fail);
    runner(cases)
        .run(&script(), answered_alike)
        .unwrap_or_else(|failure| panic!("{:?}: {failure}", world.driver_choice));
}
