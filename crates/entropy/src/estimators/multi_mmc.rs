//! The MultiMMC prediction estimate, of several Markov models with counting: SP 800-90B, 6.3.9.

use super::contexts::{Contexts, History, LONGEST};
use super::{Symbols, prediction::Predictions};

/// The maximum number of pairs of a sequence and a following symbol that a model stores.
const MOST_ENTRIES: u32 = 100_000;

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let all = symbols.all();
    if all.len() < 4 {
        return None;
    }
    let mut contexts = Contexts::new(symbols.alphabet());
    let (mut entries, mut scores) = ([0_u32; LONGEST], [0_u64; LONGEST]);
    let (mut winner, mut predictions) = (0, Predictions::default());
    let mut history = History::new(symbols.alphabet());
    history.push(all[0]);
    for (i, &symbol) in all.iter().enumerate().skip(1) {
        let predictor = winner;
        let mut is_predicted = false;
        // A sequence whose suffix is unknown is unknown too.
        let mut is_known = true;
        for model in 0..LONGEST.min(i) {
            let length = model + 1;
            let found = if is_known { contexts.find(history, length) } else { None };
            is_known = found.is_some();
            let may_add = entries[model] < MOST_ENTRIES;
            if let Some(number) = found {
                if contexts.predicted(number).0 == symbol {
                    scores[model] += 1;
                    if scores[model] >= scores[winner] {
                        winner = model;
                    }
                    is_predicted |= model == predictor;
                }
                let is_new = contexts.count(number, symbol, may_add);
                entries[model] += u32::from(is_new && may_add);
            } else if may_add {
                contexts.add(history, length, symbol);
                entries[model] += 1;
            }
        }
        if i > 1 {
            predictions.add(is_predicted);
        }
        history.push(symbol);
    }
    Some(predictions.estimate(all.len() - 2, symbols))
}
