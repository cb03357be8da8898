//! The longest repeated substring (LRS) estimate: SP 800-90B, 6.3.6.

use super::{Symbols, min_entropy, upper_bound};

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let length = symbols.all().len();
    let repeats = symbols.repeats();
    let from = repeats.longest_common() + 1;
    let proportions = (from..repeats.pairs.len()).map(|tuple| {
        let places = (length - tuple + 1) as f64;
        let pairs = places * (places - 1.0) / 2.0;
        (repeats.pairs[tuple] as f64 / pairs).powf(1.0 / tuple as f64)
    });
    let most = proportions.reduce(f64::max)?;
    Some(min_entropy(upper_bound(most, length as f64)))
}
