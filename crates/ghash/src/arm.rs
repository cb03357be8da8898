//! 32-bit Arm. The intrinsics are not stable in Rust, so this is assembler code.

use core::arch::global_asm;

use super::Rotated;
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

// r4: the powers; r5: the blocks; r6: their number, not 0; r3: the products; r7: the hash. d8 to d15 belong to the
// caller (AAPCS, 6.1.2.1), so they are not used. q8 to q12: sums of the products of 8 by 8 bits whose factors are 0,
// 1, 2, 3 and 4 bytes apart, each in a 16-bit lane: lane i has byte i of the first factor, or of the second one, as
// the lower one.
global_asm!(
    ".syntax unified",
    ".arch armv7-a",
    ".fpu neon",
    ".text",
    ".macro outboard_ghash_load which:req",
    ".if \\which == 2",
    "vld1.8 {{d0-d1}}, [r1]!",
    ".else",
    "vld1.8 {{d0}}, [r1], r12",
    ".endif",
    ".endm",
    ".macro outboard_ghash_part which:req",
    "add r0, r4, #(40 * \\which)",
    "mov r2, r6",
    ".if \\which == 1",
    "add r1, r7, #8",
    "vld1.8 {{d2}}, [r1]",
    "add r1, r5, #8",
    ".else",
    "vld1.8 {{d2-d3}}, [r7]",
    "mov r1, r5",
    ".endif",
    "vmov.i32 q8, #0",
    "vmov.i32 q9, #0",
    "vmov.i32 q10, #0",
    "vmov.i32 q11, #0",
    "vmov.i32 q12, #0",
    "outboard_ghash_load \\which",
    "veor q0, q0, q1",
    "b 2f",
    "1:",
    "outboard_ghash_load \\which",
    "2:",
    ".if \\which == 2",
    "veor d0, d0, d1",
    ".endif",
    "vrev64.8 d0, d0",
    // The power, and that rotated by one to four bytes: d3 to d7.
    "vldmia r0, {{d3-d7}}",
    "add r0, r0, #120",
    "vext.8 d1, d0, d0, #1",
    "vext.8 d2, d0, d0, #2",
    "vext.8 d26, d0, d0, #3",
    "vmull.p8 q14, d0, d3",
    "vmull.p8 q15, d1, d3",
    "veor q8, q8, q14",
    "vmull.p8 q14, d0, d4",
    "veor q9, q9, q15",
    "vmull.p8 q15, d2, d3",
    "veor q9, q9, q14",
    "vmull.p8 q14, d0, d5",
    "veor q10, q10, q15",
    "vmull.p8 q15, d26, d3",
    "veor q10, q10, q14",
    "vmull.p8 q14, d0, d6",
    "veor q11, q11, q15",
    "vmull.p8 q15, d0, d7",
    "veor q11, q11, q14",
    "veor q12, q12, q15",
    "subs r2, r2, #1",
    "bne 1b",
    // The lanes at the top wrap around: byte 7 and byte 0 are seven bytes apart, and so on.
    "vmov.i64 d28, #0x0000ffffffffffff",
    "vmov.i64 d29, #0x00000000ffffffff",
    "vmov.i64 d30, #0x000000000000ffff",
    "veor d18, d18, d19",
    "vand d19, d19, d28",
    "veor d18, d18, d19",
    "vext.8 q9, q9, q9, #15",
    "veor d20, d20, d21",
    "vand d21, d21, d29",
    "veor d20, d20, d21",
    "vext.8 q10, q10, q10, #14",
    "veor d22, d22, d23",
    "vand d23, d23, d30",
    "veor d22, d22, d23",
    "vext.8 q11, q11, q11, #13",
    "veor d24, d24, d25",
    "vmov.i64 d25, #0",
    "vext.8 q12, q12, q12, #12",
    "vld1.64 {{d2-d3}}, [r3]",
    "veor q8, q8, q9",
    "veor q10, q10, q11",
    "veor q12, q12, q1",
    "veor q8, q8, q10",
    "veor q8, q8, q12",
    "vst1.64 {{d16-d17}}, [r3]!",
    ".endm",
    ".p2align 4",
    ".arm",
    ".type outboard_ghash_add, %function",
    ".hidden outboard_ghash_add",
    ".globl outboard_ghash_add",
    "outboard_ghash_add:",
    "push {{r4-r7, lr}}",
    "mov r4, r0",
    "mov r5, r1",
    "mov r6, r2",
    "ldr r7, [sp, #20]",
    "mov r12, #16",
    "outboard_ghash_part 0",
    "outboard_ghash_part 1",
    "outboard_ghash_part 2",
    "pop {{r4-r7, pc}}",
    ".size outboard_ghash_add, . - outboard_ghash_add",
    ".purgem outboard_ghash_load",
    ".purgem outboard_ghash_part",
);

// Adds the products of the high halves, the low halves and their sums: three of 128 bits.
unsafe extern "C" {
    fn outboard_ghash_add(
        powers: *const [Rotated; 3],
        blocks: *const u8,
        count: usize,
        products: *mut u64,
        hash: *const [u8; BLOCK],
    );
}

pub(crate) fn add(powers: &[[Rotated; 3]], hash: &[u8; BLOCK], blocks: &[u8], products: &mut [u128; 3]) {
    let count = powers.len().min(blocks.len() / BLOCK);
    if count > 0 {
        let products = products.as_mut_ptr().cast();
        // SAFETY: there are as many blocks and powers, and the caller has checked the instructions.
        unsafe { outboard_ghash_add(powers.as_ptr(), blocks.as_ptr(), count, products, hash) };
    }
}
