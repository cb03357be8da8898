//! Jobs that can be paused, as libcrypto exports them (openssl/async.h, ASYNC_start_job(3), ASYNC_WAIT_CTX_new(3)). They are
//! no functions of the core's: whoever wants them looks them up by name.

use std::ffi::{c_int, c_void};

/// `ASYNC_JOB`
#[repr(C)]
pub struct Job {
    _opaque: [u8; 0],
}

/// `ASYNC_WAIT_CTX`
#[repr(C)]
pub struct WaitCtx {
    _opaque: [u8; 0],
}

/// `ASYNC_get_current_job`: null outside jobs.
pub type AsyncGetCurrentJob = unsafe extern "C" fn() -> *mut Job;
/// `ASYNC_get_wait_ctx`
pub type AsyncGetWaitCtx = unsafe extern "C" fn(*mut Job) -> *mut WaitCtx;
/// `ASYNC_pause_job`: 1 when the job was resumed, and at once where pausing is blocked.
pub type AsyncPauseJob = unsafe extern "C" fn() -> c_int;
/// The argument `cleanup` of `ASYNC_WAIT_CTX_set_wait_fd`: called when the context is freed.
pub type AsyncCleanup = unsafe extern "C" fn(*mut WaitCtx, *const c_void, c_int, *mut c_void);
/// `ASYNC_WAIT_CTX_set_wait_fd`
pub type AsyncSetWaitFd =
    unsafe extern "C" fn(*mut WaitCtx, *const c_void, c_int, *mut c_void, Option<AsyncCleanup>) -> c_int;
/// `ASYNC_WAIT_CTX_get_fd`
pub type AsyncGetFd =
    unsafe extern "C" fn(*mut WaitCtx, *const c_void, *mut c_int, *mut *mut c_void) -> c_int;
/// `ASYNC_WAIT_CTX_clear_fd`: calls no cleanup.
pub type AsyncClearFd = unsafe extern "C" fn(*mut WaitCtx, *const c_void) -> c_int;
