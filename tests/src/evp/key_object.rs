//! Keys as objects of a provider (EVP_SKEY, new in OpenSSL 3.5).

use std::ffi::{CString, c_int, c_void};
use std::ptr::{NonNull, null};

use super::cipher::Cipher;
use super::context::{BLOCK, Context, Direction, Outcome};
use super::library::{KeyObjects, key_objects};
use super::library_context::LibraryContext;

/// The function for key objects that this libcrypto lacks, if any.
pub fn lacks_key_objects() -> Option<String> {
    key_objects().err()
}

fn functions() -> &'static KeyObjects {
    key_objects().expect("the test has asked")
}

/// An `EVP_SKEY`.
#[derive(Debug)]
pub struct KeyObject {
    key: NonNull<c_void>,
    _world: LibraryContext,
}

impl KeyObject {
    /// `EVP_SKEY_import_raw_key` for AES; `None` when no provider matches the query.
    pub fn import(world: &LibraryContext, key: &[u8], query: &str) -> Option<KeyObject> {
        let query = CString::new(query).expect("a property query holds no NUL byte");
        let (mut copy, name) = (key.to_vec(), c"AES".as_ptr());
        // SAFETY: the library context is alive; the key has its length; name and query are C strings.
        let key = unsafe {
            let import = functions().EVP_SKEY_import_raw_key;
            import(world.pointer(), name, copy.as_mut_ptr(), copy.len(), query.as_ptr())
        };
        NonNull::new(key).map(|key| KeyObject { key, _world: world.clone() })
    }
}

impl Drop for KeyObject {
    fn drop(&mut self) {
        // SAFETY: the key is alive, and contexts have what they need of it.
        unsafe { (functions().EVP_SKEY_free)(self.key.as_ptr()) };
    }
}

impl Context {
    /// `EVP_CipherInit_SKEY`; `None` is passed as NULL.
    pub fn init_with_object(
        &mut self,
        cipher: &Cipher,
        key: Option<&KeyObject>,
        iv: &[u8; BLOCK],
        direction: Direction,
    ) -> Outcome {
        let encrypts = c_int::from(direction == Direction::Encrypt);
        // SAFETY: context, cipher and key are alive, and the IV has this length.
        let returned = unsafe {
            let key = key.map_or(std::ptr::null_mut(), |key| key.key.as_ptr());
            let init = functions().EVP_CipherInit_SKEY;
            init(self.pointer(), cipher.pointer(), key, iv.as_ptr(), iv.len(), encrypts, null())
        };
        self.belongs_to(cipher);
        Outcome::of(returned, 0)
    }
}
