//! The kernel module in user space: records, slots, and a driver's answers.
#![no_main]

use libfuzzer_sys::fuzz_target;

unsafe extern "C" {
    /// kmod/test/userland/records.c
    fn ob_fuzz_records(data: *const u8, size: usize);
}

fuzz_target!(|bytes: &[u8]| {
    // SAFETY: readable for its length.
    unsafe { ob_fuzz_records(bytes.as_ptr(), bytes.len()) };
});
