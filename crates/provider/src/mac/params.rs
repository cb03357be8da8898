//! Parameters of an HMAC context (EVP_MAC-HMAC(7)). Those that determine the driver are recorded.

use std::ffi::{c_int, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, Params, name};

use super::context::Context;
use super::software::SoftMac;
use crate::contexts;
use crate::digest::offer::may_be_ours;
use crate::provider_context::ProviderContext;

/// Number of rows for the parameters of a call. HMAC has seven, and two are added.
const MAX_PARAMS: usize = 32;

/// A parameter as far as it affects the choice of a driver.
pub(super) enum DigestParam<'a> {
    /// Name of the digest; empty if a property query for the digest is given.
    Digest(&'a [u8]),
    Key(&'a [u8]),
    Other,
}

pub(super) fn digest_params(params: Params<'_>) -> impl Iterator<Item = DigestParam<'_>> {
    let is_chosen = params.get(name::MAC_PROPERTIES).is_some();
    params.rows().map(move |row| match row.key() {
        key if key == name::MAC_DIGEST && row.is_a(ParamType::Utf8String) => {
            let text = row.bytes(ParamType::Utf8String).filter(|_| !is_chosen).unwrap_or_default();
            // The size may include the NUL.
            DigestParam::Digest(text.split(|&byte| byte == 0).next().unwrap_or_default())
        }
        key if key == name::MAC_KEY && row.is_a(ParamType::OctetString) => {
            DigestParam::Key(row.bytes(ParamType::OctetString).unwrap_or_default())
        }
        key if key == name::MAC_PROPERTIES => DigestParam::Digest(&[]),
        _ => DigestParam::Other,
    })
}

/// Calls a function with parameters with which the default provider's HMAC fetches its digest from the
/// default provider. With a name alone the fetch may return a digest of this provider
/// (providers/common/provider_util.c, `ossl_prov_digest_load_from_params`). A driver would then
/// compute what software must compute, including the reference for results of hardware. Digests that
/// this provider never offers, such as those of the legacy provider, are fetched as the application
/// requests. `None`: there are too many parameters.
pub(super) fn with_software_digest(
    params: Params<'_>,
    call: impl FnOnce(*const Param) -> c_int,
) -> Option<c_int> {
    let is_ours = |what| matches!(what, DigestParam::Digest(name) if may_be_ours(name));
    if !digest_params(params).any(is_ours) {
        return Some(call(params.as_ptr()));
    }
    let mut rows = [abi::end(); MAX_PARAMS];
    let query = Param::construct_utf8_string(name::MAC_PROPERTIES, c"provider=default");
    for (count, row) in params.rows().map(|row| row.row()).chain([query, abi::end()]).enumerate() {
        *rows.get_mut(count)? = row;
    }
    Some(call(rows.as_ptr()))
}

pub(super) unsafe extern "C" fn get_ctx_params(at: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    // SAFETY: the parameters are passed on unchanged.
    unsafe { (context.soft.functions.get_ctx_params)(context.soft_at(), params) }
}

pub(super) unsafe extern "C" fn gettable_ctx_params(_at: *mut c_void, provider: *mut c_void) -> *const Param {
    list(provider, |soft| soft.functions.gettable_ctx_params)
}

pub(super) unsafe extern "C" fn settable_ctx_params(_at: *mut c_void, provider: *mut c_void) -> *const Param {
    list(provider, |soft| soft.functions.settable_ctx_params)
}

fn list(provider: *mut c_void, which: fn(&SoftMac) -> abi::CipherCtxParamList) -> *const Param {
    let choose = |context: &ProviderContext| Some(which(context.digests.get()?.soft_hmac.as_ref()?));
    // SAFETY: the core guarantees a valid provider context.
    ProviderContext::list(unsafe { ProviderContext::at(provider) }, choose)
}
