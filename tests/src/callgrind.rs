//! Requests to callgrind from the program that it runs: valgrind's client requests, a sequence of
//! instructions without effect elsewhere (valgrind.h, callgrind.h). x86-64 and Arm only.

use std::ffi::CStr;

const ZERO_STATS: usize = tool_request(1);
const DUMP_STATS_AT: usize = tool_request(3);

/// Callgrind's requests start with the letters CT.
const fn tool_request(number: usize) -> usize {
    (b'C' as usize) << 24 | (b'T' as usize) << 16 | number
}

/// Whether this machine supports client requests.
pub const SUPPORTED: bool = cfg!(any(target_arch = "x86_64", target_arch = "arm", target_arch = "aarch64"));

/// Counts only the instructions of `work`, in a profile of this name.
#[inline(never)]
pub fn count(name: &CStr, work: impl FnOnce()) {
    request(ZERO_STATS, 0);
    work();
    request(DUMP_STATS_AT, name.as_ptr() as usize);
}

#[cfg(target_arch = "x86_64")]
fn request(code: usize, argument: usize) {
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
            inout("rdx") 0_usize => _,
        );
    }
}

#[cfg(target_arch = "arm")]
fn request(code: usize, argument: usize) {
    let arguments = [code, argument, 0, 0, 0, 0];
    // SAFETY: the rotations cancel out and orr changes nothing; valgrind reads the arguments and
    // writes its result to r3.
    unsafe {
        std::arch::asm!(
            "mov r12, r12, ror #3",
            "mov r12, r12, ror #13",
            "mov r12, r12, ror #29",
            "mov r12, r12, ror #19",
            "orr r10, r10, r10",
            in("r4") arguments.as_ptr(),
            inout("r3") 0_usize => _,
        );
    }
}

#[cfg(target_arch = "aarch64")]
fn request(code: usize, argument: usize) {
    let arguments = [code, argument, 0, 0, 0, 0];
    // SAFETY: the rotations cancel out and orr changes nothing; valgrind reads the arguments and
    // writes its result to x3.
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            in("x4") arguments.as_ptr(),
            inout("x3") 0_usize => _,
        );
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "arm", target_arch = "aarch64")))]
fn request(_code: usize, _argument: usize) {}
