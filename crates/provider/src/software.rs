//! The default provider: where software requests go.
//!
//! It is reached through the core's upcalls, by bare handles: holding a reference would keep it from ever
//! being torn down (or be used after its end, with OpenSSL 4.0). The handle is stored when the provider
//! comes and cleared when it goes; it is looked into only later, since the core calls back under its locks.
//!
//! Its ciphers and digests return 1 or 0 from every function that we call
//! (providers/implementations/ciphers/ciphercommon*.c, cipher_aes*.c, cipher_tdes*.c and digests/
//! of OpenSSL 3.0 to 4.0; the -1 of their inner functions does not come out). Its HMAC is the
//! exception: `hmac_update` returns what another provider's digest may have returned, see `feed` in
//! message/mod.rs.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use outboard_abi as abi;
use outboard_abi::{CoreHandle, Dispatch, Function, Param};

use crate::core::Core;

const NAME: &CStr = c"default";

/// The default provider of our library context, while it is there.
pub(crate) struct Software {
    handle: AtomicPtr<CoreHandle>,
}

impl Software {
    pub(crate) const fn absent() -> Self {
        Software { handle: AtomicPtr::new(null_mut()) }
    }

    /// A provider has come.
    ///
    /// # Safety
    /// `provider` is the handle that the core gave to the callback.
    pub(crate) unsafe fn came(&self, core: &Core, provider: *const CoreHandle) {
        // SAFETY: the caller vouches for the handle.
        if unsafe { core.is_called(provider, NAME) } {
            self.handle.store(provider.cast_mut(), Ordering::Release);
        }
    }

    /// A provider goes.
    pub(crate) fn went(&self, provider: *const CoreHandle) {
        // Another handle than the stored one is not the default provider: leave what is there.
        let _ = self.handle.compare_exchange(
            provider.cast_mut(),
            null_mut(),
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    /// The context to make the default provider's objects with; null while it is not there.
    pub(crate) fn context(&self, core: &Core) -> *mut c_void {
        // SAFETY: the handle is cleared before the core takes it back.
        unsafe { core.context_of(self.handle.load(Ordering::Acquire)) }
    }

    /// The default provider's implementation of a cipher.
    pub(crate) fn cipher(&self, core: &Core, name: &str) -> Option<SoftCipher> {
        // SAFETY: the table of a cipher.
        self.implementation(core, abi::OP_CIPHER, name).and_then(|table| unsafe { SoftCipher::new(table) })
    }

    /// The default provider's functions for an algorithm of one kind, by any of its names.
    pub(crate) fn implementation(
        &self,
        core: &Core,
        operation: c_int,
        name: &str,
    ) -> Option<*const Dispatch> {
        let handle = self.handle.load(Ordering::Acquire);
        if handle.is_null() {
            return None;
        }
        // SAFETY: the handle is valid while it is stored; the number gives the type of the function, whose
        // context is the default provider's own; its tables are constant data.
        unsafe {
            let query = abi::find(core.dispatch_of(handle), abi::PROVIDER_QUERY_OPERATION)?;
            let query = std::mem::transmute::<Function, abi::ProviderQueryOperation>(query);
            let mut no_cache: c_int = 0;
            let mut row = query(core.context_of(handle), operation, &mut no_cache);
            while !row.is_null() && !(*row).names.is_null() {
                let names = CStr::from_ptr((*row).names).to_bytes();
                if names.split(|&byte| byte == b':').any(|n| n.eq_ignore_ascii_case(name.as_bytes())) {
                    return Some((*row).implementation);
                }
                row = row.add(1);
            }
        }
        None
    }
}

/// The functions of a cipher of the default provider.
#[derive(Clone, Copy)]
pub(crate) struct SoftCipher {
    pub(crate) newctx: abi::CipherNewctx,
    pub(crate) freectx: abi::CipherFreectx,
    pub(crate) dupctx: abi::CipherDupctx,
    pub(crate) encrypt_init: abi::CipherInit,
    pub(crate) decrypt_init: abi::CipherInit,
    pub(crate) update: abi::CipherUpdate,
    pub(crate) finish: abi::CipherFinal,
    /// Whole blocks in one go, past the buffer and the padding of `update`.
    pub(crate) cipher: abi::CipherUpdate,
    pub(crate) get_ctx_params: abi::GetCtxParams,
    pub(crate) set_ctx_params: abi::CipherSetCtxParams,
    pub(crate) gettable_ctx_params: abi::CipherCtxParamList,
    pub(crate) settable_ctx_params: abi::CipherCtxParamList,
}

impl SoftCipher {
    /// # Safety
    /// `table` is the dispatch table of a cipher.
    unsafe fn new(table: *const Dispatch) -> Option<SoftCipher> {
        // SAFETY: a dispatch table ends with number 0.
        let find = |id| unsafe { abi::find(table, id) };
        // SAFETY: core_dispatch.h gives each number the type of the field that it is stored in.
        unsafe {
            Some(SoftCipher {
                newctx: std::mem::transmute::<Function, abi::CipherNewctx>(find(abi::CIPHER_NEWCTX)?),
                freectx: std::mem::transmute::<Function, abi::CipherFreectx>(find(abi::CIPHER_FREECTX)?),
                dupctx: std::mem::transmute::<Function, abi::CipherDupctx>(find(abi::CIPHER_DUPCTX)?),
                encrypt_init: std::mem::transmute::<Function, abi::CipherInit>(find(
                    abi::CIPHER_ENCRYPT_INIT,
                )?),
                decrypt_init: std::mem::transmute::<Function, abi::CipherInit>(find(
                    abi::CIPHER_DECRYPT_INIT,
                )?),
                update: std::mem::transmute::<Function, abi::CipherUpdate>(find(abi::CIPHER_UPDATE)?),
                finish: std::mem::transmute::<Function, abi::CipherFinal>(find(abi::CIPHER_FINAL)?),
                cipher: std::mem::transmute::<Function, abi::CipherUpdate>(find(abi::CIPHER_CIPHER)?),
                get_ctx_params: std::mem::transmute::<Function, abi::GetCtxParams>(find(
                    abi::CIPHER_GET_CTX_PARAMS,
                )?),
                set_ctx_params: std::mem::transmute::<Function, abi::CipherSetCtxParams>(find(
                    abi::CIPHER_SET_CTX_PARAMS,
                )?),
                gettable_ctx_params: std::mem::transmute::<Function, abi::CipherCtxParamList>(find(
                    abi::CIPHER_GETTABLE_CTX_PARAMS,
                )?),
                settable_ctx_params: std::mem::transmute::<Function, abi::CipherCtxParamList>(find(
                    abi::CIPHER_SETTABLE_CTX_PARAMS,
                )?),
            })
        }
    }
}

/// One cipher context of the default provider, freed with its owner.
pub(crate) struct SoftContext {
    pub(crate) functions: SoftCipher,
    pub(crate) at: *mut c_void,
}

impl SoftContext {
    /// A new context; `None` when the default provider has none to give.
    pub(crate) fn new(functions: SoftCipher, provider_context: *mut c_void) -> Option<SoftContext> {
        if provider_context.is_null() {
            return None;
        }
        // SAFETY: the function belongs to the provider whose context it gets.
        let at = unsafe { (functions.newctx)(provider_context) };
        (!at.is_null()).then_some(SoftContext { functions, at })
    }

    /// A copy with all state.
    pub(crate) fn duplicate(&self) -> Option<SoftContext> {
        // SAFETY: `at` is a context of this cipher.
        let at = unsafe { (self.functions.dupctx)(self.at) };
        (!at.is_null()).then_some(SoftContext { functions: self.functions, at })
    }

    /// Encrypts whole blocks in place, past the buffer and the padding. For ECB mode.
    pub(crate) fn encrypt_blocks(&self, blocks: &mut [u8]) -> bool {
        let (at, len) = (blocks.as_mut_ptr(), blocks.len());
        let mut written = 0;
        // SAFETY: a context of this cipher; the blocks are readable and writable for their length.
        let done = unsafe { (self.functions.cipher)(self.at, at, &mut written, len, at, len) };
        done == 1 && written == len
    }

    /// A context of its own with that key and IV and no padding state: what a copy is not fit for. A copy of
    /// one that has decrypted a TLS record holds the record's MAC as well, and both would free it (OpenSSL 3.0
    /// to 4.0, `aes_dupctx`).
    pub(crate) fn with_key(
        functions: SoftCipher,
        provider_context: *mut c_void,
        encrypt: bool,
        key: &[u8],
        iv: &[u8],
    ) -> Option<SoftContext> {
        let context = SoftContext::new(functions, provider_context)?;
        let init = if encrypt { functions.encrypt_init } else { functions.decrypt_init };
        let iv_at = if iv.is_empty() { null() } else { iv.as_ptr() };
        // SAFETY: a context of this cipher; key and IV are readable for their lengths, or null; no parameters.
        let done = unsafe { init(context.at, key.as_ptr(), key.len(), iv_at, iv.len(), null()) };
        (done == 1).then_some(context)
    }

    /// Sets parameters; the last row of `params` is the end.
    pub(crate) fn set_params(&self, params: &[Param]) -> bool {
        debug_assert!(params.last().is_some_and(|row| row.key.is_null()));
        // SAFETY: `at` is a context of this cipher; the array ends with a null key.
        unsafe { (self.functions.set_ctx_params)(self.at, params.as_ptr()) == 1 }
    }

    /// Goes on from `iv`, key_session the key schedule; drops buffered bytes.
    pub(crate) fn set_iv(&self, encrypt: bool, iv: &[u8]) -> bool {
        let init = if encrypt { self.functions.encrypt_init } else { self.functions.decrypt_init };
        // SAFETY: `at` is a context of this cipher; `iv` is readable for its length; no key, no parameters.
        unsafe { init(self.at, null(), 0, iv.as_ptr(), iv.len(), null()) == 1 }
    }

    /// Gives it a block of ciphertext that it keeps back, as decryption with padding does with the last one.
    pub(crate) fn keep_back(&self, block: &[u8]) -> bool {
        let mut nothing = [0; 16];
        let mut written = 0;
        // SAFETY: a context of this cipher; both buffers have as many bytes as is said.
        let done = unsafe {
            (self.functions.update)(
                self.at,
                nothing.as_mut_ptr(),
                &mut written,
                nothing.len(),
                block.as_ptr(),
                block.len(),
            )
        };
        done == 1 && written == 0
    }
}

impl Drop for SoftContext {
    fn drop(&mut self) {
        // SAFETY: `at` is a context of this cipher and is not used again.
        unsafe { (self.functions.freectx)(self.at) }
    }
}
