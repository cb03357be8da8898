//! A sandbox with the rules of OpenSSH's sandbox before authentication.
//!
//! The list is that of sandbox-seccomp-filter.c, as far as this architecture has the system calls.
//! Calls that return an error there (openat, fstat: EACCES) return it here; every other call ends
//! the process.

const ALLOWED: [libc::c_long; 18] = [
    libc::SYS_brk,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettimeofday,
    libc::SYS_madvise,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_ppoll,
    libc::SYS_read,
    libc::SYS_rt_sigprocmask,
    libc::SYS_shutdown,
    libc::SYS_write,
];

/// System calls that only some architectures have.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: [libc::c_long; 5] =
    [libc::SYS_mmap, libc::SYS_poll, libc::SYS_select, libc::SYS_time, libc::SYS_sigaltstack];
#[cfg(all(target_pointer_width = "64", not(target_arch = "x86_64")))]
const ALLOWED_HERE: [libc::c_long; 2] = [libc::SYS_mmap, libc::SYS_sigaltstack];
/// The calls with 64-bit times, which libc does not name, have the same numbers on all 32-bit
/// architectures (Linux 5.1); those of MIPS start at 4000.
#[cfg(target_pointer_width = "32")]
const TIME64: libc::c_long = if cfg!(target_arch = "mips") { 4000 } else { 0 };
#[cfg(target_pointer_width = "32")]
const ALLOWED_HERE: [libc::c_long; 6] = [
    libc::SYS_mmap2,
    libc::SYS_poll,
    libc::SYS_sigaltstack,
    TIME64 + 403, // clock_gettime64
    TIME64 + 414, // ppoll_time64
    TIME64 + 422, // futex_time64
];

/// Calls that return EACCES in OpenSSH's sandbox.
#[cfg(target_pointer_width = "64")]
const REFUSED: [libc::c_long; 4] = [libc::SYS_openat, libc::SYS_fstat, libc::SYS_newfstatat, libc::SYS_statx];
#[cfg(target_pointer_width = "32")]
const REFUSED: [libc::c_long; 4] =
    [libc::SYS_openat, libc::SYS_fstat64, libc::SYS_fstatat64, libc::SYS_statx];

fn jump(code: u32, value: u32, yes: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: yes, jf: 1 - yes, k: value }
}

fn answer(value: u32) -> libc::sock_filter {
    libc::sock_filter { code: (libc::BPF_RET | libc::BPF_K) as u16, jt: 0, jf: 0, k: value }
}

/// Enters the sandbox. Afterwards only the system calls of the list are possible.
pub fn enter() {
    const NUMBER: u32 = std::mem::offset_of!(libc::seccomp_data, nr) as u32;
    let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let mut program = vec![libc::sock_filter {
        code: (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16,
        jt: 0,
        jf: 0,
        k: NUMBER,
    }];
    for call in ALLOWED.into_iter().chain(ALLOWED_HERE) {
        program.extend([jump(equal, call as u32, 0), answer(libc::SECCOMP_RET_ALLOW)]);
    }
    for call in REFUSED {
        let errno = libc::SECCOMP_RET_ERRNO | libc::EACCES as u32;
        program.extend([jump(equal, call as u32, 0), answer(errno)]);
    }
    program.push(answer(libc::SECCOMP_RET_KILL_PROCESS));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the program and its length live through the calls, and concern this process alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter), 0);
    }
    std::mem::forget(program);
}
