//! Requests of valgrind.h and memcheck.h, on x86-64.

use std::arch::asm;

const RUNNING_ON_VALGRIND: usize = 0x1001;
const MAKE_MEM_UNDEFINED: usize = 0x4d43_0001;
const MAKE_MEM_DEFINED: usize = 0x4d43_0002;

/// The answer of valgrind, or 0 without it.
fn request(what: usize, address: *const u8, length: usize) -> usize {
    let request = [what, address as usize, length, 0, 0, 0];
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
            inout("rdi") 0_usize => _,
        );
    }
    answer
}

pub(crate) fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, std::ptr::null(), 0) == 1
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
