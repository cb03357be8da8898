//! 32-bit Arm. The intrinsics are not stable in Rust, so this is assembler code.

use core::arch::global_asm;

use super::{Rotated, Sums};
use crate::BLOCK;

/// Bits of getauxval(3) (arch/arm/include/uapi/asm/hwcap.h).
const NEON: libc::c_ulong = 1 << 12;
const PMULL: libc::c_ulong = 1 << 1;

pub(crate) fn is_there() -> bool {
    // SAFETY: a number only.
    unsafe { libc::getauxval(libc::AT_HWCAP) & NEON != 0 }
}

/// Whether this CPU has the multiplication of 64 bits.
pub(crate) fn openssl_is_better() -> bool {
    // SAFETY: a number only.
    unsafe { libc::getauxval(libc::AT_HWCAP2) & PMULL != 0 }
}

// r0: a part of the powers; r1: the blocks; r2: their number, not 0; r3: the sums; on the stack: the hash. d8 to
// d15 belong to the caller (AAPCS, 6.1.2.1), so they are not used.
global_asm!(
    ".syntax unified",
    ".arch armv7-a",
    ".fpu neon",
    ".text",
    ".macro outboard_ghash_part name:req, which:req",
    ".p2align 4",
    ".arm",
    ".type \\name, %function",
    ".hidden \\name",
    ".globl \\name",
    "\\name:",
    "ldr r12, [sp]",
    "vld1.8 {{d2-d3}}, [r12]",
    "vldmia r3, {{d16-d25}}",
    "vld1.8 {{d0-d1}}, [r1]!",
    "veor q0, q0, q1",
    "b 2f",
    "1:",
    "vld1.8 {{d0-d1}}, [r1]!",
    "2:",
    "vrev64.8 q0, q0",
    ".if \\which == 1",
    "vmov d0, d1",
    ".elseif \\which == 2",
    "veor d0, d0, d1",
    ".endif",
    // The power, and that rotated by one to four bytes: d4 to d7, d26.
    "vld1.64 {{d4-d7}}, [r0]!",
    "vld1.64 {{d26}}, [r0]!",
    "add r0, r0, #80",
    "vext.8 d1, d0, d0, #1",
    "vext.8 d2, d0, d0, #2",
    "vext.8 d3, d0, d0, #3",
    "vmull.p8 q14, d0, d4",
    "vmull.p8 q15, d1, d4",
    "veor q8, q8, q14",
    "vmull.p8 q14, d0, d5",
    "veor q9, q9, q15",
    "vmull.p8 q15, d2, d4",
    "veor q9, q9, q14",
    "vmull.p8 q14, d0, d6",
    "veor q10, q10, q15",
    "vmull.p8 q15, d3, d4",
    "veor q10, q10, q14",
    "vmull.p8 q14, d0, d7",
    "veor q11, q11, q15",
    "vmull.p8 q15, d0, d26",
    "veor q11, q11, q14",
    "veor q12, q12, q15",
    "subs r2, r2, #1",
    "bne 1b",
    "vstmia r3, {{d16-d25}}",
    "bx lr",
    ".size \\name, . - \\name",
    ".endm",
    "outboard_ghash_part outboard_ghash_high, 0",
    "outboard_ghash_part outboard_ghash_low, 1",
    "outboard_ghash_part outboard_ghash_both, 2",
    ".purgem outboard_ghash_part",
);

// Each sum is 16 bytes in the order of memory.
unsafe extern "C" {
    fn outboard_ghash_high(_: *const Rotated, _: *const u8, _: usize, _: *mut [u8; 80], _: *const [u8; 16]);
    fn outboard_ghash_low(_: *const Rotated, _: *const u8, _: usize, _: *mut [u8; 80], _: *const [u8; 16]);
    fn outboard_ghash_both(_: *const Rotated, _: *const u8, _: usize, _: *mut [u8; 80], _: *const [u8; 16]);
}

pub(crate) fn add(powers: &[[Rotated; 3]], hash: &[u8; BLOCK], blocks: &[u8], sums: &mut [Sums; 3]) {
    let count = powers.len().min(blocks.len() / BLOCK);
    if count == 0 {
        return;
    }
    let functions = [outboard_ghash_high, outboard_ghash_low, outboard_ghash_both];
    for (part, (function, sums)) in functions.into_iter().zip(sums).enumerate() {
        let sums = std::ptr::from_mut(sums).cast();
        // SAFETY: the caller has checked that there are `count` blocks and powers, and the instructions.
        unsafe { function(powers.as_ptr().cast::<Rotated>().add(part), blocks.as_ptr(), count, sums, hash) };
    }
}
