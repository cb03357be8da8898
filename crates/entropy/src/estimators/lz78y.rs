//! The LZ78Y prediction estimate: SP 800-90B, 6.3.10.

use super::contexts::{Contexts, History, LONGEST};
use super::{Symbols, prediction::Predictions};

/// The maximum number of sequences in the dictionary.
const MOST_ENTRIES: u32 = 65_536;

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let all = symbols.all();
    if all.len() < LONGEST + 4 {
        return None;
    }
    let mut contexts = Contexts::new(symbols.alphabet());
    let mut history = History::new(symbols.alphabet());
    all[..LONGEST].iter().for_each(|&symbol| history.push(symbol));
    let (mut entries, mut predictions) = (0, Predictions::default());
    for (i, &symbol) in all.iter().enumerate().skip(LONGEST) {
        let (mut prediction, mut most) = (None, 0);
        for length in (1..=LONGEST).rev() {
            if let Some(number) = contexts.find(history, length) {
                let (likeliest, count) = contexts.predicted(number);
                if count > most {
                    (prediction, most) = (Some(likeliest), count);
                }
                contexts.count(number, symbol, true);
            } else if entries < MOST_ENTRIES {
                contexts.add(history, length, symbol);
                entries += 1;
            }
        }
        // The first symbol after the longest sequence fills the dictionary; it is not predicted.
        if i > LONGEST {
            predictions.add(prediction == Some(symbol));
        }
        history.push(symbol);
    }
    Some(predictions.estimate(all.len() - LONGEST - 1, symbols))
}
