//! The lag prediction estimate: SP 800-90B, 6.3.8.

use super::{Symbols, prediction::Predictions};

const LAGS: usize = 128;

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let all = symbols.all();
    if all.len() < 3 {
        return None;
    }
    // The score of lag d is at index LAGS - d: preceding symbols and their scores then have the
    // same order in memory.
    let mut scores = [0_u32; LAGS];
    let (mut winner, mut best) = (1, 0);
    let mut predictions = Predictions::default();
    for i in 1..all.len() {
        let symbol = all[i];
        predictions.add(i >= winner && all[i - winner] == symbol);
        let before = &all[i.saturating_sub(LAGS)..i];
        let scores = &mut scores[LAGS - before.len()..];
        let mut most = 0;
        for (score, &earlier) in scores.iter_mut().zip(before) {
            let hit = u32::from(earlier == symbol);
            *score += hit;
            // Zero for scores that did not increase.
            most = most.max(*score & hit.wrapping_neg());
        }
        if most > 0 && most >= best {
            best = most;
            // The last of those that increased and reach the maximum score, as if they had been
            // updated one after the other.
            let last = scores.iter().zip(before).position(|(&score, &e)| score == most && e == symbol);
            winner = before.len() - last.unwrap_or(0);
        }
    }
    Some(predictions.estimate(all.len() - 1, symbols))
}
