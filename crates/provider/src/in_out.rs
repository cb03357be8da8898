//! A text and the place of its result, which may be the same.

use std::marker::PhantomData;
use std::ptr::copy_nonoverlapping;

/// Input and output of the same length, valid for `'a`. They are equal or do not overlap; of texts
/// that overlap in part the result is unspecified.
#[derive(Clone, Copy)]
pub(crate) struct InOut<'a> {
    input: *const u8,
    output: *mut u8,
    len: usize,
    buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> InOut<'a> {
    /// # Safety
    /// For `'a`, `input` is readable and `output` writable for `len` bytes, and neither is accessed by
    /// references.
    #[inline]
    pub(crate) unsafe fn new(input: *const u8, output: *mut u8, len: usize) -> InOut<'a> {
        InOut { input, output, len, buffers: PhantomData }
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn apart(input: &'a [u8], output: &'a mut [u8]) -> InOut<'a> {
        assert_eq!(input.len(), output.len());
        // SAFETY: both are borrowed for the lifetime.
        unsafe { InOut::new(input.as_ptr(), output.as_mut_ptr(), input.len()) }
    }

    #[inline]
    pub(crate) fn input(self) -> *const u8 {
        self.input
    }

    #[inline]
    pub(crate) fn output(self) -> *mut u8 {
        self.output
    }

    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "it would have no caller")]
    pub(crate) fn len(self) -> usize {
        self.len
    }

    pub(crate) fn is_in_place(self) -> bool {
        std::ptr::eq(self.input, self.output)
    }

    /// The text in other memory.
    pub(crate) fn with_input<'b>(self, input: &'b [u8]) -> InOut<'b>
    where
        'a: 'b,
    {
        assert_eq!(input.len(), self.len);
        InOut { input: input.as_ptr(), ..self }
    }

    pub(crate) fn copy_to(self, room: &mut [u8]) {
        assert_eq!(room.len(), self.len);
        // SAFETY: guaranteed by the caller of `new`; the room is other memory.
        unsafe { copy_nonoverlapping(self.input, room.as_mut_ptr(), self.len) };
    }

    /// Writes the result, or its beginning.
    pub(crate) fn write(self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len);
        // SAFETY: guaranteed by the caller of `new`; the bytes are other memory.
        unsafe { copy_nonoverlapping(bytes.as_ptr(), self.output, bytes.len()) };
    }

    pub(crate) fn xor(self, bytes: &[u8]) {
        assert!(bytes.len() <= self.len);
        for (at, byte) in bytes.iter().enumerate() {
            // SAFETY: guaranteed by the caller of `new`.
            unsafe { self.output.add(at).write(self.input.add(at).read() ^ byte) };
        }
    }

    pub(crate) fn clear(self) {
        // SAFETY: guaranteed by the caller of `new`.
        unsafe { self.output.write_bytes(0, self.len) };
    }

    pub(crate) fn after(self, len: usize) -> InOut<'a> {
        assert!(len <= self.len);
        // SAFETY: within the text or at its end.
        unsafe { InOut::new(self.input.add(len), self.output.add(len), self.len - len) }
    }

    pub(crate) fn first(self, len: usize) -> InOut<'a> {
        InOut { len: len.min(self.len), ..self }
    }
}
