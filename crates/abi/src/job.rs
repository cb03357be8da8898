//! Asynchronous jobs, as libcrypto exports them (openssl/async.h, ASYNC_start_job(3),
//! ASYNC_WAIT_CTX_new(3)). The core's dispatch table does not contain these functions: a caller
//! must look them up as dynamic symbols.

use std::ffi::{c_int, c_void};

#[repr(C)]
pub struct Job {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct WaitCtx {
    _opaque: [u8; 0],
}

/// `ASYNC_get_current_job`: null outside jobs.
pub type AsyncGetCurrentJob = unsafe extern "C" fn() -> *mut Job;
pub type AsyncGetWaitCtx = unsafe extern "C" fn(*mut Job) -> *mut WaitCtx;
/// `ASYNC_pause_job`: returns 1 after the job was resumed, and immediately if pausing is blocked.
pub type AsyncPauseJob = unsafe extern "C" fn() -> c_int;
/// The argument `cleanup` of `ASYNC_WAIT_CTX_set_wait_fd`: called when the context is freed.
pub type AsyncCleanup = unsafe extern "C" fn(*mut WaitCtx, *const c_void, c_int, *mut c_void);
pub type AsyncSetWaitFd =
    unsafe extern "C" fn(*mut WaitCtx, *const c_void, c_int, *mut c_void, Option<AsyncCleanup>) -> c_int;
pub type AsyncGetFd =
    unsafe extern "C" fn(*mut WaitCtx, *const c_void, *mut c_int, *mut *mut c_void) -> c_int;
/// `ASYNC_WAIT_CTX_clear_fd`: calls no cleanup.
pub type AsyncClearFd = unsafe extern "C" fn(*mut WaitCtx, *const c_void) -> c_int;
