//! The tests for IID that need no permutations: SP 800-90B, 5.2.1 to 5.2.5. Each rejects an
//! independent and identically distributed source with a probability of 0.001.

use super::chi_square_tail::exceeding;
use crate::estimators::Symbols;

/// A result less likely than this rejects the assumption.
const REJECTED: f64 = 0.001;
const LEAST_EXPECTED: f64 = 5.0;
const SUBSETS: usize = 10;
/// The largest tuple of bits in the test of independence.
const LONGEST_TUPLE: usize = 11;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IidTest {
    pub name: &'static str,
    /// The probability of a result at least this extreme for an IID source.
    pub probability: f64,
}

impl IidTest {
    pub fn passes(&self) -> bool {
        self.probability >= REJECTED
    }
}

/// Runs the tests. Samples with fewer than two values, or too few of them, have no result.
pub fn iid_tests(samples: &[u8]) -> Option<Vec<IidTest>> {
    let symbols = Symbols::of_samples(samples);
    let all = symbols.all();
    let (independence, fit) = match symbols.alphabet() {
        0 | 1 => return None,
        2 => (independence_of_bits(all)?, fit_of_bits(all)?),
        alphabet => (independence(all, alphabet)?, goodness_of_fit(all, alphabet)?),
    };
    Some(vec![
        IidTest { name: "chi-square independence", probability: independence },
        IidTest { name: "chi-square goodness of fit", probability: fit },
        IidTest { name: "length of the longest repeated substring", probability: longest_repeat(&symbols) },
    ])
}

fn counts(samples: &[u8], alphabet: usize) -> Vec<f64> {
    let mut counts = vec![0.0; alphabet];
    samples.iter().for_each(|&sample| counts[usize::from(sample)] += 1.0);
    counts
}

/// Assigns values to bins in ascending order of their expected count, so that each bin has at least
/// five. Returns the bin of each value and the expected count of each bin; `None` for less than two
/// bins.
fn bins(expected: &[f64]) -> Option<(Vec<usize>, Vec<f64>)> {
    let mut order: Vec<usize> = (0..expected.len()).collect();
    order.sort_by(|&a, &b| expected[a].total_cmp(&expected[b]));
    let (mut bin_of, mut sums) = (vec![0; expected.len()], vec![0.0]);
    for value in order {
        if sums[sums.len() - 1] >= LEAST_EXPECTED {
            sums.push(0.0);
        }
        let bin = sums.len() - 1;
        sums[bin] += expected[value];
        bin_of[value] = bin;
    }
    if sums.len() > 1 && sums[sums.len() - 1] < LEAST_EXPECTED {
        let rest = sums.pop().unwrap_or_default();
        let last = sums.len() - 1;
        sums[last] += rest;
        bin_of.iter_mut().for_each(|bin| *bin = (*bin).min(last));
    }
    (sums.len() > 1).then_some((bin_of, sums))
}

fn statistic(observed: &[f64], expected: &[f64]) -> f64 {
    observed.iter().zip(expected).map(|(o, e)| (o - e) * (o - e) / e).sum()
}

/// 5.2.1: pairs of samples that do not overlap.
fn independence(samples: &[u8], alphabet: usize) -> Option<f64> {
    let shares: Vec<f64> =
        counts(samples, alphabet).into_iter().map(|count| count / samples.len() as f64).collect();
    let pairs = (samples.len() / 2) as f64;
    let expected: Vec<f64> = shares.iter().flat_map(|a| shares.iter().map(move |b| a * b * pairs)).collect();
    let (bin_of, expected) = bins(&expected)?;
    let mut observed = vec![0.0; expected.len()];
    for pair in samples.chunks_exact(2) {
        observed[bin_of[usize::from(pair[0]) * alphabet + usize::from(pair[1])]] += 1.0;
    }
    let degrees = expected.len().checked_sub(alphabet).filter(|&degrees| degrees > 0)?;
    Some(exceeding(statistic(&observed, &expected), degrees))
}

/// 5.2.2: the distribution in ten subsets.
fn goodness_of_fit(samples: &[u8], alphabet: usize) -> Option<f64> {
    let expected: Vec<f64> =
        counts(samples, alphabet).into_iter().map(|count| count / SUBSETS as f64).collect();
    let (bin_of, expected) = bins(&expected)?;
    let mut sum = 0.0;
    for subset in samples.chunks_exact(samples.len() / SUBSETS).take(SUBSETS) {
        let mut observed = vec![0.0; expected.len()];
        subset.iter().for_each(|&sample| observed[bin_of[usize::from(sample)]] += 1.0);
        sum += statistic(&observed, &expected);
    }
    Some(exceeding(sum, (SUBSETS - 1) * (expected.len() - 1)))
}

/// 5.2.3: tuples of bits that do not overlap, as long as each is expected five times.
fn independence_of_bits(bits: &[u8]) -> Option<f64> {
    let ones = counts(bits, 2)[1] / bits.len() as f64;
    let least = ones.min(1.0 - ones);
    let is_frequent =
        |length: &usize| least.powi(*length as i32) * (bits.len() / length) as f64 >= LEAST_EXPECTED;
    let length = (2..=LONGEST_TUPLE).take_while(is_frequent).last()?;
    let tuples = (bits.len() / length) as f64;
    let expected: Vec<f64> = (0..1_u32 << length)
        .map(|tuple| {
            let weight = tuple.count_ones() as i32;
            ones.powi(weight) * (1.0 - ones).powi(length as i32 - weight) * tuples
        })
        .collect();
    let mut observed = vec![0.0; expected.len()];
    for tuple in bits.chunks_exact(length) {
        observed[tuple.iter().fold(0, |tuple, &bit| tuple << 1 | usize::from(bit))] += 1.0;
    }
    Some(exceeding(statistic(&observed, &expected), expected.len() - 2))
}

/// 5.2.4: the share of ones in ten subsets.
fn fit_of_bits(bits: &[u8]) -> Option<f64> {
    let ones = counts(bits, 2)[1] / bits.len() as f64;
    let size = bits.len() / SUBSETS;
    let expected = [(1.0 - ones) * size as f64, ones * size as f64];
    if expected.iter().any(|&count| count < LEAST_EXPECTED) {
        return None;
    }
    let subsets = bits.chunks_exact(size).take(SUBSETS);
    let sum = subsets.map(|subset| statistic(&counts(subset, 2), &expected)).sum();
    Some(exceeding(sum, SUBSETS - 1))
}

/// 5.2.5: the probability that an IID source repeats a substring of this length.
fn longest_repeat(symbols: &Symbols) -> f64 {
    let length = symbols.all().len() as f64;
    let collision: f64 =
        counts(symbols.all(), symbols.alphabet()).iter().map(|count| (count / length).powi(2)).sum();
    let longest = symbols.longest_repeat() as f64;
    let places = length - longest + 1.0;
    let pairs = places * (places - 1.0) / 2.0;
    -f64::exp_m1(pairs * f64::ln_1p(-collision.powf(longest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iid::Xoshiro;

    fn bytes(seed: u64, count: usize) -> Vec<u8> {
        let mut generator = Xoshiro::new(seed);
        (0..count).map(|_| generator.next() as u8).collect()
    }

    fn failed(samples: &[u8]) -> Vec<&'static str> {
        let tests = iid_tests(samples).expect("enough samples");
        tests.into_iter().filter(|test| !test.passes()).map(|test| test.name).collect()
    }

    #[test]
    fn bins_have_at_least_five_expected() {
        let (bin_of, sums) = bins(&[1.0, 9.0, 2.0, 2.5, 1.0]).expect("two bins");
        assert_eq!((bin_of, sums), (vec![0, 1, 0, 0, 0], vec![6.5, 9.0]));
        // The last bin would have less: it joins the one before.
        let (bin_of, sums) = bins(&[3.0, 3.0, 3.0, 3.5, 4.0]).expect("two bins");
        assert_eq!((bin_of, sums), (vec![0, 0, 1, 1, 1], vec![6.0, 10.5]));
        assert_eq!(bins(&[1.0, 2.0]), None);
    }

    /// Zeros and ones in equal number; of the pairs, 20 and 30 of each kind.
    #[test]
    fn independence_of_bits_is_the_statistic_by_hand() {
        let pairs = [([0, 0], 20), ([1, 1], 20), ([0, 1], 30), ([1, 0], 30)];
        let bits: Vec<u8> = pairs.iter().flat_map(|(pair, times)| pair.repeat(*times)).collect();
        // 200 bits: 1/16 of 50 tuples of four are fewer than five, 1/8 of 66 of three are not.
        let ones =
            bits.chunks_exact(3).map(|tuple| tuple.iter().fold(0, |t, &bit| t << 1 | usize::from(bit)));
        let mut observed = [0.0; 8];
        ones.for_each(|tuple| observed[tuple] += 1.0);
        let by_hand: f64 = observed.iter().map(|o| (o - 8.25_f64).powi(2) / 8.25).sum();
        assert_eq!(independence_of_bits(&bits), Some(exceeding(by_hand, 6)));
    }

    #[test]
    fn independent_samples_pass_and_bias_is_no_dependence() {
        for seed in 1..6 {
            assert_eq!(failed(&bytes(seed, 100_000)), [""; 0], "{seed}");
            let bits: Vec<u8> = bytes(seed, 50_000).into_iter().map(|byte| u8::from(byte < 180)).collect();
            assert_eq!(failed(&bits), [""; 0], "{seed}");
        }
    }

    #[test]
    fn each_defect_fails_its_test() {
        let good = bytes(7, 100_000);
        let pairs: Vec<u8> =
            good.chunks_exact(2).flat_map(|pair| [pair[0] >> 4, (pair[0] >> 4) ^ (pair[1] >> 6)]).collect();
        assert!(failed(&pairs).contains(&"chi-square independence"));
        let drift: Vec<u8> = (0..100_000_usize)
            .map(|i| if usize::from(good[i]) < i / 5000 { 0 } else { good[(i + 1) % 100_000] })
            .collect();
        assert!(failed(&drift).contains(&"chi-square goodness of fit"));
        let mut copied = good.clone();
        copied.copy_within(100..130, 50_000);
        assert_eq!(failed(&copied), ["length of the longest repeated substring"]);
        let mut last = 0;
        let sticky: Vec<u8> = good
            .iter()
            .map(|&byte| {
                last ^= u8::from(byte < 100);
                last
            })
            .collect();
        assert!(failed(&sticky).contains(&"chi-square independence"));
    }

    #[test]
    fn short_and_constant_samples_have_no_result_and_no_panic() {
        assert_eq!(iid_tests(&[3; 1000]), None);
        for length in 0..300 {
            for samples in [bytes(8, length), bytes(9, length).iter().map(|byte| byte & 1).collect()] {
                for test in iid_tests(&samples).into_iter().flatten() {
                    assert!((0.0..=1.0).contains(&test.probability), "{length}: {test:?}");
                }
            }
        }
    }
}
