//! What was found. Serialized, this is the schema `outboard-tune/1`: sizes in bytes, fields are only added.

use std::time::{SystemTime, UNIX_EPOCH};

use outboard_measure::figure::Figure;
use outboard_measure::goal::{Goal, Verdict};
use outboard_measure::machine::Machine;
use serde::Serialize;

/// The value of [`Answer::schema`].
pub const SCHEMA: &str = "outboard-tune/1";

/// All of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// `outboard-tune/1`.
    pub schema: &'static str,
    /// When, in UTC.
    pub made: String,
    /// What winning means.
    pub goal: Goal,
    /// Where.
    pub machine: Machine,
    /// OpenSSL's version.
    pub openssl: String,
    /// The drivers that were measured.
    pub drivers: Vec<Driver>,
    /// One for each cipher.
    pub ciphers: Vec<Cipher>,
    /// Why ciphers are missing.
    pub reasons: Vec<String>,
    /// Why figures may be worth less.
    pub warnings: Vec<String>,
    /// ^C came first; nothing was written.
    pub interrupted: bool,
    /// The file that was written, or null.
    pub written: Option<&'static str>,
}

/// A driver.
#[derive(Clone, Debug, Serialize)]
pub struct Driver {
    /// Its name in /proc/crypto.
    pub driver: String,
    /// Its module, or `kernel`.
    pub module: String,
    /// The module's build ID as a number, or `-`.
    pub version: String,
}

/// A cipher.
#[derive(Clone, Debug, Serialize)]
pub struct Cipher {
    /// OpenSSL's name.
    pub name: String,
    /// The driver.
    pub driver: String,
    /// What leads there.
    pub interface: String,
    /// One way.
    pub encrypt: Direction,
    /// And back.
    pub decrypt: Direction,
    /// Encryption, sixteen requests at a time over /dev/outboard: from which size on it would win. Null where that was not
    /// measured.
    pub sixteen_at_once: Option<Direction>,
    /// Into pieces of how many bytes a large request over /dev/outboard is best cut. Null where it cannot be cut, or that was not
    /// measured.
    pub pieces: Option<Pieces>,
    /// In a sentence or two.
    pub sentence: String,
}

/// A cipher one way.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Direction {
    /// Hardware wins from this size on; null: software always does, or nothing was decided.
    pub from: Option<usize>,
    /// The samples varied too much to decide: the built-in threshold stays.
    pub undecided: bool,
    /// It wins at the smallest size too.
    pub always: bool,
    /// It wins at these sizes, but not at all larger ones.
    pub wins_below: Vec<usize>,
    /// What was measured, in this order.
    pub points: Vec<Point>,
}

/// How a request is best cut.
#[derive(Clone, Debug, Serialize)]
pub struct Pieces {
    /// The pieces' size that is best.
    pub bytes: usize,
    /// Of the request that was cut, to decrypt.
    pub request: usize,
    /// Each size that was tried, against the best of those before it.
    pub tried: Vec<Tried>,
}

/// A size of pieces, and the best before it.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The best before it.
    pub best: usize,
    /// Its figure.
    pub best_figure: Figure,
    /// The size that was tried.
    pub bytes: usize,
    /// Its figure.
    pub figure: Figure,
    /// Whether it wins.
    pub verdict: Verdict,
}

/// One size.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Of a request.
    pub bytes: usize,
    /// Without the accelerator.
    pub software: Figure,
    /// With it.
    pub hardware: Figure,
    /// Who wins.
    pub verdict: Verdict,
    /// Why hardware cannot win here whatever it measures, or null.
    pub refused: Option<String>,
}

impl Answer {
    /// Nothing measured yet.
    pub fn new(goal: Goal, machine: Machine, warnings: Vec<String>) -> Answer {
        Answer {
            schema: SCHEMA,
            made: now(),
            goal,
            machine,
            openssl: String::new(),
            drivers: Vec::new(),
            ciphers: Vec::new(),
            reasons: Vec::new(),
            warnings,
            interrupted: false,
            written: None,
        }
    }

    /// Says something once.
    pub fn warn(&mut self, text: String) {
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }
}

/// `2026-11-21T12:34:56Z`
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    date(since)
}

fn date(since_1970: u64) -> String {
    let (mut year, mut days, seconds) = (1970, since_1970 / 86400, since_1970 % 86400);
    let leap = |year: u64| year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{:02}T{hours:02}:{minutes:02}:{seconds:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (since, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_795_264_496, "2026-11-21T12:34:56Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(since), text);
        }
    }
}
