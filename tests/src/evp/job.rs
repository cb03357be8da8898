//! Jobs that can be paused, and the descriptors that their thread polls meanwhile.

use std::ffi::{c_int, c_void};
use std::os::fd::RawFd;
use std::ptr::{NonNull, null_mut};
use std::time::Duration;

use super::library::library;
use crate::time_limit::TIME_LIMIT;

/// `ASYNC_PAUSE` and `ASYNC_FINISH` of openssl/async.h.
const PAUSE: c_int = 2;
const FINISH: c_int = 3;

type Work<'w> = Option<Box<dyn FnOnce() + 'w>>;

/// An `ASYNC_WAIT_CTX`.
pub struct WaitContext(NonNull<c_void>);

/// An `ASYNC_JOB` with a separate wait context.
pub struct Job<'w> {
    wait: WaitContext,
    job: *mut c_void,
    work: Box<Work<'w>>,
}

impl<'w> Job<'w> {
    /// One that has not begun. Its stack has 32 KiB.
    pub fn new(work: impl FnOnce() + 'w) -> Job<'w> {
        // SAFETY: the function has no parameters.
        let wait = unsafe { (library().ASYNC_WAIT_CTX_new)() };
        let wait = WaitContext(NonNull::new(wait).expect("memory for a wait context"));
        Job { wait, job: null_mut(), work: Box::new(Some(Box::new(work))) }
    }

    /// A new job that reuses the parts of another.
    pub fn on(self, wait: WaitContext) -> Job<'w> {
        Job { wait, ..self }
    }

    /// Starts or resumes: `true` when it has ended, `false` when it was paused.
    #[track_caller]
    pub fn goes_to_its_end(&mut self) -> bool {
        let mut work: *mut Work<'w> = &mut *self.work;
        let mut value = 0;
        // SAFETY: the work lives as long as the job; the argument, a pointer to it, is copied by
        // its size.
        let state = unsafe {
            (library().ASYNC_start_job)(
                &mut self.job,
                self.wait.0.as_ptr(),
                &mut value,
                run,
                (&raw mut work).cast(),
                size_of_val(&work),
            )
        };
        assert!(state == PAUSE || state == FINISH && value == 1, "ASYNC_start_job: {state}, {value}");
        state == FINISH
    }

    /// The descriptors to poll while it is paused.
    pub fn descriptors(&self) -> Vec<RawFd> {
        let mut count = 0;
        // SAFETY: the context is alive; with null for the array it returns only the number.
        let told =
            unsafe { (library().ASYNC_WAIT_CTX_get_all_fds)(self.wait.0.as_ptr(), null_mut(), &mut count) };
        assert_eq!(told, 1);
        let mut all = vec![-1; count];
        // SAFETY: the array has the number of entries that was returned.
        unsafe {
            (library().ASYNC_WAIT_CTX_get_all_fds)(self.wait.0.as_ptr(), all.as_mut_ptr(), &mut count);
        }
        all
    }

    /// Whether one of its descriptors is readable, at once or within this time.
    pub fn is_called_within(&self, time: Duration) -> bool {
        let descriptors = self.descriptors().into_iter();
        let mut all: Vec<_> =
            descriptors.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect();
        let milliseconds = c_int::try_from(time.as_millis()).expect("a short time");
        // SAFETY: the array has the number of entries that is passed.
        unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, milliseconds) > 0 }
    }

    /// The reusable parts of a job that has ended.
    pub fn into_wait_context(self) -> WaitContext {
        self.wait
    }
}

impl Drop for WaitContext {
    fn drop(&mut self) {
        // SAFETY: made here and freed once, after its job has ended or in a test that has failed.
        unsafe { (library().ASYNC_WAIT_CTX_free)(self.0.as_ptr()) };
    }
}

/// Runs jobs to their end as an event loop does: resumes only those whose descriptors are
/// readable.
#[track_caller]
pub fn run_to_their_end(mut jobs: Vec<Job<'_>>) {
    jobs.retain_mut(|job| !job.goes_to_its_end());
    while !jobs.is_empty() {
        let called: Vec<bool> = jobs.iter().map(|job| job.is_called_within(Duration::ZERO)).collect();
        if !called.contains(&true) {
            assert!(jobs[0].is_called_within(TIME_LIMIT), "{} jobs are never called", jobs.len());
            continue;
        }
        let mut called = called.into_iter();
        jobs.retain_mut(|job| !(called.next() == Some(true) && job.goes_to_its_end()));
    }
}

/// Runs this where jobs cannot be paused.
pub fn without_pauses(work: impl FnOnce()) {
    // SAFETY: the functions have no parameters.
    unsafe { (library().ASYNC_block_pause)() };
    work();
    // SAFETY: as above.
    unsafe { (library().ASYNC_unblock_pause)() };
}

unsafe extern "C" fn run(argument: *mut c_void) -> c_int {
    // SAFETY: this is the copy of the pointer that `goes_to_its_end` passed.
    let work = unsafe { &mut **argument.cast::<*mut Work<'_>>() };
    work.take().expect("a job runs once")();
    1
}
