//! The Markov estimate: SP 800-90B, 6.3.3.

use super::Symbols;

/// Length of the sequences whose most likely one is determined.
const LENGTH: f64 = 128.0;

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let all = symbols.all();
    if all.len() < 2 {
        return None;
    }
    let mut pairs = [[0_u64; 2]; 2];
    for pair in all.windows(2) {
        pairs[usize::from(pair[0])][usize::from(pair[1])] += 1;
    }
    let zeros = all.iter().filter(|&&bit| bit == 0).count() as f64 / all.len() as f64;
    // Bits of information of each first bit and each transition; infinite if it never occurs.
    let first = [-zeros.log2(), -(1.0 - zeros).log2()];
    let step = pairs.map(|to| {
        let total = (to[0] + to[1]) as f64;
        to.map(|count| if count == 0 { f64::INFINITY } else { -(count as f64 / total).log2() })
    });
    let sequences = [
        first[0] + 127.0 * step[0][0],
        first[0] + 64.0 * step[0][1] + 63.0 * step[1][0],
        first[0] + step[0][1] + 126.0 * step[1][1],
        first[1] + step[1][0] + 126.0 * step[0][0],
        first[1] + 64.0 * step[1][0] + 63.0 * step[0][1],
        first[1] + 127.0 * step[1][1],
    ];
    let least = sequences.into_iter().fold(LENGTH, f64::min);
    Some((least / LENGTH).min(1.0) + 0.0)
}
