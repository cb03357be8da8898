#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use std::arch::asm;

/// Alignment of keys, IVs, control words and data.
#[repr(C, align(16))]
pub(super) struct Aligned<T>(pub(super) T);

/// In the order in which `execute` loads them.
#[repr(C)]
#[cfg_attr(not(any(target_arch = "x86", target_arch = "x86_64")), allow(dead_code))]
pub(super) struct Operands {
    /// EAX: the IV's address; for SHA the number of bytes that are hashed already.
    pub(super) iv: *mut u8,
    /// EBX: the key's address.
    pub(super) key: *const u8,
    /// ECX: number of blocks; for SHA, of bytes.
    pub(super) count: usize,
    /// EDX: the address of the control word.
    pub(super) control: *const u8,
    /// ESI: the address of the data.
    pub(super) source: *const u8,
    /// EDI: the address of the result.
    pub(super) destination: *mut u8,
}

/// REP XCRYPTECB, -CBC and -CTR: group 0xA7. REP XSHA1 and XSHA256: group 0xA6.
pub(super) const CRYPT: u8 = 0xa7;
pub(super) const ECB: u8 = 0xc8;
pub(super) const CBC: u8 = 0xd0;
pub(super) const CTR: u8 = 0xd8;
pub(super) const HASH: u8 = 0xa6;
pub(super) const SHA1: u8 = 0xc8;
pub(super) const SHA256: u8 = 0xd0;

#[cfg(target_arch = "x86_64")]
macro_rules! line {
    ($before:literal, $register:literal, $after:literal) => {
        concat!($before, " r", $register, $after)
    };
}

#[cfg(target_arch = "x86")]
macro_rules! line {
    ($before:literal, $register:literal, $after:literal) => {
        concat!($before, " e", $register, $after)
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! load {
    ($register:literal, $place:literal) => {
        concat!("mov r", $register, ", [rdi + 8 * ", $place, "]")
    };
}

#[cfg(target_arch = "x86")]
macro_rules! load {
    ($register:literal, $place:literal) => {
        concat!("mov e", $register, ", [edi + 4 * ", $place, "]")
    };
}

/// Executes `REP 0F GROUP OPERATION`.
///
/// # Safety
/// The CPU must have the instruction, enabled ([`is_enabled`](super::is_enabled)). The operands must
/// be those of the instruction: readable and writable for their lengths, and aligned to 16 bytes
/// except for the data of SHA. 128 bytes behind the data of a cipher must be readable.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(super) unsafe fn execute<const GROUP: u8, const OPERATION: u8>(operands: &Operands) {
    // SAFETY: the caller has checked the instruction and its operands. EBX and ESI, which the
    // compiler keeps for itself, are saved and restored; the other registers are declared. The
    // direction flag is clear, as everywhere in Rust. An interrupt or a page fault leaves the
    // remaining work in the registers, and the instruction continues. The unit keeps an expanded
    // key until EFLAGS is written, so PUSHF and POPF (9C 9D) make it load this one.
    unsafe {
        asm!(
            line!("push", "bx", ""),
            line!("push", "si", ""),
            ".byte 0x9c, 0x9d",
            load!("ax", 0),
            load!("bx", 1),
            load!("cx", 2),
            load!("dx", 3),
            load!("si", 4),
            load!("di", 5),
            ".byte 0xf3, 0x0f, {group}, {operation}",
            line!("pop", "si", ""),
            line!("pop", "bx", ""),
            group = const GROUP,
            operation = const OPERATION,
            inout("edi") operands => _,
            out("eax") _,
            out("ecx") _,
            out("edx") _,
        );
    }
}

/// # Safety
/// None: other CPUs have no unit, so that no session exists.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub(super) unsafe fn execute<const GROUP: u8, const OPERATION: u8>(_: &Operands) {
    unreachable!("a session with a unit that this CPU does not have");
}
