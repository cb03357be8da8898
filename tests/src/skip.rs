//! A test whose machine lacks a part says which, and returns.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The lines that were printed already: a test that makes many worlds says once what they lack.
static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Says that a test, or one way of it, was not run, and why. Written past libtest's capture, so that a runner can
/// count it.
pub fn skip(test: &str, missing: impl std::fmt::Display) {
    // The newline in front ends libtest's "test ... ", so that the line stands by itself.
    let line = format!("\nSKIP: {test}: {missing}\n");
    if !SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        return;
    }
    // A closed standard error is no reason to fail a test.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
