//! No branch and no address depends on a key or a message: memcheck reports each that depends on bytes
//! which are marked as undefined (A. Langley, "ctgrind", 2010). The test runs itself in valgrind, whose
//! CPU has PSHUFB.

use std::env;
use std::hint::black_box;
use std::process::Command;

use crate::BLOCK;
use crate::group::{Group, Method};
use crate::integers::Integers;
use crate::of_cpu::Instructions;
use memcheck::{defined, is_running, undefined};

mod memcheck;

/// What the process in valgrind runs.
const RUNS: &str = "OUTBOARD_GHASH_IN_VALGRIND";
const METHODS: &str = "methods";
/// Must be found.
const LOOK_UP: &str = "a look-up in a table by a secret";

/// Exit code of valgrind with an error.
const ERROR: i32 = 99;

/// Messages with and without a last part, in one group and several.
fn hash<M: Method>(secret: &[u8; 600]) {
    let mut used = 0;
    for key in secret[..8 * BLOCK].chunks_exact(BLOCK) {
        let (group, is_usable) = Group::<M>::with_powers(key.try_into().expect("a block")).expect("memory");
        if defined(is_usable) {
            used += 1;
            for (aad, text) in [(0, 0), (13, 1), (16, 256), (5, 600), (300, 271)] {
                black_box(group.of_message(&secret[..aad], &secret[..text]));
            }
        }
    }
    assert!(used > 0, "no key was used");
}

#[inline(never)]
fn looked_up(secret: u8) -> u8 {
    static TABLE: [u8; 16] = [7; 16];
    black_box(&TABLE)[usize::from(secret & 15)]
}

/// In valgrind.
fn run(what: &str) {
    assert!(is_running(), "not in valgrind");
    let mut secret: [u8; 600] = std::array::from_fn(|at| (at * 37) as u8);
    undefined(&mut secret);
    match what {
        METHODS => {
            assert!(Instructions::is_there(), "valgrind has no SSSE3");
            hash::<Instructions>(&secret);
            if Integers::is_there() {
                hash::<Integers>(&secret);
            }
        }
        _ => {
            black_box(looked_up(secret[0]));
        }
    }
}

#[test]
fn no_branch_and_no_address_depends_on_a_key_or_a_message() {
    if let Ok(what) = env::var(RUNS) {
        return run(&what);
    }
    let test = "tests::constant_time::no_branch_and_no_address_depends_on_a_key_or_a_message";
    for (what, code) in [(LOOK_UP, ERROR), (METHODS, 0)] {
        let output = Command::new("valgrind")
            .args(["--quiet", &format!("--error-exitcode={ERROR}")])
            .arg(env::current_exe().expect("this program"))
            .args(["--exact", test, "--test-threads=1"])
            .env(RUNS, what)
            .output()
            .expect("valgrind (apt install valgrind)");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{what}: {errors}");
    }
}
