//! The part that all four predictors share: SP 800-90B, 6.3.7 to 6.3.10, last steps.

use super::{Symbols, min_entropy, upper_bound};

#[derive(Default)]
pub(super) struct Predictions {
    correct: u64,
    run: u64,
    longest_run: u64,
}

impl Predictions {
    pub fn add(&mut self, is_correct: bool) {
        if is_correct {
            self.correct += 1;
            self.run += 1;
            self.longest_run = self.longest_run.max(self.run);
        } else {
            self.run = 0;
        }
    }

    /// Min-entropy per sample after `total` predictions.
    pub fn estimate(&self, total: usize, symbols: &Symbols) -> f64 {
        let total = total as f64;
        let share = self.correct as f64 / total;
        let global =
            if self.correct == 0 { 1.0 - 0.01_f64.powf(1.0 / total) } else { upper_bound(share, total) };
        let least = global.max(1.0 / symbols.alphabet() as f64);
        min_entropy(at_least_local(least, (self.longest_run + 1) as f64, total))
    }
}

/// The maximum of `least` and the local bound: the probability of a correct prediction for which a
/// run of `run` correct ones among `total` predictions has a probability of 1 %.
pub(super) fn at_least_local(least: f64, run: f64, total: f64) -> f64 {
    let target = 0.99_f64.ln();
    if least >= 1.0 || log_no_run(least, run, total) <= target {
        return least;
    }
    let (mut low, mut high) = (least, 1.0);
    while high - low > 1e-15 {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if log_no_run(middle, run, total) > target { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The natural logarithm of the probability that no run of `run` successes occurs among `total`
/// trials of probability `p` (Feller; the equation for P_local). The root x = 1 + y is found by
/// iteration: y increases to it from zero.
fn log_no_run(p: f64, run: f64, total: f64) -> f64 {
    let q = 1.0 - p;
    let factor = q * p.powf(run);
    let mut y = 0.0_f64;
    for _ in 0..66 {
        let next = factor * ((run + 1.0) * y.ln_1p()).exp();
        if next - y <= f64::EPSILON * next {
            break;
        }
        y = next;
    }
    let x = 1.0 + y;
    (1.0 - p * x).ln() - ((run + 1.0 - run * x) * q).ln() - (total + 1.0) * y.ln_1p()
}
