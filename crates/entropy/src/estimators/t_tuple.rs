//! The t-tuple estimate: SP 800-90B, 6.3.5.

use super::{Symbols, min_entropy, upper_bound};

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let length = symbols.all().len();
    let repeats = symbols.repeats();
    let proportions = (1..=repeats.longest_common())
        .map(|tuple| (f64::from(repeats.most[tuple]) / (length - tuple + 1) as f64).powf(1.0 / tuple as f64));
    let most = proportions.reduce(f64::max)?;
    Some(min_entropy(upper_bound(most, length as f64)))
}
