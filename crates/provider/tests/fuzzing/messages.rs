//! GCM messages: nonces that follow a counter, with gaps, repetitions and disorder, and others.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::super::Stopped;
use super::super::budget::Budget;
use super::super::counters::{BLOCK, FIRST_OF_GCM};
use super::super::nonces::{Nonce, NoncePattern, NoncePredictor, Seen};
use super::super::record_stream::RecordStream;
use super::super::supply::Supply;
use super::super::verifier::Verifier;
use super::{Bench, WINDOWS, reference, row};

const NAME: &str = "AES-128-GCM";

const MEMORY: [usize; 2] = [1 << 20, 4096];
static BUDGETS: LazyLock<[Budget; 2]> = LazyLock::new(|| MEMORY.map(Budget::new));

/// The nonces of an application.
pub(super) struct Nonces {
    pattern: NoncePattern,
    next: u64,
}

impl Nonces {
    /// A counter at byte 0, 4, 7 or 11 from the end, and a constant.
    pub(super) fn new(kind: u8, start: u64) -> Nonces {
        let shift = [0, 64, 32, 56, 88][usize::from(kind) % 5];
        let constant = [0, 0x5d31_3eb2_6712_76ee_1300_0b30, !0 >> 32, 0x11 << 88][usize::from(kind >> 4) % 4];
        let start = if kind & 8 == 0 { start & 0xff } else { start };
        Nonces { pattern: NoncePattern { shift, constant }, next: start }
    }

    /// The next nonce, or another one: `choice` 0 to 7 skip, repeat, go back, or are outside of the
    /// pattern.
    pub(super) fn choose(&mut self, choice: u8, number: u64) -> Nonce {
        let small = number & 0x7f;
        match choice {
            0 => self.next = self.next.wrapping_add(small),
            1 => self.next = self.next.wrapping_add(number),
            2 => return self.pattern.nonce(self.next.wrapping_sub(1 + small)),
            3 => return self.pattern.nonce(self.next.wrapping_add(small)),
            4 => return u128::from(number).wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645) >> 32,
            5 => return self.pattern.nonce(self.next) ^ 1 << (number % 96),
            6 => *self = Nonces::new(number as u8, number >> 8),
            7 => self.next = self.next.wrapping_sub(small),
            _ => {}
        }
        self.next = self.next.wrapping_add(1);
        self.pattern.nonce(self.next.wrapping_sub(1))
    }
}

/// Does with a stream what the context of an AEAD does.
pub fn messages(input: &[u8]) {
    let mut bench = Bench::new(input);
    let reference = reference();
    let row = row(NAME);
    let (window, budget) = (bench.byte(), bench.byte());
    let window = WINDOWS[usize::from(window) % WINDOWS.len()];
    let (budget, memory) = (&BUDGETS[usize::from(budget) % 2], MEMORY[usize::from(budget) % 2]);
    let mut nonces = Nonces::new(bench.byte(), bench.number());
    let mut predictor = NoncePredictor::default();
    let mut stream: Option<RecordStream> = None;
    // The messages whose key stream was used.
    let mut seen = HashSet::new();
    while !bench.is_over() {
        let choice = bench.byte();
        let number = if choice < 8 { bench.number() } else { 0 };
        let len = if choice < 0x80 { bench.length() } else { 100 };
        if choice & 0x0f == 0x0f {
            bench.engine.wait(u64::from(bench.byte()));
        }
        let nonce = nonces.choose(choice, number);
        let sequence = match predictor.observe(nonce) {
            Seen::Expected(sequence) => Some(sequence),
            Seen::Other => None,
        };
        if predictor.is_hopeless() {
            // A new key.
            (predictor, stream) = (NoncePredictor::default(), None);
            continue;
        }
        let prediction = predictor.prediction();
        let Some(now) = &mut stream else {
            let Some((pattern, next)) = prediction else { continue };
            let supply = Supply::new(bench.engine.session(), budget, window);
            let mut new = RecordStream::new(supply, (pattern, next), len, Some(row));
            bench.used.clear();
            seen.clear();
            if new.refill(next.wrapping_sub(1)).is_ok() && !new.is_empty() {
                stream = Some(new);
            }
            continue;
        };
        let Some(sequence) =
            sequence.filter(|_| prediction.map(|(pattern, _)| pattern) == Some(now.pattern()))
        else {
            if prediction.is_some() {
                stream = None;
            }
            continue;
        };
        let counters = |at: usize| (nonce << 32 | u128::from(FIRST_OF_GCM + (at / BLOCK) as u32), at % BLOCK);
        let (done, stopped) = bench.process(len, counters, |job, hardware| {
            let verifier = Verifier { hardware, reference: &reference, algorithm: NAME, row: None };
            match now.find(sequence, job.len()) {
                Ok(found) => now.mix(&found, 0, job, &verifier),
                Err(stopped) => (0, stopped),
            }
        });
        assert!(done == 0 || seen.insert(nonce), "the key stream of a message was used twice");
        match stopped {
            Stopped::Complete | Stopped::NotReady | Stopped::Elsewhere => {
                if now.refill(sequence).is_err() || now.is_empty() {
                    stream = None;
                }
            }
            Stopped::Wrong => {
                bench.wrong();
                stream = None;
            }
            Stopped::NoAnswer | Stopped::Failed(_) => stream = None,
        }
    }
    drop(stream);
    assert!(budget.lease(memory).is_some(), "all memory was returned");
}
