//! Other CPUs.

pub(crate) use crate::integers::Integers as Instructions;

/// Multiplication of integers needs more on 32-bit MIPS (docs/decisions.md). Not measured on the others.
pub(crate) fn openssl_is_better() -> bool {
    true
}
