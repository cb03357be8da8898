//! Each fault of the simulated accelerator followed by each other one: how long a call of an application
//! takes then, and that it gets no wrong byte.
//!
//! A dying engine is wrong, late and silent in some order. What one fault leaves behind, in the provider
//! and in the module, must not make the next one cost more.

use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::text_of_own_process;
use outboard_tests::evp::{Cipher, Context, Direction};
use outboard_tests::lane::is_full_lane;
use outboard_tests::machine::set_patience;
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::time_limit::wait_until;
use outboard_tests::world::{DriverChoice, Order, World};

/// Length of a request in bytes: whole blocks.
const LENGTH: usize = 1408;

/// Calls after the faults were set, while the device is absent, and after it is well again.
const WITH_FAULTS: usize = 40;
const ABSENT: usize = 10;
const AFTERWARDS: usize = 20;

/// How long the driver takes without a fault.
const LATENCY: Duration = Duration::from_micros(300);

/// The longest call with look-ahead, where nothing waits for the driver, and of direct requests, which
/// wait as long as an engine may take (docs/uapi.md).
const LONGEST_AHEAD: Duration = Duration::from_millis(100);
const LONGEST_DIRECT: Duration = Duration::from_millis(120);

/// On a busy host a machine is not scheduled for longer than that. A standstill comes every time.
const TRIES: usize = 4;

/// Names and rules of the simulation. A request that is late is completed after the module has written
/// it off, a slow one before. The device is unbound without a rule.
const FAULTS: [(&str, &str); 16] = [
    ("garbage", "garbage"),
    ("lost", "never"),
    ("late", "slow 700"),
    ("refused", "refuse"),
    (UNBIND, ""),
    ("slow", "slow 60"),
    ("unwritten", "unwritten"),
    ("error", "error 5"),
    ("full", "full"),
    ("both", "both 5"),
    ("again", "again"),
    ("one bit", "wrong"),
    ("part", "part 64"),
    ("earlier", "earlier"),
    ("swap", "swap"),
    ("software", "software"),
];

const UNBIND: &str = "unbound";

/// What is tried in each run of the tests.
const USUAL: [(&str, &str); 4] =
    [("garbage", "lost"), ("garbage", "refused"), ("late", "lost"), ("late", UNBIND)];

/// A cipher, its driver, and whether that computes key stream.
const USES: [(&str, &str, bool); 5] = [
    ("AES-128-CBC", "sim-cbc-aes", false),
    ("AES-128-CTR", "sim-ctr-aes", false),
    ("AES-128-GCM", "sim-gcm-aes", false),
    ("AES-128-CTR", "sim-ecb-aes", true),
    ("AES-128-GCM", "sim-ecb-aes", true),
];

#[test]
fn no_pair_of_faults_makes_a_call_long_or_wrong() {
    let test = "no_pair_of_faults_makes_a_call_long_or_wrong";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    set_patience(Duration::from_millis(30));
    simulated.takes(LATENCY);
    let numbers = 0..FAULTS.len();
    let mut all: Vec<_> =
        numbers.clone().flat_map(|first| numbers.clone().map(move |second| [first, second])).collect();
    // Those of the first faults come first.
    all.sort_by_key(|pair| pair.iter().max().copied());
    let all = all
        .into_iter()
        .map(|pair| pair.map(|number| FAULTS[number].0))
        .map(|[first, second]| (first, second));
    let pairs: Vec<_> = if is_full_lane() { all.collect() } else { USUAL.to_vec() };
    print(&format!("\n| first | then | {} |", USES.map(use_name).join(" | ")));
    print(&format!("|---|---|{}", "---|".repeat(USES.len())));
    let mut failures = Vec::new();
    for (first, second) in pairs {
        let mut row = Vec::new();
        for use_case in USES {
            let outcome = shortest_of_tries(&simulated, use_case, first, second);
            row.push(outcome.cell());
            if let Some(why) = outcome.failure(use_case) {
                failures.push(format!("{first}, then {second}, {}: {why}", use_name(use_case)));
            }
        }
        print(&format!("| {first} | {second} | {} |", row.join(" | ")));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Past the test harness, which shows the output of a test only if that fails.
fn print(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("standard output");
}

fn use_name((cipher, _, is_ahead): (&str, &str, bool)) -> String {
    format!("{cipher}, {}", if is_ahead { "look-ahead" } else { "direct" })
}

/// What came of a pair of faults.
#[derive(Debug)]
struct Outcome {
    longest: Duration,
    wrong: usize,
    /// What the provider counted, and whether it named the driver on standard error.
    failures: u64,
    is_named: bool,
    /// Whether the driver was used before the faults.
    was_used: bool,
}

impl Outcome {
    fn cell(&self) -> String {
        let milliseconds = self.longest.as_secs_f64() * 1000.0;
        format!("{milliseconds:.0} ms{}", if self.is_named { ", named" } else { "" })
    }

    fn failure(&self, (_, _, is_ahead): (&str, &str, bool)) -> Option<String> {
        let limit = if is_ahead { LONGEST_AHEAD } else { LONGEST_DIRECT };
        let is_right = self.wrong == 0 && self.was_used && (self.failures == 0 || self.is_named);
        (!is_right || self.longest > limit).then(|| format!("{self:?}"))
    }
}

fn shortest_of_tries(
    simulated: &Simulated,
    use_case: (&str, &str, bool),
    first: &str,
    second: &str,
) -> Outcome {
    let mut outcome = outcome(simulated, use_case, first, second);
    for _ in 1..TRIES {
        if outcome.wrong > 0 || outcome.failure(use_case).is_none() {
            break;
        }
        let other = self::outcome(simulated, use_case, first, second);
        if other.wrong > 0 || other.longest < outcome.longest || !outcome.was_used {
            outcome = other;
        }
    }
    outcome
}

/// In a process of its own, because a driver that was wrong is disabled for the process.
fn outcome(simulated: &Simulated, use_case: (&str, &str, bool), first: &str, second: &str) -> Outcome {
    let driver = use_case.1;
    // A request of the last pair that is late delays the first ones of this one, whose context would
    // not try the driver again.
    wait_until("nothing in flight", || simulated.outstanding() == 0);
    simulated.allow(&[driver]);
    let text = text_of_own_process(|| {
        let (outcome, log) = with_log(|| calls(simulated, use_case, first, second));
        let Outcome { longest, wrong, failures, was_used, .. } = outcome;
        let is_named = log.contains(driver);
        format!("{} {wrong} {failures} {} {}", longest.as_micros(), u8::from(is_named), u8::from(was_used))
    });
    fs::write("/sys/class/misc/outboard/disallow", driver).expect("no process uses it");
    let numbers: Vec<u64> = text.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [longest, wrong, failures, is_named, was_used] = numbers[..] else { panic!("{text}") };
    let (longest, wrong) = (Duration::from_micros(longest), wrong as usize);
    Outcome { longest, wrong, failures, is_named: is_named == 1, was_used: was_used == 1 }
}

/// Runs `body` with standard error in a file. Returns what was written to that, too.
fn with_log<T>(body: impl FnOnce() -> T) -> (T, String) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    // The provider writes no line to a file that can be read too.
    let log = fs::OpenOptions::new().append(true).open(file.path()).expect("the same file");
    // SAFETY: no pointer is passed. This process ends after the body.
    assert_eq!(unsafe { libc::dup2(log.as_raw_fd(), libc::STDERR_FILENO) }, libc::STDERR_FILENO);
    (body(), fs::read_to_string(file.path()).expect("a log"))
}

fn calls(simulated: &Simulated, use_case: (&str, &str, bool), first: &str, second: &str) -> Outcome {
    let (name, driver, is_ahead) = use_case;
    let all = [
        // Each result is compared in full, so that no fault may be missed.
        ("SHADOW_CHECKS", "1"),
        ("KEY_BYTES", "0"),
        ("THRESHOLDS", if is_ahead { "ALL:1048576" } else { "ALL:16" }),
        ("LOOKAHEAD", if is_ahead { "ON" } else { "OFF" }),
        ("LOOKAHEAD_START", "0"),
        ("LOOKAHEAD_WINDOW", "16384"),
    ];
    let choice = DriverChoice::Simulated(driver.to_owned());
    let world = World::new(choice, &all, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
    let mut pair = Pair::new(&world, name);
    let used = || {
        let counts = world.counts_of(name);
        counts.hw_requests + counts.ahead_requests
    };
    wait_until("used", || {
        (0..10).for_each(|_| pair.call());
        // The counters of a context are written after 64 requests.
        pair.number >= 80 && used() > 0
    });
    let (was_used, rule) = (used() > 0, |fault| {
        FAULTS.iter().find(|(name, _)| *name == fault).map(|(_, rule)| *rule).expect("a fault")
    });
    pair.longest = Duration::ZERO;
    if first == UNBIND {
        simulated.each_device("unbind");
        (0..ABSENT).for_each(|_| pair.call());
        if second != UNBIND {
            simulated.fault(&format!("{driver} {}", rule(second)));
        }
        simulated.each_device("bind");
    } else {
        simulated.fault(&format!("{driver} {} count=1", rule(first)));
        if second != UNBIND {
            simulated.fault(&format!("{driver} {} after=1", rule(second)));
        }
    }
    (0..WITH_FAULTS).for_each(|_| pair.call());
    if second == UNBIND {
        thread::scope(|scope| {
            let unbinding = scope.spawn(|| simulated.unbind_with_held_requests());
            while !unbinding.is_finished() {
                pair.call();
            }
        });
        (0..ABSENT).for_each(|_| pair.call());
        simulated.each_device("bind");
    }
    simulated.let_go();
    (0..AFTERWARDS).for_each(|_| pair.call());
    let Pair { longest, wrong, .. } = pair;
    let counts = world.counts_of(name);
    Outcome { longest, wrong, failures: counts.failures + counts.mismatches, is_named: false, was_used }
}

/// The same requests of this provider and of software.
struct Pair {
    hard: Side,
    soft: Side,
    number: u64,
    longest: Duration,
    wrong: usize,
}

impl Pair {
    fn new(world: &World, name: &str) -> Pair {
        let [hard, soft] = [world.hard(name), world.soft(name)].map(|cipher| Side::new(&cipher, name));
        Pair { hard, soft, number: 0, longest: Duration::ZERO, wrong: 0 }
    }

    fn call(&mut self) {
        let text = bytes(self.number, LENGTH);
        let start = Instant::now();
        let found = self.hard.encrypt(self.number, &text);
        self.longest = self.longest.max(start.elapsed());
        self.wrong += usize::from(found != self.soft.encrypt(self.number, &text));
        self.number += 1;
    }
}

enum Side {
    Stream(Context),
    Messages(MessageStream),
}

impl Side {
    fn new(cipher: &Cipher, name: &str) -> Side {
        let key = bytes(7, cipher.key_length());
        match name.ends_with("GCM") {
            true => Side::Messages(MessageStream::new(cipher, &key, Direction::Encrypt)),
            false => Side::Stream(Context::keyed(cipher, &key, &array(7), Direction::Encrypt)),
        }
    }

    /// The ciphertext and the tag of the next request.
    fn encrypt(&mut self, number: u64, text: &[u8]) -> Vec<u8> {
        match self {
            Side::Stream(context) => {
                let mut output = vec![0; LENGTH + 16];
                let written = context.update(text, &mut output).expect("update");
                output.truncate(written);
                output
            }
            Side::Messages(stream) => {
                let mut nonce = [7; NONCE];
                nonce[4..].copy_from_slice(&number.to_be_bytes());
                let message = StreamMessage { nonce, aad: vec![5; 13], text: text.to_vec(), tag: Vec::new() };
                let sealed = stream.process(&message, false).expect("sealed");
                [sealed.text, sealed.tag].concat()
            }
        }
    }
}
