use std::marker::PhantomData;

use crate::in_out::InOut;

/// The arguments of one update, valid for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    out: *mut u8,
    out_len: *mut usize,
    out_size: usize,
    input: *const u8,
    len: usize,
    buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> Request<'a> {
    /// # Safety
    /// As for `OSSL_FUNC_cipher_update`, for `'a`: `out` is null or writable for `out_size` bytes,
    /// `out_len` is writable, and `input` is null or readable for `len` bytes. Input and output may
    /// overlap where EVP allows that.
    #[inline]
    pub(crate) unsafe fn new(
        out: *mut u8,
        out_len: *mut usize,
        out_size: usize,
        input: *const u8,
        len: usize,
    ) -> Request<'a> {
        Request { out, out_len, out_size, input, len, buffers: PhantomData }
    }

    #[inline]
    pub(crate) fn out(&self) -> *mut u8 {
        self.out
    }

    #[inline]
    pub(crate) fn out_len(&self) -> *mut usize {
        self.out_len
    }

    #[inline]
    pub(crate) fn out_size(&self) -> usize {
        self.out_size
    }

    #[inline]
    pub(crate) fn input(&self) -> *const u8 {
        self.input
    }

    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "it would have no caller")]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn set_written(&self, len: usize) {
        // SAFETY: guaranteed by the caller of `new`.
        unsafe { *self.out_len = len };
    }

    /// The text and the place of its result, if there is room for it.
    #[inline]
    pub(crate) fn in_out(&self) -> Option<InOut<'a>> {
        let is_usual = !self.input.is_null() && !self.out.is_null() && self.out_size >= self.len;
        // SAFETY: guaranteed by the caller of `new`.
        is_usual.then(|| unsafe { InOut::new(self.input, self.out, self.len) })
    }

    /// With the output from `to` on. Panics if they are not within the request.
    pub(crate) fn part<'b>(&self, from: usize, to: usize, len: usize, out_len: &'b mut usize) -> Request<'b>
    where
        'a: 'b,
    {
        assert!(from <= self.len && len <= self.len - from && to <= self.out_size);
        Request {
            out: self.out.wrapping_add(to),
            out_len,
            out_size: self.out_size - to,
            input: self.input.wrapping_add(from),
            len,
            buffers: PhantomData,
        }
    }
}

/// A function of the core with the arguments of `OSSL_FUNC_cipher_update`; 0 without a context.
macro_rules! function_of_request {
    ($(#[$attribute:meta])* fn $name:ident($context:ident: $Context:ty, $request:ident) $body:block) => {
        $(#[$attribute])*
        pub(super) unsafe extern "C" fn $name(
            at: *mut std::ffi::c_void,
            out: *mut u8,
            out_len: *mut usize,
            out_size: usize,
            input: *const u8,
            len: usize,
        ) -> std::ffi::c_int {
            // SAFETY: the core guarantees valid contexts.
            let Some($context) = (unsafe { $crate::contexts::context::<$Context>(at) }) else { return 0 };
            // SAFETY: the core guarantees valid buffers.
            let $request = unsafe { $crate::request::Request::new(out, out_len, out_size, input, len) };
            $body
        }
    };
}
pub(crate) use function_of_request;

/// A key or IV argument. `None` for null, which keeps the value that was set before.
///
/// # Safety
/// `at` is null or readable for `len` bytes for `'a`.
pub(crate) unsafe fn given<'a>(at: *const u8, len: usize) -> Option<&'a [u8]> {
    // SAFETY: guaranteed by the caller.
    (!at.is_null()).then(|| unsafe { std::slice::from_raw_parts(at, len) })
}
