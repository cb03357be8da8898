//! How much of an accelerator's work is done again in software and compared.

use std::str::FromStr;

use crate::Error;
use crate::algorithms::number;

/// One request in so many; 0: none. The first of each key are compared in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowChecks(pub u32);

impl Default for ShadowChecks {
    /// Too rare to cost anything that can be measured.
    fn default() -> Self {
        ShadowChecks(4096)
    }
}

impl FromStr for ShadowChecks {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        number(text).map(ShadowChecks).ok_or_else(|| Error::ShadowChecks(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_and_all_else_is_named() {
        assert_eq!("0".parse(), Ok(ShadowChecks(0)));
        assert_eq!("4294967295".parse(), Ok(ShadowChecks(u32::MAX)));
        for wrong in ["", "-1", "+1", "1/4096", "all", "4294967296"] {
            assert_eq!(wrong.parse::<ShadowChecks>(), Err(Error::ShadowChecks(wrong.into())));
        }
    }
}
