//! HMACs and their contexts.

use std::ffi::{CString, c_uint, c_void};
use std::ptr::{NonNull, null};

use outboard_abi::{Param, ParamType, end};

use super::hashing::{Hasher, Hashing};
use super::{Error, Library};

pub struct Hmac<'a> {
    pub(super) library: &'a Library,
    pub(super) at: NonNull<c_void>,
    pub(super) digest: CString,
    pub(super) size: usize,
}

// SAFETY: threads may use a fetched method at the same time (openssl-threads(7)).
unsafe impl Sync for Hmac<'_> {}

impl Hmac<'_> {
    /// MAC length in bytes, which is also a common key length (RFC 2104, section 3).
    pub fn size(&self) -> usize {
        self.size
    }

    /// Creates a context with a key, for messages of `bytes` bytes.
    pub fn hashing(&self, key: &[u8], bytes: usize) -> Result<Hashing<'_>, Error> {
        // SAFETY: the MAC is alive.
        let context = NonNull::new(unsafe { (self.library.EVP_MAC_CTX_new)(self.at.as_ptr()) });
        let context = context.ok_or(Error::Failed("EVP_MAC_CTX_new"))?;
        let context = HmacContext { library: self.library, context };
        let digest = Param {
            key: c"digest".as_ptr(),
            data_type: ParamType::Utf8String as c_uint,
            data: self.digest.as_ptr().cast_mut().cast(),
            data_size: self.digest.as_bytes().len(),
            return_size: 0,
        };
        context.begin(key.as_ptr(), key.len(), [digest, end()].as_ptr())?;
        Ok(Hashing::new(Box::new(context), bytes, self.size))
    }
}

impl Drop for Hmac<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference; contexts hold their own.
        unsafe { (self.library.EVP_MAC_free)(self.at.as_ptr()) }
    }
}

struct HmacContext<'a> {
    library: &'a Library,
    context: NonNull<c_void>,
}

// SAFETY: only one thread at a time uses a context, which may be any thread (openssl-threads(7)).
unsafe impl Send for HmacContext<'_> {}

impl HmacContext<'_> {
    /// Begins a message with a key of `length` readable bytes, or with the previous key if `key` is
    /// null. `params` is null or ends with an end marker.
    fn begin(&self, key: *const u8, length: usize, params: *const Param) -> Result<(), Error> {
        // SAFETY: the context is alive; the caller guarantees the rest.
        let begun = unsafe { (self.library.EVP_MAC_init)(self.context.as_ptr(), key, length, params) };
        if begun == 1 { Ok(()) } else { Err(Error::Failed("EVP_MAC_init")) }
    }
}

impl Hasher for HmacContext<'_> {
    fn hash(&mut self, message: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let (library, context) = (self.library, self.context.as_ptr());
        self.begin(null(), 0, null())?;
        // SAFETY: the context is alive, and the message is readable for its length.
        if unsafe { (library.EVP_MAC_update)(context, message.as_ptr(), message.len()) } != 1 {
            return Err(Error::Failed("EVP_MAC_update"));
        }
        let mut written = 0;
        // SAFETY: the context is alive, and the output is writable for its length.
        let done =
            unsafe { (library.EVP_MAC_final)(context, output.as_mut_ptr(), &mut written, output.len()) };
        let is_all = done == 1 && written == output.len();
        if is_all { Ok(()) } else { Err(Error::Failed("EVP_MAC_final")) }
    }
}

impl Drop for HmacContext<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the context.
        unsafe { (self.library.EVP_MAC_CTX_free)(self.context.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;

    #[test]
    fn each_message_begins_anew_with_the_same_key() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        assert!(context.hmac("SHA2-256", "provider=outboard").is_none());
        assert!(context.hmac("SHA2-257", "").is_none());
        for (name, size) in
            [("SHA1", 20), ("SHA2-224", 28), ("SHA2-256", 32), ("SHA2-384", 48), ("SHA2-512", 64)]
        {
            let hmac = context.hmac(name, "").unwrap();
            assert_eq!(hmac.size(), size, "{name}");
            let mut hashing = hmac.hashing(b"key", 1000).unwrap();
            hashing.run(1).unwrap();
            let first = hashing.output().to_vec();
            hashing.run(3).unwrap();
            assert_eq!(first, hashing.output(), "{name}");
            let mut other = hmac.hashing(b"another key", 1000).unwrap();
            other.run(1).unwrap();
            assert!(first.len() == size && first != other.output(), "{name}");
        }
    }

    #[test]
    fn it_is_the_hmac_of_the_message() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        let hmac = context.hmac("SHA2-256", "").unwrap();
        let mut hashing = hmac.hashing(&[0x0b; 20], 0).unwrap();
        hashing.message = b"Hi There".to_vec();
        hashing.run(1).unwrap();
        // RFC 4231, test case 1.
        let start: Vec<String> = hashing.output()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(start.concat(), "b0344c61");
    }
}
