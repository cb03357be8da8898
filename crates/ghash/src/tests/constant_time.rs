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
use memcheck::{defined, errors, is_running, undefined};

mod memcheck;

/// In valgrind.
const INSIDE: &str = "OUTBOARD_GHASH_IN_VALGRIND";

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

fn run() {
    assert!(is_running(), "not in valgrind");
    assert!(Instructions::is_there(), "valgrind has no SSSE3");
    let mut secret: [u8; 600] = std::array::from_fn(|at| (at * 37) as u8);
    undefined(&mut secret);
    hash::<Instructions>(&secret);
    if Integers::is_there() {
        hash::<Integers>(&secret);
    }
    assert_eq!(errors(), 0, "a branch or an address depends on a secret");
    black_box(looked_up(secret[0]));
    assert!(errors() > 0, "a look-up in a table by a secret is not found");
}

#[test]
fn no_branch_and_no_address_depends_on_a_key_or_a_message() {
    if env::var_os(INSIDE).is_some() {
        return run();
    }
    let test = "tests::constant_time::no_branch_and_no_address_depends_on_a_key_or_a_message";
    let output = Command::new("valgrind")
        .arg("--quiet")
        .arg(env::current_exe().expect("this program"))
        .args(["--exact", test, "--test-threads=1", "--nocapture"])
        .env(INSIDE, "")
        .output()
        .expect("valgrind (apt install valgrind)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
