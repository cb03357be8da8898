//! The min-entropy estimators for non-IID sources: SP 800-90B, 6.3. One file per estimator, under
//! the standard's name.

mod collision;
mod compression;
mod contexts;
mod full_entropy;
mod lag;
mod lrs;
mod lz78y;
mod markov;
mod most_common_value;
mod multi_mcw;
mod multi_mmc;
mod prediction;
mod repeats;
mod suffix_array;
mod symbols;
mod t_tuple;
mod table;

pub use symbols::Symbols;

/// The 0.995 quantile of the normal distribution: 99 % confidence, as the standard requires.
const Z_ALPHA: f64 = 2.575_829_303_548_900_4;

/// The upper end of the confidence interval of a proportion of `count` observations.
fn upper_bound(proportion: f64, count: f64) -> f64 {
    (proportion + Z_ALPHA * (proportion * (1.0 - proportion) / (count - 1.0)).sqrt()).min(1.0)
}

/// Min-entropy in bits of a source whose most likely value has this probability. Never negative
/// zero.
fn min_entropy(probability: f64) -> f64 {
    -probability.log2() + 0.0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Estimator {
    /// 6.3.1
    MostCommonValue,
    /// 6.3.2, of bits
    Collision,
    /// 6.3.3, of bits
    Markov,
    /// 6.3.4, of bits
    Compression,
    /// 6.3.5
    TTuple,
    /// 6.3.6
    Lrs,
    /// 6.3.7
    MultiMcw,
    /// 6.3.8
    Lag,
    /// 6.3.9
    MultiMmc,
    /// 6.3.10
    Lz78y,
}

impl Estimator {
    /// All of them, in the standard's order.
    pub const ALL: [Estimator; 10] = [
        Estimator::MostCommonValue,
        Estimator::Collision,
        Estimator::Markov,
        Estimator::Compression,
        Estimator::TTuple,
        Estimator::Lrs,
        Estimator::MultiMcw,
        Estimator::Lag,
        Estimator::MultiMmc,
        Estimator::Lz78y,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Estimator::MostCommonValue => "most common value",
            Estimator::Collision => "collision",
            Estimator::Markov => "Markov",
            Estimator::Compression => "compression",
            Estimator::TTuple => "t-tuple",
            Estimator::Lrs => "longest repeated substring",
            Estimator::MultiMcw => "multi most common in window",
            Estimator::Lag => "lag",
            Estimator::MultiMmc => "MultiMMC",
            Estimator::Lz78y => "LZ78Y",
        }
    }

    /// Whether the standard applies it only to binary samples.
    pub fn is_binary_only(self) -> bool {
        matches!(self, Estimator::Collision | Estimator::Markov | Estimator::Compression)
    }

    /// Bits of min-entropy per sample. `None` if there are too few samples, or if the estimator
    /// does not apply.
    pub fn estimate(self, symbols: &Symbols) -> Option<f64> {
        if self.is_binary_only() && symbols.alphabet() > 2 {
            return None;
        }
        if symbols.alphabet() < 2 {
            return (symbols.all().len() > 1).then_some(0.0);
        }
        match self {
            Estimator::MostCommonValue => most_common_value::estimate(symbols),
            Estimator::Collision => collision::estimate(symbols),
            Estimator::Markov => markov::estimate(symbols),
            Estimator::Compression => compression::estimate(symbols),
            Estimator::TTuple => t_tuple::estimate(symbols),
            Estimator::Lrs => lrs::estimate(symbols),
            Estimator::MultiMcw => multi_mcw::estimate(symbols),
            Estimator::Lag => lag::estimate(symbols),
            Estimator::MultiMmc => multi_mmc::estimate(symbols),
            Estimator::Lz78y => lz78y::estimate(symbols),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
