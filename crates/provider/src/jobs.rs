//! Asynchronous jobs (ASYNC_start_job(3)): a job is paused while the accelerator works.
//!
//! The core does not pass the functions for jobs to a provider, so they are looked up in the
//! calling libcrypto. If they are not found, as in a static executable, each request blocks.

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, transmute_copy};
use std::ptr::{from_ref, null_mut};

use outboard_abi as abi;
use outboard_accel::memory::try_box;
use outboard_accel::{
    Digest, DriverName, Error, HashSession, InFlight, Request, Session, WaitDescriptor, Woken,
};

use crate::core::Core;

/// A job that is resumed more often without an event is not paused again: its application does not
/// wait for descriptors, or has blocked pausing (ASYNC_block_pause(3)), which cannot be queried.
const RESUMED_IN_VAIN: u32 = 2;

/// Smallest message for which a job is paused: OpenSSL's random generators may hash smaller ones
/// with this provider's HMAC while they hold a lock.
const LEAST_HASHED: usize = 4096;

type MadeDescriptor = Option<io::Result<Box<dyn WaitDescriptor>>>;

/// Its address is the key of this module's data in the wait context of a job.
static KEY: u8 = 0;

/// libcrypto's functions for jobs. Return values, from crypto/async/async.c and async_wait.c of
/// OpenSSL 3.0 to 4.0:
///
/// | function | returns |
/// |---|---|
/// | `ASYNC_get_current_job` | the thread's job; NULL without one, and after OPENSSL_cleanup(3) |
/// | `ASYNC_get_wait_ctx` | the job's wait context; it reads the job, which must not be NULL |
/// | `ASYNC_pause_job` | 1 after resumption; immediately without a job or with pausing blocked; 0 on failure |
/// | `ASYNC_WAIT_CTX_set_wait_fd` | 1; 0 without memory, and then it keeps nothing |
/// | `ASYNC_WAIT_CTX_get_fd` | 1; 0 when there is none under the key, and then it writes nothing |
/// | `ASYNC_WAIT_CTX_clear_fd` | 1; 0 if there is none. It never calls the cleanup function |
#[derive(Clone, Copy)]
pub(crate) struct Jobs {
    current: abi::AsyncGetCurrentJob,
    wait_ctx: abi::AsyncGetWaitCtx,
    pause_job: abi::AsyncPauseJob,
    set_wait_fd: abi::AsyncSetWaitFd,
    get_fd: abi::AsyncGetFd,
    clear_fd: abi::AsyncClearFd,
    /// OpenSSL's random generator may use this provider's ciphers, as before 3.5, with a lock held.
    /// A paused job would keep the lock, and other jobs of the thread would block on it.
    generator_may_be_ours: bool,
}

impl Jobs {
    pub(crate) fn find(core: &Core) -> Option<Jobs> {
        let inside = core.a_function();
        let library = file_of(inside).map(|file| open(file, 0)).filter(|handle| !handle.is_null())?;
        let version = core.setting(c"openssl-version");
        let generator_may_be_ours = version.is_none_or(|version| is_before_3_5(&version));
        // SAFETY: openssl/async.h defines the type for each name.
        let find = || unsafe {
            Some(Jobs {
                current: symbol(library, c"ASYNC_get_current_job")?,
                wait_ctx: symbol(library, c"ASYNC_get_wait_ctx")?,
                pause_job: symbol(library, c"ASYNC_pause_job")?,
                set_wait_fd: symbol(library, c"ASYNC_WAIT_CTX_set_wait_fd")?,
                get_fd: symbol(library, c"ASYNC_WAIT_CTX_get_fd")?,
                clear_fd: symbol(library, c"ASYNC_WAIT_CTX_clear_fd")?,
                generator_may_be_ours,
            })
        };
        let jobs = find();
        // SAFETY: libcrypto stays loaded as long as it uses this provider; this only decrements its
        // reference count.
        unsafe { libc::dlclose(library) };
        jobs
    }

    /// `generators`: whether OpenSSL's random generators use ciphers of this kind.
    pub(crate) fn submit_and_wait(
        jobs: Option<&Jobs>,
        session: &mut dyn Session,
        requests: &[Request<'_>],
        generators: bool,
        driver: &DriverName,
    ) -> Result<(), Error> {
        let of_the_job = |jobs: &Jobs| jobs.of_the_job(generators, || session.wait_descriptor());
        let Some((jobs, descriptor)) = jobs.and_then(|jobs| Some((jobs, of_the_job(jobs)?))) else {
            return session.submit_and_wait(requests);
        };
        session.submit(requests)?;
        // If the job could not be paused, reading a result waits for it.
        match jobs.pause(session, descriptor, driver) {
            Err(Error::Forked { .. }) => session.submit_and_wait(requests),
            paused => paused,
        }
    }

    pub(crate) fn digest(
        jobs: Option<&Jobs>,
        session: &mut dyn HashSession,
        message: &[u8],
        driver: &DriverName,
    ) -> Result<Digest, Error> {
        let jobs = jobs.filter(|_| message.len() >= LEAST_HASHED);
        let of_the_job = |jobs: &Jobs| jobs.of_the_job(true, || session.wait_descriptor());
        let Some((jobs, descriptor)) = jobs.and_then(|jobs| Some((jobs, of_the_job(jobs)?))) else {
            return session.digest(message);
        };
        match session.digest_meanwhile(message, &mut |request| jobs.pause(request, descriptor, driver)) {
            Err(Error::Forked { .. }) => session.digest(message),
            digest => digest,
        }
    }

    /// `None` if there is no job, or if it must not be paused.
    fn of_the_job<'c>(
        &self,
        generators: bool,
        make: impl FnOnce() -> MadeDescriptor,
    ) -> Option<&'c dyn WaitDescriptor> {
        // SAFETY: no argument; returns the thread's own job.
        let job = unsafe { (self.current)() };
        if job.is_null() || self.generator_may_be_ours && generators {
            return None;
        }
        // SAFETY: the thread's own job, which is running: the job keeps its wait context, and the
        // context keeps this module's data.
        unsafe { self.descriptor((self.wait_ctx)(job), make) }
    }

    /// Until the request is complete, the time is over, or pausing has no effect: reading the result
    /// waits then. [`Error::Forked`] in the child of a fork, which has none of its parent's requests.
    fn pause<F: InFlight + ?Sized>(
        &self,
        request: &F,
        descriptor: &dyn WaitDescriptor,
        driver: &DriverName,
    ) -> Result<(), Error> {
        if request.is_done() {
            return Ok(());
        }
        let (mut woken, mut in_vain) = (Woken::ByAnAnswer, 0);
        let begun = descriptor.begin();
        while begun.is_ok() && !request.is_done() && woken != Woken::ByTheClock && in_vain <= RESUMED_IN_VAIN
        {
            if woken == Woken::ByAnAnswer && request.notify(descriptor).is_err() {
                break;
            }
            // SAFETY: called within a job; nothing here is bound to the thread that resumes it.
            let paused = unsafe { (self.pause_job)() } == 1;
            // The application has closed the descriptors, or the child of a fork has resumed the
            // job.
            if !descriptor.is_ours() {
                let is_child = descriptor.abandon();
                let forked = || Error::Forked { driver: DriverName::clone(driver) };
                return if is_child { Err(forked()) } else { Ok(()) };
            }
            woken = descriptor.woken();
            in_vain = if woken == Woken::No { in_vain + 1 } else { 0 };
            if !paused {
                break;
            }
        }
        descriptor.end();
        Ok(())
    }

    /// Creates a descriptor if there is none, or if it belongs to the parent of this process.
    ///
    /// # Safety
    /// `context` is null or a wait context.
    unsafe fn descriptor<'c>(
        &self,
        context: *mut abi::WaitCtx,
        make: impl FnOnce() -> MadeDescriptor,
    ) -> Option<&'c dyn WaitDescriptor> {
        let key = from_ref(&KEY).cast::<c_void>();
        if context.is_null() {
            return None;
        }
        let (mut fd, mut kept) = (0, null_mut());
        // SAFETY: `context` is a wait context; its entry under this key is a box of this module
        // until freed.
        unsafe {
            if (self.get_fd)(context, key, &mut fd, &mut kept) == 1 {
                let kept = kept.cast::<Box<dyn WaitDescriptor>>();
                if (**kept).is_ours() {
                    return Some(&**kept);
                }
                (self.clear_fd)(context, key);
                drop(Box::from_raw(kept));
            }
        }
        let descriptor = make()?.ok()?;
        // A context may outlive the provider, and calls `forget` when it is freed: the module stays
        // loaded.
        let fd = descriptor.fd();
        let kept = Box::into_raw(try_box(descriptor)?);
        // SAFETY: `context` is a wait context. It owns the box from here; on failure no other owner
        // exists.
        unsafe {
            if (self.set_wait_fd)(context, key, fd, kept.cast(), Some(forget)) == 1 {
                return Some(&**kept);
            }
            drop(Box::from_raw(kept));
        }
        None
    }
}

/// Whether `version` is OpenSSL 3.0 to 3.4. An unreadable version counts as such.
fn is_before_3_5(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) < (Some(3), Some(5))
}

unsafe extern "C" fn forget(_: *mut abi::WaitCtx, _: *const c_void, _: c_int, kept: *mut c_void) {
    // SAFETY: the box that `descriptor` created; no other reference to it is left.
    drop(unsafe { Box::from_raw(kept.cast::<Box<dyn WaitDescriptor>>()) });
}

/// Keeps this module in memory even if libcrypto unloads it. Returns false on failure.
pub(crate) fn stay_loaded() -> bool {
    let inside = forget as abi::AsyncCleanup as *const c_void;
    file_of(inside).is_some_and(|file| !open(file, libc::RTLD_NODELETE).is_null())
}

/// The string is valid as long as the address.
fn file_of(inside: *const c_void) -> Option<&'static CStr> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address is allowed; the result is written to `info`, for which all zeroes are
    // valid.
    let info = unsafe {
        libc::dladdr(inside, info.as_mut_ptr());
        info.assume_init()
    };
    // SAFETY: a string of the dynamic loader.
    (!info.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(info.dli_fname) })
}

/// Null if it is not loaded.
fn open(file: &CStr, flags: c_int) -> *mut c_void {
    // SAFETY: the name ends with NUL, and RTLD_NOLOAD loads nothing new.
    unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | flags) }
}

/// # Safety
/// The function with this name has the type `F`, and `library` is a handle from dlopen(3).
unsafe fn symbol<F: Copy>(library: *mut c_void, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: guaranteed by the caller.
    unsafe {
        let address = libc::dlsym(library, name.as_ptr());
        (!address.is_null()).then(|| transmute_copy(&address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(["3.0.22", "3.4.0", "3.0", "no version"].into_iter().all(is_before_3_5));
        assert!(!["3.5.7", "3.10.0", "4.0.3", "4.1.0-dev", "3.5.0-beta1"].into_iter().any(is_before_3_5));
    }
}
