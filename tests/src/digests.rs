//! Scripts for digests: arbitrary sequences of calls for which two providers must return the same.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use outboard_accel::{Accelerator, Error, HashSession};

use crate::bytes::bytes;
use crate::child::{Exit, fork};
use crate::evp::{Digest, DigestContext, Outcome};
use crate::lane::runner;
use crate::world::World;

/// The digests that the provider can offer.
pub const DIGESTS: [&str; 5] = ["SHA1", "SHA2-224", "SHA2-256", "SHA2-384", "SHA2-512"];

/// The maximum number of contexts of a script; further copies replace the oldest.
const CONTEXTS: usize = 3;

/// One call.
#[derive(Clone, Debug)]
pub enum Step {
    /// More of the message.
    Update(usize),
    /// A copy; both remain in use.
    Copy,
    /// The end of the message. The next call begins another message.
    Finish,
    /// A new message, whatever the state of the old one.
    Again,
    /// fork(2): the child ends the messages of all contexts, and the parent continues.
    Fork,
    /// SSL 3's end of a message.
    Ssl3,
}

/// A whole script.
#[derive(Clone, Debug)]
pub struct Script {
    /// The seed of the data.
    pub seed: u64,
    /// Which of the digests.
    pub digest: usize,
    /// The steps, each with the index of its context.
    pub steps: Vec<(usize, Step)>,
}

/// Lengths around the block boundaries of digests.
pub(crate) fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => prop::sample::select(vec![0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 4095, 4096, 4097]),
        6 => 0..300_usize,
        4 => 0..5000_usize,
        2 => 0..=70_000_usize,
        1 => Just(65_536),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        24 => length().prop_map(Step::Update),
        4 => Just(Step::Copy),
        5 => Just(Step::Finish),
        2 => Just(Step::Again),
        1 => Just(Step::Fork),
        1 => Just(Step::Ssl3),
    ]
}

/// Any script.
pub fn script() -> impl Strategy<Value = Script> {
    (any::<u64>(), 0..DIGESTS.len(), vec((0..CONTEXTS, step()), 1..20))
        .prop_map(|(seed, digest, steps)| Script { seed, digest, steps })
}

/// A context of either provider.
struct Pair {
    contexts: [DigestContext; 2],
    ended: bool,
}

impl Pair {
    fn both(&mut self, mut call: impl FnMut(&mut DigestContext) -> Outcome) -> Result<(), String> {
        let [hard, soft] = &mut self.contexts;
        let outcomes = [call(hard), call(soft)];
        if outcomes[0] == outcomes[1] { Ok(()) } else { Err(format!("the outcomes are {outcomes:?}")) }
    }

    fn finish(&mut self) -> Result<(), String> {
        self.ended = true;
        let [hard, soft] = self.contexts.each_mut().map(DigestContext::finish);
        if hard == soft { Ok(()) } else { Err(format!("final gave {hard:?} and, by OpenSSL, {soft:?}")) }
    }
}

/// Runs a script with both digests and returns where their results differ.
pub fn play(script: &Script, digests: [&Digest; 2]) -> Result<(), String> {
    let mut pairs = vec![Pair { contexts: digests.map(DigestContext::begun), ended: false }];
    for (number, (which, step)) in script.steps.iter().enumerate() {
        let index = which % pairs.len();
        let input = |length| bytes(script.seed.wrapping_add(number as u64), length);
        one(&mut pairs, index, step, digests, &input)
            .map_err(|problem| format!("step {number}, {step:?}, context {index}: {problem}"))?;
    }
    pairs.iter_mut().filter(|pair| !pair.ended).try_for_each(Pair::finish)
}

fn one(
    pairs: &mut Vec<Pair>,
    index: usize,
    step: &Step,
    digests: [&Digest; 2],
    input: &dyn Fn(usize) -> Vec<u8>,
) -> Result<(), String> {
    if pairs[index].ended && !matches!(step, Step::Fork) {
        // A context whose message has ended can only begin another one.
        again(&mut pairs[index], digests)?;
    }
    let pair = &mut pairs[index];
    match *step {
        Step::Update(length) => {
            let input = input(length);
            pair.both(|context| context.update(&input))
        }
        Step::Finish => pair.finish(),
        Step::Again => again(pair, digests),
        Step::Ssl3 => pair.both(|context| context.set_ssl3_master_secret(&mut input(48))),
        Step::Copy => {
            let [hard, soft] = pair.contexts.each_ref().map(DigestContext::copy);
            if hard.1 != soft.1 {
                return Err(format!("copying gave {:?} and, by OpenSSL, {:?}", hard.1, soft.1));
            }
            if pairs.len() == CONTEXTS {
                pairs.remove(0);
            }
            pairs.push(Pair { contexts: [hard.0, soft.0], ended: false });
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

fn again(pair: &mut Pair, digests: [&Digest; 2]) -> Result<(), String> {
    pair.ended = false;
    let [hard, soft] = &mut pair.contexts;
    let outcomes = [hard.begin(digests[0]), soft.begin(digests[1])];
    if outcomes[0] == outcomes[1] { Ok(()) } else { Err(format!("the outcomes are {outcomes:?}")) }
}

/// Any sequence of calls returns what the default provider returns, for as many sequences as
/// [`runner`] takes.
#[track_caller]
pub fn any_sequence_of_calls_is_answered_alike(world: &World, cases: u32) {
    let digests =
        DIGESTS.map(|name| (world.hard_digest(name).expect("it is offered"), world.soft_digest(name)));
    let answered_alike = |script: Script| {
        let (hard, soft) = &digests[script.digest];
        play(&script, [hard, soft])
            .map_err(|problem| TestCaseError::fail(format!("{}: {problem}", DIGESTS[script.digest])))
    };
    runner(cases)
        .run(&script(), answered_alike)
        .unwrap_or_else(|failure| panic!("{:?}: {failure}", world.driver_choice));
}

/// Below the provider: a session that a child of a fork inherits.
#[track_caller]
pub fn a_session_is_its_process_own(driver: &dyn Accelerator<dyn HashSession>, soft: &Digest) {
    let (one, two) = (bytes(1, 1000), bytes(2, 65_536));
    let is_right = |session: &mut dyn HashSession, message: &[u8]| {
        session.digest(message).is_ok_and(|digest| digest.as_slice() == soft.of(message))
    };
    let mut session = driver.open(&[]).expect("a session");
    assert!(is_right(&mut *session, &one));
    let mut inherited = Some(session);
    let child = fork(Exit::Quick, || is_right(&mut *inherited.take().expect("the parent's"), &two));
    child.wait().expect("the child");
    let mut session = inherited.expect("the parent's");
    assert!(is_right(&mut *session, &two) && is_right(&mut *session, &[]));
    let long = vec![0; session.max_request() + 1];
    assert!(matches!(session.digest(&long), Err(Error::Misfit { .. })));
}
