//! Other CPUs.

pub(crate) use crate::integers::Integers as Instructions;

/// Not measured on any of these.
pub(crate) fn openssl_is_better() -> bool {
    true
}
