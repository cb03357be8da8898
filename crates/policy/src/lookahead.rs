//! Look-ahead: key stream that an accelerator computes before it is requested.

use std::str::FromStr;

use crate::Error;
use crate::algorithms::number;

/// Key `LOOKAHEAD`: which ciphers use look-ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookaheadMode {
    /// Those for which `outboard tune` measured a gain; without a measurement, all if the CPU has no
    /// instructions for AES.
    #[default]
    Auto,
    /// All for which a driver of ECB mode can be used.
    On,
    /// None.
    Off,
}

/// Keys `LOOKAHEAD` and `LOOKAHEAD_...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookaheadPolicy {
    /// Which ciphers use it.
    pub mode: LookaheadMode,
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
        LookaheadPolicy { mode: LookaheadMode::Auto, memory, start, window }
    }
}

impl FromStr for LookaheadMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let modes = [("AUTO", Self::Auto), ("ON", Self::On), ("OFF", Self::Off)];
        let found = modes.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        found.map(|(_, mode)| mode).ok_or_else(|| Error::Lookahead(text.to_owned()))
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
        let expected = LookaheadPolicy { mode: LookaheadMode::On, memory: 65536, start: 0, window: 16 };
        assert_eq!(policy.lookahead, expected);
        for wrong in ["", "1", "yes", "ON,OFF"] {
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
