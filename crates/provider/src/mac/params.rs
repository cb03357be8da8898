//! Gettable and settable parameters of an HMAC context (EVP_MAC-HMAC(7)). The default provider
//! processes them. Those that determine the driver are also recorded here.

use std::ffi::{CStr, c_int, c_uint, c_void};

use outboard_abi as abi;
use outboard_abi::{Param, ParamType, name};

use super::context::Context;
use super::software::SoftMac;
use crate::contexts;
use crate::digest::offer::may_be_ours;
use crate::provider_context::ProviderContext;

/// Number of rows for the parameters of a call. HMAC has seven, and two are added.
pub(super) const MAX_PARAMS: usize = 32;

/// A parameter as far as it affects the choice of a driver.
pub(super) enum DigestParam<'a> {
    /// Name of the digest; empty if a property query for the digest is given.
    Digest(&'a [u8]),
    Key(&'a [u8]),
    Other,
}

/// Classifies the parameters.
///
/// # Safety
/// `params` is null or ends with a null key; the data of each parameter is readable for `'a`.
pub(super) unsafe fn digest_params<'a>(params: *const Param) -> impl Iterator<Item = DigestParam<'a>> {
    // SAFETY: guaranteed by the caller.
    let is_chosen = unsafe { abi::locate(params, name::MAC_PROPERTIES) }.is_some();
    let mut at = params;
    std::iter::from_fn(move || {
        // SAFETY: guaranteed by the caller: each row up to the one with a null key is readable,
        // with its data.
        unsafe {
            if at.is_null() || (*at).key.is_null() {
                return None;
            }
            let param = &*at;
            at = at.add(1);
            let bytes = || {
                (!param.data.is_null())
                    .then(|| std::slice::from_raw_parts(param.data.cast::<u8>(), param.data_size))
            };
            let is = |kind: ParamType| param.data_type == kind as c_uint;
            Some(match CStr::from_ptr(param.key) {
                key if key == name::MAC_DIGEST && is(ParamType::Utf8String) => {
                    let text = bytes().filter(|_| !is_chosen).unwrap_or_default();
                    // The size may include the NUL.
                    DigestParam::Digest(text.split(|&byte| byte == 0).next().unwrap_or_default())
                }
                key if key == name::MAC_KEY && is(ParamType::OctetString) => {
                    DigestParam::Key(bytes().unwrap_or_default())
                }
                key if key == name::MAC_PROPERTIES => DigestParam::Digest(&[]),
                _ => DigestParam::Other,
            })
        }
    })
}

/// Parameters with which the default provider's HMAC fetches its digest from the default provider.
/// With a name alone the fetch may return a digest of this provider
/// (providers/common/provider_util.c, `ossl_prov_digest_load_from_params`). A driver would then
/// compute what software must compute, including the reference for results of hardware. Digests that
/// this provider never offers, such as those of the legacy provider, are fetched as the application
/// requests.
///
/// Returns `params` if they need no change, otherwise `rows`. `None`: there are more of them than
/// rows.
///
/// # Safety
/// As for [`digest_params`].
pub(super) unsafe fn with_software_digest(
    params: *const Param,
    rows: &mut [Param; MAX_PARAMS],
) -> Option<*const Param> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let is_ours =
            digest_params(params).any(|what| matches!(what, DigestParam::Digest(name) if may_be_ours(name)));
        if !is_ours {
            return Some(params);
        }
        let (mut at, mut count) = (params, 0);
        while !(*at).key.is_null() {
            *rows.get_mut(count)? = *at;
            (at, count) = (at.add(1), count + 1);
        }
        let query = Param::construct_utf8_string(name::MAC_PROPERTIES, c"provider=default");
        rows.get_mut(count..count + 2)?.copy_from_slice(&[query, abi::end()]);
        Some(rows.as_ptr())
    }
}

/// `OSSL_FUNC_mac_get_ctx_params`. Cannot panic.
pub(super) unsafe extern "C" fn get_ctx_params(at: *mut c_void, params: *mut Param) -> c_int {
    // SAFETY: the core guarantees valid contexts.
    let Some(context) = (unsafe { contexts::context::<Context>(at) }) else { return 0 };
    // SAFETY: the parameters are passed on unchanged.
    unsafe { (context.soft.get_ctx_params)(context.soft_at(), params) }
}

/// `OSSL_FUNC_mac_set_ctx_params`
pub(super) unsafe extern "C" fn set_ctx_params(at: *mut c_void, params: *const Param) -> c_int {
    // SAFETY: the core guarantees valid contexts; the parameters are passed on unchanged.
    unsafe { contexts::with(at, |context: &mut Context| context.set_params(params)) }
}

/// `OSSL_FUNC_mac_gettable_ctx_params`
pub(super) unsafe extern "C" fn gettable_ctx_params(_at: *mut c_void, provider: *mut c_void) -> *const Param {
    list(provider, |soft| soft.gettable_ctx_params)
}

/// `OSSL_FUNC_mac_settable_ctx_params`
pub(super) unsafe extern "C" fn settable_ctx_params(_at: *mut c_void, provider: *mut c_void) -> *const Param {
    list(provider, |soft| soft.settable_ctx_params)
}

/// A parameter list of the default provider.
fn list(provider: *mut c_void, which: fn(&SoftMac) -> abi::CipherCtxParamList) -> *const Param {
    let choose = |context: &ProviderContext| Some(which(context.digests.get()?.soft_hmac.as_ref()?));
    // SAFETY: the core guarantees a valid provider context.
    unsafe { ProviderContext::list(provider, choose) }
}
