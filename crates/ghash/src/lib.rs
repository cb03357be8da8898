//! GHASH (SP 800-38D, 6.4) for CPUs without a multiplication of polynomials of 64 bits, on which
//! OpenSSL's is slow. In constant time: no table is read at a place that depends on a secret.
//!
//! - `group`: the part that is common. The products of the blocks of a group and powers of the hash key are
//!   summed before they are put into their places and reduced, which both are linear.
//! - `neon`: NEON's multiplication of polynomials of 8 bits (VMULL.P8). OpenSSL 3.1 to 4.0 never uses its
//!   NEON code on 32-bit Arm, and has none for 64-bit Arm without PMULL.
//! - `ssse3`: look-ups in 16 bytes (PSHUFB), for x86 CPUs without PCLMULQDQ
//! - `integers`: multiplication of integers, for x86-64 CPUs without both and RISC-V
//! - `field`: the elements of GF(2^128), for `neon` and `integers`

#[cfg_attr(target_arch = "x86", allow(dead_code))]
mod field;
mod group;
#[cfg_attr(not(any(target_arch = "riscv64", target_arch = "x86_64")), allow(dead_code))]
mod integers;

#[cfg_attr(
    all(any(target_arch = "arm", target_arch = "aarch64"), target_endian = "little"),
    path = "neon.rs"
)]
#[cfg_attr(any(target_arch = "x86", target_arch = "x86_64"), path = "ssse3.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
#[cfg_attr(
    not(any(
        all(any(target_arch = "arm", target_arch = "aarch64"), target_endian = "little"),
        target_arch = "riscv64",
        target_arch = "x86",
        target_arch = "x86_64"
    )),
    path = "other.rs"
)]
mod of_cpu;

use group::Group;
#[cfg(target_arch = "x86_64")]
use integers::Integers;
use of_cpu::Instructions;

pub const BLOCK: usize = 16;

/// The powers of a hash key.
pub struct Powers(Prepared);

enum Prepared {
    Instructions(Group<Instructions>),
    #[cfg(target_arch = "x86_64")]
    Integers(Group<Integers>),
}

type Prepare = fn(&[u8; BLOCK]) -> Option<Prepared>;

impl Powers {
    /// The powers of a hash key, the encryption of a block of zeros. `None` if OpenSSL is better on this
    /// CPU or for this key, or without memory.
    pub fn new(hash_key: &[u8; BLOCK]) -> Option<Powers> {
        if of_cpu::openssl_is_better() { None } else { Powers::by_each_method(hash_key).next() }
    }

    /// The powers for each method of this CPU, the best one first.
    pub fn by_each_method(hash_key: &[u8; BLOCK]) -> impl Iterator<Item = Powers> {
        let methods: &[Prepare] = &[
            |hash_key| Group::new(hash_key).map(Prepared::Instructions),
            #[cfg(target_arch = "x86_64")]
            |hash_key| Group::new(hash_key).map(Prepared::Integers),
        ];
        methods.iter().filter_map(|method| method(hash_key)).map(Powers)
    }

    /// GHASH of additional data and ciphertext, each padded with zeros, and their lengths (SP 800-38D,
    /// 7.1).
    pub fn of_message(&self, aad: &[u8], ciphertext: &[u8]) -> [u8; BLOCK] {
        match &self.0 {
            Prepared::Instructions(group) => group.of_message(aad, ciphertext),
            #[cfg(target_arch = "x86_64")]
            Prepared::Integers(group) => group.of_message(aad, ciphertext),
        }
    }
}

#[cfg(test)]
mod tests;
