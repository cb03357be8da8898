use super::*;
use crate::estimators::tests::{biased_bytes, biased_coin, good};

const LENGTH: usize = 20_000;

fn bytes(seed: u64) -> Vec<u8> {
    let mut generator = Xoshiro::new(seed);
    (0..LENGTH).map(|_| generator.next() as u8).collect()
}

/// With the block size of the standard's tool.
fn bzip2_length(text: &[u8]) -> usize {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(5));
    std::io::Write::write_all(&mut encoder, text).expect("memory");
    encoder.finish().expect("memory").len()
}

fn failed(samples: &[u8], compressed_length: CompressedLength) -> Vec<&'static str> {
    let ranks = permutation_tests(samples, 1, compressed_length, &|_| true).expect("more than one value");
    ranks.into_iter().filter(|rank| !rank.passes()).map(|rank| rank.statistic).collect()
}

/// Small enough to verify by hand.
#[test]
fn statistics_are_those_of_the_standards_definitions() {
    let samples = [2, 15, 4, 10, 9];
    let found = Unchanged::of(&samples, false).statistics(&samples, &[true; COUNT], &<[u8]>::len);
    // Mean 8: the sums differ by 6, 1, 3, 1 and 0. Increases and decreases: + - + -. Relative to
    // the median 9: - + - + +.
    assert_eq!(found[..8], [6.0, 4.0, 1.0, 2.0, 4.0, 2.0, 0.0, 0.0]);
    // The first repetition is after 3 samples (2 1 1), the next after 4 (2 0 1 0), the last after 2
    // (1 1).
    let samples = [2, 1, 1, 2, 0, 1, 0, 1, 1, 2];
    let found = Unchanged::of(&samples, false).statistics(&samples, &[true; COUNT], &<[u8]>::len);
    assert_eq!(found[6..9], [3.0, 4.0, 2.0]);
    assert_eq!(found[13], 8.0);
}

/// Values of the standard's own tool (SP800-90B_EntropyAssessment 1.1.7, `ea_iid -vv`), run
/// manually on the same bytes.
#[test]
fn statistics_are_those_of_the_standards_tool() {
    let expected = [
        4583.4928,
        13306.0,
        6.0,
        10070.0,
        9967.0,
        15.0,
        21.340448239,
        59.0,
        74.0,
        86.0,
        74.0,
        67.0,
        77.0,
        322797483.0,
        322316262.0,
        323087574.0,
        322267645.0,
        323053471.0,
        21511.0,
    ];
    assert_statistics(&good(), false, expected);
    let expected = [
        36.5216, 1560.0, 7.0, 1538.0, 8317.0, 29.0, 12.42, 34.0, 553.0, 547.0, 570.0, 532.0, 577.0, 79359.0,
        79500.0, 79127.0, 78848.0, 78245.0, 2930.0,
    ];
    assert_statistics(&biased_coin(), true, expected);
    let expected = [
        12446.381,
        11564.0,
        15.0,
        12584.0,
        1.0,
        20000.0,
        3.900897386,
        15.0,
        5175.0,
        5129.0,
        5186.0,
        5134.0,
        5106.0,
        180415792.0,
        178889559.0,
        180592501.0,
        179176386.0,
        178057383.0,
        13496.0,
    ];
    assert_statistics(&biased_bytes(), false, expected);
}

#[track_caller]
fn assert_statistics(samples: &[u8], is_binary: bool, expected: [f64; COUNT]) {
    let found = Unchanged::of(samples, is_binary).statistics(samples, &[true; COUNT], &bzip2_length);
    for ((name, found), expected) in NAMES.into_iter().zip(found).zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{name}: {found}, expected {expected}");
    }
}

#[test]
fn conversions_of_bits_count_and_number_them() {
    let bits = [1, 0, 1, 0, 0, 0, 0, 1, 1, 1];
    assert_eq!(converted_of(&bits), ([3, 2].to_vec(), [0xa1, 0xc0].to_vec()));
}

fn converted_of(bits: &[u8]) -> (Vec<u8>, Vec<u8>) {
    (statistics::converted(bits, |byte| byte.count_ones() as u8), statistics::converted(bits, |byte| byte))
}

#[test]
fn independent_samples_pass() {
    assert_eq!(failed(&bytes(5), &bzip2_length), Vec::<&str>::new());
    let bits: Vec<u8> = bytes(6).iter().map(|byte| u8::from(*byte < 180)).collect();
    assert_eq!(failed(&bits, &bzip2_length), Vec::<&str>::new(), "bias is no dependence");
}

#[test]
fn dependent_samples_fail() {
    // Few samples, because each permutation of a failing statistic is computed.
    let counter: Vec<u8> = (0..1000).map(|i| i as u8).collect();
    let names = failed(&counter, &bzip2_length);
    assert!(names.contains(&"number of directional runs") && names.contains(&"compression"), "{names:?}");
    let alternating: Vec<u8> =
        bytes(7)[..1000].iter().enumerate().map(|(i, byte)| byte / 2 + 128 * (i % 2) as u8).collect();
    // A length that is equal for all permutations passes at once.
    assert!(failed(&alternating, &<[u8]>::len).contains(&"number of runs based on the median"));
}

#[test]
fn a_constant_has_no_result_and_a_test_can_be_ended() {
    assert_eq!(permutation_tests(&[3; 100], 1, &bzip2_length, &|_| true), None);
    assert_eq!(permutation_tests(&bytes(8), 1, &bzip2_length, &|number| number < 3), None);
}
