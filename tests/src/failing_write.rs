//! write(2) for programs in which records to /dev/outboard fail at random: the simulated accelerator
//! can make requests fail, but not the submission of a request.
//!
//! Cargo links a program that uses this with `--export-dynamic-symbol=write` (build.rs).

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// One record in this number fails; 0 for none.
static ONE_IN: AtomicU32 = AtomicU32::new(0);

/// The random numbers: their seed, and how many there were.
static SEED: AtomicU32 = AtomicU32::new(0);
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Memory that a process shares with its children: numbers of records, and of those that failed.
static SHARED: AtomicPtr<[AtomicU32; 2]> = AtomicPtr::new(ptr::null_mut());

/// The errors of write(2) on /dev/outboard (docs/uapi.md), and those that a sandbox or a resource
/// limit adds.
const ERRORS: [c_int; 12] = [
    libc::ENODEV,
    libc::ENOMEM,
    libc::ENOSPC,
    libc::ENOENT,
    libc::EIO,
    libc::EINVAL,
    libc::EPERM,
    libc::EMFILE,
    libc::EAGAIN,
    libc::EBADF,
    libc::EFAULT,
    libc::ETIMEDOUT,
];

/// Makes one record in `one_in` fail from now on, in this process and its children. Half of the
/// failed records reach the kernel all the same.
pub fn fail_one_in(one_in: u32, seed: u32) {
    if SHARED.load(Ordering::Relaxed).is_null() {
        // SAFETY: a new mapping at an address that the kernel selects; zeros are valid counters.
        let memory = unsafe {
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
            libc::mmap(ptr::null_mut(), size_of::<[AtomicU32; 2]>(), access, kind, -1, 0)
        };
        assert!(memory != libc::MAP_FAILED, "memory for the counters");
        SHARED.store(memory.cast(), Ordering::Relaxed);
    }
    SEED.store(seed, Ordering::Relaxed);
    ONE_IN.store(one_in, Ordering::Relaxed);
}

/// The numbers of records that were written, and of those that failed, in this process and its
/// children.
pub fn counts() -> [u32; 2] {
    let shared = SHARED.load(Ordering::Relaxed);
    // SAFETY: null, or mapped until the process ends.
    unsafe { shared.as_ref() }
        .map_or([0; 2], |counts| counts.each_ref().map(|count| count.load(Ordering::Relaxed)))
}

/// As write(2), with failures. Programs export it under the name `write`.
///
/// # Safety
/// As for write(2).
pub unsafe fn write(fd: c_int, from: *const c_void, len: usize) -> isize {
    // SAFETY: passed on unchanged.
    let pass_on = || unsafe { libc::syscall(libc::SYS_write, fd, from, len) } as isize;
    let one_in = ONE_IN.load(Ordering::Relaxed);
    if one_in == 0 || !is_device(fd) {
        return pass_on();
    }
    // SAFETY: `fail_one_in` has mapped it, and it stays mapped.
    let [records, failed] = unsafe { &*SHARED.load(Ordering::Relaxed) };
    records.fetch_add(1, Ordering::Relaxed);
    let random = next_random();
    if random as u32 % one_in != 0 {
        return pass_on();
    }
    failed.fetch_add(1, Ordering::Relaxed);
    if random >> 63 == 1 {
        pass_on();
    }
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() = ERRORS[(random >> 32) as usize % ERRORS.len()] };
    -1
}

fn is_device(fd: c_int) -> bool {
    // SAFETY: the structures are plain numbers, and writable; the path ends with NUL.
    unsafe {
        let (mut file, mut device): (libc::stat, libc::stat) = (std::mem::zeroed(), std::mem::zeroed());
        libc::fstat(fd, &mut file) == 0
            && libc::stat(c"/dev/outboard".as_ptr(), &mut device) == 0
            && file.st_mode & libc::S_IFMT == libc::S_IFCHR
            && file.st_rdev == device.st_rdev
    }
}

/// As in `bytes`: SplitMix64.
fn next_random() -> u64 {
    let state =
        u64::from(SEED.load(Ordering::Relaxed)) << 32 | u64::from(NEXT.fetch_add(1, Ordering::Relaxed));
    let mut mixed = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
