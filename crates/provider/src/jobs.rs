//! Jobs that can be paused (ASYNC_start_job(3)): while the accelerator works, the application does something else.
//!
//! No provider is handed the functions for it, so they are looked up in the libcrypto that has called. Where they are
//! not to be found, as in a static executable that exports none, each request is waited for.

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, transmute_copy};
use std::ptr::{from_ref, null_mut};

use outboard_abi as abi;
use outboard_accel::{Digest, Error, HashSession, InFlight, Request, Session, WaitDescriptor, Woken};

use crate::core::Core;

/// A job that is resumed more often than this though nothing has happened is not paused any more: its application does not wait
/// for descriptors, or has blocked pausing (ASYNC_block_pause(3)), which nobody can ask.
const RESUMED_IN_VAIN: u32 = 2;

/// How many turns of a [`WaitDescriptor`] a driver may take: as long as the module waits for one.
const PATIENCE: u32 = 10;

/// Messages of fewer bytes are not paused for: OpenSSL's random generators may hash such ones by our HMAC, with a lock held.
const LEAST_HASHED: usize = 4096;

/// One that was made for a wait context, if there can be one.
type MadeDescriptor = Option<io::Result<Box<dyn WaitDescriptor>>>;

/// What belongs to this module in a job's wait context: its address is the key.
static KEY: u8 = 0;

/// libcrypto's functions for jobs. What they return in crypto/async/async.c and async_wait.c of OpenSSL 3.0 to 4.0:
///
/// | function | returns |
/// |---|---|
/// | `ASYNC_get_current_job` | the thread's job; NULL without one, and after OPENSSL_cleanup(3) |
/// | `ASYNC_get_wait_ctx` | the job's wait context; it reads the job, which must not be NULL |
/// | `ASYNC_pause_job` | 1 when the job was resumed, and at once without a job or with pausing blocked; 0 on failure |
/// | `ASYNC_WAIT_CTX_set_wait_fd` | 1; 0 without memory, and then it keeps nothing |
/// | `ASYNC_WAIT_CTX_get_fd` | 1; 0 when there is none under the key, and then it writes nothing |
/// | `ASYNC_WAIT_CTX_clear_fd` | 1; 0 when there is none. It does not call the cleanup function, then or later |
#[derive(Clone, Copy)]
pub(crate) struct Jobs {
    current: abi::AsyncGetCurrentJob,
    wait_ctx: abi::AsyncGetWaitCtx,
    pause_job: abi::AsyncPauseJob,
    set_wait_fd: abi::AsyncSetWaitFd,
    get_fd: abi::AsyncGetFd,
    clear_fd: abi::AsyncClearFd,
    /// Whether OpenSSL's random generator may use our ciphers, as before 3.5. It does so with a lock held, which a paused
    /// job would keep from the thread's other jobs.
    generator_may_be_ours: bool,
}

impl Jobs {
    /// Those of the libcrypto that has called.
    pub(crate) fn find(core: &Core) -> Option<Jobs> {
        let inside = core.a_function();
        let library = file_of(inside).map(|file| open(file, 0)).filter(|handle| !handle.is_null())?;
        // SAFETY: openssl/async.h gives each name its type.
        let jobs = unsafe {
            let current = symbol(library, c"ASYNC_get_current_job");
            let wait_ctx = symbol(library, c"ASYNC_get_wait_ctx");
            let pause = symbol(library, c"ASYNC_pause_job");
            let set_wait_fd = symbol(library, c"ASYNC_WAIT_CTX_set_wait_fd");
            let get_fd = symbol(library, c"ASYNC_WAIT_CTX_get_fd");
            let clear_fd = symbol(library, c"ASYNC_WAIT_CTX_clear_fd");
            (current, wait_ctx, pause, set_wait_fd, get_fd, clear_fd)
        };
        // SAFETY: libcrypto stays as long as it uses this provider; this only counts it down again.
        unsafe { libc::dlclose(library) };
        let (current, wait_ctx, pause, set_wait_fd, get_fd, clear_fd) = jobs;
        Some(Jobs {
            current: current?,
            wait_ctx: wait_ctx?,
            pause_job: pause?,
            set_wait_fd: set_wait_fd?,
            get_fd: get_fd?,
            clear_fd: clear_fd?,
            generator_may_be_ours: core
                .setting(c"openssl-version")
                .is_none_or(|version| is_before_3_5(&version)),
        })
    }

    /// Submits requests and waits for them; within a job, the job is paused meanwhile. `generators`: whether OpenSSL's random
    /// generators work by ciphers like this one.
    pub(crate) fn submit_and_wait(
        &self,
        session: &mut dyn Session,
        requests: &[Request<'_>],
        generators: bool,
        driver: &str,
    ) -> Result<(), Error> {
        let Some(descriptor) = self.of_the_job(generators, || session.wait_descriptor()) else {
            return session.submit_and_wait(requests);
        };
        session.submit(requests)?;
        // If the job could not be paused, the results are waited for when they are wanted.
        self.pause(session, descriptor, driver).inspect_err(|_| session.release())
    }

    /// The digest of a message; within a job, the job is paused meanwhile.
    pub(crate) fn digest(
        &self,
        session: &mut dyn HashSession,
        message: &[u8],
        driver: &str,
    ) -> Result<Digest, Error> {
        let descriptor = if message.len() < LEAST_HASHED {
            None
        } else {
            self.of_the_job(true, || session.wait_descriptor())
        };
        let Some(descriptor) = descriptor else { return session.digest(message) };
        session.digest_meanwhile(message, &mut |request| self.pause(request, descriptor, driver))
    }

    /// The descriptor for the thread's job; `None` where there is no job, or where it must not be paused.
    fn of_the_job<'c>(
        &self,
        generators: bool,
        make: impl FnOnce() -> MadeDescriptor,
    ) -> Option<&'c dyn WaitDescriptor> {
        // SAFETY: no argument; the thread's own job.
        let job = unsafe { (self.current)() };
        if job.is_null() || self.generator_may_be_ours && generators {
            return None;
        }
        // SAFETY: the thread's own job, which is running: it keeps its wait context, and this what it has of ours.
        unsafe { self.descriptor((self.wait_ctx)(job), make) }
    }

    /// Pauses the thread's job until its request is done, or as long as that makes sense. An error if the driver takes too long.
    fn pause<F: InFlight + ?Sized>(
        &self,
        request: &F,
        descriptor: &dyn WaitDescriptor,
        driver: &str,
    ) -> Result<(), Error> {
        if request.is_done() {
            return Ok(());
        }
        let (mut woken, mut turns, mut in_vain) = (Woken::ByAnAnswer, 0, 0);
        let mut begun = descriptor.begin_turn();
        while begun.is_ok() && !request.is_done() && turns < PATIENCE && in_vain <= RESUMED_IN_VAIN {
            if woken == Woken::ByAnAnswer && request.notify(descriptor).is_err() {
                break;
            }
            // SAFETY: within a job, and nothing here belongs to the thread that resumes it.
            let paused = unsafe { (self.pause_job)() } == 1;
            // Or else a fork's child has resumed it, and its parent will too; or the application has closed the descriptors.
            if !descriptor.is_ours() {
                return Ok(());
            }
            woken = descriptor.woken();
            in_vain = if woken == Woken::No { in_vain + 1 } else { 0 };
            if woken == Woken::ByTheClock {
                turns += 1;
                begun = descriptor.begin_turn();
            }
            if !paused {
                break;
            }
        }
        descriptor.end();
        if turns < PATIENCE || request.is_done() {
            return Ok(());
        }
        let source = io::Error::from_raw_os_error(libc::ETIMEDOUT);
        Err(Error::Request { call: "a request", driver: driver.to_owned(), source })
    }

    /// The descriptor that a wait context has for us; a new one if there is none, or only one of this process's parent.
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
        // SAFETY: the context is one; what it has under our key is a box of ours, until it is freed.
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
        // A context may outlive the provider, and calls `forget` in the end.
        if !stay_loaded() {
            return None;
        }
        let fd = descriptor.fd();
        let kept = Box::into_raw(Box::new(descriptor));
        // SAFETY: the context is one; it keeps the box, or else nobody has it.
        unsafe {
            if (self.set_wait_fd)(context, key, fd, kept.cast(), Some(forget)) == 1 {
                return Some(&**kept);
            }
            drop(Box::from_raw(kept));
        }
        None
    }
}

/// Whether this is a version of OpenSSL 3.0 to 3.4.
fn is_before_3_5(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    (numbers.next(), numbers.next()) < (Some(3), Some(5))
}

/// Closes the descriptor of a wait context.
unsafe extern "C" fn forget(_: *mut abi::WaitCtx, _: *const c_void, _: c_int, kept: *mut c_void) {
    // SAFETY: the box that `descriptor` made, which nobody else has any more.
    drop(unsafe { Box::from_raw(kept.cast::<Box<dyn WaitDescriptor>>()) });
}

/// Keeps this module in memory though libcrypto unloads it.
fn stay_loaded() -> bool {
    let inside = forget as abi::AsyncCleanup as *const c_void;
    file_of(inside).is_some_and(|file| !open(file, libc::RTLD_NODELETE).is_null())
}

/// The file that an address was loaded from. It is known as long as the address is.
fn file_of(inside: *const c_void) -> Option<&'static CStr> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the answer is written where it has room, and all zeroes are a valid one.
    let info = unsafe {
        libc::dladdr(inside, info.as_mut_ptr());
        info.assume_init()
    };
    // SAFETY: the loader's own string.
    (!info.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(info.dli_fname) })
}

/// One more reference to a library that is loaded; null if it is not.
fn open(file: &CStr, flags: c_int) -> *mut c_void {
    // SAFETY: the name ends with NUL, and nothing is loaded that was not.
    unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | flags) }
}

/// # Safety
/// The function of this name has the type `F`, and `library` is a handle of dlopen's.
unsafe fn symbol<F: Copy>(library: *mut c_void, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the caller's promise.
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
