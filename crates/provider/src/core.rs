//! Functions of the OpenSSL core: configuration, errors, other providers.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use outboard_abi as abi;
use outboard_abi::{CoreHandle, Dispatch, Param};

/// There is no table of strings for them (`get_reason_strings`): the core does not query it from a
/// provider that fails to start. Therefore each error contains its full text.
#[derive(Clone, Copy)]
pub(crate) enum Reason {
    /// A value in openssl.cnf is invalid.
    Configuration = 1,
    /// A TLS record is publicly malformed.
    Record = 2,
    /// The hardware random number generator returns no data, or data that is not random.
    Entropy = 3,
    Memory = 4,
    /// A call has more parameters than any use of the algorithm needs.
    Parameters = 5,
}

/// With its final zero: OpenSSL cuts longer texts (ERR_MAX_DATA_SIZE). On the stack, because memory
/// may be exhausted.
const MAX_ERROR: usize = 1024;

abi::functions! {
    /// The core's functions.
    ///
    /// Return values, from crypto/provider_core.c of OpenSSL 3.0 to 4.0:
    ///
    /// | function | returns |
    /// |---|---|
    /// | `core_get_params` | 1; since 3.5, 0 if a value does not fit. An unknown key stays unset |
    /// | `core_new_error`, `core_set_error_debug`, `core_vset_error` | nothing |
    /// | `core_set_error_mark` | 1; 0 if the queue is empty |
    /// | `core_pop_error_to_mark` | 1; 0 without a mark: then it has removed all errors |
    /// | `ossl_provider_register_child_cb` | number of registered callbacks, including this one; 0 on failure |
    /// | `ossl_provider_deregister_child_cb` | nothing |
    /// | `core_provider_get0_name` | a string; it reads the handle, which must not be NULL |
    /// | `core_provider_get0_provider_ctx` | the context, NULL if the provider set none |
    /// | `core_provider_get0_dispatch` | the provider's table, NULL for NULL |
    ///
    /// Requirements for the callbacks: `create_cb` must return exactly 1, because
    /// `create_provider_children` combines all results with a bitwise AND. The results of `remove_cb`
    /// and `global_props_cb` are ignored. A failed registration leaves no callback registered,
    /// and also calls `remove_cb` with NULL.
    struct CoreFunctions {
        get_params: CoreGetParams = CORE_GET_PARAMS;
        new_error: CoreNewError = CORE_NEW_ERROR;
        set_error_debug: CoreSetErrorDebug = CORE_SET_ERROR_DEBUG;
        vset_error: CoreVsetError = CORE_VSET_ERROR;
        set_error_mark: CoreErrorMark = CORE_SET_ERROR_MARK;
        pop_error_to_mark: CoreErrorMark = CORE_POP_ERROR_TO_MARK;
        register_child_cb: ProviderRegisterChildCb = PROVIDER_REGISTER_CHILD_CB;
        deregister_child_cb: ProviderDeregisterChildCb = PROVIDER_DEREGISTER_CHILD_CB;
        provider_name: ProviderName = PROVIDER_NAME;
        provider_ctx: ProviderGet0ProviderCtx = PROVIDER_GET0_PROVIDER_CTX;
        provider_dispatch: ProviderGet0Dispatch = PROVIDER_GET0_DISPATCH;
    }
}

/// The core's functions with its handle of one loaded provider.
#[derive(Clone, Copy)]
pub(crate) struct Core {
    handle: *const CoreHandle,
    functions: CoreFunctions,
}

// SAFETY: the core's functions may be called from any thread; the handle is only passed to them.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Core {
    /// # Safety
    /// `handle` and `table` are the arguments that the core passed to `OSSL_provider_init`.
    pub(crate) unsafe fn new(handle: *const CoreHandle, table: *const Dispatch) -> Option<Core> {
        // SAFETY: guaranteed by the caller.
        Some(Core { handle, functions: unsafe { CoreFunctions::new(table) }? })
    }

    /// The value of a key in this provider's section of openssl.cnf, or of a parameter of the core.
    pub(crate) fn setting(&self, key: &CStr) -> Option<String> {
        let mut value: *const c_char = null();
        let mut params = [Param::construct_utf8_ptr(key, &mut value), abi::end()];
        // SAFETY: the array ends with a null key; its value pointer lives through the call.
        let answered = unsafe { (self.functions.get_params)(self.handle, params.as_mut_ptr()) } == 1;
        if !answered || value.is_null() {
            return None;
        }
        // SAFETY: the core returned a NUL-terminated string that lives as long as the provider.
        Some(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
    }

    /// An address in the libcrypto that loaded this provider.
    pub(crate) fn a_function(&self) -> *const c_void {
        self.functions.get_params as *const c_void
    }

    /// Puts an error on the error queue of the calling thread (ERR_raise_data(3)).
    pub(crate) fn raise(&self, reason: Reason, text: &str) {
        let mut format = [0; MAX_ERROR];
        let mut len = 0;
        for byte in text.bytes() {
            // The byte, a second percent sign, and the final zero.
            if len + 3 > format.len() {
                break;
            }
            format[len] = if byte == 0 { b' ' } else { byte };
            len += 1;
            if byte == b'%' {
                format[len] = byte;
                len += 1;
            }
        }
        // The format has no conversion, so the argument list is never read.
        let mut no_arguments = [0u64; 8];
        // SAFETY: strings are NUL-terminated and live through the calls; the core copies what it
        // keeps.
        unsafe {
            (self.functions.new_error)(self.handle);
            (self.functions.set_error_debug)(self.handle, c"outboard".as_ptr(), 0, c"".as_ptr());
            (self.functions.vset_error)(
                self.handle,
                reason as u32,
                format.as_ptr().cast(),
                no_arguments.as_mut_ptr().cast::<c_void>(),
            );
        }
    }

    /// Removes the errors that `work` leaves on the queue: the application's call succeeds without
    /// it.
    pub(crate) fn without_errors<T>(&self, work: impl FnOnce() -> T) -> T {
        // SAFETY: the core's own handle.
        unsafe { (self.functions.set_error_mark)(self.handle) };
        let done = work();
        // SAFETY: as above.
        unsafe { (self.functions.pop_error_to_mark)(self.handle) };
        done
    }

    #[cold]
    pub(crate) fn raise_no_memory(&self) {
        self.raise(Reason::Memory, "malloc failure: no memory");
    }

    /// For providers that are activated and deactivated in this library context.
    ///
    /// # Safety
    /// `argument` stays valid until [`unwatch_providers`](Self::unwatch_providers).
    pub(crate) unsafe fn watch_providers(
        &self,
        create: abi::ChildCreate,
        remove: abi::ChildRemove,
        argument: *mut c_void,
    ) -> bool {
        // Returns the number of registered callbacks (sk_push): 2 if another provider, such as
        // legacy, registered first.
        // SAFETY: the callbacks have the types of core_dispatch.h; the caller guarantees the
        // argument.
        unsafe {
            (self.functions.register_child_cb)(
                self.handle,
                Some(create),
                Some(remove),
                Some(global_props),
                argument,
            ) > 0
        }
    }

    pub(crate) fn unwatch_providers(&self) {
        // SAFETY: the core passed the handle to this provider.
        unsafe { (self.functions.deregister_child_cb)(self.handle) }
    }

    /// # Safety
    /// `provider` is a handle that the core passed to a callback and that is still valid.
    pub(crate) unsafe fn is_called(&self, provider: *const CoreHandle, name: &CStr) -> bool {
        // SAFETY: the caller guarantees the handle; a name is NUL-terminated or null.
        unsafe {
            let found = (self.functions.provider_name)(provider);
            !found.is_null() && CStr::from_ptr(found) == name
        }
    }

    /// Null if it has none.
    ///
    /// # Safety
    /// As for [`is_called`](Self::is_called).
    pub(crate) unsafe fn context_of(&self, provider: *const CoreHandle) -> *mut c_void {
        // SAFETY: the caller guarantees the handle.
        if provider.is_null() { null_mut() } else { unsafe { (self.functions.provider_ctx)(provider) } }
    }

    /// # Safety
    /// As for [`is_called`](Self::is_called).
    pub(crate) unsafe fn dispatch_of(&self, provider: *const CoreHandle) -> *const Dispatch {
        // SAFETY: the caller guarantees the handle.
        unsafe { (self.functions.provider_dispatch)(provider) }
    }
}

/// Called when the default properties of the library context change. Nothing here depends on them.
unsafe extern "C" fn global_props(_properties: *const c_char, _argument: *mut c_void) -> i32 {
    1
}
