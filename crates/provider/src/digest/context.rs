use std::ffi::{c_int, c_void};

use outboard_abi::{Param, Params};

use super::offer::Digest;
use crate::context_counts::ContextCounts;
use crate::contexts::{self, Create, Duplicate, SetParams};
use crate::core::Core;
use crate::message::{HashDriver, Keyed, Message};
use crate::message_calls::Messages;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;

pub(super) struct Context {
    message: Message,
    digest: &'static Digest,
    provider: &'static Provider,
}

impl Context {
    fn init(&mut self, params: Params<'_>) -> c_int {
        let is_plain = params.rows().next().is_none();
        self.message.begin(is_plain.then_some(&*self.digest.keyed.hash_driver));
        self.digest.soft.begin(&mut self.message.soft, params)
    }
}

/// The parameters change the state of `soft`, so the gathered message is passed to it first.
impl SetParams for Context {
    fn set_params(&mut self, params: Params<'_>) -> c_int {
        let soft = self.message.committed();
        soft.map_or(0, |soft| self.digest.soft.set_params(soft, params))
    }
}

impl Create for Context {
    fn create(context: &'static ProviderContext, kind: usize) -> Option<Context> {
        let ProviderContext { provider, digests, .. } = context;
        let digest = digests.get()?.digest(kind)?;
        let soft = digest.soft.common.context(provider.software)?;
        let message = Message::new(soft, Some(ContextCounts::new(provider, digest.keyed.hash_driver.name)));
        Some(Context { message, digest, provider })
    }
}

impl Duplicate for Context {
    fn core(&self) -> &Core {
        &self.provider.core
    }

    fn duplicate(&self) -> Option<Context> {
        let Context { digest, provider, .. } = *self;
        let hash_driver = &digest.keyed.hash_driver;
        let message = self
            .message
            .duplicate(Some(hash_driver), Some(ContextCounts::new(provider, hash_driver.name)))?;
        Some(Context { message, digest, provider })
    }
}

pub(super) unsafe extern "C" fn init(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core guarantees valid contexts and parameters.
    unsafe { contexts::with(at, |context: &mut Context| context.init(Params::new(params))) }
}

impl Messages for Context {
    fn parts(&mut self) -> (&mut Message, Option<&HashDriver>, Option<(&Provider, &Keyed)>) {
        let keyed = &self.digest.keyed;
        (&mut self.message, Some(&keyed.hash_driver), Some((self.provider, keyed)))
    }
}
