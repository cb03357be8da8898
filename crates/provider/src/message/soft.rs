//! The default provider's contexts, for the functions that digests and MACs have in common.

use std::ffi::{c_int, c_void};

use outboard_abi as abi;
use outboard_abi::Dispatch;

use outboard_accel::Wiped;

use super::keyed::Digested;
use crate::software::Software;

/// Functions of the default provider: `OSSL_FUNC_digest_*` or `OSSL_FUNC_mac_*`, whose types are
/// the same.
#[derive(Clone, Copy)]
pub(crate) struct SoftFunctions {
    newctx: abi::CipherNewctx,
    freectx: abi::CipherFreectx,
    dupctx: abi::CipherDupctx,
    update: abi::DigestUpdate,
    finish: abi::DigestFinal,
}

impl SoftFunctions {
    /// The functions with these numbers in a table: newctx, freectx, dupctx, update, final.
    ///
    /// # Safety
    /// `table` is the dispatch table to which the numbers belong.
    pub(crate) unsafe fn new(table: *const Dispatch, numbers: [c_int; 5]) -> Option<SoftFunctions> {
        let [newctx, freectx, dupctx, update, finish] = numbers;
        // SAFETY: a dispatch table ends with number 0; core_dispatch.h defines for each number the type
        // of the field that receives the function.
        unsafe {
            Some(SoftFunctions {
                newctx: abi::find(table, newctx)?,
                freectx: abi::find(table, freectx)?,
                dupctx: abi::find(table, dupctx)?,
                update: abi::find(table, update)?,
                finish: abi::find(table, finish)?,
            })
        }
    }

    /// A new context; `None` if the default provider is not active or cannot allocate one.
    pub(crate) fn context(self, software: &Software) -> Option<SoftContext> {
        let context = Some(software.context()).filter(|context| !context.is_null())?;
        // SAFETY: the function belongs to the provider of the context.
        SoftContext::new(self, unsafe { (self.newctx)(context) })
    }
}

pub(crate) struct SoftContext {
    functions: SoftFunctions,
    pub(crate) at: *mut c_void,
}

impl SoftContext {
    fn new(functions: SoftFunctions, at: *mut c_void) -> Option<SoftContext> {
        (!at.is_null()).then_some(SoftContext { functions, at })
    }

    pub(crate) fn duplicate(&self) -> Option<SoftContext> {
        // SAFETY: `at` is a context of these functions.
        SoftContext::new(self.functions, unsafe { (self.functions.dupctx)(self.at) })
    }

    #[inline]
    pub(super) fn update(&mut self, more: &[u8]) -> c_int {
        // SAFETY: `at` is a context of these functions.
        unsafe { (self.functions.update)(self.at, more.as_ptr(), more.len()) }
    }

    pub(super) fn finish(&mut self, out: &mut [u8], len: &mut usize) -> c_int {
        // SAFETY: `at` is a context of these functions.
        unsafe { (self.functions.finish)(self.at, out.as_mut_ptr(), len, out.len()) }
    }

    /// Ends the message, of which the context has no byte. The result is not used.
    pub(super) fn end(&mut self) {
        let mut unused = Wiped::new([0; 64]);
        let _ = self.finish(&mut *unused, &mut 0);
    }

    /// Computed with a copy of this context, which must be initialised and empty.
    pub(super) fn digest_of(&self, message: &[u8]) -> Option<Digested> {
        let mut scratch = self.duplicate()?;
        let mut digested = Digested { bytes: Wiped::new([0; 64]), len: 0 };
        let done =
            scratch.update(message) > 0 && scratch.finish(&mut *digested.bytes, &mut digested.len) == 1;
        done.then_some(digested)
    }
}

impl Drop for SoftContext {
    fn drop(&mut self) {
        // SAFETY: `at` is a context of these functions and is not used again.
        unsafe { (self.functions.freectx)(self.at) }
    }
}
