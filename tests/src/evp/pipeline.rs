//! Pipelines: several streams in one context (EVP_CipherPipelineUpdate(3)).

use std::ffi::c_int;
use std::ptr::null;

use super::cipher::Cipher;
use super::context::{BLOCK, Context, Direction, Outcome};
use super::library::{library, pipelines};

/// The function for pipelines that this libcrypto lacks, if any: they are new in OpenSSL 3.5.
pub fn lacks_pipelines() -> Option<String> {
    pipelines().err()
}

/// `EVP_CIPHER_can_pipeline`
pub fn can_pipeline(cipher: &Cipher, direction: Direction) -> bool {
    let functions = pipelines().expect("the test has asked");
    let encrypts = c_int::from(direction == Direction::Encrypt);
    // SAFETY: the cipher is alive.
    unsafe { (functions.EVP_CIPHER_can_pipeline)(cipher.pointer(), encrypts) == 1 }
}

impl Context {
    /// `EVP_CipherPipelineEncryptInit` or `EVP_CipherPipelineDecryptInit`; `None` is passed
    /// as NULL.
    #[track_caller]
    pub fn init_pipes(
        &mut self,
        cipher: Option<&Cipher>,
        key: Option<&[u8]>,
        ivs: &[Option<[u8; BLOCK]>],
        direction: Direction,
    ) -> Outcome {
        let functions = pipelines().expect("the test has asked");
        let init = match direction {
            Direction::Encrypt => functions.EVP_CipherPipelineEncryptInit,
            Direction::Decrypt => functions.EVP_CipherPipelineDecryptInit,
        };
        // SAFETY: the context or the given cipher is alive.
        let iv_length = unsafe {
            match cipher {
                Some(cipher) => (library().EVP_CIPHER_get_iv_length)(cipher.pointer()),
                None => (library().EVP_CIPHER_CTX_get_iv_length)(self.pointer()),
            }
        };
        let at: Vec<_> = ivs.iter().map(|iv| iv.as_ref().map_or(null(), |iv| iv.as_ptr())).collect();
        // SAFETY: the context is alive; the key has its length, and each IV at least that of the
        // cipher.
        let returned = unsafe {
            init(
                self.pointer(),
                cipher.map_or(null(), Cipher::pointer),
                key.map_or(null(), <[u8]>::as_ptr),
                key.map_or(0, <[u8]>::len),
                ivs.len(),
                at.as_ptr(),
                usize::try_from(iv_length).expect("a length is not negative"),
            )
        };
        if let Some(cipher) = cipher {
            self.belongs_to(cipher);
        }
        Outcome::of(returned, 0)
    }

    /// `EVP_CipherPipelineUpdate`, in place or from one buffer to another: the output of each
    /// pipe.
    pub fn update_pipes(&mut self, inputs: &[&[u8]], in_place: bool) -> (Outcome, Vec<Vec<u8>>) {
        let functions = pipelines().expect("the test has asked");
        let lengths: Vec<usize> = inputs.iter().map(|input| input.len()).collect();
        let sizes: Vec<usize> = lengths.iter().map(|length| length + BLOCK).collect();
        let mut buffers: Vec<Vec<u8>> = inputs.iter().map(|input| [*input, &[0; BLOCK]].concat()).collect();
        let outputs: Vec<*mut u8> = buffers.iter_mut().map(|buffer| buffer.as_mut_ptr()).collect();
        let separate = inputs.iter().map(|input| input.as_ptr());
        let from: Vec<*const u8> = if in_place {
            outputs.iter().map(|output| output.cast_const()).collect()
        } else {
            separate.collect()
        };
        let mut written = vec![0; inputs.len()];
        // SAFETY: the context is alive; each array has an entry for each pipe that the context has,
        // as the caller knows, and each buffer its length.
        let returned = unsafe {
            (functions.EVP_CipherPipelineUpdate)(
                self.pointer(),
                outputs.as_ptr(),
                written.as_mut_ptr(),
                sizes.as_ptr(),
                from.as_ptr(),
                lengths.as_ptr(),
            )
        };
        (Outcome::of(returned, 0), cut(buffers, &written))
    }

    /// `EVP_CipherPipelineFinal`: the output of each pipe.
    pub fn finish_pipes(&mut self, count: usize) -> (Outcome, Vec<Vec<u8>>) {
        let functions = pipelines().expect("the test has asked");
        let mut buffers = vec![vec![0; BLOCK]; count];
        let outputs: Vec<*mut u8> = buffers.iter_mut().map(|buffer| buffer.as_mut_ptr()).collect();
        let (sizes, mut written) = (vec![BLOCK; count], vec![0; count]);
        // SAFETY: as in `update_pipes`.
        let returned = unsafe {
            (functions.EVP_CipherPipelineFinal)(
                self.pointer(),
                outputs.as_ptr(),
                written.as_mut_ptr(),
                sizes.as_ptr(),
            )
        };
        (Outcome::of(returned, 0), cut(buffers, &written))
    }
}

fn cut(mut buffers: Vec<Vec<u8>>, written: &[usize]) -> Vec<Vec<u8>> {
    for (buffer, &length) in buffers.iter_mut().zip(written) {
        buffer.truncate(length);
    }
    buffers
}
