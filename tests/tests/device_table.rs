//! The table of algorithm properties in docs/provider.md, compared with measurements on the
//! simulated accelerator.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::{Exit, fork, text_of_own_process};
use outboard_tests::device::count;
use outboard_tests::evp::{
    Cipher, Context, Digest, DigestContext, Direction, Hmac, HmacContext, Job, TlsRecords, version,
};
use outboard_tests::simulated::{ALGORITHMS, Reachable, Simulated};
use outboard_tests::skip::skip;
use outboard_tests::time_limit::TIME_LIMIT;
use outboard_tests::world::World;

/// The document, and the lines before and after its table.
const DOCUMENT: &str = include_str!("../../docs/provider.md");
const BEGINS: &str = "<!-- made by tests/tests/device_table.rs -->\n";
const ENDS: &str = "<!-- its end -->";

const HEAD: &str = "\
| algorithm | stream | TLS | copy | fork | async | cut | verified |
|---|---|---|---|---|---|---|---|
";

/// The bytes of one update, which is above the threshold.
const PIECE: usize = 4096;

/// The interval between two observations.
const LOOK: Duration = Duration::from_millis(10);

/// A fetched algorithm.
enum Code {
    Cipher(Cipher),
    Digest(Digest),
    /// HMAC with the digest of this name.
    Hmac(Hmac, &'static str),
}

/// A message in progress.
enum Journey {
    Cipher(Context, bool, Vec<u8>),
    Digest(DigestContext),
    Hmac(HmacContext),
}

impl Code {
    /// The provider's algorithm of this name, and OpenSSL's own.
    #[track_caller]
    fn both(world: &World, name: &'static str) -> [Code; 2] {
        if let Some(digest) = name.strip_prefix("HMAC-") {
            let hard = world.hard_hmac().expect("HMAC is offered");
            return [hard, world.soft_hmac()].map(|hmac| Code::Hmac(hmac, digest));
        }
        match world.hard_digest(name) {
            Some(hard) => [Code::Digest(hard), Code::Digest(world.soft_digest(name))],
            None => [Code::Cipher(world.hard(name)), Code::Cipher(world.soft(name))],
        }
    }

    /// Begins a message of `length` bytes.
    #[track_caller]
    fn begin(&self, direction: Direction, length: usize) -> Journey {
        let cipher = match self {
            Code::Digest(digest) => return Journey::Digest(DigestContext::begun(digest)),
            Code::Hmac(hmac, digest) => {
                let mut context = HmacContext::new(hmac);
                context.begin(Some(digest), Some(&bytes(1, 20))).expect("init");
                return Journey::Hmac(context);
            }
            Code::Cipher(cipher) => cipher,
        };
        let key = bytes(1, cipher.key_length());
        let mut context = Context::new();
        context.init(Some(cipher), None, None, Some(direction)).expect("init");
        let tagged = is_tagged(cipher);
        if tagged {
            context.set_nonce_length(12).expect("12 bytes of nonce");
        }
        if cipher.is_ccm() {
            context.set_tag_length(16).expect("16 bytes of tag");
        }
        context.init(None, Some(&key), Some(&array(2)), None).expect("init");
        if cipher.is_ccm() {
            context.announce(length).expect("announce");
        }
        if tagged {
            // Five bytes, as in a record of TLS 1.3.
            context.additional(&bytes(3, 5)).expect("additional data");
        } else {
            context.set_padding(false).expect("padding off");
        }
        Journey::Cipher(context, tagged, Vec::new())
    }
}

fn is_tagged(cipher: &Cipher) -> bool {
    const EVP_CIPH_FLAG_AEAD_CIPHER: i64 = 0x20_0000;
    let [.., flags] = cipher.description();
    flags & EVP_CIPH_FLAG_AEAD_CIPHER != 0
}

impl Journey {
    #[track_caller]
    fn go(&mut self, piece: &[u8]) {
        match self {
            Journey::Cipher(context, _, output) => {
                let mut room = vec![0; piece.len() + 16];
                let written = context.update(piece, &mut room).expect("update");
                output.extend_from_slice(&room[..written]);
            }
            Journey::Digest(context) => {
                context.update(piece).expect("update");
            }
            Journey::Hmac(context) => {
                context.update(piece).expect("update");
            }
        }
    }

    #[track_caller]
    fn copy(&self) -> Journey {
        match self {
            Journey::Cipher(context, tagged, output) => {
                let (copy, outcome) = context.copy();
                outcome.expect("copy");
                Journey::Cipher(copy, *tagged, output.clone())
            }
            Journey::Digest(context) => {
                let (copy, outcome) = context.copy();
                outcome.expect("copy");
                Journey::Digest(copy)
            }
            Journey::Hmac(context) => Journey::Hmac(context.copy()),
        }
    }

    /// Finishes and returns the whole output, with the tag of an AEAD.
    #[track_caller]
    fn end(self) -> Vec<u8> {
        match self {
            Journey::Cipher(mut context, tagged, mut output) => {
                context.finish(&mut [0; 16]).expect("final");
                if tagged {
                    let (tag, outcome) = context.tag(16);
                    outcome.expect("the tag");
                    output.extend(tag);
                }
                output
            }
            Journey::Digest(mut context) => {
                let (outcome, digest) = context.finish();
                outcome.expect("final");
                digest
            }
            Journey::Hmac(mut context) => {
                let (outcome, mac) = context.finish();
                outcome.expect("final");
                mac
            }
        }
    }
}

/// A copy of a message in progress, and its expected result.
struct Copied {
    journey: Journey,
    second: Vec<u8>,
    expected: Vec<u8>,
}

impl Copied {
    #[track_caller]
    fn goes_on(&mut self) {
        self.journey.go(&self.second);
    }

    #[track_caller]
    fn ends_right(self) -> bool {
        self.journey.end() == self.expected
    }
}

/// An algorithm in a world that offloads every request from 1 KiB to the simulation.
struct Subject<'a> {
    simulated: &'a Simulated,
    world: &'a World,
    name: &'static str,
    driver: &'static str,
    hard: Code,
    soft: Code,
}

impl Subject<'_> {
    /// The result of a message in several updates.
    #[track_caller]
    fn message(&self, code: &Code, pieces: &[usize]) -> Vec<u8> {
        let mut journey = code.begin(Direction::Encrypt, pieces.iter().sum());
        pieces.iter().for_each(|&piece| journey.go(&bytes(4, piece)));
        journey.end()
    }

    /// The number of bytes of this work that hardware processed.
    fn by_hardware(&self, work: impl FnOnce()) -> usize {
        let before = self.world.counts_of(self.name).hw_bytes;
        work();
        (self.world.counts_of(self.name).hw_bytes - before) as usize
    }

    /// Whether hardware processes all bytes of a message in several updates; the result must be
    /// correct.
    #[track_caller]
    fn is_by_hardware(&self, pieces: &[usize]) -> bool {
        let done = self.by_hardware(|| {
            let same = self.message(&self.hard, pieces) == self.message(&self.soft, pieces);
            assert!(same, "{}: wrong bytes", self.name);
        });
        done == pieces.iter().sum::<usize>()
    }

    /// Whether data in several updates is offloaded.
    fn stream(&self) -> String {
        if matches!(&self.hard, Code::Cipher(cipher) if cipher.is_ccm()) {
            // OpenSSL itself accepts only one update.
            return yes(false);
        }
        yes(self.is_by_hardware(&[PIECE, PIECE]))
    }

    /// The TLS versions whose records are offloaded.
    fn tls(&self) -> String {
        let (Code::Cipher(hard), Code::Cipher(soft)) = (&self.hard, &self.soft) else {
            return self.mac_of_a_record().to_owned();
        };
        if !is_tagged(hard) {
            return if self.name.ends_with("CBC") && self.is_old_record_by_hardware(hard, soft) {
                "to 1.2".to_owned()
            } else {
                "-".to_owned()
            };
        }
        let old = self.is_record_of_1_2_by_hardware(hard, soft).then_some("1.2");
        // One nonce, five bytes of additional data, one update.
        let new = self.is_by_hardware(&[PIECE]).then_some("1.3");
        old.into_iter().chain(new).collect::<Vec<_>>().join(", ")
    }

    /// The HMAC of a record, computed as in TLS with a copy of the context that has the key.
    #[track_caller]
    fn mac_of_a_record(&self) -> &'static str {
        let (Code::Hmac(..), Code::Hmac(..)) = (&self.hard, &self.soft) else { return "-" };
        let mac = |code: &Code| {
            let mut record = code.begin(Direction::Encrypt, PIECE + 13).copy();
            record.go(&bytes(3, 13));
            record.go(&bytes(4, PIECE));
            record.end()
        };
        let done = self.by_hardware(|| assert_eq!(mac(&self.hard), mac(&self.soft), "{}", self.name));
        if done == PIECE + 13 { "to 1.2" } else { "-" }
    }

    #[track_caller]
    fn is_old_record_by_hardware(&self, hard: &Cipher, soft: &Cipher) -> bool {
        let record = |cipher: &Cipher| {
            let key = bytes(1, cipher.key_length());
            let mut context = Context::keyed(cipher, &key, &array(2), Direction::Encrypt);
            context.set_tls_records(TlsRecords { version: 0x0303, mac_size: 20 }).expect("TLS parameters");
            let mut buffer = [bytes(5, PIECE), vec![0; 64]].concat();
            let written = context.update_in_place(&mut buffer, PIECE).expect("a record");
            buffer.truncate(written);
            buffer
        };
        self.by_hardware(|| assert_eq!(record(hard), record(soft), "{}", self.name)) >= PIECE
    }

    #[track_caller]
    fn is_record_of_1_2_by_hardware(&self, hard: &Cipher, soft: &Cipher) -> bool {
        let record = |cipher: &Cipher| {
            let mut context = Context::new();
            let key = bytes(1, cipher.key_length());
            context.init(Some(cipher), None, None, Some(Direction::Encrypt)).expect("init");
            if cipher.is_ccm() {
                context.set_nonce_length(12).expect("12 bytes of nonce");
                context.set_tag_length(16).expect("16 bytes of tag");
            }
            context.init(None, Some(&key), None, None).expect("init");
            if cipher.is_ccm() {
                context.set_fixed_iv(&bytes(8, 4)).expect("fixed IV");
            } else {
                context.set_counted_iv(&bytes(8, 12)).expect("counted IV");
            }
            let preceding = [&bytes(9, 11)[..], &((PIECE + 8) as u16).to_be_bytes()].concat();
            assert_eq!(context.set_record(&preceding).returned, 16);
            let mut buffer = bytes(5, PIECE + 8 + 16 + 16);
            let written = context.update_in_place(&mut buffer, PIECE + 8 + 16).expect("a record");
            buffer.truncate(written);
            buffer
        };
        self.by_hardware(|| assert_eq!(record(hard), record(soft), "{}", self.name)) >= PIECE
    }

    /// Whether a copy of a context and the original continue independently on hardware, with more
    /// data each.
    #[track_caller]
    fn copy(&self) -> String {
        self.parted(|mut copy| {
            copy.goes_on();
            || assert!(copy.ends_right(), "{}: a copy is wrong", self.name)
        })
    }

    /// Whether a forked child and its parent each continue with a context on hardware.
    #[track_caller]
    fn fork(&self) -> String {
        self.parted(|mut copy| {
            let child = fork(Exit::Quick, || {
                copy.goes_on();
                copy.ends_right()
            });
            || child.wait().unwrap_or_else(|problem| panic!("{}: the child: {problem}", self.name))
        })
    }

    /// Copies a context before its second update. `part` receives the copy and returns a function
    /// that is called after the original has finished.
    #[track_caller]
    fn parted<After: FnOnce()>(&self, part: impl FnOnce(Copied) -> After) -> String {
        let (first, second) = self.two_pieces();
        let total = first + second;
        let [expected, other] =
            [4, 6].map(|seed| self.begun_and_ended(&self.soft, first, &bytes(seed, second)));
        let done = self.by_hardware(|| {
            let mut journey = self.begun(&self.hard, first, total);
            let after = part(Copied { journey: journey.copy(), second: bytes(6, second), expected: other });
            journey.go(&bytes(4, second));
            assert!(journey.end() == expected, "{}: what was copied is wrong", self.name);
            after();
        });
        self.independent(done, first, second)
    }

    /// The lengths of the two updates. An AEAD accepts one update only, so the first is empty.
    fn two_pieces(&self) -> (usize, usize) {
        match &self.hard {
            Code::Cipher(cipher) if is_tagged(cipher) => (0, PIECE),
            _ => (PIECE, PIECE),
        }
    }

    #[track_caller]
    fn begun(&self, code: &Code, first: usize, total: usize) -> Journey {
        let mut journey = code.begin(Direction::Encrypt, total);
        if first > 0 {
            journey.go(&bytes(4, first));
        }
        journey
    }

    #[track_caller]
    fn begun_and_ended(&self, code: &Code, first: usize, second: &[u8]) -> Vec<u8> {
        let mut journey = self.begun(code, first, first + second.len());
        journey.go(second);
        journey.end()
    }

    /// Whether hardware processed the data of both contexts. A digest or HMAC is sent as a whole
    /// message, so its first update counts for each context.
    fn independent(&self, done: usize, first: usize, second: usize) -> String {
        let streamed = first + 2 * second;
        let whole = 2 * (first + second);
        yes(done == if matches!(self.hard, Code::Cipher(_)) { streamed } else { whole })
    }

    /// Whether a job pauses during a request that the accelerator holds until then.
    #[track_caller]
    fn pauses(&self) -> String {
        let held = self.simulated.hold(self.driver);
        let mut job = Job::new(|| assert!(self.is_by_hardware(&[PIECE]), "{}: in software", self.name));
        let (waiter, is_over) = (Sleeper::myself(), AtomicBool::new(false));
        let has_paused = thread::scope(|scope| {
            scope.spawn(|| {
                // A caller that blocks instead of pausing gets its result, so that the test ends.
                while !is_over.load(Ordering::Relaxed) {
                    if self.simulated.outstanding() > 0 && waiter.sleeps() {
                        return self.simulated.let_go();
                    }
                    thread::sleep(LOOK);
                }
            });
            let _over = SetOnDrop(&is_over);
            !job.goes_to_its_end()
        });
        drop(held);
        let mut is_done = !has_paused;
        while !is_done {
            assert!(job.is_called_within(TIME_LIMIT), "{}: it is never called", self.name);
            is_done = job.goes_to_its_end();
        }
        yes(has_paused)
    }

    /// Whether a large update becomes several requests to the driver.
    #[track_caller]
    fn cut(&self) -> String {
        let Code::Cipher(cipher) = &self.hard else { return "no".to_owned() };
        let length = 1 << 16;
        let requests = |direction| {
            let mut journey = self.hard.begin(direction, length);
            let before = count(&format!("drivers/{}/requests", self.driver));
            journey.go(&bytes(4, length));
            count(&format!("drivers/{}/requests", self.driver)) - before
        };
        // Decryption by an AEAD would need a tag first, and its messages are single requests.
        let ways = if is_tagged(cipher) {
            vec![Direction::Encrypt]
        } else {
            vec![Direction::Encrypt, Direction::Decrypt]
        };
        let cut: Vec<bool> = ways
            .into_iter()
            .map(requests)
            .map(|number| {
                assert!(number > 0, "{}: in software", self.name);
                number > 1
            })
            .collect();
        match cut[..] {
            [true, true] => "yes",
            [false, true] => "decryption",
            _ => "no",
        }
        .to_owned()
    }

    /// Which results are verified, found with a driver whose results are all wrong: "each" if none
    /// reaches the application, "sample" if few do.
    #[track_caller]
    fn verified(&self) -> String {
        let before = self.world.counts_of(self.name).mismatches;
        let is_caught = || self.world.counts_of(self.name).mismatches > before;
        self.simulated.fault(&format!("{} garbage", self.driver));
        let message = || self.message(&self.hard, &[PIECE]) == self.message(&self.soft, &[PIECE]);
        let each = message() && is_caught();
        let sampled = each || (0..MOST_UNSEEN).any(|_| message() && is_caught());
        self.simulated.fault("clear");
        if each && !is_digest(self.name) {
            "each"
        } else if sampled {
            "sample"
        } else {
            "no"
        }
        .to_owned()
    }
}

/// The maximum number of wrong digests between two compared ones: fewer than twice 32.
const MOST_UNSEEN: u32 = 63;

fn is_digest(name: &str) -> bool {
    name.contains("SHA")
}

/// Sets its flag when dropped, in a panic too: a thread of the scope waits for it.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A thread that may be waiting for a result.
struct Sleeper(String);

impl Sleeper {
    fn myself() -> Sleeper {
        // SAFETY: the call has no parameters.
        Sleeper(format!("/proc/self/task/{}", unsafe { libc::gettid() }))
    }

    /// Whether the thread sleeps in five consecutive observations. A wait in the module is killable
    /// (state D); a thread that only submits has finished by then, even on a slow machine.
    fn sleeps(&self) -> bool {
        (0..5).all(|_| {
            thread::sleep(LOOK);
            let stat = fs::read_to_string(format!("{}/stat", self.0)).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['S', 'D']))
        })
    }
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}

/// The table, with one row for consecutive algorithms that have equal cells.
fn table(rows: Vec<(&str, [String; 7])>) -> String {
    let mut grouped: Vec<(Vec<&str>, [String; 7])> = Vec::new();
    for (name, cells) in rows {
        match grouped.last_mut() {
            Some((names, same)) if *same == cells && kind(names[0]) == kind(name) => names.push(name),
            _ => grouped.push((vec![name], cells)),
        }
    }
    let line = |(names, cells): (Vec<&str>, [String; 7])| {
        format!("| {} | {} |\n", names.join(", "), cells.join(" | "))
    };
    HEAD.to_owned() + &grouped.into_iter().map(line).collect::<String>()
}

/// The mode of a cipher, or the prefix of a digest or HMAC.
fn kind(name: &str) -> &str {
    let is = |kind: &&str| name.starts_with(kind);
    ["SHA", "HMAC"].into_iter().find(is).unwrap_or_else(|| name.rsplit('-').next().unwrap_or(name))
}

#[test]
fn docs_provider_md_says_of_each_algorithm_what_is_true() {
    let test = "docs_provider_md_says_of_each_algorithm_what_is_true";
    if ["3.0", "3.1", "3.2", "3.3", "3.4"].iter().any(|old| version().contains(&format!("OpenSSL {old}"))) {
        return skip(
            test,
            "OpenSSL 3.5, of which the table speaks: CTR and ECB do not pause before".to_owned(),
        );
    }
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let rows = ALGORITHMS.map(|(name, driver)| {
        // A separate world, because its driver is paused after wrong results.
        let world = simulated.world_of_everything(1024);
        let [hard, soft] = Code::both(&world, name);
        let subject = Subject { simulated: &simulated, world: &world, name, driver, hard, soft };
        let cells = [
            subject.stream(),
            subject.tls(),
            subject.copy(),
            subject.fork(),
            subject.pauses(),
            subject.cut(),
            text_of_own_process(|| subject.verified()),
        ];
        (name, cells)
    });
    let found = table(rows.into_iter().collect());
    let documented = DOCUMENT.split_once(BEGINS).and_then(|(_, rest)| rest.split_once(ENDS));
    let documented = documented.expect("docs/provider.md has the table between its marks").0;
    assert_eq!(documented, found, "write this into docs/provider.md:\n{found}");
}
