//! Digests and their contexts.

use std::ffi::{c_uint, c_void};
use std::ptr::{NonNull, null};

use super::hashing::{Hasher, Hashing};
use super::{Error, Library};

pub struct Digest<'a> {
    pub(super) library: &'a Library,
    pub(super) at: NonNull<c_void>,
}

// SAFETY: threads may use a fetched method at the same time (openssl-threads(7)).
unsafe impl Sync for Digest<'_> {}

impl Digest<'_> {
    pub(super) fn size(&self) -> Result<usize, Error> {
        // SAFETY: the digest is alive.
        let size = unsafe { (self.library.EVP_MD_get_size)(self.at.as_ptr()) };
        usize::try_from(size).map_err(|_| Error::Failed("EVP_MD_get_size"))
    }

    /// Creates a context for messages of `bytes` bytes.
    pub fn hashing(&self, bytes: usize) -> Result<Hashing<'_>, Error> {
        let size = self.size()?;
        // SAFETY: the function has no arguments.
        let context = NonNull::new(unsafe { (self.library.EVP_MD_CTX_new)() });
        let context = context.ok_or(Error::Failed("EVP_MD_CTX_new"))?;
        Ok(Hashing::new(Box::new(DigestContext { digest: self, context }), bytes, size))
    }
}

impl Drop for Digest<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference; contexts hold their own.
        unsafe { (self.library.EVP_MD_free)(self.at.as_ptr()) }
    }
}

struct DigestContext<'a> {
    digest: &'a Digest<'a>,
    context: NonNull<c_void>,
}

// SAFETY: only one thread at a time uses a context, which may be any thread (openssl-threads(7)).
unsafe impl Send for DigestContext<'_> {}

impl Hasher for DigestContext<'_> {
    fn hash(&mut self, message: &[u8], output: &mut [u8]) -> Result<(), Error> {
        let (library, context) = (self.digest.library, self.context.as_ptr());
        let mut written: c_uint = 0;
        // SAFETY: context and digest are alive, and there are no parameters.
        let begun = unsafe { (library.EVP_DigestInit_ex2)(context, self.digest.at.as_ptr(), null()) };
        if begun != 1 {
            return Err(Error::Failed("EVP_DigestInit_ex2"));
        }
        // SAFETY: the context is alive, and the message is readable for its length.
        if unsafe { (library.EVP_DigestUpdate)(context, message.as_ptr().cast(), message.len()) } != 1 {
            return Err(Error::Failed("EVP_DigestUpdate"));
        }
        // SAFETY: the context is alive, and the output is as long as the digest.
        let done = unsafe { (library.EVP_DigestFinal_ex)(context, output.as_mut_ptr(), &mut written) };
        let is_all = done == 1 && written as usize == output.len();
        if is_all { Ok(()) } else { Err(Error::Failed("EVP_DigestFinal_ex")) }
    }
}

impl Drop for DigestContext<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the context.
        unsafe { (self.digest.library.EVP_MD_CTX_free)(self.context.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;

    #[test]
    fn openssl_hashes_one_message_after_another() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        assert!(context.digest("SHA2-256", "provider=outboard").is_none());
        assert!(context.digest("SHA2-257", "").is_none());
        for (name, size) in
            [("SHA1", 20), ("SHA2-224", 28), ("SHA2-256", 32), ("SHA2-384", 48), ("SHA2-512", 64)]
        {
            let digest = context.digest(name, "").unwrap();
            let [mut short, mut long] = [3, 1000].map(|bytes| digest.hashing(bytes).unwrap());
            short.run(1).unwrap();
            let first = short.output().to_vec();
            long.run(2).unwrap();
            assert_eq!((first.len(), long.output().len()), (size, size), "{name}");
            assert_ne!(first, long.output(), "{name}");
            short.run(3).unwrap();
            assert_eq!(first, short.output(), "{name}: each message begins anew");
        }
    }

    #[test]
    fn it_is_the_digest_of_the_message() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        let digest = context.digest("SHA2-256", "").unwrap();
        let mut hashing = digest.hashing(0).unwrap();
        hashing.run(1).unwrap();
        // The SHA-256 digest of the empty message, from NIST's SHA256ShortMsg.rsp.
        let start: Vec<String> = hashing.output()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((start.concat().as_str(), hashing.message()), ("e3b0c442", &[][..]));
        assert_eq!(digest.hashing(300).unwrap().message()[255..258], [255, 0, 1]);
    }
}
