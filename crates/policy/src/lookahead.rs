//! Look-ahead: key stream that an accelerator computes before it is requested.

use crate::Error;
use crate::algorithms::number;

/// Keys `LOOKAHEAD` and `LOOKAHEAD_...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookaheadPolicy {
    /// Key `LOOKAHEAD`: whether it is used, for all ciphers for which there is a driver of ECB mode.
    pub is_on: bool,
    /// Maximum memory of a process for key stream, in bytes.
    pub memory: usize,
    /// Number of bytes with a key after which it starts.
    pub start: usize,
    /// Maximum key stream of one context, in bytes.
    pub window: usize,
}

impl Default for LookaheadPolicy {
    fn default() -> Self {
        let (memory, start, window) = (4 << 20, 32 << 10, 512 << 10);
        LookaheadPolicy { is_on: false, memory, start, window }
    }
}

/// Parses ON or OFF.
pub(crate) fn switch(text: &str) -> Result<bool, Error> {
    let is = |name: &str| name.eq_ignore_ascii_case(text);
    match (is("ON"), is("OFF")) {
        (false, false) => Err(Error::Lookahead(text.to_owned())),
        (is_on, _) => Ok(is_on),
    }
}

/// Parses a number of bytes.
pub(crate) fn bytes(text: &str) -> Result<usize, Error> {
    number(text).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| Error::Bytes(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;

    #[test]
    fn the_keys_are_read_and_wrong_values_are_named() {
        let mut policy = Policy::default();
        for (key, value) in [
            ("LOOKAHEAD", "on"),
            ("LOOKAHEAD_MEMORY", "65536"),
            ("LOOKAHEAD_START", "0"),
            ("LOOKAHEAD_WINDOW", "16"),
        ] {
            assert_eq!(policy.set(key, value), Ok(Vec::new()), "{key}");
        }
        let expected = LookaheadPolicy { is_on: true, memory: 65536, start: 0, window: 16 };
        assert_eq!(policy.lookahead, expected);
        for wrong in ["", "1", "yes", "AUTO", "ON,OFF"] {
            assert_eq!(policy.set("LOOKAHEAD", wrong), Err(Error::Lookahead(wrong.into())));
        }
        for key in ["LOOKAHEAD_MEMORY", "LOOKAHEAD_START", "LOOKAHEAD_WINDOW"] {
            for wrong in ["", "-1", "4M", "4294967296"] {
                assert_eq!(policy.set(key, wrong), Err(Error::Bytes(wrong.into())), "{key}");
            }
        }
        assert_eq!(policy.lookahead, expected, "unchanged by errors");
    }
}
