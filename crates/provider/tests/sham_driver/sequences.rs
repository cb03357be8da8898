//! Sequences of calls to a context of this provider and to one of the default provider, with a driver
//! that has faults: each output is the same.

#[cfg(fuzzing)]
use std::sync::LazyLock;
use std::sync::MutexGuard;
use std::thread;

use outboard_abi::name;

use super::{Bench, Fault, Message, State, bytes, cipher, errors, finish, kind, software};
use crate::kinds::{KINDS, Kind};
use crate::software::SoftContext;

const CIPHERS: [&str; 8] = [
    "AES-128-CBC",
    "AES-128-CTR",
    "AES-128-GCM",
    "AES-256-CTR",
    "AES-192-ECB",
    "AES-128-XTS",
    "AES-256-GCM",
    "DES-EDE3-CBC",
];

/// Lengths of updates in bytes.
const LENGTHS: [usize; 16] = [0, 1, 15, 16, 31, 48, 64, 65, 80, 128, 200, 256, 512, 700, 1000, 2100];

/// What the driver accepts in a request, in bytes.
const REQUESTS: [usize; 4] = [64, 256, 1024, 1 << 20];

/// The contexts that a sequence has at most.
const MOST: usize = 3;

/// The distance of input and output that overlap, in bytes.
const OVERLAP: usize = 5;

/// Of a process: with a driver for all requests, and with one for key stream.
pub(super) struct Sequences([Bench; 2]);

// SAFETY: the bench's contexts of libcrypto are for all threads of a process.
unsafe impl Sync for Sequences {}
// SAFETY: as above.
unsafe impl Send for Sequences {}

/// A context of this provider and one of the default provider, after the same calls.
struct Pair {
    kind: &'static Kind,
    ours: SoftContext,
    other: SoftContext,
    /// Whether an update may follow.
    is_ready: bool,
    encrypts: bool,
    /// What is left of a message that is decrypted.
    sealed: Vec<u8>,
}

// SAFETY: one thread at a time uses a context.
unsafe impl Send for Pair {}

/// Makes the calls that the bytes of `script` choose.
#[cfg(fuzzing)]
pub fn calls_of_script(script: &[u8]) {
    static SEQUENCES: LazyLock<Sequences> = LazyLock::new(|| Sequences::new("sequences"));
    SEQUENCES.start();
    SEQUENCES.run(script);
}

impl Sequences {
    /// With drivers of this name.
    pub(super) fn new(name: &str) -> Sequences {
        let ahead = [("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("THRESHOLDS", "ALL:64")];
        let sequences = Sequences([
            Bench::new(name, &[("THRESHOLDS", "ALL:64")]),
            Bench::new(&format!("{name}-ahead"), &ahead),
        ]);
        // No fork finds a cipher half looked up.
        for bench in &sequences.0 {
            KINDS.iter().for_each(|kind| drop((bench.context(kind), software(kind))));
        }
        sequences
    }

    /// The drivers without faults.
    pub(super) fn start(&self) {
        for bench in &self.0 {
            bench.forget_differences();
            if bench.sham.state().is_late {
                bench.sham.change_lateness();
            }
            let mut state = bench.sham.state();
            (state.max_request, state.has_room) = (1 << 20, true);
            state.faults.clear();
            state.submitted.clear();
        }
    }

    pub(super) fn run(&self, script: &[u8]) {
        let Some((&first, mut rest)) = script.split_first() else { return };
        let bench = &self.0[usize::from(first % 2)];
        let mut pairs = Vec::new();
        while !rest.is_empty() {
            rest = self.call(bench, &mut pairs, rest);
        }
    }

    /// Makes one call. Returns the script after it.
    fn call<'a>(&self, bench: &Bench, pairs: &mut Vec<Pair>, script: &'a [u8]) -> &'a [u8] {
        let mut bytes = script.iter();
        let mut next = || bytes.next().copied().unwrap_or(0);
        let call = next();
        if pairs.is_empty() || call % 16 == 0 && pairs.len() < MOST {
            let kind = kind(CIPHERS[usize::from(next()) % CIPHERS.len()]);
            let (ours, other) = (bench.context(kind), software(kind));
            pairs.push(Pair { kind, ours, other, is_ready: false, encrypts: true, sealed: Vec::new() });
        }
        let (which, byte) = (next(), next());
        let place = usize::from(which) % pairs.len();
        let has_room = pairs.len() < MOST;
        let pair = &mut pairs[place];
        match call % 16 {
            1 if has_room => pairs.extend(pairs[place].copy()),
            2 => pair.replace_by_copy(),
            3 => drop(pairs.swap_remove(place)),
            4 if byte % 16 == 13 => bench.sham.change_lateness(),
            4 => fault(&mut bench.sham.state(), byte),
            5 => pair.end(),
            6 => pair.begin(byte, which >= 128),
            14 if call == 0xfe && which < 32 => self.fork(bench, pairs, bytes.as_slice()),
            14 if call == 0xee => at_once(pairs, byte),
            _ if !pair.is_ready => pair.begin(byte, which >= 128),
            7 => pair.set_iv(byte),
            8 => pair.cipher(byte),
            9 => pair.overlap(byte),
            10 => pair.iv(),
            11 | 12 => pair.update(byte, true),
            _ => pair.update(byte, false),
        }
        bytes.as_slice()
    }

    /// The child makes the calls that follow too.
    fn fork(&self, bench: &Bench, pairs: &mut Vec<Pair>, mut script: &[u8]) {
        self.in_child(|| {
            while !script.is_empty() {
                script = self.call(bench, pairs, script);
            }
        });
    }

    /// Runs `body` in a child that must not fail. The driver is no part of the provider: its locks are
    /// not held by threads that the child does not have.
    pub(super) fn in_child(&self, body: impl FnOnce()) {
        let locks: Vec<MutexGuard<'_, State>> = self.0.iter().map(|bench| bench.sham.state()).collect();
        // SAFETY: the child ends below, and makes no call that needs another lock.
        let child = unsafe { libc::fork() };
        drop(locks);
        if child == 0 {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body));
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(i32::from(result.is_err())) };
        }
        let mut status = 0;
        // The fuzzer has a timer, whose signal interrupts the wait.
        // SAFETY: waits for the child forked above.
        while unsafe { libc::waitpid(child, &mut status, 0) } != child {
            assert_eq!(std::io::Error::last_os_error().kind(), std::io::ErrorKind::Interrupted);
        }
        assert_eq!(status, 0, "the child has failed");
    }
}

/// Of the driver's next request, or from now on.
fn fault(state: &mut State, which: u8) {
    state.faults.truncate(4);
    state.faults.push_back(match which % 16 {
        0 => Fault::Refused(errors::no_room),
        1 => Fault::Refused(errors::failed),
        2 => Fault::Failed(errors::failed),
        3 => Fault::Failed(errors::stopped),
        4 => Fault::Wrong(|result| result.iter_mut().for_each(|byte| *byte ^= 0x40)),
        5 => Fault::Failed(errors::away),
        6 => Fault::Refused(errors::stopped),
        7 => Fault::Wrong(|result| result.iter_mut().for_each(|byte| *byte = 0)),
        8..=11 => return state.max_request = REQUESTS[usize::from(which % 4)],
        12 => return state.has_room = !state.has_room,
        _ => Fault::Nothing,
    });
}

/// Two threads with a context each.
fn at_once(pairs: &mut [Pair], byte: u8) {
    if let [one, other, ..] = pairs {
        thread::scope(|scope| {
            let other = scope.spawn(|| other.update_if_ready(byte >> 4));
            one.update_if_ready(byte);
            other.join().expect("the outputs are the same");
        });
    }
}

impl Pair {
    fn both<T: PartialEq + std::fmt::Debug>(&self, call: impl Fn(&SoftContext) -> T) -> T {
        let (ours, other) = (call(&self.ours), call(&self.other));
        assert_eq!(ours, other, "{}", self.kind.name);
        ours
    }

    fn copy(&self) -> Option<Pair> {
        let (ours, other) = (self.ours.duplicate()?, self.other.duplicate()?);
        Some(Pair { ours, other, sealed: self.sealed.clone(), ..*self })
    }

    fn replace_by_copy(&mut self) {
        if let Some(copy) = self.copy() {
            *self = copy;
        }
    }

    fn iv_len(&self) -> usize {
        if self.kind.mode.is_aead() { 12 } else { self.kind.iv_len() }
    }

    fn begin(&mut self, seed: u8, encrypts: bool) {
        let (key, iv) = (bytes(self.kind.key_len, usize::from(seed % 4)), bytes(16, usize::from(seed) + 1));
        let (kind, aad) = (self.kind, &key[..usize::from(seed % 16)]);
        let message = Message { iv: &iv[..self.iv_len()], aad, ..Message::new(kind, &key) };
        (self.encrypts, self.sealed) = (encrypts, Vec::new());
        let mut tag = Vec::new();
        if kind.mode.is_aead() && !encrypts {
            let plain = text(seed >> 2);
            self.sealed = message.process(&software(kind), &plain).expect("software encrypts");
            tag = self.sealed.split_off(plain.len());
            tag[0] ^= u8::from(seed % 8 == 7);
        }
        let message = Message { encrypt: encrypts, tag: &tag, ..message };
        self.is_ready = self.both(|context| message.begin(context, 0));
    }

    fn set_iv(&mut self, seed: u8) {
        let iv = bytes(self.iv_len(), usize::from(seed));
        self.is_ready = self.both(|context| context.init(self.encrypts, None, Some(&iv)));
    }

    fn iv(&self) {
        self.both(|context| {
            let mut iv = [0; 16];
            (context.get_octets(name::UPDATED_IV, &mut iv[..self.iv_len()]), iv)
        });
    }

    /// The rest of a sealed message, or another text.
    fn text(&mut self, length: u8) -> Vec<u8> {
        if self.sealed.is_empty() || length >= 192 {
            // Software needs most of the time for DES.
            return text(if self.kind.block() == 8 { length % 12 } else { length });
        }
        let len = if length >= 64 { self.sealed.len() } else { text(length).len().min(self.sealed.len()) };
        self.sealed.drain(..len).collect()
    }

    fn update(&mut self, length: u8, in_place: bool) {
        let text = self.text(length);
        let in_place = in_place && !self.kind.mode.holds_data();
        let update = |context: &SoftContext| {
            let (mut output, size) = (text.clone(), text.len() + 32);
            output.resize(size, 0);
            let input = if in_place { output.as_ptr() } else { text.as_ptr() };
            // SAFETY: both have the given lengths.
            let written = unsafe { context.update(output.as_mut_ptr(), size, input, text.len()) }?;
            output.truncate(written);
            Some(output)
        };
        self.is_ready = self.both(update).is_some();
    }

    fn update_if_ready(&mut self, length: u8) {
        if self.is_ready {
            self.update(length, false);
        }
    }

    /// With an output that begins before or after the input, which it overlaps: what is written is not
    /// specified, but how much, and that nothing else is.
    fn overlap(&mut self, length: u8) {
        let text = self.text(length);
        let (from, to) = if length & 16 == 0 { (OVERLAP, 0) } else { (0, OVERLAP) };
        self.both(|context| {
            let mut room = vec![0xa5; text.len() + OVERLAP + 64];
            room[from..][..text.len()].copy_from_slice(&text);
            let size = text.len() + 32;
            // SAFETY: both have the given lengths.
            let written = unsafe {
                context.update(room.as_mut_ptr().add(to), size, room.as_ptr().add(from), text.len())
            };
            assert!(room[to.max(from) + size..].iter().all(|&byte| byte == 0xa5), "no byte after the output");
            written
        });
        self.is_ready = false;
    }

    fn cipher(&mut self, length: u8) {
        if !self.kind.mode.is_aead() {
            let blocks = bytes(usize::from(length % 32) * 16, usize::from(length));
            self.is_ready = self.both(|context| cipher(context, &blocks)).is_some();
        }
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_ready) {
            let ended = self.both(finish);
            if ended.is_some() && self.encrypts && self.kind.mode.is_aead() {
                self.both(|context| {
                    let mut tag = [0; 16];
                    (context.get_octets(name::AEAD_TAG, &mut tag), tag)
                });
            }
        }
    }
}

fn text(length: u8) -> Vec<u8> {
    bytes(LENGTHS[usize::from(length) % LENGTHS.len()], usize::from(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scripts that differ.
    fn script(seed: u64, len: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut byte = || {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
        };
        (0..len).map(|_| byte()).collect()
    }

    #[test]
    fn sequences_of_calls_have_the_outputs_of_the_default_provider_whatever_the_drivers_faults() {
        let sequences = Sequences::new("sequences");
        let mut submitted = [0; 2];
        for seed in 0..2000 {
            sequences.start();
            sequences.run(&script(seed, 100));
            let [direct, ahead] = sequences.0.each_ref().map(|bench| bench.sham.state().submitted.len());
            submitted = [submitted[0] + direct, submitted[1] + ahead];
        }
        let ahead = sequences.0[1].sham.state().ahead;
        assert!(submitted.iter().all(|&count| count > 1000) && ahead > 1000, "{submitted:?}, {ahead}");
    }

    #[test]
    fn threads_that_encrypt_and_fork_and_end_have_right_results() {
        let sequences = Sequences::new("sequences-of-threads");
        thread::scope(|scope| {
            for number in 0..64 {
                let sequences = &sequences;
                scope.spawn(move || {
                    for round in 0..10 {
                        sequences.start();
                        sequences.run(&script(1000 * number + round, 60));
                    }
                    if number % 8 == 0 {
                        sequences.in_child(|| sequences.run(&script(number, 60)));
                    }
                });
            }
        });
    }
}
