//! State of an HMAC context.

use std::ffi::{c_int, c_void};
use std::ptr::null;
use std::sync::Arc;

use outboard_abi::{Param, Params};
use outboard_accel::memory::Shared;

use super::params::{DigestParam, digest_params, with_software_digest};
use super::software::SoftMac;
use crate::context_counts::ContextCounts;
use crate::contexts::{self, Create, Duplicate, SetParams};
use crate::core::{Core, Reason};
use crate::digest::offer::DigestOffer;
use crate::message::{HashDriver, Keyed, Message};
use crate::message_calls::Messages;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::request::given;

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
    fn init(&mut self, key: Option<&[u8]>, params: Params<'_>) -> c_int {
        self.listen(params);
        if let Some(key) = key {
            self.take(key);
        }
        let (at, len) = key.map_or((null(), 0), |key| (key.as_ptr(), key.len()));
        // SAFETY: the context, the key and the parameters are valid.
        let init = |params| unsafe { (self.soft.functions.init)(self.soft_at(), at, len, params) };
        let done = with_software_digest(params, init).unwrap_or_else(|| self.raise_too_many());
        self.trust(done);
        let keyed = self.keyed.as_ref().filter(|_| !self.only_soft);
        self.message.begin(keyed.map(|keyed| &*keyed.hash_driver));
        done
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

    fn listen(&mut self, params: Params<'_>) {
        for what in digest_params(params) {
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

/// Setting parameters changes the state of the default provider's context, so the gathered message is
/// passed to it first.
impl SetParams for Context {
    fn set_params(&mut self, params: Params<'_>) -> c_int {
        if self.message.committed().is_none() {
            return 0;
        }
        self.listen(params);
        // SAFETY: the context and the parameters are valid.
        let set = |params| unsafe { (self.soft.functions.set_ctx_params)(self.soft_at(), params) };
        let done = with_software_digest(params, set).unwrap_or_else(|| self.raise_too_many());
        self.trust(done);
        done
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
    unsafe { contexts::with(at, |context: &mut Context| context.init(given(key, len), Params::new(params))) }
}

impl Messages for Context {
    fn parts(&mut self) -> (&mut Message, Option<&HashDriver>, Option<(&Provider, &Keyed)>) {
        let with = self.keyed.as_deref().map(|keyed| (self.provider, keyed));
        (&mut self.message, self.hash_driver.map(Arc::as_ref), with)
    }
}
