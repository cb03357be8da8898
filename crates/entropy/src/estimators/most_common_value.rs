//! The most common value estimate: SP 800-90B, 6.3.1.

use super::{Symbols, min_entropy, upper_bound};

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let all = symbols.all();
    if all.len() < 2 {
        return None;
    }
    let mut counts = [0_u64; 256];
    all.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
    let most = counts.into_iter().max().unwrap_or_default();
    let length = all.len() as f64;
    Some(min_entropy(upper_bound(most as f64 / length, length)))
}
