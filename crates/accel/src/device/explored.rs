//! All interleavings of threads that share an arena, with the module's driver as one of them.

use std::io;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use outboard_uapi as uapi;

use super::arena::Arena;
use super::link::Link;
use super::link::tests::{Module, module};
use super::mapping::UNIT;
use super::mapping::explored::FIRST;
use super::region::Region;
use super::units::{UNITS, Units};
use crate::fork_mark::ForkMark;
use crate::memory::Shared;
use crate::sync::Ordering;
use crate::sync::explored::{Stopping, explore};

fn arena_of(region: &Region) -> &'static Arena {
    // SAFETY: the test keeps the link.
    unsafe { &*region.arena }
}

/// What the kernel does to the page of the mark.
fn forks(mark: &ForkMark) {
    mark.state().store(0, Ordering::Release);
}

/// The link of a process whose arena has one free unit left, and the arena.
struct Process {
    link: Shared<Link>,
    others: Region,
    arena: &'static Arena,
}

impl Process {
    fn new(module: &Module) -> Process {
        let others = Link::allocate(&module.link, UNITS - 1).expect("units");
        let arena = arena_of(&others);
        Process { link: module.link.clone(), others, arena }
    }

    fn only_unit(&self) -> Region {
        let region = Link::allocate(&self.link, 1).expect("a unit");
        assert!(self.is_only_unit(&region));
        region
    }

    /// Of another arena otherwise.
    fn is_only_unit(&self, region: &Region) -> bool {
        std::ptr::eq(region.arena, self.arena)
    }
}

const LAST: u32 = UNITS - 1;

const _: () = assert!(LAST >= FIRST);

const SECRET: u8 = 0xa5;

/// A request in flight, with a secret in it.
fn submitted(process: &Process) -> Region {
    let mut region = process.only_unit();
    region.fill_with(16, &mut |room| room.fill(SECRET)).expect("mapped");
    region.ask(0, &uapi::Slot::EMPTY).expect("mapped");
    // The module does this before write(2) returns.
    process.arena.set_status(LAST, uapi::IN_FLIGHT);
    region.ring(1, false, 16).expect("the module accepts it");
    region
}

/// # Safety
/// 16 bytes of a mapping.
unsafe fn write(data: *mut u8) {
    // SAFETY: guaranteed by the caller. Loom sees accesses at the same time.
    unsafe { data.write_bytes(SECRET, 16) };
}

/// What a driver does with a request.
#[derive(Clone, Copy)]
enum Course {
    Completes,
    /// Writes the data after an error, within the time for which the memory is kept back.
    FailsAndWrites,
    Never,
}

/// The driver as a thread, to which the request's memory belongs.
fn drive(arena: &'static Arena, course: Course) {
    match course {
        Course::Completes => {
            // SAFETY: within the mapping.
            unsafe { write(arena.data(LAST)) };
            arena.set_status(LAST, 0);
        }
        Course::FailsAndWrites => {
            arena.set_status(LAST, -libc::EIO);
            // SAFETY: within the mapping.
            unsafe { write(arena.late_data(LAST)) };
        }
        Course::Never => return,
    }
    arena.seconds.store(100, Ordering::Release);
}

/// Memory that is lent is wiped, and loom sees no other access to it.
fn lend(process: &Process) -> bool {
    let Ok(mut region) = Link::allocate(&process.link, 1) else { return false };
    if !process.is_only_unit(&region) {
        return false;
    }
    // SAFETY: the unit of the region.
    let memory = unsafe { std::slice::from_raw_parts(process.arena.late_data(LAST), UNIT) };
    assert!(memory.iter().all(|&byte| byte == 0), "memory is wiped before it is lent again");
    region.put(0, &[1; 16]).expect("mapped");
    true
}

/// A text of the process waits for its result while another thread takes memory.
#[test]
fn a_result_is_read_after_the_driver_has_written_it_and_each_wait_ends() {
    explore(3, || {
        let module = module();
        let process = Arc::new(Process::new(&module));
        let region = submitted(&process);
        let arena = process.arena;
        let driver = thread::spawn(move || drive(arena, Course::Completes));
        let other = {
            let process = process.clone();
            thread::spawn(move || lend(&process))
        };
        region.finish(0..1).expect("it completes");
        assert_eq!(region.bytes(0..1, 0, 16).expect("it succeeded"), [SECRET; 16]);
        drop(region);
        driver.join().expect("it ends");
        other.join().expect("it ends");
        assert!(lend(&process), "the unit comes back");
    });
}

/// A region is dropped while the driver has it, and two threads take memory.
fn a_slot_is_reused_after(course: Course, comes_back: bool) {
    explore(2, move || {
        let module = module();
        let process = Arc::new(Process::new(&module));
        let region = submitted(&process);
        let arena = process.arena;
        let driver = thread::spawn(move || drive(arena, course));
        let other = {
            let process = process.clone();
            thread::spawn(move || lend(&process))
        };
        drop(region);
        let lent = lend(&process);
        let other_lent = other.join().expect("it ends");
        assert!(comes_back || !lent && !other_lent);
        driver.join().expect("it ends");
        arena.seconds.store(200, Ordering::Release);
        assert_eq!(lend(&process), comes_back);
    });
}

#[test]
fn a_slot_is_reused_only_after_the_driver_has_completed_it() {
    a_slot_is_reused_after(Course::Completes, true);
}

#[test]
fn a_slot_is_reused_only_some_time_after_the_driver_has_failed() {
    a_slot_is_reused_after(Course::FailsAndWrites, true);
}

#[test]
fn a_slot_that_the_driver_never_completes_is_never_reused() {
    a_slot_is_reused_after(Course::Never, false);
}

/// Key stream is submitted again in the same memory.
#[test]
fn units_are_renewed_only_after_the_driver_has_completed_them() {
    for course in [Course::Completes, Course::FailsAndWrites, Course::Never] {
        explore(3, move || {
            let module = module();
            let process = Process::new(&module);
            let region = submitted(&process);
            let arena = process.arena;
            let driver = thread::spawn(move || drive(arena, course));
            if let Some(mut region) = region.renew(&process.link, 1) {
                assert!(matches!(course, Course::Completes));
                region.put(0, &[1; 16]).expect("mapped");
            }
            driver.join().expect("it ends");
        });
    }
}

#[test]
fn units_belong_to_one_thread_at_a_time() {
    explore(None, || {
        let units = Arc::new((Units::default(), [(); 3].map(|()| UnsafeCell::new(()))));
        assert_eq!(units.0.take(UNITS - 3), Some(0));
        let threads = [1, 2].map(|count| {
            let units = units.clone();
            thread::spawn(move || {
                let Some(first) = units.0.take(count) else { return };
                for unit in first..first + count {
                    units.1[(unit - (UNITS - 3)) as usize].with_mut(|_| ());
                }
                units.0.give(first, count);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        assert_eq!(units.0.take(3), Some(UNITS - 3), "all come back");
    });
}

#[test]
fn threads_that_map_the_first_arena_at_once_share_one() {
    explore(3, || {
        let module = module();
        let link = module.link.clone();
        let other = thread::spawn(move || {
            let region = Link::allocate(&link, UNITS - 1).expect("units");
            (arena_of(&region).data(LAST).is_null(), region)
        });
        let mine = Link::allocate(&module.link, 1).expect("a unit");
        let (_, region) = other.join().expect("it ends");
        assert!(std::ptr::eq(mine.arena, region.arena));
    });
}

struct Value(UnsafeCell<u32>);

impl Drop for Value {
    fn drop(&mut self) {
        self.0.with_mut(|_| ());
    }
}

// SAFETY: loom sees accesses at the same time.
unsafe impl Sync for Value {}

#[test]
fn the_last_owner_drops_a_shared_value_after_all_uses() {
    explore(None, || {
        let shared = Shared::try_new(Value(UnsafeCell::new(0))).expect("memory");
        let threads = [(); 2].map(|()| {
            let shared = shared.clone();
            thread::spawn(move || shared.0.with(|_| ()))
        });
        shared.0.with(|_| ());
        drop(shared);
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
    });
}

/// Two threads of a child use the link first.
#[test]
fn a_child_settles_once_before_any_of_its_threads_goes_on() {
    explore(None, || {
        let mark = Arc::new((ForkMark::new().expect("memory"), UnsafeCell::new(0)));
        forks(&mark.0);
        let settle = |mark: &(ForkMark, UnsafeCell<u32>)| {
            // SAFETY: loom sees accesses at the same time.
            mark.0.settle(|| mark.1.with_mut(|times| unsafe { *times += 1 }));
            // SAFETY: as above.
            assert_eq!(mark.1.with(|times| unsafe { *times }), 1);
        };
        let other = {
            let mark = mark.clone();
            thread::spawn(move || settle(&mark))
        };
        settle(&mark);
        other.join().expect("it ends");
    });
}

/// A thread of the parent is at any step of a request when another one forks.
#[test]
fn a_child_has_no_access_to_memory_of_its_parent_at_whatever_step_the_fork_was() {
    for step in 0.. {
        let has_ended = std::sync::Arc::new(std::sync::Mutex::new(false));
        let result = has_ended.clone();
        explore(None, move || {
            let module = module();
            let process = Arc::new(Process::new(&module));
            let of_parent = submitted(&process);
            let link = process.link.clone();
            let thread = Stopping::before(step, move || {
                if let Ok(mut region) = Link::allocate(&link, 1) {
                    let _ = region.put(0, &[SECRET; 16]);
                }
            });
            *result.lock().expect("one thread") = thread.wait();
            // In the child.
            forks(&process.link.mark);
            let is_refused = |error: io::Error| error.raw_os_error() == Some(libc::ECHILD);
            assert!(of_parent.bytes(0..1, 0, 16).is_err_and(is_refused) && !of_parent.is_any_in_flight());
            drop(of_parent);
            let mut own = Link::allocate(&process.link, 1).expect("an arena of its own");
            assert!(!process.is_only_unit(&own) && own.put(0, &[1; 16]).is_ok());
            assert!(process.others.bytes(0..1, 0, 16).is_err_and(is_refused));
            thread.end();
        });
        if *has_ended.lock().expect("one thread") {
            return;
        }
    }
}
