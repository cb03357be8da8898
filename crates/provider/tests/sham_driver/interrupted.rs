//! The default provider with a function of the test before each call that processes data.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use crate::software::SoftCipher;

/// Called before the default provider processes data. False: its call fails.
type BeforeCall = Box<dyn FnMut() -> bool>;

thread_local! {
    static BEFORE_CALL: RefCell<Option<BeforeCall>> = const { RefCell::new(None) };
}

/// The functions of the cipher with each number.
static REAL: [OnceLock<SoftCipher>; 2] = [const { OnceLock::new() }; 2];

/// Runs `body`, in this thread with `before` at each call of an interrupted cipher.
pub(crate) fn interrupting<T>(before: impl FnMut() -> bool + 'static, body: impl FnOnce() -> T) -> T {
    BEFORE_CALL.set(Some(Box::new(before)));
    let result = body();
    BEFORE_CALL.take();
    result
}

fn goes_on() -> bool {
    BEFORE_CALL.with_borrow_mut(|before| before.as_mut().is_none_or(|before| before()))
}

/// The cipher with this number, whose calls are interrupted.
pub(super) fn interrupted<const NUMBER: usize>(cipher: SoftCipher) -> SoftCipher {
    REAL[NUMBER].get_or_init(|| cipher);
    SoftCipher { update: update::<NUMBER>, finish: finish::<NUMBER>, cipher: process::<NUMBER>, ..cipher }
}

fn real<const NUMBER: usize>() -> &'static SoftCipher {
    REAL[NUMBER].get().expect("it was interrupted")
}

/// A function that processes data: the one of the default provider in `$field`.
macro_rules! processing {
    ($name:ident, $field:ident) => {
        unsafe extern "C" fn $name<const NUMBER: usize>(
            at: *mut c_void,
            out: *mut u8,
            out_len: *mut usize,
            out_size: usize,
            input: *const u8,
            len: usize,
        ) -> c_int {
            if !goes_on() {
                return 0;
            }
            // SAFETY: passed on unchanged.
            unsafe { (real::<NUMBER>().$field)(at, out, out_len, out_size, input, len) }
        }
    };
}

processing!(update, update);
processing!(process, cipher);

unsafe extern "C" fn finish<const NUMBER: usize>(
    at: *mut c_void,
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
) -> c_int {
    // SAFETY: passed on unchanged.
    if goes_on() { unsafe { (real::<NUMBER>().finish)(at, out, out_len, out_size) } } else { 0 }
}
