//! What is measured.

use serde::Deserialize;

/// Of `outboard-tune/1`, what matters here.
#[derive(Debug, Deserialize)]
pub struct Tune {
    /// When.
    pub made: String,
    /// Where.
    pub machine: serde_json::Value,
    /// OpenSSL's version.
    pub openssl: String,
    /// One for each cipher.
    pub ciphers: Vec<Cipher>,
}

/// A cipher.
#[derive(Debug, Deserialize)]
pub struct Cipher {
    /// OpenSSL's name.
    pub name: String,
    /// One way, one request at a time.
    pub encrypt: Direction,
    /// Sixteen at a time, where it was measured.
    pub sixteen_at_once: Option<Direction>,
}

/// A cipher one way.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Direction {
    /// Hardware wins from this size on.
    pub from: Option<usize>,
    /// Nobody could tell.
    pub undecided: bool,
}

/// The cipher, which every accelerator of the test machines does.
pub const CIPHER: &str = "AES-128-CBC";

/// Sizes that bars speak of, in bytes.
pub const SIZES: [usize; 7] = [16, 64, 256, 1024, 4096, 16384, 65536];

/// The sweep goes so many steps up and down from the crossover in question; four steps are a factor of two.
const STEPS: i32 = 8;

/// What tune found, and the sizes that are measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Hardware wins from here on, one request at a time; none: nowhere.
    pub from: Option<usize>,
    /// Tune could not tell.
    pub undecided: bool,
    /// The same, sixteen at a time; none where tune could not tell either.
    pub from_16: Option<usize>,
    /// In bytes, whole blocks, the smallest first.
    pub sizes: Vec<usize>,
}

impl Plan {
    /// The sizes of the bars, and a dense sweep around the crossover.
    pub fn around(tuned: &Cipher) -> Plan {
        let from = tuned.encrypt.from;
        let dense = (-STEPS..=STEPS).filter_map(|step| {
            let size = from? as f64 * (f64::from(step) / 4.0).exp2();
            Some((size as usize / 16 * 16).clamp(16, 1 << 20))
        });
        let mut sizes: Vec<usize> = SIZES.into_iter().chain(dense).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let from_16 = tuned.sixteen_at_once.as_ref().and_then(|way| way.from);
        Plan { from, undecided: tuned.encrypt.undecided, from_16, sizes }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What tune may say.
    pub fn tuned(from: Option<usize>, from_16: Option<usize>) -> Cipher {
        let way = |from| Direction { from, undecided: false };
        Cipher { name: CIPHER.into(), encrypt: way(from), sixteen_at_once: Some(way(from_16)) }
    }

    #[test]
    fn the_sweep_is_dense_around_the_crossover() {
        let plan = Plan::around(&tuned(Some(4096), Some(1024)));
        assert_eq!((plan.from, plan.from_16), (Some(4096), Some(1024)));
        let inside: Vec<_> = plan.sizes.iter().filter(|size| (1024..=16384).contains(*size)).collect();
        assert_eq!(inside.len(), 17, "{inside:?}");
        assert!(inside.windows(2).all(|pair| (*pair[1] as f64) < *pair[0] as f64 * 1.2), "{inside:?}");
        assert!(plan.sizes.iter().all(|size| size % 16 == 0) && plan.sizes.is_sorted());
        assert_eq!(Plan::around(&tuned(None, None)).sizes, SIZES);
    }
}
