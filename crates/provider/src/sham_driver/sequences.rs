//! Sequences of calls to a context of this provider and to one of the default provider, with a driver
//! that has faults: each output is the same.

use super::{Bench, Fault, Message, bytes, cipher, errors, finish, kind, software};
use crate::kinds::{Kind, Mode};
use crate::software::SoftContext;

const CIPHERS: [&str; 6] =
    ["AES-128-CBC", "AES-256-CTR", "AES-192-ECB", "AES-128-XTS", "AES-256-GCM", "DES-EDE3-CBC"];

/// Lengths of updates in bytes.
const LENGTHS: [usize; 16] = [0, 1, 15, 16, 17, 31, 48, 63, 64, 65, 128, 200, 256, 1000, 1024, 4096];

/// The contexts that a sequence has at most.
const MOST: usize = 3;

pub struct Sequences(Bench);

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
}

impl Sequences {
    /// With a driver of this name.
    pub fn new(name: &str) -> Sequences {
        Sequences(Bench::new(name, &[("THRESHOLDS", "ALL:64")]))
    }

    /// Makes the calls that the bytes of `script` choose.
    pub fn run(&self, script: &[u8]) {
        let mut script = script.iter().copied();
        self.0.forget_differences();
        let mut pairs = Vec::new();
        while let Some(call) = script.next() {
            let mut next = || script.next().unwrap_or(0);
            if pairs.is_empty() || call % 16 == 0 && pairs.len() < MOST {
                let kind = kind(CIPHERS[usize::from(next()) % CIPHERS.len()]);
                let (ours, other) = (self.0.context(kind), software(kind));
                pairs.push(Pair { kind, ours, other, is_ready: false, encrypts: true });
            }
            let which = usize::from(next()) % pairs.len();
            match call % 16 {
                1 => pairs.extend(pairs[which].copy().filter(|_| pairs.len() < MOST)),
                2 => {
                    if let Some(copy) = pairs[which].copy() {
                        pairs[which] = copy;
                    }
                }
                3 => drop(pairs.swap_remove(which)),
                4 => self.fault(next()),
                5 => pairs[which].end(),
                6 => pairs[which].begin(next(), true),
                _ if !pairs[which].is_ready => pairs[which].begin(next(), call & 1 == 0),
                7 => pairs[which].set_iv(next()),
                8 => pairs[which].cipher(next()),
                9..=11 => pairs[which].update(next(), true),
                _ => pairs[which].update(next(), false),
            }
        }
    }

    /// Of the driver's next request.
    fn fault(&self, which: u8) {
        let mut state = self.0.sham.state();
        state.faults.truncate(4);
        state.faults.push_back(match which % 6 {
            0 => Fault::Refused(errors::no_room),
            1 => Fault::Refused(errors::failed),
            2 => Fault::Failed(errors::failed),
            3 => Fault::Failed(errors::stopped),
            4 => Fault::Wrong(|result| result.iter_mut().for_each(|byte| *byte ^= 0x40)),
            _ => Fault::Nothing,
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
        Some(Pair { kind: self.kind, ours, other, ..*self })
    }

    fn begin(&mut self, seed: u8, encrypts: bool) {
        let (key, iv) = (bytes(self.kind.key_len, usize::from(seed)), bytes(16, usize::from(seed) + 1));
        let iv_len = if self.kind.mode.is_aead() { 12 } else { self.kind.iv_len() };
        let (kind, aad) = (self.kind, &key[..usize::from(seed % 16)]);
        let message = Message {
            encrypt: encrypts,
            iv: &iv[..iv_len],
            aad,
            tag: &key[..16],
            ..Message::new(kind, &key)
        };
        self.encrypts = encrypts;
        self.is_ready = self.both(|context| message.begin(context, 0));
    }

    fn set_iv(&mut self, seed: u8) {
        let iv_len = if self.kind.mode.is_aead() { 12 } else { self.kind.iv_len() };
        let iv = bytes(iv_len, usize::from(seed));
        self.is_ready = self.both(|context| context.init(self.encrypts, None, Some(&iv)));
    }

    fn update(&mut self, length: u8, in_place: bool) {
        let text = bytes(LENGTHS[usize::from(length) % LENGTHS.len()], usize::from(length));
        self.is_ready = self
            .both(|context| {
                let (mut output, size) = (text.clone(), text.len() + 32);
                output.resize(size, 0);
                let input =
                    if in_place && !self.kind.mode.holds_data() { output.as_ptr() } else { text.as_ptr() };
                // SAFETY: both have the given lengths.
                let written = unsafe { context.update(output.as_mut_ptr(), size, input, text.len()) }?;
                output.truncate(written);
                Some(output)
            })
            .is_some();
    }

    fn cipher(&mut self, length: u8) {
        if !self.kind.mode.is_aead() {
            let blocks = bytes(usize::from(length) * 16, usize::from(length));
            self.is_ready = self.both(|context| cipher(context, &blocks)).is_some();
        }
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_ready) {
            let ended = self.both(finish);
            if ended.is_some() && self.encrypts && self.kind.mode == Mode::Gcm {
                self.both(|context| {
                    let mut tag = [0; 16];
                    (context.get_octets(outboard_abi::name::AEAD_TAG, &mut tag), tag)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

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
        for seed in 0..2000 {
            sequences.run(&script(seed, 80));
        }
    }

    #[test]
    fn threads_that_encrypt_and_fork_have_right_results() {
        let sequences = Sequences::new("sequences-of-threads");
        thread::scope(|scope| {
            for number in 0..64 {
                let sequences = &sequences;
                scope.spawn(move || {
                    for round in 0..10 {
                        sequences.run(&script(1000 * number + round, 40));
                    }
                    if number % 8 == 0 {
                        fork();
                    }
                });
            }
        });
    }

    /// A child that exits at once: it runs the handlers of the provider.
    fn fork() {
        // SAFETY: the child makes no call that needs a lock.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(0) };
        }
        let mut status = 0;
        // SAFETY: waits for the child forked above.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
}
