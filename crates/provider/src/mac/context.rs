//! State of an HMAC context.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use outboard_abi::{Param, end};
use outboard_accel::memory::Shared;

use super::params::{DigestParam, MAX_PARAMS, digest_params, with_software_digest};
use super::software::SoftMac;
use crate::context_counts::ContextCounts;
use crate::contexts::{self, Create, Duplicate};
use crate::core::{Core, Reason};
use crate::digest::offer::DigestOffer;
use crate::message::{HashDriver, Keyed, Message};
use crate::provider::Provider;
use crate::provider_context::ProviderContext;

/// An HMAC context.
pub(super) struct Context {
    message: Message,
    /// The driver for the digest that was set in the context, if there is one.
    hash_driver: Option<&'static Arc<HashDriver>>,
    /// The driver with the key. Shared with copies of the context: TLS makes a copy for each
    /// record.
    keyed: Option<Shared<Keyed>>,
    /// A parameter was set that drivers do not support, such as that the padding of a record must
    /// stay secret.
    only_soft: bool,
    pub(super) soft: &'static SoftMac,
    offer: &'static DigestOffer,
    provider: &'static Provider,
}

impl Context {
    /// # Safety
    /// `key` is null or readable for `len` bytes; `params` is null or ends with a null key.
    unsafe fn init(&mut self, key: *const u8, len: usize, params: *const Param) -> c_int {
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.listen(params);
            if !key.is_null() {
                self.take(std::slice::from_raw_parts(key, len));
            }
        }
        // SAFETY: guaranteed by the caller; the copy also ends with a null key and lives through
        // the call.
        let done = unsafe {
            let mut rows = [end(); MAX_PARAMS];
            match with_software_digest(params, &mut rows) {
                Some(params) => (self.soft.init)(self.soft_at(), key, len, params),
                None => self.raise_too_many(),
            }
        };
        self.trust(done);
        let keyed = self.keyed.as_ref().filter(|_| !self.only_soft);
        self.message.begin(keyed.map(|keyed| &*keyed.hash_driver));
        done
    }

    /// Setting parameters changes the state of the default provider's context, so the gathered
    /// message is passed to it first.
    ///
    /// # Safety
    /// `params` is null or ends with a null key.
    pub(super) unsafe fn set_params(&mut self, params: *const Param) -> c_int {
        if self.message.committed().is_none() {
            return 0;
        }
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.listen(params);
            let mut rows = [end(); MAX_PARAMS];
            let done = match with_software_digest(params, &mut rows) {
                Some(params) => (self.soft.set_ctx_params)(self.soft_at(), params),
                None => self.raise_too_many(),
            };
            self.trust(done);
            done
        }
    }

    #[cold]
    fn raise_too_many(&self) -> c_int {
        self.provider.core.raise(Reason::Parameters, "more parameters than an HMAC has");
        0
    }

    /// After a failure, the key and digest of the default provider's context are unknown: no driver
    /// is used until both are set again.
    fn trust(&mut self, done: c_int) {
        if done != 1 {
            (self.hash_driver, self.keyed) = (None, None);
        }
    }

    /// The default provider's context.
    pub(super) fn soft_at(&self) -> *mut c_void {
        self.message.soft.at
    }

    /// # Safety
    /// `params` is null or ends with a null key.
    unsafe fn listen(&mut self, params: *const Param) {
        // SAFETY: guaranteed by the caller.
        for what in unsafe { digest_params(params) } {
            match what {
                DigestParam::Digest(name) => {
                    self.hash_driver = self.offer.hmac(name);
                    // Until a key is set again, the result is defined only by the default provider.
                    self.keyed = None;
                    self.message.counts = self
                        .hash_driver
                        .map(|hash_driver| ContextCounts::new(self.provider, hash_driver.name));
                }
                DigestParam::Key(key) => self.take(key),
                DigestParam::Other => self.only_soft = true,
            }
        }
    }

    /// Sets the key for the driver. Drivers do not get an empty key, or one that is longer than a
    /// block and must be hashed first. Without memory for it, software computes the HMACs.
    fn take(&mut self, key: &[u8]) {
        if self.keyed.as_ref().is_some_and(|keyed| keyed.has(key)) {
            return;
        }
        let fits = |hash_driver: &&Arc<HashDriver>| (1..=hash_driver.longest_key).contains(&key.len());
        let hash_driver = self.hash_driver.filter(fits);
        self.keyed = hash_driver.and_then(|hash_driver| Shared::try_new(Keyed::new(hash_driver, key)?));
    }
}

/// HMAC is one algorithm, of kind 0.
impl Create for Context {
    fn create(context: &'static ProviderContext, _kind: usize) -> Option<Context> {
        let provider = &context.provider;
        let offer = context.digests.get()?;
        let soft = offer.soft_hmac.as_ref()?;
        let message = Message::new(soft.common.context(provider.software)?, None);
        Some(Context { message, hash_driver: None, keyed: None, only_soft: false, soft, offer, provider })
    }
}

impl Duplicate for Context {
    fn core(&self) -> &Core {
        &self.provider.core
    }

    fn duplicate(&self) -> Option<Context> {
        let Context { hash_driver, only_soft, soft, offer, provider, .. } = *self;
        let counts = hash_driver.map(|hash_driver| ContextCounts::new(provider, hash_driver.name));
        let message = self.message.duplicate(hash_driver.map(Arc::as_ref), counts)?;
        let keyed = self.keyed.clone();
        Some(Context { message, hash_driver, keyed, only_soft, soft, offer, provider })
    }
}

/// `OSSL_FUNC_mac_init`
pub(super) unsafe extern "C" fn init(
    at: *mut c_void,
    key: *const u8,
    len: usize,
    params: *const Param,
) -> c_int {
    // SAFETY: the core guarantees valid contexts, keys and parameters.
    unsafe { contexts::with(at, |context: &mut Context| context.init(key, len, params)) }
}

/// `OSSL_FUNC_mac_update`
pub(super) unsafe extern "C" fn update(at: *mut c_void, input: *const u8, len: usize) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    // SAFETY: the core guarantees valid buffers.
    unsafe { context.message.update(input, len, context.hash_driver.map(Arc::as_ref)) }
}

/// `OSSL_FUNC_mac_final`
pub(super) unsafe extern "C" fn finish(at: *mut c_void, out: *mut u8, len: *mut usize, size: usize) -> c_int {
    // SAFETY: the core guarantees valid contexts and buffers.
    unsafe {
        contexts::with(at, |context: &mut Context| {
            let with = context.keyed.as_deref().map(|keyed| (context.provider, keyed));
            context.message.finish(out, len, size, with)
        })
    }
}
