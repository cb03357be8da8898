//! The share of an accelerator's results that is computed again in software and compared.

use std::str::FromStr;

use crate::Error;
use crate::algorithms::number;

/// A value of N compares one result in N completely with software. 0 compares only the first result
/// and those after a suspicious event. Two blocks of each cipher result are always checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowChecks {
    /// For ciphers.
    pub ciphers: u32,
    /// For digests and HMAC, whose results cannot be checked in part.
    pub digests: u32,
}

impl Default for ShadowChecks {
    fn default() -> Self {
        ShadowChecks { ciphers: 64, digests: 32 }
    }
}

impl FromStr for ShadowChecks {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let share = number(text).ok_or_else(|| Error::ShadowChecks(text.to_owned()))?;
        Ok(ShadowChecks { ciphers: share, digests: share })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_and_all_else_is_named() {
        assert_eq!("0".parse(), Ok(ShadowChecks { ciphers: 0, digests: 0 }));
        assert_eq!("4294967295".parse(), Ok(ShadowChecks { ciphers: u32::MAX, digests: u32::MAX }));
        for wrong in ["", "-1", "+1", "1/64", "all", "4294967296"] {
            assert_eq!(wrong.parse::<ShadowChecks>(), Err(Error::ShadowChecks(wrong.into())));
        }
    }
}
