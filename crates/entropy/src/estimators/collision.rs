//! The collision estimate: SP 800-90B, 6.3.2.

use super::{Symbols, Z_ALPHA, min_entropy};

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let mut rest = symbols.all();
    // Of three bits two are equal, so the first collision occurs after two or three bits.
    let (mut twos, mut threes) = (0_u64, 0_u64);
    loop {
        rest = match *rest {
            [a, b, ..] if a == b => {
                twos += 1;
                &rest[2..]
            }
            [_, _, _, ..] => {
                threes += 1;
                &rest[3..]
            }
            _ => break,
        }
    }
    let count = (twos + threes) as f64;
    if count < 2.0 {
        return None;
    }
    let sum = (2 * twos + 3 * threes) as f64;
    let squares = (4 * twos + 9 * threes) as f64;
    let mean = sum / count;
    let deviation = ((squares - sum * mean) / (count - 1.0)).max(0.0).sqrt();
    let mean_bound = (mean - Z_ALPHA * deviation / count.sqrt()).max(2.0);
    // For bits the equation of step 7 reduces to mean = 2 + 2p(1-p), whose root above one half is
    // computed here. If there is no root, the source has full entropy (step 8).
    if mean_bound >= 2.5 {
        return Some(1.0);
    }
    Some(min_entropy(0.5 + (1.25 - 0.5 * mean_bound).sqrt()))
}
