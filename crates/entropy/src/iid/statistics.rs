//! The statistics of the permutation tests: SP 800-90B, 5.1.1 to 5.1.11.
//!
//! Where the standard requires it, binary samples are first converted to bytes: by conversion I
//! (the number of ones in eight bits) or II (the eight bits as a number).

const LAGS: [usize; 5] = [1, 2, 8, 16, 32];

pub(super) const COUNT: usize = 19;

/// Their names, in the order of the array that `statistics` returns.
pub(super) const NAMES: [&str; COUNT] = [
    "excursion",
    "number of directional runs",
    "length of directional runs",
    "number of increases and decreases",
    "number of runs based on the median",
    "length of runs based on the median",
    "average collision",
    "maximum collision",
    "periodicity (1)",
    "periodicity (2)",
    "periodicity (8)",
    "periodicity (16)",
    "periodicity (32)",
    "covariance (1)",
    "covariance (2)",
    "covariance (8)",
    "covariance (16)",
    "covariance (32)",
    "compression",
];

/// Returns the length of the output of bzip2 for a text.
pub type CompressedLength<'a> = &'a (dyn Fn(&[u8]) -> usize + Sync);

pub(super) struct Unchanged {
    is_binary: bool,
    mean: f64,
    median: f64,
}

impl Unchanged {
    pub fn of(samples: &[u8], is_binary: bool) -> Unchanged {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => (f64::from(sorted[middle - 1]) + f64::from(sorted[middle])) / 2.0,
            _ => f64::from(sorted[middle]),
        };
        let sum: u64 = samples.iter().map(|&sample| u64::from(sample)).sum();
        let median = if is_binary { 0.5 } else { median };
        Unchanged { is_binary, mean: sum as f64 / samples.len() as f64, median }
    }

    /// The statistics of a permutation. Those that are not `wanted` may be zero.
    pub fn statistics(
        &self,
        samples: &[u8],
        wanted: &[bool; COUNT],
        compressed_length: CompressedLength,
    ) -> [f64; COUNT] {
        let mut all = [0.0; COUNT];
        let any = |range: std::ops::Range<usize>| wanted[range].contains(&true);
        let (ones, numbers) = if self.is_binary && any(1..18) {
            (converted(samples, |byte| byte.count_ones() as u8), converted(samples, |byte| byte))
        } else {
            (Vec::new(), Vec::new())
        };
        let (by_count, by_number) =
            if self.is_binary { (&ones[..], &numbers[..]) } else { (samples, samples) };
        if wanted[0] {
            all[0] = excursion(samples, self.mean);
        }
        if any(1..4) {
            let rises = by_count.windows(2).map(|pair| pair[0] <= pair[1]);
            let (runs, longest, rising) = runs(rises);
            let falling = by_count.len().saturating_sub(1) as u64 - rising;
            (all[1], all[2], all[3]) = (runs as f64, longest as f64, rising.max(falling) as f64);
        }
        if any(4..6) {
            let (runs, longest, _) = runs(samples.iter().map(|&sample| f64::from(sample) >= self.median));
            (all[4], all[5]) = (runs as f64, longest as f64);
        }
        if any(6..8) {
            (all[6], all[7]) = collisions(by_number);
        }
        for (i, lag) in LAGS.into_iter().enumerate() {
            let pairs = || by_count.iter().zip(by_count.iter().skip(lag));
            if wanted[8 + i] {
                all[8 + i] = pairs().filter(|(a, b)| a == b).count() as f64;
            }
            if wanted[13 + i] {
                all[13 + i] = pairs().map(|(&a, &b)| u64::from(a) * u64::from(b)).sum::<u64>() as f64;
            }
        }
        if wanted[18] {
            all[18] = compressed_length(&decimal_text(samples)) as f64;
        }
        all
    }
}

/// 5.1.11: the samples as decimal numbers, separated by a space.
fn decimal_text(samples: &[u8]) -> Vec<u8> {
    let numbers: [String; 256] = std::array::from_fn(|value| format!("{value} "));
    let mut text = Vec::with_capacity(4 * samples.len());
    samples.iter().for_each(|&sample| text.extend_from_slice(numbers[usize::from(sample)].as_bytes()));
    text.pop();
    text
}

/// Bytes of eight bits each, most significant first; the last byte is padded with zeros.
pub(super) fn converted(bits: &[u8], conversion: impl Fn(u8) -> u8) -> Vec<u8> {
    let byte = |eight: &[u8]| (0..8).fold(0, |byte, i| byte << 1 | eight.get(i).copied().unwrap_or(0));
    bits.chunks(8).map(|eight| conversion(byte(eight))).collect()
}

/// 5.1.1: the maximum distance of a partial sum from its expectation.
fn excursion(samples: &[u8], mean: f64) -> f64 {
    let (mut sum, mut greatest) = (0.0, 0.0_f64);
    for (count, &sample) in (1..).zip(samples) {
        sum += f64::from(sample);
        greatest = greatest.max((sum - f64::from(count) * mean).abs());
    }
    greatest
}

/// 5.1.2 to 5.1.6: the number of runs of equal values, the longest run, and the number of true
/// values.
fn runs(values: impl Iterator<Item = bool>) -> (u64, u64, u64) {
    let (mut runs, mut longest, mut is_true, mut length, mut last) = (0, 0, 0, 0, None);
    for value in values {
        if last != Some(value) {
            (runs, length, last) = (runs + 1, 0, Some(value));
        }
        length += 1;
        longest = longest.max(length);
        is_true += u64::from(value);
    }
    (runs, longest, is_true)
}

/// 5.1.7 and 5.1.8: the average and the maximum number of samples until a value repeats.
fn collisions(samples: &[u8]) -> (f64, f64) {
    // Each search marks the values it has seen with its own number.
    let mut seen = [0_u32; 256];
    let (mut search, mut length, mut count, mut total, mut greatest) = (1, 0_u64, 0_u64, 0_u64, 0);
    for &sample in samples {
        let mark = &mut seen[usize::from(sample)];
        length += 1;
        if *mark == search {
            (count, total, greatest) = (count + 1, total + length, greatest.max(length));
            (search, length) = (search + 1, 0);
        } else {
            *mark = search;
        }
    }
    (if count == 0 { 0.0 } else { total as f64 / count as f64 }, greatest as f64)
}
