//! The provider context that the core stores.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use outboard_abi as abi;
use outboard_abi::Param;

use crate::decided::Decided;
use crate::digest::offer::DigestOffer;
use crate::guard;
use crate::offer::Offer;
use crate::provider::Provider;
use crate::reserve::with_reserve;

pub(crate) struct ProviderContext {
    pub(crate) provider: Provider,
    /// Whether key PROGRAMS allows the running program; if not, nothing is offered.
    pub(crate) is_allowed: bool,
    pub(crate) offer: Decided<Offer>,
    pub(crate) digests: Decided<DigestOffer>,
}

impl ProviderContext {
    /// # Safety
    /// `at` is null, or `OSSL_provider_init` returned it and its teardown has not begun. The core
    /// calls that when no algorithm of the provider, and therefore no context, is left.
    pub(crate) unsafe fn at(at: *mut c_void) -> Option<&'static ProviderContext> {
        // SAFETY: guaranteed by the caller.
        unsafe { at.cast::<ProviderContext>().as_ref() }
    }

    /// A list of parameters of the default provider's contexts; null if there is none.
    pub(crate) fn list(
        context: Option<&ProviderContext>,
        choose: impl FnOnce(&ProviderContext) -> Option<abi::CipherCtxParamList>,
    ) -> *const Param {
        guard(null(), || {
            let chosen =
                context.and_then(|context| Some((choose(context)?, context.provider.software.context())));
            // SAFETY: without a context of an algorithm this returns the full list; the other context
            // belongs to the default provider.
            chosen.map_or(null(), |(list, software)| unsafe { list(null_mut(), software) })
        })
    }

    /// Decided once; `None` while the default provider is not active.
    pub(crate) fn decide<'a, T>(
        &'a self,
        offer: &'a Decided<T>,
        decide: impl FnOnce(&Provider) -> T,
    ) -> Option<&'a T> {
        let provider = &self.provider;
        let is_ready = || !provider.software.context().is_null();
        let decide = || with_reserve(|| offer.set(decide(provider)));
        offer.get().or_else(|| if is_ready() { decide() } else { None })
    }
}
