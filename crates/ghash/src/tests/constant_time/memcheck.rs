//! Requests of valgrind.h and memcheck.h, on x86.

use std::arch::asm;

const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

/// The sequence of valgrind.h. To a CPU it does nothing.
macro_rules! sequence {
    ($request:ident, $answer:ident, $a:tt, $b:tt, $d:tt, $di:tt, $third:tt, $fourth:tt) => {
        asm!(
            concat!("rol ", $di, ", 3"),
            concat!("rol ", $di, ", 13"),
            concat!("rol ", $di, ", ", $third),
            concat!("rol ", $di, ", ", $fourth),
            concat!("xchg ", $b, ", ", $b),
            in($a) $request.as_ptr(),
            inout($d) $answer,
            inout($di) 0_usize => _,
        )
    };
}

/// The answer of valgrind, or 0 without it.
fn request(what: usize, address: *const u8, length: usize) -> usize {
    let request = [what, address as usize, length, 0, 0, 0];
    let mut answer = 0;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: valgrind reads the request.
    unsafe {
        sequence!(request, answer, "rax", "rbx", "rdx", "rdi", 61, 51)
    };
    #[cfg(target_arch = "x86")]
    // SAFETY: as above.
    unsafe {
        sequence!(request, answer, "eax", "ebx", "edx", "edi", 29, 19)
    };
    answer
}

pub(crate) fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, std::ptr::null(), 0) == 1
}

/// Number of errors so far.
pub(crate) fn errors() -> usize {
    request(COUNT_ERRORS, std::ptr::null(), 0)
}

/// Each branch and each address that depends on these bytes is reported from now on.
pub(crate) fn undefined(secret: &mut [u8]) {
    request(MAKE_MEM_UNDEFINED, secret.as_ptr(), secret.len());
}

/// For what the time may depend on.
pub(crate) fn defined(mut public: bool) -> bool {
    request(MAKE_MEM_DEFINED, std::ptr::from_mut(&mut public).cast(), 1);
    public
}
