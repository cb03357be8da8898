//! A driver of which a part of some results is wrong, as a page that a DMA transfer missed: requests of
//! which each block is wrong never reach the application, and with look-ahead no part of a page or more.
//! `device_faulty_results` has the other faults.

mod expected;

use std::thread;
use std::time::Duration;

use expected::{Found, probability};
use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::text_of_own_process;
use outboard_tests::device::count;
use outboard_tests::evp::{Cipher, Context, Direction};
use outboard_tests::lane::is_full_lane;
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::simulated::{DRIVERS, Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};

const BLOCK: usize = 16;

/// Length of a page in bytes: of each page of a segment of key stream a block is recomputed.
const PAGE: usize = 4096;

/// Lengths of requests in bytes.
const LENGTHS: std::ops::Range<usize> = 256..1401;

/// Requests of a process. The third wrong result that is found disables the driver.
const REQUESTS: u64 = 300;

/// How long a request takes whose result may be exchanged with that of another one.
const IN_FLIGHT: Duration = Duration::from_micros(500);

/// How requests reach the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Direct,
    LookAhead,
}

/// What an application saw of the requests of some processes.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Requests that a driver served.
    served: u64,
    /// Wrong results, or segments of key stream, that were found.
    found: u64,
    /// Requests with some wrong blocks.
    partly: u64,
    /// Requests of which each block was wrong.
    wholly: u64,
}

/// A fault of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Aligned bytes of a longer result, or all of it.
    Part(usize),
    OneBit,
    EachByte,
    Unwritten,
    /// The result of an earlier request.
    Earlier,
    /// Two requests in flight get each other's result.
    Swapped,
    CompletedTwice,
}

impl Fault {
    fn rule(self) -> String {
        match self {
            Fault::Part(bytes) => return format!("part {bytes}"),
            Fault::OneBit => "wrong",
            Fault::EachByte => "garbage",
            Fault::Unwritten => "unwritten",
            Fault::Earlier => "earlier",
            Fault::Swapped => "swap",
            Fault::CompletedTwice => "again",
        }
        .to_owned()
    }

    /// Whether requests with some wrong blocks may reach the application (SECURITY.md, "What is
    /// compared"). Of results of other requests with another length a part is wrong.
    fn may_be_seen(self, way: Way) -> bool {
        match self {
            Fault::OneBit | Fault::Earlier | Fault::Swapped => true,
            Fault::Part(bytes) => way == Way::Direct || bytes < PAGE,
            Fault::EachByte | Fault::Unwritten | Fault::CompletedTwice => false,
        }
    }

    /// Whether some result is wrong.
    fn is_found(self) -> bool {
        self != Fault::CompletedTwice
    }
}

/// A fault of a driver.
struct Faults<'a> {
    way: Way,
    name: &'a str,
    driver: &'a str,
    fault: Fault,
    /// That with which a wrong result is found.
    probability: Option<f64>,
}

impl Faults<'_> {
    /// The rule of the simulation for a process: at other requests in each one. Where most wrong results
    /// are found, a process has three of them, with which the driver is disabled; else more, and none of
    /// those that are compared in full at the start or after a difference. Segments of key stream are
    /// compared in full at their first use, and some are never used.
    fn rule(&self, process: u64) -> String {
        let (after, every) = match (self.way, self.probability) {
            (Way::Direct, Some(found)) if found < 0.3 => (16 + process % 50, 20),
            (Way::Direct, _) => (16 + process % 50, 100),
            // The first one that is found disables the driver.
            (Way::LookAhead, Some(found)) if found < 0.3 => (24 + process % 13, 1),
            (Way::LookAhead, Some(found)) if found < 1.0 => (process % 13, 24),
            (Way::LookAhead, _) => (process % 13, 10),
        };
        format!("{} {} after={after} every={every}", self.driver, self.fault.rule())
    }
}

#[test]
fn no_request_of_which_each_block_is_wrong_is_seen_and_with_key_stream_none_of_a_wrong_page() {
    let test = "no_request_of_which_each_block_is_wrong_is_seen_and_with_key_stream_none_of_a_wrong_page";
    let parts: &[usize] = if is_full_lane() { &[64, 1024, PAGE, 16384] } else { &[64, PAGE] };
    wrong_results_are_found(test, parts.iter().copied().map(Fault::Part));
}

/// What applications see of a driver with each of these faults: no request of which each block is wrong,
/// and as many of the others as SECURITY.md says.
pub(crate) fn wrong_results_are_found(test: &str, faults: impl IntoIterator<Item = Fault>) {
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    let ways = [
        (Way::Direct, "AES-128-CTR", "sim-ctr-aes"),
        (Way::Direct, "AES-128-GCM", "sim-gcm-aes"),
        (Way::LookAhead, "AES-128-CTR", "sim-ecb-aes"),
        (Way::LookAhead, "AES-128-GCM", "sim-ecb-aes"),
        (Way::Direct, "AES-128-CBC", "sim-cbc-aes"),
        (Way::Direct, "AES-128-XTS", "sim-xts-aes"),
    ];
    let (ways, requests) = if is_full_lane() { (&ways[..], 12_000) } else { (&ways[..4], 300) };
    for fault in faults {
        let mut sums = [Way::Direct, Way::LookAhead].map(|way| (way, Found::default()));
        for &(way, name, driver) in ways {
            let doubles = count("doubles");
            let probability = probability(fault, way, name);
            let faults = Faults { way, name, driver, fault, probability };
            let seen = requests_with_faults(&simulated, &faults, requests);
            let doubles = count("doubles") - doubles;
            let what = format!("{way:?}, {name}, {fault:?}: {seen:?}, {doubles} completed twice");
            println!("{what}");
            assert_eq!(seen.found > 0, fault.is_found(), "{what}");
            assert_eq!(doubles > 0, fault == Fault::CompletedTwice, "{what}");
            assert_eq!(seen.wholly, 0, "{what}");
            assert!(fault.may_be_seen(way) || seen.partly == 0, "{what}");
            let (_, sum) = sums.iter_mut().find(|(other, _)| *other == way).expect("either way");
            probability.inspect(|probability| sum.add(&seen, *probability));
        }
        for (way, sum) in sums {
            println!("{way:?}, {fault:?}: {sum:?}");
            assert!(sum.is_as_expected(), "{way:?}, {fault:?}: {sum:?}");
        }
    }
}

/// Has the driver serve at least this number of requests, from as many processes as it takes, and
/// until a wrong result is found: a check of two blocks misses a short part more often than not.
#[track_caller]
fn requests_with_faults(simulated: &Simulated, faults: &Faults<'_>, requests: u64) -> Seen {
    let Faults { way, name, fault, .. } = *faults;
    let mut sum = Seen::default();
    for process in 0.. {
        if sum.served >= requests && (sum.found > 0 || !fault.is_found()) {
            break;
        }
        // On a busy host software processes most requests.
        assert!(process < 10 * requests / REQUESTS + 100, "the driver is used: {way:?}, {name}: {sum:?}");
        // Results can be exchanged while two requests are in flight.
        let threads = if fault == Fault::Swapped { 2 } else { 1 };
        simulated.takes(if threads > 1 { IN_FLIGHT } else { Duration::ZERO });
        let text = text_of_own_process(|| {
            let seen = one_process(simulated, faults, process, threads);
            let Seen { served, found, partly, wholly } = seen;
            format!("{served} {found} {partly} {wholly}")
        });
        let numbers: Vec<u64> = text.split(' ').map(|number| number.parse().expect("a number")).collect();
        let [served, found, partly, wholly] = numbers[..] else { panic!("{text}") };
        sum.served += served;
        sum.found += found;
        sum.partly += partly;
        sum.wholly += wholly;
    }
    sum
}

fn one_process(simulated: &Simulated, faults: &Faults<'_>, seed: u64, threads: u64) -> Seen {
    let Faults { way, name, .. } = *faults;
    // Without full comparisons at random, which would find some of the parts too.
    let mut settings = vec![("SHADOW_CHECKS", "0"), ("LOG_LEVEL", "off")];
    settings.extend_from_slice(match way {
        Way::Direct => &[("THRESHOLDS", "ALL:0"), ("LOOKAHEAD", "OFF")],
        Way::LookAhead => &[("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")],
    });
    // Segments of a page where it matters how many are used before the faults.
    let is_certain = faults.probability.is_none_or(|probability| probability == 1.0);
    settings.push(("LOOKAHEAD_WINDOW", if is_certain { "65536" } else { "16384" }));
    let choice = DriverChoice::Simulated(DRIVERS.join(","));
    let world = World::new(choice, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
    simulated.fault(&faults.rule(seed));
    let mut seen = thread::scope(|scope| {
        let world = &world;
        let start = |thread| scope.spawn(move || compared(world, name, seed * threads + thread));
        let threads: Vec<_> = (0..threads).map(start).collect();
        let each = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        each.fold(Seen::default(), |sum, one| Seen {
            partly: sum.partly + one.partly,
            wholly: sum.wholly + one.wholly,
            ..sum
        })
    });
    simulated.fault("clear");
    let counts = world.counts_of(name);
    seen.served = counts.hw_requests;
    seen.found = counts.failures + counts.mismatches;
    seen
}

/// Makes [`REQUESTS`] requests of the driver and of software.
fn compared(world: &World, name: &str, seed: u64) -> Seen {
    let mut sides = [world.hard(name), world.soft(name)].map(|cipher| Side::new(&cipher, name, seed));
    let mut seen = Seen::default();
    for number in 0..REQUESTS {
        let length = length_of(name, seed, number);
        let [hard, soft] = sides.each_mut().map(|side| side.encrypt(number, length));
        let blocks = hard.chunks(BLOCK).zip(soft.chunks(BLOCK));
        let (count, wrong) = (hard.len().div_ceil(BLOCK), blocks.filter(|(one, other)| one != other).count());
        seen.partly += u64::from(wrong > 0);
        seen.wholly += u64::from(wrong == count);
    }
    seen
}

/// The length of a request. Where software completes partial blocks, requests without them are made.
fn length_of(name: &str, seed: u64, number: u64) -> usize {
    let length = LENGTHS.start + u64::from_le_bytes(array(seed << 32 | number)) as usize % LENGTHS.len();
    if name.ends_with("CBC") || name.ends_with("XTS") { length / BLOCK * BLOCK } else { length }
}

/// The requests of one provider.
enum Side {
    Stream(Context),
    Messages(MessageStream),
}

impl Side {
    fn new(cipher: &Cipher, name: &str, seed: u64) -> Side {
        let key = bytes(seed, cipher.key_length());
        if name.ends_with("GCM") {
            return Side::Messages(MessageStream::new(cipher, &key, Direction::Encrypt));
        }
        let mut context = Context::keyed(cipher, &key, &array(seed), Direction::Encrypt);
        context.set_padding(false).expect("padding off");
        Side::Stream(context)
    }

    /// The ciphertext of the next request.
    fn encrypt(&mut self, number: u64, length: usize) -> Vec<u8> {
        match self {
            Side::Stream(context) => {
                let mut output = vec![0; length + BLOCK];
                context.update(&bytes(number, length), &mut output).expect("update");
                output.truncate(length);
                output
            }
            Side::Messages(stream) => {
                let mut nonce = [7; NONCE];
                nonce[4..].copy_from_slice(&number.to_be_bytes());
                stream.process(&StreamMessage::new(number, nonce, length), false).expect("sealed").text
            }
        }
    }
}
