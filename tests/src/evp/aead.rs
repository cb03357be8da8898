//! The calls of EVP for AEADs: EVP_CIPHER_CTX_ctrl(3), and updates without an output.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

use super::context::{Context, Outcome};
use super::library::library;

/// The numbers of openssl/evp.h.
const SET_IVLEN: c_int = 0x9;
const GET_TAG: c_int = 0x10;
const SET_TAG: c_int = 0x11;
const SET_IV_FIXED: c_int = 0x12;
const GCM_IV_GEN: c_int = 0x13;
const TLS1_AAD: c_int = 0x16;
const GCM_SET_IV_INV: c_int = 0x18;

/// The longest IV of any cipher, in bytes (GCM_IV_MAX_SIZE).
const LONGEST_IV: usize = 128;

impl Context {
    /// `EVP_CTRL_AEAD_SET_IVLEN`
    pub fn set_nonce_length(&mut self, length: usize) -> Outcome {
        self.ctrl(SET_IVLEN, length as c_int, null_mut())
    }

    /// `EVP_CipherInit_ex2` with an IV that is as long as was set, and may be shorter or longer
    /// than a block.
    pub fn init_with_nonce(&mut self, key: &[u8], nonce: &[u8]) -> Outcome {
        assert_eq!(usize::try_from(self.nonce_length()), Ok(nonce.len()), "the length that was set");
        // SAFETY: the context is alive and has a cipher; the key has the length that the caller
        // took from the cipher, and the IV the length that was set.
        let returned = unsafe {
            (library().EVP_CipherInit_ex2)(self.pointer(), null(), key.as_ptr(), nonce.as_ptr(), -1, null())
        };
        Outcome::of(returned, 0)
    }

    /// The current length of the IV.
    pub fn nonce_length(&mut self) -> c_int {
        // SAFETY: the context is alive and has a cipher, as every caller's has.
        unsafe { (library().EVP_CIPHER_CTX_get_iv_length)(self.pointer()) }
    }

    /// `EVP_CTRL_AEAD_SET_TAG` with a tag to be checked.
    pub fn set_tag(&mut self, tag: &[u8]) -> Outcome {
        let mut tag = tag.to_vec();
        self.ctrl(SET_TAG, tag.len() as c_int, tag.as_mut_ptr().cast())
    }

    /// `EVP_CTRL_AEAD_SET_TAG` with a length and no tag.
    pub fn set_tag_length(&mut self, length: usize) -> Outcome {
        self.ctrl(SET_TAG, length as c_int, null_mut())
    }

    /// `EVP_CTRL_AEAD_GET_TAG`
    pub fn tag(&mut self, length: usize) -> (Vec<u8>, Outcome) {
        let mut tag = vec![0xa5; length];
        let outcome = self.ctrl(GET_TAG, length as c_int, tag.as_mut_ptr().cast());
        (tag, outcome)
    }

    /// Additional data: an update without an output.
    pub fn additional(&mut self, data: &[u8]) -> Outcome {
        self.without_output(data.as_ptr(), data.len())
    }

    /// The length of the following data: an update with neither input nor output.
    pub fn announce(&mut self, length: usize) -> Outcome {
        self.without_output(null(), length)
    }

    fn without_output(&mut self, input: *const u8, length: usize) -> Outcome {
        let mut written = 0;
        let length = length as c_int;
        // SAFETY: the context is alive; the input is null or readable; nothing is written.
        let returned =
            unsafe { (library().EVP_CipherUpdate)(self.pointer(), null_mut(), &mut written, input, length) };
        Outcome::of(returned, written)
    }

    /// `EVP_Cipher` without an output: additional data, or the end where there is no input.
    pub fn one_shot_without_output(&mut self, input: Option<&[u8]>) -> Outcome {
        let (at, length) = input.map_or((null(), 0), |input| (input.as_ptr(), input.len()));
        // SAFETY: the context is alive; the input is null or readable; nothing is written.
        Outcome::of(unsafe { (library().EVP_Cipher)(self.pointer(), null_mut(), at, length as u32) }, 0)
    }

    /// `EVP_CTRL_AEAD_SET_IV_FIXED` with the fixed part of the IV; the rest is random for
    /// encryption.
    pub fn set_fixed_iv(&mut self, fixed: &[u8]) -> Outcome {
        let mut fixed = fixed.to_vec();
        self.ctrl(SET_IV_FIXED, fixed.len() as c_int, fixed.as_mut_ptr().cast())
    }

    /// `EVP_CTRL_AEAD_SET_IV_FIXED` with the whole IV, which is then incremented.
    pub fn set_counted_iv(&mut self, iv: &[u8]) -> Outcome {
        let mut whole = [0; LONGEST_IV];
        whole[..iv.len()].copy_from_slice(iv);
        self.ctrl(SET_IV_FIXED, -1, whole.as_mut_ptr().cast())
    }

    /// `EVP_CTRL_GCM_IV_GEN`: uses the next IV and returns its last bytes.
    pub fn next_iv(&mut self, length: usize) -> (Vec<u8>, Outcome) {
        let mut iv = vec![0xa5; length];
        let outcome = self.ctrl(GCM_IV_GEN, length as c_int, iv.as_mut_ptr().cast());
        (iv, outcome)
    }

    /// `EVP_CTRL_GCM_SET_IV_INV`: sets the last bytes of a received IV.
    pub fn set_brought_iv(&mut self, brought: &[u8]) -> Outcome {
        let mut brought = brought.to_vec();
        self.ctrl(GCM_SET_IV_INV, brought.len() as c_int, brought.as_mut_ptr().cast())
    }

    /// `EVP_CTRL_AEAD_TLS1_AAD`: the next update is a record of TLS 1.2. Returns by how
    /// much the record grows.
    pub fn set_record(&mut self, preceding: &[u8]) -> Outcome {
        let mut preceding = preceding.to_vec();
        self.ctrl(TLS1_AAD, preceding.len() as c_int, preceding.as_mut_ptr().cast())
    }

    fn ctrl(&mut self, what: c_int, number: c_int, data: *mut c_void) -> Outcome {
        // SAFETY: the context is alive; each caller passes the data that its control requires.
        Outcome::of(unsafe { (library().EVP_CIPHER_CTX_ctrl)(self.pointer(), what, number, data) }, 0)
    }
}
