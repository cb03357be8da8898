//! A CTR stream: texts at positions that advance, jump, go back and repeat.

use std::sync::LazyLock;

use super::super::Stopped;
use super::super::budget::Budget;
use super::super::counter_stream::{CounterStream, Position};
use super::super::counters::BLOCK;
use super::super::supply::Supply;
use super::super::verifier::Verifier;
use super::{Bench, WINDOWS, reference, row};

const NAME: &str = "AES-128-CTR";

/// The memory of a process, and of one with little.
const MEMORY: [usize; 2] = [1 << 20, 2048];
static BUDGETS: LazyLock<[Budget; 2]> = LazyLock::new(|| MEMORY.map(Budget::new));

/// Does with a stream what the context of a cipher does.
pub fn stream(input: &[u8]) {
    let mut bench = Bench::new(input);
    let reference = reference();
    let row = row(NAME);
    let before = row.counts();
    let (window, budget, start) = (bench.byte(), bench.byte(), bench.byte());
    let window = WINDOWS[usize::from(window) % WINDOWS.len()];
    let (budget, memory) = (&BUDGETS[usize::from(budget) % 2], MEMORY[usize::from(budget) % 2]);
    // Counters that carry or wrap after some blocks.
    let limit = [0, 1 << 32, 1 << 64, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef][usize::from(start) % 4];
    let counter = u128::wrapping_sub(limit, u128::from(start));
    let mut position = Position { counter, used: 0 };
    let mut stream: Option<CounterStream> = None;
    let mut used = 0;
    while !bench.is_over() {
        let Some(now) = &mut stream else {
            let supply = Supply::new(bench.engine.session(), budget, window);
            let mut new = CounterStream::new(supply, Some(row));
            bench.used.clear();
            bench.byte();
            if new.refill(position).is_ok() && !new.is_empty() {
                stream = Some(new);
            }
            continue;
        };
        match bench.byte() % 8 {
            0 => bench.engine.wait(u64::from(bench.byte())),
            1 => position = position.after(bench.length()),
            2 => {
                let blocks = bench.length().div_ceil(BLOCK);
                position.counter = position.counter.wrapping_sub(blocks as u128);
                // A stream without segments continues at any position, as a new one would.
                if now.is_empty() {
                    bench.used.clear();
                }
            }
            3 => {
                stream = None;
                continue;
            }
            _ => {}
        }
        let len = bench.length();
        let counters = |at| at_counter(position, at);
        let (done, stopped) = bench.process(len, counters, |job, hardware| {
            let verifier = Verifier { hardware, reference: &reference, algorithm: NAME, row: None };
            now.mix(position, job, &verifier)
        });
        used += done;
        // The rest is done in software.
        position = position.after(len);
        match stopped {
            Stopped::Complete | Stopped::NotReady => {
                if now.refill(position).is_err() || now.is_empty() {
                    stream = None;
                }
            }
            Stopped::Wrong => {
                bench.wrong();
                stream = None;
            }
            Stopped::Elsewhere | Stopped::NoAnswer | Stopped::Failed(_) => stream = None,
        }
    }
    drop(stream);
    let counted = row.counts() - before;
    let gone = counted.key_stream_discarded + used as u64;
    assert!(gone <= counted.key_stream_generated, "{used} used, {counted:?}");
    assert!(budget.lease(memory).is_some(), "all memory was returned");
}

/// The counter block of a byte of a text, and the offset in it.
fn at_counter(position: Position, at: usize) -> (u128, usize) {
    let Position { counter, used } = position.after(at);
    (counter, used)
}
