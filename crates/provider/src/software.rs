//! The default provider, which computes requests in software.
//!
//! It is called through the core's functions with a plain handle: a counted reference would prevent
//! its teardown (or, with OpenSSL 4.0, be used after it). The handle is stored when the provider is
//! activated and cleared when it is deactivated. It is first used later, because the core makes
//! these callbacks with its locks held.
//!
//! The callbacks cannot always be unregistered: an application may free a cipher context, with
//! which this provider ends, after the library context, which unregistering reads. The end of the
//! default provider shows that. What the callbacks use is then never freed, and the module stays
//! loaded (`jobs::stay_loaded`).
//!
//! Its ciphers and digests return 1 or 0 from every function that is called here
//! (providers/implementations/ciphers/ciphercommon*.c, cipher_aes*.c, cipher_tdes*.c and digests/
//! of OpenSSL 3.0 to 4.0). Its HMAC does not: see `feed` in message/mod.rs.

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

use outboard_abi as abi;
use outboard_abi::{CoreHandle, Dispatch, Param};

use crate::core::Core;
use outboard_accel::memory::try_box;
use outboard_accel::wipe;

const NAME: &CStr = c"default";

pub(crate) struct Software {
    handle: AtomicPtr<CoreHandle>,
    core: Core,
    /// The one that ended before, so that a search for leaks finds it.
    ended_before: AtomicPtr<Software>,
}

/// Those that have ended and that the core may still pass to the callbacks.
static ENDED: AtomicPtr<Software> = AtomicPtr::new(null_mut());

impl Software {
    /// `None` without memory. The result must be passed to [`end`](Self::end).
    pub(crate) fn watch(core: Core) -> Option<&'static Software> {
        let (handle, ended_before) = (AtomicPtr::new(null_mut()), AtomicPtr::new(null_mut()));
        let software: &Software = Box::leak(try_box(Software { handle, core, ended_before })?);
        let argument = from_ref(software).cast_mut();
        // SAFETY: the argument is freed only by `end`, and not before it is unregistered.
        if unsafe { core.watch_providers(activated, deactivated, argument.cast()) } {
            return Some(software);
        }
        // SAFETY: a failed registration keeps nothing, so no other reference exists.
        drop(unsafe { Box::from_raw(argument) });
        None
    }

    /// # Safety
    /// It is called once, and no other reference is used afterwards.
    pub(crate) unsafe fn end(&'static self) {
        let argument = from_ref(self).cast_mut();
        if !self.handle.load(Ordering::Acquire).is_null() {
            // The default provider is active, so the library context exists.
            self.core.unwatch_providers();
            // SAFETY: unregistering waits for callbacks that run; the caller uses no other reference.
            drop(unsafe { Box::from_raw(argument) });
            return;
        }
        let before = ENDED.swap(argument, Ordering::AcqRel);
        self.ended_before.store(before, Ordering::Relaxed);
    }

    /// # Safety
    /// `provider` is the handle that the core passed to the callback.
    unsafe fn came(&self, provider: *const CoreHandle) {
        // SAFETY: the caller guarantees the handle.
        if unsafe { self.core.is_called(provider, NAME) } {
            self.handle.store(provider.cast_mut(), Ordering::Release);
        }
    }

    fn went(&self, provider: *const CoreHandle) {
        // Any other handle does not belong to the default provider and changes nothing.
        let _ = self.handle.compare_exchange(
            provider.cast_mut(),
            null_mut(),
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
    }

    /// For creating its objects; null while it is not active.
    pub(crate) fn context(&self) -> *mut c_void {
        // SAFETY: the handle is cleared before it becomes invalid.
        unsafe { self.core.context_of(self.handle.load(Ordering::Acquire)) }
    }

    pub(crate) fn cipher(&self, name: &str) -> Option<SoftCipher> {
        // SAFETY: the table of a cipher.
        self.implementation(abi::OP_CIPHER, name).and_then(|table| unsafe { SoftCipher::new(table) })
    }

    /// By any of its names.
    pub(crate) fn implementation(&self, operation: c_int, name: &str) -> Option<*const Dispatch> {
        let core = &self.core;
        let handle = self.handle.load(Ordering::Acquire);
        if handle.is_null() {
            return None;
        }
        // SAFETY: the handle is valid while it is stored; the number defines the type of the
        // function, whose context is the default provider's own; its tables are constant data.
        unsafe {
            let query: abi::ProviderQueryOperation =
                abi::find(core.dispatch_of(handle), abi::PROVIDER_QUERY_OPERATION)?;
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

/// Called under the core's locks, so it only stores the handle.
unsafe extern "C" fn activated(handle: *const CoreHandle, argument: *mut c_void) -> c_int {
    // SAFETY: the argument is the one passed to `watch_providers`, and the handle is the core's own.
    // The call cannot panic.
    unsafe { (*argument.cast::<Software>()).came(handle) };
    1
}

unsafe extern "C" fn deactivated(handle: *const CoreHandle, argument: *mut c_void) -> c_int {
    // SAFETY: the argument is the one passed to `watch_providers`. The call cannot panic.
    unsafe { &*argument.cast::<Software>() }.went(handle);
    1
}

abi::functions! {
    /// The functions of a cipher in the default provider.
    pub(crate) struct SoftCipher {
        pub(crate) newctx: CipherNewctx = CIPHER_NEWCTX;
        pub(crate) freectx: CipherFreectx = CIPHER_FREECTX;
        pub(crate) dupctx: CipherDupctx = CIPHER_DUPCTX;
        pub(crate) encrypt_init: CipherInit = CIPHER_ENCRYPT_INIT;
        pub(crate) decrypt_init: CipherInit = CIPHER_DECRYPT_INIT;
        pub(crate) update: CipherUpdate = CIPHER_UPDATE;
        pub(crate) finish: CipherFinal = CIPHER_FINAL;
        /// Processes whole blocks in one call, without the buffer and the padding of `update`.
        pub(crate) cipher: CipherUpdate = CIPHER_CIPHER;
        pub(crate) get_ctx_params: GetCtxParams = CIPHER_GET_CTX_PARAMS;
        pub(crate) set_ctx_params: CipherSetCtxParams = CIPHER_SET_CTX_PARAMS;
        pub(crate) gettable_ctx_params: CipherCtxParamList = CIPHER_GETTABLE_CTX_PARAMS;
        pub(crate) settable_ctx_params: CipherCtxParamList = CIPHER_SETTABLE_CTX_PARAMS;
    }
}

pub(crate) struct SoftContext {
    pub(crate) functions: &'static SoftCipher,
    pub(crate) at: *mut c_void,
}

impl SoftContext {
    /// `None` if the default provider is not active or has no memory.
    pub(crate) fn new(functions: &'static SoftCipher, provider_context: *mut c_void) -> Option<SoftContext> {
        if provider_context.is_null() {
            return None;
        }
        // SAFETY: the function belongs to the provider of the context.
        let at = unsafe { (functions.newctx)(provider_context) };
        (!at.is_null()).then_some(SoftContext { functions, at })
    }

    pub(crate) fn duplicate(&self) -> Option<SoftContext> {
        // SAFETY: `at` is a context of this cipher.
        let at = unsafe { (self.functions.dupctx)(self.at) };
        (!at.is_null()).then_some(SoftContext { functions: self.functions, at })
    }

    /// In place, without buffering and padding. For ECB mode.
    pub(crate) fn encrypt_blocks(&self, blocks: &mut [u8]) -> bool {
        let (at, len) = (blocks.as_mut_ptr(), blocks.len());
        let mut written = 0;
        // SAFETY: `at` is a context of this cipher; the blocks are readable and writable for their
        // length.
        let done = unsafe { (self.functions.cipher)(self.at, at, &mut written, len, at, len) };
        done == 1 && written == len
    }

    /// Without padding state, where `duplicate` must not be used: a context that has decrypted a
    /// TLS record also holds its MAC, which the copy and the original would both free (OpenSSL 3.0
    /// to 4.0, `aes_dupctx`).
    pub(crate) fn with_key(
        functions: &'static SoftCipher,
        provider_context: *mut c_void,
        encrypt: bool,
        key: &[u8],
        iv: &[u8],
    ) -> Option<SoftContext> {
        let context = SoftContext::new(functions, provider_context)?;
        context.init(encrypt, Some(key), Some(iv).filter(|iv| !iv.is_empty())).then_some(context)
    }

    pub(crate) fn init(&self, encrypt: bool, key: Option<&[u8]>, iv: Option<&[u8]>) -> bool {
        let init = if encrypt { self.functions.encrypt_init } else { self.functions.decrypt_init };
        let given = |bytes: Option<&[u8]>| bytes.map_or((null(), 0), |bytes| (bytes.as_ptr(), bytes.len()));
        let ((key, key_len), (iv, iv_len)) = (given(key), given(iv));
        // SAFETY: a context of this cipher; key and IV are readable for their lengths, or null; no
        // parameters.
        unsafe { init(self.at, key, key_len, iv, iv_len, null()) == 1 }
    }

    /// The last row of `params` must be the end row.
    pub(crate) fn set_params(&self, params: &[Param]) -> bool {
        debug_assert!(params.last().is_some_and(|row| row.key.is_null()));
        // SAFETY: `at` is a context of this cipher; the array ends with a null key.
        unsafe { (self.functions.set_ctx_params)(self.at, params.as_ptr()) == 1 }
    }

    /// Keeps the key schedule, and drops buffered bytes.
    pub(crate) fn set_iv(&self, encrypt: bool, iv: &[u8]) -> bool {
        self.init(encrypt, None, Some(iv))
    }

    pub(crate) fn add_associated(&self, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            return true;
        }
        // The size of the output is compared with that of the input in this case too
        // (ossl_gcm_stream_update).
        // SAFETY: without an output buffer the input is additional data.
        unsafe { self.update(null_mut(), bytes.len(), bytes.as_ptr(), bytes.len()).is_some() }
    }

    /// By `len` bytes of key stream, fewer than a block.
    pub(crate) fn skip(&self, len: usize) -> bool {
        if len == 0 {
            return true;
        }
        let mut skipped = [0; 16];
        let done = self.crypt(&mut skipped[..len]).is_some();
        wipe(&mut skipped);
        done
    }

    /// Buffers a block of ciphertext, as decryption with padding does with the last one.
    pub(crate) fn keep_back(&self, block: &[u8]) -> bool {
        let mut nothing = [0; 16];
        // SAFETY: both buffers have the given lengths.
        let written =
            unsafe { self.update(nothing.as_mut_ptr(), nothing.len(), block.as_ptr(), block.len()) };
        written == Some(0)
    }

    /// In place. Returns the number of bytes written.
    pub(crate) fn crypt(&self, text: &mut [u8]) -> Option<usize> {
        let (at, len) = (text.as_mut_ptr(), text.len());
        // SAFETY: the text is readable and writable for its length.
        unsafe { self.update(at, len, at, len) }
    }

    /// Returns the number of bytes written.
    ///
    /// # Safety
    /// `out` is null or writable for `size` bytes, and `input` readable for `len` bytes.
    pub(crate) unsafe fn update(
        &self,
        out: *mut u8,
        size: usize,
        input: *const u8,
        len: usize,
    ) -> Option<usize> {
        let mut written = 0;
        // SAFETY: `at` is a context of this cipher; guaranteed by the caller.
        let done = unsafe { (self.functions.update)(self.at, out, &mut written, size, input, len) };
        (done == 1).then_some(written)
    }

    pub(crate) fn end(&self) -> bool {
        let mut nothing = [0; 16];
        let mut written = 0;
        // SAFETY: a context of this cipher; final writes at most a block.
        unsafe { (self.functions.finish)(self.at, nothing.as_mut_ptr(), &mut written, nothing.len()) == 1 }
    }
}

impl Drop for SoftContext {
    fn drop(&mut self) {
        // SAFETY: `at` is a context of this cipher and is not used again.
        unsafe { (self.functions.freectx)(self.at) }
    }
}
