//! The block tests and the estimators, with any bytes as a device or a file can contain.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outboard_entropy::{BLOCK, Estimator, Fips, Symbols, width_of};

fuzz_target!(|bytes: &[u8]| {
    // The input is repeated to fill blocks, because the estimators detect periods.
    if !bytes.is_empty() {
        let repeated: Vec<u8> = bytes.iter().copied().cycle().take(2 * BLOCK).collect();
        let mut fips = Fips::new([bytes[0]; 4]);
        for block in repeated.chunks_exact(BLOCK) {
            fips.test(block.try_into().expect("a block"));
        }
    }
    let width = width_of(bytes);
    for (symbols, most) in [(Symbols::of_samples(bytes), 8.0), (Symbols::of_bits(bytes, width), 1.0)] {
        for estimator in Estimator::ALL {
            if let Some(entropy) = estimator.estimate(&symbols) {
                assert!((0.0..=most).contains(&entropy), "{estimator:?}: {entropy}");
            }
        }
    }
});
