//! The core's calls with the bytes and for the digest of a message.

use std::ffi::{c_int, c_void};

use crate::contexts;
use crate::message::{HashDriver, Keyed, Message};
use crate::provider::Provider;
use crate::request::given;

/// A context with a message.
pub(crate) trait Messages {
    /// The message, its driver, and that with the key.
    fn parts(&mut self) -> (&mut Message, Option<&HashDriver>, Option<(&Provider, &Keyed)>);
}

/// `OSSL_FUNC_*_update`
pub(crate) unsafe extern "C" fn update<T: Messages>(at: *mut c_void, input: *const u8, len: usize) -> c_int {
    // SAFETY: the core guarantees valid contexts and buffers.
    let (context, more) = unsafe { (contexts::context::<T>(at), given(input, len)) };
    let (Some(context), Some(more)) = (context, more.or((len == 0).then_some(&[]))) else { return 0 };
    let (message, hash_driver, _) = context.parts();
    message.update(more, hash_driver)
}

/// `OSSL_FUNC_*_final`
pub(crate) unsafe extern "C" fn finish<T: Messages>(
    at: *mut c_void,
    out: *mut u8,
    len: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: the core guarantees valid contexts and buffers.
    unsafe {
        contexts::with(at, |context: &mut T| {
            let out = if out.is_null() { &mut [] } else { std::slice::from_raw_parts_mut(out, size) };
            let (message, _, with) = context.parts();
            message.finish(out, &mut *len, with)
        })
    }
}
