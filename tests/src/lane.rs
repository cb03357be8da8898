//! The lane in which the tests run: `make test` or `make test-all` (tests/legs.toml).

/// Whether the tests run in `make test-all`.
#[must_use]
pub fn is_full_lane() -> bool {
    std::env::var_os("OUTBOARD_LANE").is_some_and(|lane| lane == "all")
}
