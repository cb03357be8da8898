//! GHASH (SP 800-38D, 6.4) by NEON's multiplication of polynomials of 8 bits (VMULL.P8), for Arm CPUs
//! without the one of 64 bits (PMULL, in ARMv8's cryptographic extension). In constant time: no table
//! is read at a place that depends on a secret.
//!
//! OpenSSL 3.1 to 4.0 never uses its NEON code on 32-bit Arm, and has none for 64-bit Arm without
//! PMULL: its GHASH reads 4 bits at a time from a table there.
//!
//! - `field`: the elements of GF(2^128), and what remains to do after the products
//! - `products`: products of 64 by 64 bits, summed over blocks
//!
//! Multiplication from products of 8 bits is described by Câmara, Gouvêa, López and Dahab, "Fast
//! Software Polynomial Multiplication on ARM Processors Using the NEON Engine" (2013). Here the sums
//! over the blocks of a group are formed before the products are put into their places and reduced,
//! which both are linear.

mod field;
mod products;

use field::{Sums, by_x_inverse, multiply, reduced};
pub use products::is_best;
use zeroize::Zeroize;

pub const BLOCK: usize = 16;

/// Number of blocks that are reduced together.
const GROUP: usize = 16;

/// Number of 64-bit parts of Karatsuba's multiplication: the high half, the low half, their sum.
const PARTS: usize = 3;

/// A part of a power of the hash key, and that rotated by one, two, three and four bytes.
type Entry = [u64; 5];

/// The powers of a hash key, from the highest to the first, for each part.
pub struct Powers([[Entry; GROUP]; PARTS]);

impl Powers {
    /// No powers yet: of a hash key that is 0. `None` if this CPU does not have the instructions.
    pub fn none() -> Option<Powers> {
        products::is_there().then_some(Powers([[[0; 5]; GROUP]; PARTS]))
    }

    /// Computes the powers of a hash key, the encryption of a block of zeros.
    pub fn set(&mut self, hash_key: &[u8; BLOCK]) {
        let mut first = u128::from_be_bytes(*hash_key);
        let mut power = first;
        for place in (0..GROUP).rev() {
            let mut entry = by_x_inverse(power);
            for (part, half) in [(entry >> 64) as u64, entry as u64].into_iter().enumerate() {
                self.0[part][place] = [0, 8, 16, 24, 32].map(|bits| half.rotate_right(bits));
            }
            for at in 0..5 {
                self.0[2][place][at] = self.0[0][place][at] ^ self.0[1][place][at];
            }
            entry.zeroize();
            power = multiply(power, first);
        }
        first.zeroize();
        power.zeroize();
    }

    /// GHASH of additional data and ciphertext, each padded with zeros, and their lengths (SP 800-38D,
    /// 7.1).
    pub fn of_message(&self, aad: &[u8], ciphertext: &[u8]) -> [u8; BLOCK] {
        let whole = |bytes: &[u8]| bytes.len() / BLOCK * BLOCK;
        let (aad_blocks, aad_rest) = aad.split_at(whole(aad));
        let (text_blocks, text_rest) = ciphertext.split_at(whole(ciphertext));
        let mut aad_end = [0; BLOCK];
        aad_end[..aad_rest.len()].copy_from_slice(aad_rest);
        let aad_end = &aad_end[..aad_rest.len().next_multiple_of(BLOCK)];
        // The rest of the text, if there is one, and the lengths.
        let mut end = [0; 2 * BLOCK];
        end[..text_rest.len()].copy_from_slice(text_rest);
        let [aad_bits, text_bits] = [aad, ciphertext].map(|bytes| bytes.len() as u128 * 8);
        end[BLOCK..].copy_from_slice(&(aad_bits << 64 | text_bits).to_be_bytes());
        let end = &end[if text_rest.is_empty() { BLOCK } else { 0 }..];
        self.of_blocks([aad_blocks, aad_end, text_blocks, end]).to_be_bytes()
    }

    /// GHASH of whole blocks, in runs one after the other.
    fn of_blocks<const N: usize>(&self, mut runs: [&[u8]; N]) -> u128 {
        let mut left: usize = runs.iter().map(|run| run.len() / BLOCK).sum();
        let (mut hash, mut sums, mut first) = (0_u128, [Sums::default(); PARTS], [0; BLOCK]);
        while left > 0 {
            let count = left.min(GROUP);
            left -= count;
            sums = [Sums::default(); PARTS];
            let mut place = GROUP - count;
            // The hash of the groups before is added to the first block.
            for run in &mut runs {
                if place == GROUP - count && !run.is_empty() {
                    let (block, rest) = run.split_at(BLOCK);
                    first.copy_from_slice(block);
                    first = (u128::from_be_bytes(first) ^ hash).to_be_bytes();
                    self.add(place, &first, &mut sums);
                    *run = rest;
                    place += 1;
                }
                let (now, rest) = run.split_at(run.len().min((GROUP - place) * BLOCK));
                if !now.is_empty() {
                    self.add(place, now, &mut sums);
                    place += now.len() / BLOCK;
                    *run = rest;
                }
            }
            hash = reduced(&sums);
        }
        sums.iter_mut().for_each(Zeroize::zeroize);
        first.zeroize();
        hash
    }

    /// Adds the products of blocks and the powers from `place` on.
    fn add(&self, place: usize, blocks: &[u8], sums: &mut [Sums; PARTS]) {
        for (part, sums) in sums.iter_mut().enumerate() {
            products::add(part, &self.0[part][place..], blocks, sums);
        }
    }
}

impl Drop for Powers {
    fn drop(&mut self) {
        self.0.iter_mut().flatten().for_each(Zeroize::zeroize);
    }
}

#[cfg(test)]
mod tests;
