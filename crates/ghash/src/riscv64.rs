//! 64-bit RISC-V: multiplication of integers.

pub(crate) use crate::integers::Integers as Instructions;

/// riscv_hwprobe(2): its number, a key, and bits of its value (Documentation/arch/riscv/hwprobe.rst).
const HWPROBE: libc::c_long = 258;
const EXTENSIONS: i64 = 4;
const ZBC: u64 = 1 << 7;
const ZVBC: u64 = 1 << 18;
const ZVKG: u64 = 1 << 20;

#[repr(C)]
struct Pair {
    key: i64,
    value: u64,
}

/// Whether this CPU has a multiplication of polynomials. OpenSSL makes the same system call.
pub(crate) fn openssl_is_better() -> bool {
    let (mut pair, nothing) = (Pair { key: EXTENSIONS, value: 0 }, 0_usize);
    // SAFETY: the kernel writes to one pair. Without it the value stays 0.
    unsafe { libc::syscall(HWPROBE, &raw mut pair, 1_usize, nothing, nothing, nothing) };
    pair.value & (ZBC | ZVBC | ZVKG) != 0
}
