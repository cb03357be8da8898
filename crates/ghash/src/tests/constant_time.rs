//! No branch and no address depends on a key or a message: memcheck reports each that depends on bytes
//! which are marked as undefined (A. Langley, "ctgrind", 2010). The test runs itself in valgrind, whose
//! CPU has PSHUFB.

use std::arch::asm;
use std::env;
use std::hint::black_box;
use std::process::Command;

use crate::BLOCK;
use crate::group::{Group, Method};
use crate::integers::Integers;
use crate::of_cpu::Instructions;

/// What the process in valgrind runs.
const RUNS: &str = "OUTBOARD_GHASH_IN_VALGRIND";
const METHODS: &str = "methods";
/// Must be found.
const LOOK_UP: &str = "a look-up in a table by a secret";

/// Exit code of valgrind with an error.
const ERROR: i32 = 99;

/// Requests of valgrind.h and memcheck.h.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;
const MAKE_MEM_DEFINED: u64 = 0x4d43_0002;

/// The answer of valgrind, or 0 without it.
fn request(what: u64, address: *const u8, length: usize) -> u64 {
    let request = [what, address as u64, length as u64, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: the sequence of valgrind.h. To a CPU it does nothing.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") request.as_ptr(),
            inout("rdx") answer,
            inout("rdi") 0_u64 => _,
        );
    }
    answer
}

fn undefined(secret: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, secret.as_ptr(), secret.len());
}

/// For what the time may depend on.
fn defined(mut public: bool) -> bool {
    request(MAKE_MEM_DEFINED, std::ptr::from_mut(&mut public).cast(), 1);
    public
}

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
    assert_eq!(request(RUNNING_ON_VALGRIND, std::ptr::null(), 0), 1, "not in valgrind");
    let mut secret: [u8; 600] = std::array::from_fn(|at| (at * 37) as u8);
    undefined(&mut secret);
    match what {
        METHODS => {
            assert!(Instructions::is_there(), "valgrind has no SSSE3");
            hash::<Instructions>(&secret);
            hash::<Integers>(&secret);
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
