//! A test whose machine lacks a part reports which, and returns.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The lines that were printed already: a test that makes many worlds reports a missing part once.
static REPORTED_SKIPS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Reports that a test, or one variant of it, was not run, and why. libtest does not capture it, so
/// that the runner sees it: `tests/legs.toml` lists the skips that are allowed.
pub fn skip(test: &str, missing: impl std::fmt::Display) {
    // The leading newline ends libtest's "test ... ".
    let line = format!("\nSKIP: {test}: {missing}\n");
    if !REPORTED_SKIPS.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        return;
    }
    // A closed standard error does not fail the test.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
