//! Talking to callgrind from inside the program that it watches: valgrind's client requests, a sequence of
//! instructions that does nothing elsewhere (valgrind.h, callgrind.h). Only x86-64 is spoken here.

use std::ffi::CStr;

const ZERO_STATS: u64 = tool_request(1);
const DUMP_STATS_AT: u64 = tool_request(3);

/// Callgrind's requests start with the letters CT.
const fn tool_request(number: u64) -> u64 {
    (b'C' as u64) << 24 | (b'T' as u64) << 16 | number
}

/// Can requests be made on this machine?
pub const SUPPORTED: bool = cfg!(target_arch = "x86_64");

/// Counts the instructions of `work` alone, into a profile of this name.
#[inline(never)]
pub fn count(name: &CStr, work: impl FnOnce()) {
    request(ZERO_STATS, 0);
    work();
    request(DUMP_STATS_AT, name.as_ptr() as u64);
}

#[cfg(target_arch = "x86_64")]
fn request(code: u64, argument: u64) {
    let arguments = [code, argument, 0, 0, 0, 0];
    // SAFETY: the rotations add up to none and xchg changes nothing; valgrind reads the arguments and answers in rdx.
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
