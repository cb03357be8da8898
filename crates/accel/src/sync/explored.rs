//! Atomics of loom. A thread can be stopped before any of its accesses, as fork(2) stops, in the
//! child, all threads of the process but one.

use std::cell::Cell;
use std::sync::{Arc, Mutex};

pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::Ordering;
#[allow(unused_imports, reason = "not every crate calls it")]
pub(crate) use loom::sync::atomic::fence;
use loom::sync::mpsc::{Receiver, Sender, channel};
use loom::thread::{self, JoinHandle, ThreadId};

/// The threads that stop. Loom's threads are coroutines of one thread.
static LIMITS: Mutex<Vec<Limit>> = Mutex::new(Vec::new());

struct Limit {
    thread: ThreadId,
    /// Accesses that are left.
    left: u32,
    /// Of whether the thread has ended.
    stops: Sender<bool>,
    goes_on: Receiver<()>,
}

/// A thread that stops before one of its accesses, until the test is over.
pub(crate) struct Stopping {
    thread: JoinHandle<()>,
    stops: Receiver<bool>,
    goes_on: Sender<()>,
    has_ended: Cell<bool>,
}

impl Stopping {
    /// Runs `body` up to its access with this number.
    pub(crate) fn before(access: u32, body: impl FnOnce() + 'static) -> Stopping {
        let ((its, stops), (goes_on, its_turn)) = (channel(), channel());
        let thread = thread::spawn(move || {
            let thread = thread::current().id();
            let limit = Limit { thread, left: access, stops: its.clone(), goes_on: its_turn };
            LIMITS.lock().expect("one thread").push(limit);
            body();
            LIMITS.lock().expect("one thread").retain(|limit| limit.thread != thread);
            its.send(true).expect("the test waits");
        });
        Stopping { thread, stops, goes_on, has_ended: Cell::new(false) }
    }

    /// Waits until it has stopped. Returns whether it ended before.
    pub(crate) fn wait(&self) -> bool {
        self.has_ended.set(self.stops.recv().expect("it stops or ends"));
        self.has_ended.get()
    }

    /// After the test.
    pub(crate) fn end(self) {
        if !self.has_ended.get() {
            self.goes_on.send(()).expect("it waits");
            self.wait();
        }
        self.thread.join().expect("it ends");
    }
}

fn access() {
    let mut limits = LIMITS.lock().expect("one thread");
    if limits.is_empty() {
        return;
    }
    let mine = thread::current().id();
    let Some(index) = limits.iter().position(|limit| limit.thread == mine) else { return };
    if limits[index].left > 0 {
        limits[index].left -= 1;
        return;
    }
    let limit = limits.swap_remove(index);
    drop(limits);
    limit.stops.send(false).expect("the test waits");
    limit.goes_on.recv().expect("the test ends");
}

/// In words.
const STACK: usize = 1 << 18;

/// Explores `body`, with at most this many preemptions if there is a number, and prints how many
/// executions there are.
pub(crate) fn explore(preemptions: impl Into<Option<usize>>, body: impl Fn() + Send + Sync + 'static) {
    let preemptions = preemptions.into();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_branches = 100_000;
    let (count, body) = (Arc::new(Mutex::new(0_u64)), Arc::new(body));
    let counted = count.clone();
    builder.check(move || {
        *counted.lock().expect("one thread") += 1;
        LIMITS.lock().expect("one thread").clear();
        let body = body.clone();
        // The stack of the first one is small.
        let first = thread::Builder::new().stack_size(STACK).spawn(move || body());
        first.expect("a thread").join().expect("it ends");
    });
    let bound = match preemptions {
        Some(most) => format!("interleavings with at most {most} preemptions"),
        None => "all interleavings".to_owned(),
    };
    println!("explored: {bound}, {} executions", count.lock().expect("one thread"));
}

/// An atomic of loom with the functions that are used.
macro_rules! atomic {
    ($name:ident, $value:ty, $($operation:ident),*) => {
        #[derive(Debug)]
        pub(crate) struct $name(loom::sync::atomic::$name);

        #[allow(dead_code, reason = "not every crate calls each")]
        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                $name(loom::sync::atomic::$name::new(value))
            }
            $(pub(crate) fn $operation(&self, value: $value, order: Ordering) -> $value {
                access();
                self.0.$operation(value, order)
            })*
            pub(crate) fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                access();
                self.0.fetch_update(set, fetch, update)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $name::new(<$value>::default())
            }
        }

        common!([] $name, $value);
    };
}

/// What all of them have.
macro_rules! common {
    ([$($generic:ident)?] $name:ident, $value:ty) => {
        #[allow(dead_code, reason = "not every crate calls each")]
        impl$(<$generic>)? $name$(<$generic>)? {
            pub(crate) fn load(&self, order: Ordering) -> $value {
                access();
                self.0.load(order)
            }
            pub(crate) fn store(&self, value: $value, order: Ordering) {
                access();
                self.0.store(value, order);
            }
            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                access();
                self.0.compare_exchange(current, new, success, failure)
            }
            pub(crate) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }
        }
    };
}

atomic!(AtomicU8, u8, swap);
atomic!(AtomicU32, u32, swap, fetch_add, fetch_sub, fetch_and, fetch_or, fetch_xor);
atomic!(AtomicI32, i32, swap);
atomic!(AtomicUsize, usize, swap, fetch_add, fetch_sub);
atomic!(AtomicBool, bool, swap);

#[derive(Debug)]
pub(crate) struct AtomicPtr<T>(loom::sync::atomic::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    pub(crate) fn new(at: *mut T) -> Self {
        AtomicPtr(loom::sync::atomic::AtomicPtr::new(at))
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

common!([T] AtomicPtr, *mut T);
