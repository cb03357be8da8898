//! Detects that the process is the child of a fork(2).

use std::io;
use std::ptr::{NonNull, null_mut};

use crate::sync::{AtomicU32, Ordering, spin_loop};

/// A page of zeros in place of the parent's (MADV_WIPEONFORK).
const CHILD: u32 = 0;
const SETTLING: u32 = 1;
const OURS: u32 = 2;

/// A page that the kernel wipes in the child of a fork. To compare process IDs would cost a system
/// call for each request, and they are reused.
pub(crate) struct ForkMark(NonNull<AtomicU32>);

const BYTES: usize = size_of::<AtomicU32>();

// SAFETY: the pointer refers only to an atomic, which threads may share.
unsafe impl Send for ForkMark {}
// SAFETY: as above.
unsafe impl Sync for ForkMark {}

impl ForkMark {
    pub(crate) fn new() -> io::Result<ForkMark> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address that the kernel selects.
        let at = unsafe { libc::mmap(null_mut(), BYTES, protection, flags, -1, 0) };
        let page = match NonNull::new(at.cast::<AtomicU32>()) {
            Some(page) if at != libc::MAP_FAILED => ForkMark(page),
            _ => return Err(io::Error::last_os_error()),
        };
        // SAFETY: the page was mapped above, and no other code uses it.
        if unsafe { libc::madvise(at, BYTES, libc::MADV_WIPEONFORK) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: as above; the page is long enough.
        unsafe { page.0.write(AtomicU32::new(OURS)) };
        Ok(page)
    }

    /// Once in each child of a fork, before this returns in any of its threads.
    pub(crate) fn settle(&self, in_child: impl Fn()) {
        let state = self.state();
        loop {
            match state.load(Ordering::Acquire) {
                OURS => return,
                CHILD => {
                    let won =
                        state.compare_exchange(CHILD, SETTLING, Ordering::Acquire, Ordering::Relaxed).is_ok();
                    if won {
                        in_child();
                        state.store(OURS, Ordering::Release);
                    }
                }
                _ => spin_loop(),
            }
        }
    }

    pub(crate) fn state(&self) -> &AtomicU32 {
        // SAFETY: mapped, aligned and initialised (at least to zero) while `self` lives.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for ForkMark {
    fn drop(&mut self) {
        // SAFETY: `new` mapped it with this size; a child inherits it as a private mapping.
        unsafe { libc::munmap(self.0.as_ptr().cast(), BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_settles_once_and_its_parent_never() {
        let mark = ForkMark::new().expect("Linux 4.14 or newer");
        let times = AtomicU32::new(0);
        let count = || {
            times.fetch_add(1, Ordering::Relaxed);
        };
        mark.settle(count);
        assert_eq!(times.load(Ordering::Relaxed), 0);
        // SAFETY: the child calls nothing that needs a lock which another thread may hold.
        let child = unsafe { libc::fork() };
        if child == 0 {
            mark.settle(count);
            mark.settle(count);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(times.load(Ordering::Relaxed) as libc::c_int) };
        }
        let mut status = 0;
        // SAFETY: waits for the child forked above.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(libc::WEXITSTATUS(status), 1);
        mark.settle(count);
        assert_eq!(times.load(Ordering::Relaxed), 0);
    }
}
