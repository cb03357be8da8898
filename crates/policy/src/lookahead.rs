//! Look-ahead: key stream that an accelerator computes before it is requested.

use crate::algorithms::{is_name, number};
use crate::tuned::from_text;
use crate::{CipherRow, Error, Tuned};

/// Key `LOOKAHEAD`: which ciphers use look-ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookaheadMode {
    /// Those for which `outboard tune` measured that it wins.
    #[default]
    Auto,
    /// All for which there is a driver of ECB mode.
    On,
    /// None.
    Off,
}

/// Keys `LOOKAHEAD` and `LOOKAHEAD_...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookaheadPolicy {
    pub mode: LookaheadMode,
    /// Maximum memory of a process for key stream, in bytes.
    pub memory: usize,
    /// Number of bytes with a key after which it starts, if the configuration sets it.
    pub start: Option<usize>,
    /// Maximum key stream of one context, in bytes.
    pub window: usize,
}

/// Number of bytes with a key after which look-ahead starts, if neither the configuration nor a
/// measurement sets it.
pub const LOOKAHEAD_START: usize = 32 << 10;

impl Default for LookaheadPolicy {
    fn default() -> Self {
        LookaheadPolicy { mode: LookaheadMode::Auto, memory: 4 << 20, start: None, window: 512 << 10 }
    }
}

/// What `outboard tune` measured for the look-ahead of a cipher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookaheadRow<'a> {
    /// Smallest request in bytes for which it wins. `None`: it does not win.
    pub from: Option<usize>,
    /// Largest request in bytes for which it wins, if it does not win for all larger ones.
    pub to: Option<usize>,
    /// The driver that computed the key stream.
    pub driver: &'a str,
    /// Number of bytes with a key from which it wins, if that was measured.
    pub start: Option<usize>,
}

/// How a cipher uses look-ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookaheadUse {
    /// Smallest request in bytes that uses it.
    pub from: usize,
    /// Largest request in bytes that uses it. `None`: there is no limit.
    pub to: Option<usize>,
    /// Number of bytes with a key after which it starts.
    pub start: usize,
}

impl LookaheadUse {
    /// Whether a request of this many bytes uses it.
    #[inline]
    pub fn serves(&self, bytes: usize) -> bool {
        bytes >= self.from && self.to.is_none_or(|to| bytes <= to)
    }
}

impl LookaheadRow<'_> {
    /// The keyword that begins the line in the policy file.
    pub(crate) const WORD: &'static str = "lookahead";

    /// The line in the policy file.
    pub fn line(&self, cipher: &str) -> String {
        let to = self.to.map(|to| format!("-{to}")).unwrap_or_default();
        let start = self.start.map(|start| format!(" {start}")).unwrap_or_default();
        format!("{} {cipher} {}{to} {}{start}", Self::WORD, from_text(self.from), self.driver)
    }
}

/// Parses `lookahead AES-128-CTR 64-16384 virtio_crypto_aes_ecb 32768`. The upper end and the last
/// word are optional.
pub(crate) fn lookahead_row<'a>(words: [Option<&'a str>; 6]) -> Option<LookaheadRow<'a>> {
    let [_, _, sizes, driver, start, _] = words;
    let bytes = |word: &str| number(word)?.try_into().ok();
    let (from, to) = match sizes?.split_once('-') {
        Some((from, to)) => (Some(bytes(from)?), Some(bytes(to)?)),
        None => (CipherRow::size(sizes?)?, None),
    };
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return None;
    }
    let start = match start {
        Some(word) => Some(bytes(word)?),
        None => None,
    };
    Some(LookaheadRow { from, to, driver: driver?, start })
}

impl Tuned {
    /// What was measured for the look-ahead of a cipher; the last line if there are several.
    pub fn lookahead(&self, cipher: &str) -> Option<LookaheadRow<'_>> {
        let is_its = |words: &[Option<&str>; 6]| {
            words[0] == Some(LookaheadRow::WORD) && words[1].is_some_and(|name| is_name(name, cipher))
        };
        lookahead_row(self.lines().filter(is_its).last()?)
    }
}

impl LookaheadPolicy {
    /// Whether drivers of ECB mode must be looked for. `row` is the measurement for a cipher.
    pub fn may_use(&self, row: Option<LookaheadRow<'_>>) -> bool {
        match self.mode {
            LookaheadMode::Auto => row.is_some_and(|row| row.from.is_some()),
            LookaheadMode::On => true,
            LookaheadMode::Off => false,
        }
    }

    /// How a cipher uses key stream of `driver`. `None`: not at all. `row` is the measurement for
    /// the cipher, and `shortest` the smallest request in bytes for which look-ahead can win.
    pub fn use_of(
        &self,
        row: Option<LookaheadRow<'_>>,
        driver: &str,
        shortest: usize,
    ) -> Option<LookaheadUse> {
        // The measurement holds for its driver only.
        let row = row.filter(|row| row.driver == driver);
        if !self.may_use(row) {
            return None;
        }
        let measured_start = row.and_then(|row| row.start);
        let used = LookaheadUse {
            from: row.and_then(|row| row.from).map_or(shortest, |from| from.max(shortest)),
            to: row.and_then(|row| row.to),
            start: self.start.or(measured_start).unwrap_or(LOOKAHEAD_START),
        };
        used.serves(used.from).then_some(used)
    }
}

/// Parses AUTO, ON or OFF.
pub(crate) fn mode(text: &str) -> Result<LookaheadMode, Error> {
    let modes = [("AUTO", LookaheadMode::Auto), ("ON", LookaheadMode::On), ("OFF", LookaheadMode::Off)];
    let found = modes.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, mode)| mode).ok_or_else(|| Error::Lookahead(text.to_owned()))
}

/// Parses a number of bytes.
pub(crate) fn bytes(text: &str) -> Result<usize, Error> {
    number(text).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| Error::Bytes(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use proptest::prelude::*;

    fn tuned(lines: &str) -> Result<Tuned, usize> {
        Tuned::parse(format!("outboard-policy 2\n{lines}"))
    }

    #[test]
    fn the_keys_are_read_and_wrong_values_are_named() {
        let mut policy = Policy::default();
        assert_eq!(policy.lookahead.mode, LookaheadMode::Auto);
        for (key, value) in [
            ("LOOKAHEAD", "on"),
            ("LOOKAHEAD_MEMORY", "65536"),
            ("LOOKAHEAD_START", "0"),
            ("LOOKAHEAD_WINDOW", "16"),
        ] {
            assert_eq!(policy.set(key, value), Ok(Vec::new()), "{key}");
        }
        let expected = LookaheadPolicy { mode: LookaheadMode::On, memory: 65536, start: Some(0), window: 16 };
        assert_eq!(policy.lookahead, expected);
        for wrong in ["", "1", "yes", "AUTOMATIC", "ON,OFF"] {
            assert_eq!(policy.set("LOOKAHEAD", wrong), Err(Error::Lookahead(wrong.into())));
        }
        for key in ["LOOKAHEAD_MEMORY", "LOOKAHEAD_START", "LOOKAHEAD_WINDOW"] {
            for wrong in ["", "-1", "4M", "4294967296"] {
                assert_eq!(policy.set(key, wrong), Err(Error::Bytes(wrong.into())), "{key}");
            }
        }
        assert_eq!(policy.lookahead, expected, "unchanged by errors");
        for (value, mode) in [("Auto", LookaheadMode::Auto), ("OFF", LookaheadMode::Off)] {
            assert_eq!(policy.set("LOOKAHEAD", value), Ok(Vec::new()));
            assert_eq!(policy.lookahead.mode, mode);
        }
    }

    #[test]
    fn auto_uses_what_was_measured_with_this_driver() {
        let tuned = tuned(
            "lookahead AES-128-CTR 64 ecb 4096\nlookahead AES-128-GCM 64 ecb # why\n\
             lookahead AES-256-CTR never ecb\nlookahead AES-256-GCM 64-16384 ecb\n",
        );
        let tuned = tuned.unwrap();
        let row = |cipher| tuned.lookahead(cipher);
        let auto = LookaheadPolicy::default();
        let used = |from, start| Some(LookaheadUse { from, to: None, start });
        assert_eq!(auto.use_of(row("aes-128-ctr"), "ecb", 0), used(64, 4096));
        assert_eq!(auto.use_of(row("AES-128-GCM"), "ecb", 512), used(512, 32_768));
        assert_eq!(auto.use_of(row("AES-256-CTR"), "ecb", 0), None);
        let limited = auto.use_of(row("AES-256-GCM"), "ecb", 512).unwrap();
        let served = [511, 512, 16384, 16385].map(|bytes| limited.serves(bytes));
        assert_eq!(served, [false, true, true, false]);
        assert_eq!(auto.use_of(row("AES-256-GCM"), "ecb", 16385), None);
        assert_eq!(auto.use_of(row("AES-128-CTR"), "other", 0), None);
        assert_eq!(auto.use_of(row("AES-192-CTR"), "ecb", 0), None);
        let on = LookaheadPolicy { mode: LookaheadMode::On, start: Some(7), ..auto };
        assert_eq!(on.use_of(row("AES-128-CTR"), "ecb", 0), used(64, 7));
        assert_eq!(on.use_of(row("AES-256-CTR"), "ecb", 16), used(16, 7));
        assert_eq!(on.use_of(row("AES-128-CTR"), "other", 0), used(0, 7));
        let off = LookaheadPolicy { mode: LookaheadMode::Off, ..auto };
        assert!(off.use_of(row("AES-128-CTR"), "ecb", 0).is_none() && !off.may_use(row("AES-128-CTR")));
    }

    #[test]
    fn a_damaged_line_is_named_and_the_last_of_several_counts() {
        for damaged in [
            "lookahead",
            "lookahead AES-128-CTR",
            "lookahead AES-128-CTR 64",
            "lookahead AES-128-CTR sometimes ecb",
            "lookahead AES-128-CTR -1 ecb",
            "lookahead AES-128-CTR 64- ecb",
            "lookahead AES-128-CTR never-64 ecb",
            "lookahead AES-128-CTR 64-never ecb",
            "lookahead AES-128-CTR 64-63 ecb",
            "lookahead AES-128-CTR 1-2-3 ecb",
            "lookahead AES-128-CTR 64-4294967296 ecb",
            "lookahead AES-128-CTR 64 ecb 1k",
            "lookahead AES-128-CTR 64 ecb +1",
            "lookahead AES-128-CTR 64 ecb 99999999999999999999",
            "lookahead AES-128-CTR 64 ecb 4294967296",
        ] {
            assert_eq!(tuned(&format!("{damaged}\n")).err(), Some(2), "{damaged}");
        }
        let one = tuned("lookahead AES-128-CTR 64-64 ecb\n").unwrap();
        let served = one.lookahead("AES-128-CTR").map(|row| (row.from, row.to));
        assert_eq!(served, Some((Some(64), Some(64))));
        let twice = tuned("lookahead AES-128-CTR 1 a\nlookahead AES-128-CTR never b\n").unwrap();
        let last = LookaheadRow { from: None, to: None, driver: "b", start: None };
        assert_eq!(twice.lookahead("AES-128-CTR"), Some(last));
        assert_eq!(twice.of("AES-128-CTR"), None, "no threshold for direct requests");
    }

    proptest! {
        #[test]
        fn a_written_value_is_read_as_the_same(
            from in proptest::option::of(any::<u32>()),
            more in proptest::option::of(any::<u32>()),
            start in proptest::option::of(any::<u32>()),
            driver in "[a-z_()-]{1,40}",
        ) {
            let to = from.zip(more).map(|(from, more)| from.saturating_add(more));
            let [from, to, start] = [from, to, start].map(|bytes| bytes.map(|bytes| bytes as usize));
            let row = LookaheadRow { from, to, driver: &driver, start };
            let read = tuned(&format!("{}\n", row.line("AES-192-GCM"))).unwrap();
            prop_assert_eq!(read.lookahead("AES-192-GCM"), Some(row));
        }
    }
}
