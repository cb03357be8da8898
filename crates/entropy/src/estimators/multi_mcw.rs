//! The multi most common in window (MultiMCW) prediction estimate: SP 800-90B, 6.3.7.

use super::{Symbols, prediction::Predictions};

const WINDOWS: [usize; 4] = [63, 255, 1023, 4095];

pub(super) fn estimate(symbols: &Symbols) -> Option<f64> {
    let all = symbols.all();
    if all.len() <= WINDOWS[3] + 1 {
        return None;
    }
    let mut windows = WINDOWS.map(|length| Window::of(length, symbols.alphabet()));
    let mut scores = [0_u64; 4];
    let (mut winner, mut predictions) = (0, Predictions::default());
    for (i, &symbol) in all.iter().enumerate() {
        if i >= WINDOWS[0] {
            predictions.add(windows[winner].most_common == symbol);
        }
        for (number, window) in windows.iter_mut().enumerate() {
            if i >= window.length && window.most_common == symbol {
                scores[number] += 1;
                if scores[number] >= scores[winner] {
                    winner = number;
                }
            }
            window.shift(all, i);
        }
    }
    Some(predictions.estimate(all.len() - WINDOWS[0], symbols))
}

struct Window {
    length: usize,
    /// The count of each symbol in the window, and the index of its last occurrence.
    counts: Vec<(u32, usize)>,
    /// The most common symbol; among equally common ones, the most recent.
    most_common: u8,
}

impl Window {
    fn of(length: usize, alphabet: usize) -> Window {
        Window { length, counts: vec![(0, 0); alphabet], most_common: 0 }
    }

    fn shift(&mut self, all: &[u8], i: usize) {
        let new = all[i];
        let old = i.checked_sub(self.length).map(|oldest| all[oldest]);
        if let Some(old) = old {
            self.counts[usize::from(old)].0 -= 1;
        }
        let entry = &mut self.counts[usize::from(new)];
        *entry = (entry.0 + 1, i);
        if old == Some(self.most_common) && old != Some(new) {
            let most = self.counts.iter().enumerate().max_by_key(|(_, entry)| **entry);
            self.most_common = most.map_or(0, |(symbol, _)| symbol as u8);
        } else if self.counts[usize::from(new)].0 >= self.counts[usize::from(self.most_common)].0 {
            self.most_common = new;
        }
    }
}
