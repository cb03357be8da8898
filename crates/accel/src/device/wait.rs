//! A descriptor that is readable when a request has completed.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::RawFd;
use std::process;
use std::ptr::null_mut;

use super::paused::PausedJob;
use crate::descriptor::{Descriptor, check};
use crate::memory::try_box;
use crate::session::{WaitDescriptor, Woken};

/// How long a job is paused, in nanoseconds.
const PAUSE: libc::c_long = 200_000_000;

const EVENT: u64 = 0;
const TIMER: u64 = 1;

/// An epoll(7) instance with an eventfd for the module and a timer. Both are edge-triggered:
/// epoll_wait(2) clears their events, and neither is ever read, nor any file of the application
/// under its number.
pub(super) struct Waiting {
    epoll: Descriptor,
    timer: Descriptor,
    /// None until needed, and after a time that ended with a notification pending, which may still
    /// arrive.
    event: RefCell<Option<Descriptor>>,
    /// Whether the module will notify the eventfd, or has and the event was not consumed.
    told_of: Cell<bool>,
    paused: PausedJob,
    /// The child of a fork has the eventfd and the timer of its parent, and while no job waits, its
    /// epoll instance.
    process: u32,
}

impl Waiting {
    pub(super) fn boxed() -> io::Result<Box<dyn WaitDescriptor>> {
        let waiting = try_box(Waiting::new()?);
        Ok(waiting.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?)
    }

    fn new() -> io::Result<Waiting> {
        let flags = libc::TFD_CLOEXEC | libc::TFD_NONBLOCK;
        // SAFETY: no pointer is passed.
        let (epoll, timer) = unsafe {
            (libc::epoll_create1(libc::EPOLL_CLOEXEC), libc::timerfd_create(libc::CLOCK_MONOTONIC, flags))
        };
        let (epoll, timer) = (Descriptor::own(epoll), Descriptor::own(timer));
        let waiting = Waiting {
            epoll: epoll?,
            timer: timer?,
            event: RefCell::new(None),
            told_of: Cell::new(false),
            paused: PausedJob::new().ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?,
            process: process::id(),
        };
        waiting.control(libc::EPOLL_CTL_ADD, &waiting.timer, TIMER)?;
        Ok(waiting)
    }

    fn control(&self, operation: libc::c_int, of: &Descriptor, name: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: (libc::EPOLLIN | libc::EPOLLET) as u32, u64: name };
        // SAFETY: the event is readable.
        check(unsafe { libc::epoll_ctl(self.epoll.fd(), operation, of.fd(), &mut event) }).map(drop)
    }

    fn set_timer(&self, nanoseconds: libc::c_long) -> io::Result<()> {
        let [never, then] = [0, nanoseconds].map(|tv_nsec| libc::timespec { tv_sec: 0, tv_nsec });
        let time = libc::itimerspec { it_interval: never, it_value: then };
        // SAFETY: `time` is readable, and the old value is not requested.
        check(unsafe { libc::timerfd_settime(self.timer.fd(), 0, &time, null_mut()) }).map(drop)
    }

    /// Pending events, without waiting: of the eventfd, and of the timer.
    fn events(&self) -> (bool, bool) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 2];
        // SAFETY: `events` is writable for its length.
        let count =
            unsafe { libc::epoll_wait(self.epoll.fd(), events.as_mut_ptr(), events.len() as libc::c_int, 0) };
        let events = &events[..usize::try_from(count).unwrap_or(0)];
        // `epoll_event` is packed on x86: no references to its fields.
        let has = |name| events.iter().any(|event| { event.u64 } == name);
        (has(EVENT), has(TIMER))
    }
}

impl WaitDescriptor for Waiting {
    fn fd(&self) -> RawFd {
        self.epoll.fd()
    }

    fn is_ours(&self) -> bool {
        self.process == process::id() && self.epoll.is_ours()
    }

    fn event(&self) -> io::Result<RawFd> {
        let mut event = self.event.borrow_mut();
        let event = match &mut *event {
            Some(event) => event,
            none => {
                // SAFETY: no pointer is passed.
                let made = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
                let made = Descriptor::own(made)?;
                self.control(libc::EPOLL_CTL_ADD, &made, EVENT)?;
                none.insert(made)
            }
        };
        self.told_of.set(true);
        Ok(event.fd())
    }

    fn begin(&self) -> io::Result<()> {
        self.paused.begin(self.fd());
        self.set_timer(PAUSE)
    }

    fn end(&self) {
        self.paused.end();
        // If a call fails, the application has closed the descriptors.
        let _ = self.set_timer(0);
        if self.told_of.get() && self.woken() != Woken::ByAnAnswer {
            if let Some(event) = self.event.take() {
                // A forked child may hold the eventfd too: then closing it does not remove it from
                // epoll.
                let _ = self.control(libc::EPOLL_CTL_DEL, &event, EVENT);
            }
            self.told_of.set(false);
        }
    }

    fn abandon(&self) -> bool {
        self.paused.end();
        let is_child = self.process != process::id();
        if is_child {
            // SAFETY: no pointer is passed.
            let empty = Descriptor::own(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) });
            let _ = empty.map(|empty| self.epoll.become_another_opening(&empty));
        }
        is_child
    }

    fn woken(&self) -> Woken {
        match self.events() {
            (true, _) => {
                self.told_of.set(false);
                Woken::ByAnAnswer
            }
            (false, true) => Woken::ByTheClock,
            (false, false) => Woken::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_readable(waiting: &Waiting) -> bool {
        let mut polled = libc::pollfd { fd: waiting.fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry.
        unsafe { libc::poll(&mut polled, 1, 0) > 0 }
    }

    #[test]
    fn a_child_is_called_for_the_jobs_that_are_paused_and_for_no_others() {
        let [paused, resumed, ended, again] = [(); 4].map(|()| Waiting::new().expect("descriptors"));
        let number = ended.fd();
        drop(ended);
        let all = [&paused, &resumed, &again, &Waiting::new().expect("descriptors")];
        assert_eq!(all[3].fd(), number);
        for waiting in [&paused, &resumed] {
            waiting.begin().expect("a timer");
        }
        resumed.end();
        // SAFETY: the child makes system calls only.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let called = all.map(is_readable) == [true, false, false, false] && !paused.is_ours();
            let is_right =
                called && all.into_iter().all(Waiting::abandon) && !all.into_iter().any(is_readable);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(i32::from(!is_right)) };
        }
        let mut status = 0;
        // SAFETY: waits for the child forked above.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        assert!(!all.into_iter().any(is_readable) && paused.is_ours());
    }
}
