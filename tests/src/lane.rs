//! The lane in which the tests run: `make test` or `make test-all` (tests/legs.toml).

use proptest::test_runner::{Config, TestRunner};

/// Whether the tests run in `make test-all`.
#[must_use]
pub fn is_full_lane() -> bool {
    std::env::var_os("OUTBOARD_LANE").is_some_and(|lane| lane == "all")
}

/// The fewest random cases: some are of each kind.
const FEWEST: u32 = 8;

/// A runner of random cases that leaves no files behind. Of `cases` it takes a third in `make test`,
/// which runs often, or what PROPTEST_CASES says.
#[must_use]
pub fn runner(cases: u32) -> TestRunner {
    let chosen = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let of_lane = if is_full_lane() { cases } else { cases.min((cases / 3).max(FEWEST)) };
    TestRunner::new(Config {
        cases: chosen.unwrap_or(of_lane),
        failure_persistence: None,
        ..Config::default()
    })
}
