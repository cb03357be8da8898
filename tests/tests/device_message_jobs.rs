//! Jobs of every kind that are paused while the simulated accelerator works: on whole messages of
//! AEADs, of digests and of HMAC, and on a stream in parallel.

use std::time::Duration;

use outboard_tests::bytes::bytes;
use outboard_tests::child::in_own_process;
use outboard_tests::evp::{Direction, Job, run_to_their_end, version};
use outboard_tests::machine::set_patience;
use outboard_tests::messages::{Message, authenticated};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::stream::Stream;
use outboard_tests::world::World;

/// The length from which messages go to the driver.
const FROM: usize = 1024;

/// The longest request.
const LONG: usize = 65_536;

/// The operation of both providers.
#[derive(Clone, Copy)]
enum Work {
    /// A stream of one chunk, which could have more.
    Blocks(&'static str),
    /// Encryption of a message, or decryption of an encrypted one.
    Cipher(&'static str, Direction),
    /// The digest of a message of this length.
    Digest(&'static str, usize),
    /// The HMAC of a message of this length.
    Hmac(&'static str, usize),
}

use Work::{Blocks, Cipher, Digest, Hmac};

const ENCRYPTED: [Work; 5] = [
    Blocks("AES-128-CBC"),
    Cipher("AES-128-GCM", Direction::Encrypt),
    Cipher("AES-256-GCM", Direction::Decrypt),
    Cipher("AES-128-CCM", Direction::Encrypt),
    Cipher("AES-256-CCM", Direction::Decrypt),
];

const HASHED: [Work; 4] =
    [Digest("SHA2-256", 4096), Digest("SHA2-512", LONG), Hmac("SHA1", 5000), Hmac("SHA2-384", LONG)];

/// One test of many parts, because loading the simulation takes long.
#[test]
fn jobs_are_paused_while_whole_messages_are_worked_on() {
    let Some(Reachable { simulated, .. }) =
        Simulated::reachable("jobs_are_paused_while_whole_messages_are_worked_on")
    else {
        return;
    };
    all_kinds_are_in_flight_at_the_same_time(&simulated);
    many_messages_are_hashed_at_the_same_time(&simulated);
    a_digest_that_may_run_under_a_lock_does_not_pause(&simulated);
    a_forged_message_is_refused(&simulated);
    failures_end_in_right_bytes(&simulated);
    a_driver_that_never_answers_is_not_waited_for_without_end(&simulated);
    a_device_that_is_unplugged_under_paused_jobs_is_not_missed(&simulated);
}

/// Before 3.5 OpenSSL's random generators may use this provider's digests, with a lock held.
fn hashes_may_pause() -> bool {
    !version().starts_with("OpenSSL 3.0")
}

fn works() -> impl Iterator<Item = Work> {
    ENCRYPTED.into_iter().chain(HASHED.into_iter().filter(|_| hashes_may_pause()))
}

impl Work {
    /// The results of the provider and of OpenSSL are equal.
    #[track_caller]
    fn is_done_right(self, world: &World) {
        let (key, same) = (bytes(1, 20), "the same bytes");
        match self {
            Blocks(name) => {
                let stream = Stream::new(&world.soft(name), 1, 1, 4096);
                assert!(stream.runs_right(&world.hard(name)), "{same}");
            }
            Digest(name, length) => {
                let message = bytes(2, length);
                let hard = world.hard_digest(name).expect("it is offered").of(&message);
                assert_eq!(hard, world.soft_digest(name).of(&message), "{same}");
            }
            Hmac(name, length) => {
                let message = bytes(3, length);
                let hard = world.hard_hmac().expect("HMAC is offered").of(name, &key, &message);
                assert_eq!(hard, world.soft_hmac().of(name, &key, &message), "{same}");
            }
            Cipher(name, direction) => {
                let [hard, soft] = [world.hard(name), world.soft(name)];
                let (key, text) = (bytes(4, hard.key_length()), bytes(5, 4096));
                let plain = Message {
                    key: &key,
                    nonce: &bytes(6, 12),
                    aad: &bytes(7, 13),
                    text: &text,
                    tag: &[0; 16],
                };
                let sealed = authenticated(&soft, Direction::Encrypt, &plain).expect("software seals");
                if direction == Direction::Encrypt {
                    let hard = authenticated(&hard, Direction::Encrypt, &plain).expect("it seals");
                    return assert_eq!(hard, sealed, "{same}");
                }
                let (ciphertext, tag) = sealed.split_at(text.len());
                let opened = Message { text: ciphertext, tag, ..plain };
                assert_eq!(authenticated(&hard, Direction::Decrypt, &opened), Ok(text), "{same}");
            }
        }
    }

    fn job(self, world: &World) -> Job<'_> {
        Job::new(move || self.is_done_right(world))
    }
}

fn all_kinds_are_in_flight_at_the_same_time(simulated: &Simulated) {
    let world = simulated.world_of_everything(FROM);
    let held = simulated.hold("all");
    let mut jobs: Vec<Job<'_>> = works().map(|work| work.job(&world)).collect();
    for job in &mut jobs {
        assert!(!job.goes_to_its_end(), "it was not paused");
        assert_eq!(job.descriptors().len(), 1, "as openssl speed demands");
    }
    // The module passes 40 KiB of work to an engine that it does not know yet, and keeps the others.
    assert!((4..=jobs.len()).contains(&(simulated.outstanding() as usize)), "{}", simulated.outstanding());
    drop(held);
    let count = jobs.len() as u64;
    run_to_their_end(jobs);
    let counts = world.counts();
    assert_eq!((counts.hw_requests, counts.failures, counts.mismatches), (count, 0, 0), "{counts:?}");
}

/// Without a key, all of them are of one session.
fn many_messages_are_hashed_at_the_same_time(simulated: &Simulated) {
    if !hashes_may_pause() {
        return;
    }
    let world = simulated.world_of_everything(FROM);
    let held = simulated.hold("sim-sha256");
    let mut jobs: Vec<Job<'_>> = (0..16).map(|_| Digest("SHA2-256", 4096).job(&world)).collect();
    assert!(jobs.iter_mut().all(|job| !job.goes_to_its_end()), "one was not paused");
    assert_eq!(simulated.outstanding() as usize, jobs.len());
    drop(held);
    run_to_their_end(jobs);
    let counts = world.counts_of("SHA2-256");
    assert_eq!((counts.hw_requests, counts.failures, counts.mismatches), (16, 0, 0), "{counts:?}");
}

/// Random generators and certificate fingerprints use digests with a lock held.
fn a_digest_that_may_run_under_a_lock_does_not_pause(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(20));
    let world = simulated.world_of_everything(FROM);
    let length = if hashes_may_pause() { 4095 } else { LONG };
    let works =
        [Digest("SHA2-256", length), Hmac("SHA2-512", length), Digest("SHA1", LONG), Digest("SHA1", 8000)];
    for work in works {
        assert!(work.job(&world).goes_to_its_end(), "paused, perhaps with a lock");
    }
    assert_eq!((world.counts().hw_requests, world.counts().failures), (works.len() as u64, 0));
}

fn a_forged_message_is_refused(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(1));
    let world = simulated.world_of_everything(FROM);
    let hard = world.hard("AES-128-GCM");
    let (key, text) = (bytes(4, 16), bytes(5, 4096));
    let forged = Message { key: &key, nonce: &bytes(6, 12), aad: &[], text: &text, tag: &[1; 16] };
    let refused = || assert_eq!(authenticated(&hard, Direction::Decrypt, &forged), Err("final"));
    run_to_their_end((0..4).map(|_| Job::new(refused)).collect());
    let counts = world.counts();
    assert_eq!((counts.failures, counts.mismatches), (0, 0), "{counts:?}");
}

fn failures_end_in_right_bytes(simulated: &Simulated) {
    for rule in ["all error 5 every=3", "all wrong every=5"] {
        simulated.fault(rule);
        in_own_process(|| {
            let world = simulated.world_of_everything(FROM);
            run_to_their_end(works().chain(works()).map(|work| work.job(&world)).collect());
            let counts = world.counts();
            assert!(counts.failures + counts.mismatches > 0, "{rule}: {counts:?}");
        });
        simulated.fault("clear");
    }
}

fn a_driver_that_never_answers_is_not_waited_for_without_end(simulated: &Simulated) {
    let world = simulated.world_of_everything(FROM);
    let jobs: Vec<Job<'_>> = works().map(|work| work.job(&world)).collect();
    let count = jobs.len() as u64;
    simulated.fault(&format!("all never count={count}"));
    set_patience(Duration::from_millis(30));
    run_to_their_end(jobs);
    // Those that the engine did not get, since it had stopped, are no failures of it.
    let counts = world.counts();
    assert!((1..=count).contains(&counts.failures), "{counts:?}");
    assert_eq!((counts.hw_requests, counts.mismatches), (0, 0), "{counts:?}");
    simulated.let_go();
    set_patience(Duration::from_secs(600));
}

fn a_device_that_is_unplugged_under_paused_jobs_is_not_missed(simulated: &Simulated) {
    let world = simulated.world_of_everything(FROM);
    let held = simulated.hold("all");
    let mut jobs: Vec<Job<'_>> = works().map(|work| work.job(&world)).collect();
    assert!(jobs.iter_mut().all(|job| !job.goes_to_its_end()), "one was not paused");
    simulated.unbind_with_held_requests();
    run_to_their_end(jobs);
    // An absent driver has not failed.
    let counts = world.counts();
    assert_eq!((counts.hw_requests, counts.failures, counts.mismatches), (0, 0, 0), "{counts:?}");
    drop(held);
    simulated.each_device("bind");
}
