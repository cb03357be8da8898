//! HMAC: the algorithm of one provider, and its contexts.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{self, NonNull};

use super::context::Outcome;
use super::library::library;
use super::library_context::LibraryContext;
use super::params::OsslParam;

/// The longest digest (EVP_MAX_MD_SIZE).
const LONGEST: usize = 64;

const DIGEST: &CStr = c"digest";
const PROPERTIES: &CStr = c"properties";
const KEY: &CStr = c"key";
const TLS_DATA_SIZE: &CStr = c"tls-data-size";

/// The `EVP_MAC` that is called HMAC.
#[derive(Debug)]
pub struct Hmac {
    mac: NonNull<c_void>,
    world: LibraryContext,
}

// SAFETY: libcrypto counts an EVP_MAC's references under a lock and never changes it after the
// fetch.
unsafe impl Send for Hmac {}
// SAFETY: as above.
unsafe impl Sync for Hmac {}

impl Hmac {
    /// `EVP_MAC_fetch`; `None` when no provider matches the query.
    pub fn fetch(world: &LibraryContext, query: &str) -> Option<Hmac> {
        let query = CString::new(query).expect("a property query holds no NUL byte");
        // SAFETY: the context is alive, both arguments are C strings.
        let mac = unsafe { (library().EVP_MAC_fetch)(world.pointer(), c"HMAC".as_ptr(), query.as_ptr()) };
        NonNull::new(mac).map(|mac| Hmac { mac, world: world.clone() })
    }

    /// The gettable and the settable parameters of its contexts.
    pub fn parameters(&self) -> [Vec<String>; 2] {
        // SAFETY: the MAC is alive; its lists are terminated and live as long as its provider.
        unsafe {
            [
                OsslParam::names((library().EVP_MAC_gettable_ctx_params)(self.mac.as_ptr())),
                OsslParam::names((library().EVP_MAC_settable_ctx_params)(self.mac.as_ptr())),
            ]
        }
    }

    /// The HMAC of a whole message.
    #[track_caller]
    pub fn of(&self, digest: &str, key: &[u8], message: &[u8]) -> Vec<u8> {
        let mut context = HmacContext::new(self);
        context.begin(Some(digest), Some(key)).expect("EVP_MAC_init");
        context.update(message).expect("EVP_MAC_update");
        let (outcome, mac) = context.finish();
        outcome.expect("EVP_MAC_final");
        mac
    }
}

impl Drop for Hmac {
    fn drop(&mut self) {
        // SAFETY: this object owns the reference; contexts hold their own.
        unsafe { (library().EVP_MAC_free)(self.mac.as_ptr()) }
    }
}

/// An `EVP_MAC_CTX`.
#[derive(Debug)]
pub struct HmacContext {
    context: NonNull<c_void>,
    _world: LibraryContext,
}

// SAFETY: a context is not bound to a thread; `&mut self` ensures that one changes it at a time.
unsafe impl Send for HmacContext {}
// SAFETY: methods with `&self` only copy it, which several threads may do at the same time.
unsafe impl Sync for HmacContext {}

impl HmacContext {
    /// One without digest and key.
    #[track_caller]
    pub fn new(mac: &Hmac) -> HmacContext {
        // SAFETY: the MAC is alive.
        let context = unsafe { (library().EVP_MAC_CTX_new)(mac.mac.as_ptr()) };
        HmacContext { context: NonNull::new(context).expect("memory"), _world: mac.world.clone() }
    }

    /// One without digest and key; `Err` without memory for it.
    pub fn try_new(mac: &Hmac) -> Result<HmacContext, Outcome> {
        // SAFETY: the MAC is alive.
        Self::try_own(unsafe { (library().EVP_MAC_CTX_new)(mac.mac.as_ptr()) }, &mac.world)
    }

    /// `EVP_MAC_CTX_dup`; `Err` without memory for it.
    pub fn try_copy(&self) -> Result<HmacContext, Outcome> {
        // SAFETY: the context is alive.
        Self::try_own(unsafe { (library().EVP_MAC_CTX_dup)(self.pointer()) }, &self._world)
    }

    fn try_own(context: *mut c_void, world: &LibraryContext) -> Result<HmacContext, Outcome> {
        let own = |context| HmacContext { context, _world: world.clone() };
        NonNull::new(context).map(own).ok_or_else(|| Outcome::of(0, 0))
    }

    /// `EVP_MAC_init` with those of both that are present; the others remain.
    pub fn begin(&mut self, digest: Option<&str>, key: Option<&[u8]>) -> Outcome {
        self.begin_with_properties(digest, None, key)
    }

    /// The same with the properties by which OpenSSL's HMAC fetches the digest.
    pub fn begin_with_properties(
        &mut self,
        digest: Option<&str>,
        properties: Option<&str>,
        key: Option<&[u8]>,
    ) -> Outcome {
        let texts = [(DIGEST, digest), (PROPERTIES, properties)];
        let texts =
            texts.map(|(name, text)| (name, text.map(|text| CString::new(text).expect("no NUL byte"))));
        let given = texts.iter().filter_map(|(name, text)| Some(OsslParam::text(name, text.as_ref()?)));
        let params: Vec<OsslParam> = given.chain([OsslParam::end()]).collect();
        let (at, length) = key.map_or((ptr::null(), 0), |key| (key.as_ptr(), key.len()));
        // SAFETY: the context is alive, the key readable; the array is terminated and its text
        // outlives the call.
        let returned = unsafe { (library().EVP_MAC_init)(self.pointer(), at, length, params.as_ptr()) };
        Outcome::of(returned, 0)
    }

    /// `EVP_MAC_CTX_set_params` with a key, which begins a message too.
    pub fn set_key(&mut self, key: &mut [u8]) -> Outcome {
        self.set(OsslParam::octets(KEY, key))
    }

    /// The same with the length of a TLS record that has its padding.
    pub fn set_tls_data_size(&mut self, mut size: usize) -> Outcome {
        self.set(OsslParam::size(TLS_DATA_SIZE, &mut size))
    }

    fn set(&mut self, param: OsslParam) -> Outcome {
        let params = [param, OsslParam::end()];
        // SAFETY: the context is alive; the array is terminated and its bytes outlive the call.
        let returned = unsafe { (library().EVP_MAC_CTX_set_params)(self.pointer(), params.as_ptr()) };
        Outcome::of(returned, 0)
    }

    /// `EVP_MAC_update`
    pub fn update(&mut self, input: &[u8]) -> Outcome {
        // SAFETY: the context is alive and the input readable.
        let returned = unsafe { (library().EVP_MAC_update)(self.pointer(), input.as_ptr(), input.len()) };
        Outcome::of(returned, 0)
    }

    /// `EVP_MAC_final`, and its output.
    pub fn finish(&mut self) -> (Outcome, Vec<u8>) {
        let (mut mac, mut length) = ([0; LONGEST], 0);
        // SAFETY: the context is alive, the MAC has room for the longest.
        let returned =
            unsafe { (library().EVP_MAC_final)(self.pointer(), mac.as_mut_ptr(), &mut length, mac.len()) };
        (Outcome::of(returned, 0), mac[..length.min(LONGEST)].to_vec())
    }

    /// `EVP_MAC_CTX_get_mac_size`
    pub fn size(&self) -> usize {
        // SAFETY: the context is alive.
        unsafe { (library().EVP_MAC_CTX_get_mac_size)(self.pointer()) }
    }

    /// `EVP_MAC_CTX_dup`
    #[track_caller]
    pub fn copy(&self) -> HmacContext {
        // SAFETY: the context is alive.
        let copy = unsafe { (library().EVP_MAC_CTX_dup)(self.pointer()) };
        HmacContext { context: NonNull::new(copy).expect("a copy"), _world: self._world.clone() }
    }

    fn pointer(&self) -> *mut c_void {
        self.context.as_ptr()
    }
}

impl Drop for HmacContext {
    fn drop(&mut self) {
        // SAFETY: this object owns the context.
        unsafe { (library().EVP_MAC_CTX_free)(self.context.as_ptr()) }
    }
}
