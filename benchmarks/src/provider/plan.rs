//! The sizes to measure.

use serde::Deserialize;

/// The fields of `outboard-tune/1` that are used here.
#[derive(Debug, Deserialize)]
pub struct Tune {
    /// Time of the run.
    pub made: String,
    /// The machine.
    pub machine: serde_json::Value,
    /// OpenSSL's version.
    pub openssl: String,
    /// The results for each cipher.
    pub ciphers: Vec<Cipher>,
}

/// The results for a cipher.
#[derive(Debug, Deserialize)]
pub struct Cipher {
    /// OpenSSL's name.
    pub name: String,
    /// Encryption, one request at a time.
    pub encrypt: Direction,
}

/// The result for one direction of a cipher.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Direction {
    /// Hardware wins from this size on.
    pub from: Option<usize>,
    /// The samples varied too much to decide.
    pub undecided: bool,
}

/// The cipher that is measured; every accelerator of the test machines supports it.
pub const CIPHER: &str = "AES-128-CBC";

/// Sizes in bytes that have a requirement.
pub const SIZES: [usize; 7] = [16, 64, 256, 1024, 4096, 16384, 65536];

/// Steps of the sweep in each direction from the crossover; four steps are a factor of two.
const STEPS: i32 = 8;

/// The results of tune, and the sizes to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Hardware wins from this size on with one request at a time; `None`: nowhere.
    pub from: Option<usize>,
    /// tune could not decide.
    pub undecided: bool,
    /// Sizes in bytes, whole blocks, in ascending order.
    pub sizes: Vec<usize>,
}

impl Plan {
    /// Returns the sizes with a requirement, and a dense sweep around the crossover.
    pub fn around(tuned: &Cipher) -> Plan {
        let from = tuned.encrypt.from;
        let dense = (-STEPS..=STEPS).filter_map(|step| {
            let size = from? as f64 * (f64::from(step) / 4.0).exp2();
            Some((size as usize / 16 * 16).clamp(16, 1 << 20))
        });
        let mut sizes: Vec<usize> = SIZES.into_iter().chain(dense).collect();
        sizes.sort_unstable();
        sizes.dedup();
        Plan { from, undecided: tuned.encrypt.undecided, sizes }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Returns a result of tune.
    pub fn tuned(from: Option<usize>) -> Cipher {
        Cipher { name: CIPHER.into(), encrypt: Direction { from, undecided: false } }
    }

    #[test]
    fn the_sweep_is_dense_around_the_crossover() {
        let plan = Plan::around(&tuned(Some(4096)));
        assert_eq!(plan.from, Some(4096));
        let inside: Vec<_> = plan.sizes.iter().filter(|size| (1024..=16384).contains(*size)).collect();
        assert_eq!(inside.len(), 17, "{inside:?}");
        assert!(inside.windows(2).all(|pair| (*pair[1] as f64) < *pair[0] as f64 * 1.2), "{inside:?}");
        assert!(plan.sizes.iter().all(|size| size % 16 == 0) && plan.sizes.is_sorted());
        assert_eq!(Plan::around(&tuned(None)).sizes, SIZES);
    }
}
