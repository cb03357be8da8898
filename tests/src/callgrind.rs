//! Requests to callgrind from the program that it runs: valgrind's client requests, a sequence of
//! instructions without effect elsewhere (valgrind.h, callgrind.h). x86-64 only.

use std::ffi::CStr;

const ZERO_STATS: u64 = tool_request(1);
const DUMP_STATS_AT: u64 = tool_request(3);

/// Callgrind's requests start with the letters CT.
const fn tool_request(number: u64) -> u64 {
    (b'C' as u64) << 24 | (b'T' as u64) << 16 | number
}

/// Whether this machine supports client requests.
pub const SUPPORTED: bool = cfg!(target_arch = "x86_64");

/// Counts only the instructions of `work`, in a profile of this name.
#[inline(never)]
pub fn count(name: &CStr, work: impl FnOnce()) {
    request(ZERO_STATS, 0);
    work();
    request(DUMP_STATS_AT, name.as_ptr() as u64);
}

#[cfg(target_arch = "x86_64")]
fn request(code: u64, argument: u64) {
    let arguments = [code, argument, 0, 0, 0, 0];
    // SAFETY: the rotations cancel out and xchg changes nothing; valgrind reads the arguments and
    // writes its result to rdx.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") 0_u64 => _,
        );
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_code: u64, _argument: u64) {}
