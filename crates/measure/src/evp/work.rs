//! A cipher context, and requests to it.

use std::ffi::{c_int, c_uchar, c_void};
use std::ptr::{NonNull, null, null_mut};

use super::{Cipher, Error, Library, sample_key};

/// openssl/evp.h
const EVP_CIPH_CCM_MODE: c_int = 7;
const EVP_CTRL_AEAD_SET_IVLEN: c_int = 0x9;
const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;

const TAG: usize = 16;

/// Nonce length of an AEAD message in bytes, as in TLS.
const NONCE: usize = 12;

/// The IV of the first request of each context, as long as the longest IV of a cipher.
pub static SAMPLE_IV: [u8; 16] = [0x5a; 16];

#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestShape {
    /// An update, which continues where the previous one ended.
    Update,
    /// A message of an AEAD: nonce, data, tag.
    Message,
    /// A message of CCM, which needs the length first.
    Ccm,
}

pub struct Work<'a> {
    cipher: &'a Cipher<'a>,
    context: NonNull<c_void>,
    shape: RequestShape,
    encrypt: bool,
    input: Vec<u8>,
    output: Vec<u8>,
    tag: [u8; TAG],
    nonces: Nonces,
}

/// The nonces of the messages of a context, as differences from [`SAMPLE_IV`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nonces {
    Same,
    /// The number of the next message is XORed into the end of the nonce, as in TLS 1.3.
    Counting(u64),
    /// As `Counting`, with the numbers in an order without a pattern.
    Scattered(u64),
}

impl Nonces {
    fn next(&mut self) -> u64 {
        match self {
            Nonces::Same => 0,
            Nonces::Counting(number) | Nonces::Scattered(number) => {
                let next = *number;
                *number = number.wrapping_add(1);
                if matches!(self, Nonces::Scattered(_)) { scattered(next) } else { next }
            }
        }
    }

    fn restart(&mut self) {
        if let Nonces::Counting(number) | Nonces::Scattered(number) = self {
            *number = 0;
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators),
/// a bijection.
fn scattered(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

// SAFETY: only one thread at a time uses a context, which may be any thread (openssl-threads(7)).
unsafe impl Send for Work<'_> {}

/// A request under [`sample_key`] and [`SAMPLE_IV`], and its expected result.
pub struct Example {
    /// Data to encrypt or decrypt.
    pub input: Vec<u8>,
    /// The tag of the input, for decryption with an AEAD; else empty.
    pub tag: Vec<u8>,
    /// The result; after encryption with an AEAD the tag follows.
    pub output: Vec<u8>,
}

impl<'a> Cipher<'a> {
    /// A request of `bytes` bytes, processed by OpenSSL.
    pub fn example(&'a self, encrypt: bool, bytes: usize) -> Result<Example, Error> {
        let mut work = self.work(encrypt, bytes)?;
        work.run(1)?;
        let mut output = work.output().to_vec();
        let tag = if work.shape == RequestShape::Update { Vec::new() } else { work.tag.to_vec() };
        let tag = if encrypt {
            output.extend(tag);
            Vec::new()
        } else {
            tag
        };
        Ok(Example { input: work.input.clone(), tag, output })
    }

    /// Encrypts whole blocks under a key, of which the first bytes are used.
    pub fn block(&'a self, key: &[u8], blocks: &[u8]) -> Result<Vec<u8>, Error> {
        if key.len() < self.key_length() {
            return Err(Error::Failed("a key that is too short"));
        }
        let mut work = self.work(true, blocks.len())?;
        work.init(null(), key.as_ptr(), SAMPLE_IV.as_ptr())?;
        work.input.copy_from_slice(blocks);
        work.run(1)?;
        Ok(work.output().to_vec())
    }

    /// Creates a context with a key, for requests of `bytes` bytes, which must be whole blocks.
    pub fn work(&'a self, encrypt: bool, bytes: usize) -> Result<Work<'a>, Error> {
        // SAFETY: the function has no arguments.
        let context = NonNull::new(unsafe { (self.library.EVP_CIPHER_CTX_new)() });
        let context = context.ok_or(Error::Failed("EVP_CIPHER_CTX_new"))?;
        let shape = match self.mode() {
            EVP_CIPH_CCM_MODE => RequestShape::Ccm,
            _ if self.is_aead() => RequestShape::Message,
            _ => RequestShape::Update,
        };
        let (input, output) = (Vec::new(), Vec::new());
        let mut work = Work {
            cipher: self,
            context,
            shape,
            encrypt,
            input,
            output,
            tag: [0; TAG],
            nonces: Nonces::Same,
        };
        let key = sample_key(self.key_length());
        work.init(self.at.as_ptr(), null(), null())?;
        if shape == RequestShape::Ccm {
            // Before the key, because CCM's key setup depends on both lengths.
            work.control(EVP_CTRL_AEAD_SET_IVLEN, NONCE, null_mut())?;
            work.control(EVP_CTRL_AEAD_SET_TAG, TAG, null_mut())?;
        }
        work.init(null(), key.as_ptr(), SAMPLE_IV.as_ptr())?;
        if shape == RequestShape::Update {
            // SAFETY: the context is alive.
            let done = unsafe { (self.library.EVP_CIPHER_CTX_set_padding)(work.context.as_ptr(), 0) };
            if done != 1 {
                return Err(Error::Failed("EVP_CIPHER_CTX_set_padding"));
            }
        }
        work.resize(bytes)?;
        Ok(work)
    }
}

impl Work<'_> {
    /// Gives each of the following messages the next nonce, as protocols do. Only for encryption: a
    /// message to decrypt has the nonce that it was encrypted with.
    pub fn count_nonces(&mut self) {
        if self.has_nonces() {
            self.nonces = Nonces::Counting(0);
        }
    }

    /// Gives each of the following messages a new nonce that the nonces before it do not predict. Only
    /// for encryption.
    pub fn scatter_nonces(&mut self) {
        if self.has_nonces() {
            self.nonces = Nonces::Scattered(0);
        }
    }

    fn has_nonces(&self) -> bool {
        self.shape == RequestShape::Message && self.encrypt
    }

    /// Begins again with the key of this number, as a new connection does.
    pub fn begin(&mut self, number: u64) -> Result<(), Error> {
        let mut key = sample_key(self.cipher.key_length());
        key.iter_mut().zip(number.to_le_bytes()).for_each(|(key, number)| *key ^= number);
        self.nonces.restart();
        self.init(null(), key.as_ptr(), SAMPLE_IV.as_ptr())
    }

    /// Sets the length of the following requests in bytes.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Error> {
        self.input = (0..bytes).map(|at| at as u8).collect();
        // One block longer than the output of any update.
        self.output = vec![0; bytes + 16];
        if self.shape != RequestShape::Update && !self.encrypt {
            let mut sealed = self.cipher.work(true, bytes)?;
            sealed.run(1)?;
            self.input.copy_from_slice(sealed.output());
            self.tag = sealed.tag;
        }
        Ok(())
    }

    /// Length of a request in bytes.
    pub fn bytes(&self) -> usize {
        self.input.len()
    }

    pub fn output(&self) -> &[u8] {
        &self.output[..self.input.len()]
    }

    pub fn run(&mut self, requests: u32) -> Result<(), Error> {
        for _ in 0..requests {
            if self.shape == RequestShape::Update { self.update()? } else { self.message()? }
        }
        Ok(())
    }

    fn library(&self) -> &Library {
        self.cipher.library
    }

    fn update(&mut self) -> Result<(), Error> {
        let mut written: c_int = 0;
        // SAFETY: the context is alive, and the output is longer than any result.
        let done = unsafe {
            (self.library().EVP_CipherUpdate)(
                self.context.as_ptr(),
                self.output.as_mut_ptr(),
                &mut written,
                self.input.as_ptr(),
                self.input.len() as c_int,
            )
        };
        let is_all = done == 1 && written as usize == self.input.len();
        if is_all { Ok(()) } else { Err(Error::Failed("EVP_CipherUpdate")) }
    }

    fn message(&mut self) -> Result<(), Error> {
        let tag: *mut c_void = self.tag.as_mut_ptr().cast();
        let mut nonce = SAMPLE_IV;
        let difference = self.nonces.next().to_be_bytes();
        nonce[NONCE - 8..NONCE].iter_mut().zip(difference).for_each(|(at, byte)| *at ^= byte);
        self.init(null(), null(), nonce.as_ptr())?;
        if !self.encrypt {
            self.control(EVP_CTRL_AEAD_SET_TAG, TAG, tag)?;
        }
        let (at, len) = (self.context.as_ptr(), self.input.len() as c_int);
        let mut written: c_int = 0;
        if self.shape == RequestShape::Ccm {
            // SAFETY: the context is alive; a call without buffers sets a length.
            let told =
                unsafe { (self.library().EVP_CipherUpdate)(at, null_mut(), &mut written, null(), len) };
            if told != 1 {
                return Err(Error::Failed("EVP_CipherUpdate"));
            }
        }
        self.update()?;
        // SAFETY: the context is alive; the final call of an AEAD writes no data.
        let done = unsafe {
            (self.library().EVP_CipherFinal_ex)(at, self.output.as_mut_ptr_range().end.sub(16), &mut written)
        };
        if done != 1 {
            return Err(Error::Failed("EVP_CipherFinal_ex"));
        }
        if self.encrypt { self.control(EVP_CTRL_AEAD_GET_TAG, TAG, tag) } else { Ok(()) }
    }

    fn init(&self, cipher: *const c_void, key: *const c_uchar, iv: *const c_uchar) -> Result<(), Error> {
        let direction = c_int::from(self.encrypt);
        // SAFETY: context and cipher are alive; key and IV are null or at least as long as the
        // cipher requires.
        let done = unsafe {
            (self.library().EVP_CipherInit_ex2)(self.context.as_ptr(), cipher, key, iv, direction, null())
        };
        if done == 1 { Ok(()) } else { Err(Error::Failed("EVP_CipherInit_ex2")) }
    }

    fn control(&self, control: c_int, len: usize, at: *mut c_void) -> Result<(), Error> {
        // SAFETY: the context is alive; `at` is null or a tag.
        let done =
            unsafe { (self.library().EVP_CIPHER_CTX_ctrl)(self.context.as_ptr(), control, len as c_int, at) };
        if done == 1 { Ok(()) } else { Err(Error::Failed("EVP_CIPHER_CTX_ctrl")) }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        // SAFETY: this value owns the context.
        unsafe { (self.library().EVP_CIPHER_CTX_free)(self.context.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;

    #[test]
    fn openssl_does_requests_one_after_another() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        assert!(library.version().starts_with("OpenSSL "));
        let context = Context::software(&library).unwrap();
        assert!(context.cipher("AES-128-CBC", "provider=outboard").is_none());
        for name in ["AES-128-CBC", "AES-192-CTR", "AES-256-ECB", "AES-256-XTS", "DES-EDE3-CBC"] {
            let cipher = context.cipher(name, "").unwrap();
            for encrypt in [true, false] {
                let mut work = cipher.work(encrypt, 64).unwrap();
                work.run(1).unwrap();
                let first = work.output().to_vec();
                work.resize(4096).unwrap();
                work.run(3).unwrap();
                assert_eq!((work.bytes(), work.output().len()), (4096, 4096));
                assert!(
                    first != work.output()[..64] || name.ends_with("ECB") || name.ends_with("XTS"),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn each_message_can_have_the_next_nonce_and_each_connection_a_new_key() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        let cipher = context.cipher("AES-128-GCM", "").unwrap();
        let mut work = cipher.work(true, 64).unwrap();
        work.count_nonces();
        let mut results: Vec<Vec<u8>> = Vec::new();
        for number in [0, 1, 0] {
            work.begin(number).unwrap();
            for _ in 0..3 {
                work.run(1).unwrap();
                results.push(work.output().to_vec());
            }
        }
        assert_eq!(results[..3], results[6..], "the same key and nonces");
        results.truncate(6);
        results.sort();
        results.dedup();
        assert_eq!(results.len(), 6);
        work.scatter_nonces();
        for _ in 0..3 {
            work.run(1).unwrap();
            results.push(work.output().to_vec());
        }
        results.sort();
        results.dedup();
        assert_eq!(results.len(), 9, "a nonce is repeated");
        work.count_nonces();
        let same = cipher.example(true, 64).unwrap();
        work.begin(0).unwrap();
        work.run(1).unwrap();
        assert_eq!(same.output[..64], *work.output(), "the first nonce is the sample");
    }

    #[test]
    fn messages_with_a_tag_are_whole_and_verified() {
        let library = Library::open().expect("the tests' machine has OpenSSL");
        let context = Context::software(&library).unwrap();
        for name in ["AES-128-GCM", "AES-256-GCM", "AES-128-CCM", "AES-192-CCM", "ChaCha20-Poly1305"] {
            let cipher = context.cipher(name, "").unwrap();
            let mut sealed = cipher.work(true, 100).unwrap();
            sealed.run(3).unwrap();
            let mut opened = cipher.work(false, 100).unwrap();
            assert_eq!(opened.input, sealed.output(), "{name}");
            opened.run(3).unwrap();
            assert_eq!(opened.output(), sealed.input, "{name}");
            opened.resize(5000).unwrap();
            opened.run(2).unwrap();
            let [sealing, opening] = [true, false].map(|encrypt| cipher.example(encrypt, 100).unwrap());
            assert_eq!((sealing.output.len(), opening.tag.len()), (116, 16), "{name}");
            assert_eq!(sealing.output, [opening.input, opening.tag].concat(), "{name}");
            assert_eq!(sealing.input, opening.output, "{name}");
            opened.tag[0] ^= 1;
            assert!(opened.run(1).is_err(), "{name}: a forged one");
        }
    }
}
