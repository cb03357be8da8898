//! The descriptors of paused jobs in the child of a fork.
//!
//! Parent and child share each open file: an epoll instance that becomes unreadable in the process
//! that resumes its job first is unreadable in the other one too, which would wait for ever. Only
//! the child can have another file, because an event loop of the parent has added the inherited
//! one. So each fork replaces, in the child, these descriptors by an eventfd that is readable at
//! once, and the child submits the requests once more.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use crate::descriptor::Descriptor;
use crate::memory::try_box;

const FREE: i32 = -2;

/// The job of the wait descriptor is not paused.
const IDLE: i32 = -1;

/// Of a list that only grows, so that the child can read it at any time. A free place is used
/// again.
static PLACES: AtomicPtr<Place> = AtomicPtr::new(null_mut());

struct Place {
    descriptor: AtomicI32,
    next: Option<&'static Place>,
}

fn places() -> impl Iterator<Item = &'static Place> {
    // SAFETY: null, or a place that is never freed and was complete when it was published.
    let first = unsafe { PLACES.load(Ordering::Acquire).as_ref() };
    std::iter::successors(first, |place| place.next)
}

pub(super) struct PausedJob(&'static Place);

impl PausedJob {
    pub(super) fn new() -> Option<PausedJob> {
        static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
        let register = || {
            // SAFETY: the function may run in any child of a fork, and the C library forgets it when
            // this module is unloaded.
            unsafe { libc::pthread_atfork(None, None, Some(make_readable)) == 0 }
        };
        if !IS_REGISTERED.swap(true, Ordering::Relaxed) && !register() {
            IS_REGISTERED.store(false, Ordering::Relaxed);
            return None;
        }
        let take = |place: &&Place| {
            place.descriptor.compare_exchange(FREE, IDLE, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        if let Some(place) = places().find(take) {
            return Some(PausedJob(place));
        }
        let place = Box::leak(try_box(Place { descriptor: AtomicI32::new(IDLE), next: None })?);
        let mut first = PLACES.load(Ordering::Acquire);
        loop {
            // SAFETY: as in `places`.
            place.next = unsafe { first.as_ref() };
            match PLACES.compare_exchange(first, place, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(PausedJob(place)),
                Err(other) => first = other,
            }
        }
    }

    pub(super) fn begin(&self, descriptor: libc::c_int) {
        self.0.descriptor.store(descriptor, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.0.descriptor.store(IDLE, Ordering::Relaxed);
    }
}

impl Drop for PausedJob {
    fn drop(&mut self) {
        self.0.descriptor.store(FREE, Ordering::Relaxed);
    }
}

/// No other thread exists and locks may be held for ever: only system calls and loads.
unsafe extern "C" fn make_readable() {
    let paused = || places().map(|place| place.descriptor.load(Ordering::Relaxed)).filter(|&fd| fd >= 0);
    if paused().next().is_none() {
        return;
    }
    // SAFETY: no pointer is passed.
    let readable = unsafe { libc::eventfd(1, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    // Without a free descriptor the child keeps the inherited ones.
    let Ok(readable) = Descriptor::own(readable) else { return };
    paused().for_each(|fd| readable.replace(fd));
}
