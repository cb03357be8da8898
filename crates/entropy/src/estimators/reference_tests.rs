//! The expected values are those of the standard's own tool (SP800-90B_EntropyAssessment 1.1.7,
//! `ea_non_iid -vv`), run manually on the same bytes.

use super::*;

#[track_caller]
fn assert_close(found: [Option<f64>; 10], expected: [f64; 10]) {
    for ((estimator, found), expected) in Estimator::ALL.into_iter().zip(found).zip(expected) {
        match found {
            None => assert!(expected.is_nan(), "{estimator:?} gave nothing, expected {expected}"),
            Some(found) => {
                assert!((found - expected).abs() < 1e-6, "{estimator:?}: {found}, expected {expected}")
            }
        }
    }
}

const NONE: f64 = f64::NAN;

#[test]
fn good_has_the_reference_figures() {
    let data = good();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            7.214137429738,
            NONE,
            NONE,
            NONE,
            7.214137429738,
            7.562905474272,
            7.612863643967,
            7.617341198698,
            6.970830685619,
            6.970468835751,
        ],
    );
    assert_close(
        estimates(&Symbols::of_bits(&data, 8)),
        [
            0.987052990225,
            0.812913313795,
            0.991305773717,
            0.755570828726,
            0.914477145317,
            0.990792502500,
            0.994713569254,
            0.992326044391,
            0.990900633961,
            0.991393161983,
        ],
    );
}

#[test]
fn biased_coin_has_the_reference_figures() {
    let data = biased_coin();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            0.488710458679,
            0.468530683771,
            0.504694378416,
            0.306899897336,
            0.488260342782,
            0.721044356233,
            0.490359253385,
            0.739761050401,
            0.488869397898,
            0.489208400215,
        ],
    );
}

#[test]
fn markov_chain_has_the_reference_figures() {
    let data = markov_chain();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            0.957197353943,
            0.159840242701,
            0.326773950413,
            0.206366403345,
            0.319034790939,
            0.547212900933,
            0.550303106423,
            0.312749679243,
            0.312855625460,
            0.313207635794,
        ],
    );
}

#[test]
fn counter_has_the_reference_figures() {
    let data = counter();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            7.617413303567,
            NONE,
            NONE,
            NONE,
            0.000123877148,
            0.000000000000,
            8.000000000000,
            8.000000000000,
            0.000335851453,
            0.000336110429,
        ],
    );
    assert_close(
        estimates(&Symbols::of_bits(&data, 8)),
        [
            0.989879595323,
            1.000000000000,
            0.998563388126,
            0.655984018052,
            0.000036088494,
            0.000007949986,
            0.816695739040,
            0.383203945305,
            0.008039222345,
            0.995630516650,
        ],
    );
}

#[test]
fn lcg_has_the_reference_figures() {
    let data = lcg();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            7.214137429738,
            NONE,
            NONE,
            NONE,
            7.214137429738,
            7.479751162340,
            7.549554057182,
            7.925676415550,
            7.617269090224,
            7.600078471923,
        ],
    );
    assert_close(
        estimates(&Symbols::of_bits(&data, 8)),
        [
            0.987785940988,
            0.863663287788,
            0.996588114631,
            0.747743495187,
            0.914477145317,
            0.962967449525,
            0.993096720057,
            0.989960147892,
            0.987517647000,
            0.995900263886,
        ],
    );
}

#[test]
fn biased_bytes_has_the_reference_figures() {
    let data = biased_bytes();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            0.957337382618,
            NONE,
            NONE,
            NONE,
            0.952998311149,
            1.744371369444,
            0.957877145517,
            1.859874928422,
            0.988771736130,
            0.988271668269,
        ],
    );
    assert_close(
        estimates(&Symbols::of_bits(&data, 8)),
        [
            0.466111517905,
            0.223947692703,
            0.311243347280,
            0.192222477427,
            0.114202530648,
            0.228466042108,
            0.170117737733,
            0.171627601589,
            0.171627521797,
            0.171626324865,
        ],
    );
}

#[test]
fn period_1024_has_the_reference_figures() {
    let data = period_1024();
    assert_close(
        estimates(&Symbols::of_samples(&data)),
        [
            6.313412894741,
            NONE,
            NONE,
            NONE,
            4.366250261373,
            0.000066405483,
            6.385772686508,
            6.444010545813,
            0.000381209317,
            0.697805270245,
        ],
    );
    assert_close(
        estimates(&Symbols::of_bits(&data, 8)),
        [
            0.990524412369,
            0.810232779066,
            0.994766014364,
            0.710717732686,
            0.472807287402,
            0.000020157363,
            0.965691933829,
            0.955107258339,
            0.135076044844,
            0.989297074795,
        ],
    );
}
