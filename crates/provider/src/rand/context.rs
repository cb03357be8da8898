use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null_mut, slice_from_raw_parts_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use outboard_abi as abi;
use outboard_abi::{Dispatch, Param, ParamType, Requested, name};
use outboard_accel::wipe;
use outboard_counters::NOTE_BYTES;
use outboard_rng::{Failure, SeedSource, State};

use crate::contexts::hand_over;
use crate::core::Reason;
use crate::guard;
use crate::log::Level;
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::stack_text::StackText;

/// In bits. Any strength is possible by reading more bytes, as with OpenSSL's SEED-SRC.
const STRENGTH: u64 = 1024;

/// Maximum length of one `generate`, in bytes. OpenSSL calls it repeatedly for more.
const MAX_REQUEST: u64 = 1024;

static GETTABLE: [Param; 4] = [
    Param::describe(name::RAND_STATE, ParamType::Integer, size_of::<c_int>()),
    Param::describe(name::RAND_STRENGTH, ParamType::Unsigned, size_of::<c_uint>()),
    Param::describe(name::RAND_MAX_REQUEST, ParamType::Unsigned, size_of::<usize>()),
    abi::end(),
];

pub(super) struct Context {
    provider: &'static Provider,
    source: SeedSource,
}

/// The last attempt of this process failed: further failures are not logged, because OpenSSL 4.0
/// makes a new context for each request meanwhile.
static FAILING: AtomicBool = AtomicBool::new(false);

impl Context {
    fn delivered(&self, done: Result<usize, Failure>) -> c_int {
        let counters = self.provider.counters.seed();
        match &done {
            Ok(bytes) => counters.add_seed(*bytes as u64),
            Err(Failure::Unhealthy(_)) => counters.add_health_failure(),
            Err(_) => counters.add_failure(),
        }
        self.report(done.map(drop))
    }

    /// Returns 1, or 0 with an error on the queue. Logs and notes what an administrator should see.
    #[inline(never)]
    fn report(&self, done: Result<(), Failure>) -> c_int {
        let Err(failure) = done else {
            FAILING.store(false, Ordering::Relaxed);
            return 1;
        };
        let text = StackText::<{ NOTE_BYTES + 1 }>::new(format_args!("OUTBOARD-HWRNG: {failure}"));
        let text = text.as_str();
        self.provider.core.raise(Reason::Entropy, text);
        let level = match failure {
            Failure::Unhealthy(_) => Level::Error,
            Failure::Io(_) | Failure::NoGenerator | Failure::Ended | Failure::Slow { .. }
                if !FAILING.swap(true, Ordering::Relaxed) =>
            {
                Level::Warn
            }
            _ => return 0,
        };
        self.provider.counters.note(text);
        self.provider.log.line(level, format_args!("{text}"));
        0
    }
}

/// # Safety
/// `at` came from [`newctx`] and was not freed. Threads may share it.
unsafe fn context<'a>(at: *mut c_void) -> &'a Context {
    // SAFETY: guaranteed by the caller.
    unsafe { &*at.cast::<Context>() }
}

/// # Safety
/// `at` is null or readable for `len` bytes for `'a`.
unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: guaranteed by the caller.
    if at.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(at, len) } }
}

pub(super) unsafe extern "C" fn newctx(
    provider: *mut c_void,
    parent: *mut c_void,
    _functions: *const Dispatch,
) -> *mut c_void {
    // SAFETY: the core passes the context that OSSL_provider_init returned.
    let Some(context) = (unsafe { ProviderContext::at(provider) }) else { return null_mut() };
    let provider = &context.provider;
    hand_over(&provider.core, || {
        if !parent.is_null() {
            provider.core.raise(
                Reason::Entropy,
                "OUTBOARD-HWRNG is a seed source and takes no parent: name it as \"seed\", not as \"random\"",
            );
            return None;
        }
        let source = SeedSource::new(provider.policy.hwrng_entropy);
        Some(Context { provider, source })
    })
}

pub(super) unsafe extern "C" fn instantiate(
    at: *mut c_void,
    _strength: c_uint,
    _prediction_resistance: c_int,
    _personalisation: *const u8,
    _personalisation_len: usize,
    _params: *const Param,
) -> c_int {
    guard(0, || {
        // SAFETY: guaranteed by the core.
        let context = unsafe { context(at) };
        let done = context.source.instantiate();
        if done.is_err() {
            context.provider.counters.seed().add_unavailable();
        }
        context.report(done)
    })
}

pub(super) unsafe extern "C" fn uninstantiate(at: *mut c_void) -> c_int {
    guard(0, || {
        // SAFETY: guaranteed by the core.
        unsafe { context(at) }.source.uninstantiate();
        1
    })
}

/// The unprocessed bytes of the device, all of them new: always with prediction resistance.
pub(super) unsafe extern "C" fn generate(
    at: *mut c_void,
    out: *mut u8,
    len: usize,
    strength: c_uint,
    _prediction_resistance: c_int,
    additional: *const u8,
    additional_len: usize,
) -> c_int {
    guard(0, || {
        // SAFETY: guaranteed by the core: `out` is writable.
        let (context, out, additional) = unsafe {
            (context(at), std::slice::from_raw_parts_mut(out, len), bytes(additional, additional_len))
        };
        let filled = context.source.fill(out, strength.into(), additional);
        context.delivered(filled.map(|()| len))
    })
}

pub(super) unsafe extern "C" fn get_seed(
    at: *mut c_void,
    out: *mut *mut u8,
    bits: c_int,
    least: usize,
    most: usize,
    _prediction_resistance: c_int,
    additional: *const u8,
    additional_len: usize,
) -> usize {
    guard(0, || {
        // SAFETY: guaranteed by the core.
        let (context, additional) = unsafe { (context(at), bytes(additional, additional_len)) };
        let mut length = 0;
        let seed = context.source.seed(bits.max(0).unsigned_abs().into(), least, most, additional);
        context.delivered(seed.map(|mut seed| {
            length = seed.len();
            // SAFETY: guaranteed by the core: `out` is writable.
            unsafe { *out = Box::into_raw(std::mem::take(&mut *seed)).cast() };
            length
        }));
        length
    })
}

pub(super) unsafe extern "C" fn clear_seed(_at: *mut c_void, seed: *mut u8, len: usize) {
    guard((), || {
        if !seed.is_null() {
            // SAFETY: the core passes the buffer that `get_seed` returned, with its length.
            let mut seed = unsafe { Box::from_raw(slice_from_raw_parts_mut(seed, len)) };
            wipe(&mut seed);
        }
    })
}

/// Contexts are thread-safe without a lock.
pub(super) unsafe extern "C" fn lock(_at: *mut c_void) -> c_int {
    1
}

pub(super) unsafe extern "C" fn unlock(_at: *mut c_void) {}

pub(super) unsafe extern "C" fn gettable_ctx_params(
    _at: *mut c_void,
    _provider: *mut c_void,
) -> *const Param {
    GETTABLE.as_ptr()
}

pub(super) unsafe extern "C" fn get_ctx_params(at: *mut c_void, params: *mut Param) -> c_int {
    guard(0, || {
        // SAFETY: guaranteed by the core.
        let (state, mut params) = unsafe { (context(at).source.state(), Requested::new(params)) };
        c_int::from(
            params.set_unsigned(name::RAND_STATE, state_number(state))
                && params.set_unsigned(name::RAND_STRENGTH, STRENGTH)
                && params.set_unsigned(name::RAND_MAX_REQUEST, MAX_REQUEST),
        )
    })
}

fn state_number(state: State) -> u64 {
    let number = match state {
        State::Uninstantiated => abi::EVP_RAND_STATE_UNINITIALISED,
        State::Ready => abi::EVP_RAND_STATE_READY,
        State::Error => abi::EVP_RAND_STATE_ERROR,
    };
    number.unsigned_abs().into()
}

/// 1 if the source holds no state. A source wipes its state when it releases it.
pub(super) unsafe extern "C" fn verify_zeroization(at: *mut c_void) -> c_int {
    // SAFETY: guaranteed by the core.
    guard(0, || c_int::from(unsafe { context(at) }.source.is_wiped()))
}
