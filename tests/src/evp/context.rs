//! A cipher context: the object of most tests.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, NonNull};

use super::cipher::Cipher;
use super::errors;
use super::library::library;
use super::library_context::LibraryContext;
use super::params::{OsslParam, TlsRecords};

/// The block size of AES, and the length of its IV.
pub const BLOCK: usize = 16;

const PADDING: &CStr = c"padding";
const TLS_VERSION: &CStr = c"tls-version";
const TLS_MAC_SIZE: &CStr = c"tls-mac-size";
const TLS_MAC: &CStr = c"tls-mac";

/// The direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext in.
    Encrypt,
    /// Ciphertext in.
    Decrypt,
}

/// The result of a call, which must be the same for two providers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The return value.
    pub returned: c_int,
    /// The number of bytes that it reports as written.
    pub written: c_int,
    /// The reasons in the error queue, oldest first.
    pub reasons: Vec<Option<String>>,
}

impl Outcome {
    pub(super) fn of(returned: c_int, written: c_int) -> Outcome {
        let reasons = errors::drain().into_iter().map(|entry| entry.reason).collect();
        Outcome { returned, written, reasons }
    }

    /// The number of bytes that a call has written, which must have succeeded.
    #[track_caller]
    pub fn expect(&self, what: &str) -> usize {
        assert!(self.returned == 1, "{what} failed: {self:?}");
        usize::try_from(self.written).expect("a length is not negative")
    }
}

/// An `EVP_CIPHER_CTX`.
#[derive(Debug)]
pub struct Context {
    context: NonNull<c_void>,
    world: Option<LibraryContext>,
}

// SAFETY: a context is not bound to a thread; `&mut self` ensures that one uses it at a time.
unsafe impl Send for Context {}

impl Context {
    /// An empty one.
    pub fn new() -> Context {
        // SAFETY: the function has no parameters.
        let context = unsafe { (library().EVP_CIPHER_CTX_new)() };
        Context { context: NonNull::new(context).expect("memory for a cipher context"), world: None }
    }

    /// A context with a key.
    #[track_caller]
    pub fn keyed(cipher: &Cipher, key: &[u8], iv: &[u8; BLOCK], direction: Direction) -> Context {
        let mut context = Context::new();
        context.init(Some(cipher), Some(key), Some(iv), Some(direction)).expect("init");
        context
    }

    /// `EVP_CipherInit_ex2`; `None` is passed as NULL, or as the direction -1.
    pub fn init(
        &mut self,
        cipher: Option<&Cipher>,
        key: Option<&[u8]>,
        iv: Option<&[u8; BLOCK]>,
        direction: Option<Direction>,
    ) -> Outcome {
        let needed = cipher.map(Cipher::key_length).or_else(|| self.key_length());
        assert!(key.is_none() || key.map(<[u8]>::len) == needed, "the key is of the cipher's length");
        let direction = match direction {
            Some(Direction::Encrypt) => 1,
            Some(Direction::Decrypt) => 0,
            None => -1,
        };
        // SAFETY: the context is alive; the key has the cipher's length, as asserted, and the IV
        // the block's, which is the IV length of every cipher that the tests fetch.
        let returned = unsafe {
            (library().EVP_CipherInit_ex2)(
                self.pointer(),
                cipher.map_or(ptr::null(), Cipher::pointer),
                key.map_or(ptr::null(), <[u8]>::as_ptr),
                iv.map_or(ptr::null(), |iv| iv.as_ptr()),
                direction,
                ptr::null(),
            )
        };
        if let Some(cipher) = cipher {
            self.belongs_to(cipher);
        }
        Outcome::of(returned, 0)
    }

    /// `EVP_CipherUpdate` from one buffer to another. The output must have room for one block more
    /// than the input.
    pub fn update(&mut self, input: &[u8], output: &mut [u8]) -> Outcome {
        assert!(output.len() >= input.len() + BLOCK, "room for a held block");
        // SAFETY: both buffers are as long as EVP may use, as asserted.
        unsafe { self.update_at(input.as_ptr(), output.as_mut_ptr(), input.len()) }
    }

    /// `EVP_CipherUpdate` of the first `length` bytes of a buffer, in place.
    pub fn update_in_place(&mut self, buffer: &mut [u8], length: usize) -> Outcome {
        self.update_within(buffer, 0, 0, length)
    }

    /// `EVP_CipherUpdate` from one offset of a buffer to another; the two ranges may overlap.
    pub fn update_within(&mut self, buffer: &mut [u8], from: usize, to: usize, length: usize) -> Outcome {
        assert!(buffer.len() >= from.max(to) + length + BLOCK, "room for a held block");
        let base = buffer.as_mut_ptr();
        // SAFETY: both ranges are inside the buffer, as asserted; C code accepts overlapping
        // ranges.
        unsafe { self.update_at(base.add(from), base.add(to), length) }
    }

    /// # Safety
    /// `length` bytes can be read from `input`, and a block more written to `output`.
    unsafe fn update_at(&mut self, input: *const u8, output: *mut u8, length: usize) -> Outcome {
        let length = c_int::try_from(length).expect("EVP's lengths are ints");
        let mut written = 0;
        // SAFETY: the context is alive; the caller guarantees the lengths of the buffers.
        let returned =
            unsafe { (library().EVP_CipherUpdate)(self.pointer(), output, &mut written, input, length) };
        Outcome::of(returned, written)
    }

    /// `EVP_CipherFinal_ex`.
    pub fn finish(&mut self, output: &mut [u8]) -> Outcome {
        assert!(output.len() >= BLOCK, "room for the last block");
        let mut written = 0;
        // SAFETY: the context is alive and a last block is all that is written.
        let returned =
            unsafe { (library().EVP_CipherFinal_ex)(self.pointer(), output.as_mut_ptr(), &mut written) };
        Outcome::of(returned, written)
    }

    /// `EVP_Cipher` of the first `length` bytes of the input. A length that is no multiple of the
    /// block makes OpenSSL's own code read and write a whole last block: both buffers must have it.
    pub fn one_shot(&mut self, input: &[u8], length: usize, output: &mut [u8]) -> Outcome {
        assert!(
            input.len() >= length + BLOCK && output.len() >= length + BLOCK,
            "room for a whole last block"
        );
        let count = u32::try_from(length).expect("EVP's lengths are ints");
        // SAFETY: the context is alive; both buffers have room for whole blocks.
        let returned =
            unsafe { (library().EVP_Cipher)(self.pointer(), output.as_mut_ptr(), input.as_ptr(), count) };
        Outcome::of(returned, 0)
    }

    /// `EVP_CIPHER_CTX_copy` into a new context.
    pub fn copy(&self) -> (Context, Outcome) {
        let mut copy = Context::new();
        copy.world = self.world.clone();
        // SAFETY: both contexts are alive.
        let returned = unsafe { (library().EVP_CIPHER_CTX_copy)(copy.pointer(), self.pointer()) };
        (copy, Outcome::of(returned, 0))
    }

    /// `EVP_CIPHER_CTX_reset`.
    pub fn reset(&mut self) -> Outcome {
        // SAFETY: the context is alive.
        Outcome::of(unsafe { (library().EVP_CIPHER_CTX_reset)(self.pointer()) }, 0)
    }

    /// `EVP_CIPHER_CTX_set_padding`.
    pub fn set_padding(&mut self, on: bool) -> Outcome {
        // SAFETY: the context is alive.
        Outcome::of(unsafe { (library().EVP_CIPHER_CTX_set_padding)(self.pointer(), on.into()) }, 0)
    }

    /// `EVP_CIPHER_CTX_set_num`.
    pub fn set_num(&mut self, num: c_int) -> Outcome {
        // SAFETY: the context is alive and has a cipher, as every caller's has.
        Outcome::of(unsafe { (library().EVP_CIPHER_CTX_set_num)(self.pointer(), num) }, 0)
    }

    /// `EVP_CIPHER_CTX_set_key_length`.
    pub fn set_key_length(&mut self, length: c_int) -> Outcome {
        assert!(self.key_length().is_some(), "a cipher is set");
        // SAFETY: the context is alive and has a cipher.
        Outcome::of(unsafe { (library().EVP_CIPHER_CTX_set_key_length)(self.pointer(), length) }, 0)
    }

    /// Key length, padding, num, and whether all could be read.
    pub fn numbers(&mut self) -> (c_int, u32, c_int, Outcome) {
        let mut padding = u32::MAX;
        let mut params = [OsslParam::uint(PADDING, &mut padding), OsslParam::end()];
        // SAFETY: the context is alive; the array is terminated and its place outlives the call.
        unsafe {
            let returned = (library().EVP_CIPHER_CTX_get_params)(self.pointer(), params.as_mut_ptr());
            let key_length = (library().EVP_CIPHER_CTX_get_key_length)(self.pointer());
            let num = (library().EVP_CIPHER_CTX_get_num)(self.pointer());
            (key_length, padding, num, Outcome::of(returned, 0))
        }
    }

    /// The original IV, and the result of the call.
    pub fn original_iv(&mut self) -> ([u8; BLOCK], Outcome) {
        let mut iv = [0; BLOCK];
        let place = iv.as_mut_ptr().cast();
        // SAFETY: the context is alive and the place has the length that is passed.
        let returned = unsafe { (library().EVP_CIPHER_CTX_get_original_iv)(self.pointer(), place, BLOCK) };
        (iv, Outcome::of(returned, 0))
    }

    /// The running IV, and the result of the call.
    pub fn updated_iv(&mut self) -> ([u8; BLOCK], Outcome) {
        let mut iv = [0; BLOCK];
        let place = iv.as_mut_ptr().cast();
        // SAFETY: the context is alive and the place has the length that is passed.
        let returned = unsafe { (library().EVP_CIPHER_CTX_get_updated_iv)(self.pointer(), place, BLOCK) };
        (iv, Outcome::of(returned, 0))
    }

    /// Declares, as libssl does, that every following update is one TLS record.
    pub fn set_tls_records(&mut self, records: TlsRecords) -> Outcome {
        let TlsRecords { mut version, mut mac_size } = records;
        let params = [
            OsslParam::int(TLS_VERSION, &mut version),
            OsslParam::size(TLS_MAC_SIZE, &mut mac_size),
            OsslParam::end(),
        ];
        // SAFETY: the context is alive; the array is terminated and its places outlive the call.
        let returned = unsafe { (library().EVP_CIPHER_CTX_set_params)(self.pointer(), params.as_ptr()) };
        Outcome::of(returned, 0)
    }

    /// The MAC of the last decrypted record, read as libssl does.
    pub fn tls_mac(&mut self, length: usize) -> (Option<Vec<u8>>, Outcome) {
        let mut place = ptr::null();
        let mut params = [OsslParam::octet_ptr(TLS_MAC, &mut place, length), OsslParam::end()];
        // SAFETY: the context is alive; the array is terminated and its place outlives the call.
        let returned = unsafe { (library().EVP_CIPHER_CTX_get_params)(self.pointer(), params.as_mut_ptr()) };
        let outcome = Outcome::of(returned, 0);
        if returned != 1 || place.is_null() || params[0].return_size != length {
            return (None, outcome);
        }
        // SAFETY: the provider guarantees the requested number of bytes until the next call.
        (Some(unsafe { std::slice::from_raw_parts(place, length) }.to_vec()), outcome)
    }

    fn key_length(&self) -> Option<usize> {
        // SAFETY: the context is alive; callers read the key's length only of a context that has a
        // cipher.
        unsafe {
            if (library().EVP_CIPHER_CTX_get0_cipher)(self.pointer()).is_null() {
                return None;
            }
            usize::try_from((library().EVP_CIPHER_CTX_get_key_length)(self.pointer())).ok()
        }
    }

    /// A cipher's library context lives as long as its contexts.
    pub(super) fn belongs_to(&mut self, cipher: &Cipher) {
        self.world = Some(cipher.world());
    }

    pub(super) fn pointer(&self) -> *mut c_void {
        self.context.as_ptr()
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: this object owns the context.
        unsafe { (library().EVP_CIPHER_CTX_free)(self.context.as_ptr()) }
    }
}
