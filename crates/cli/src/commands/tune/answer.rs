//! The results. Serialized, this is the schema `outboard-tune/1`: sizes in bytes, fields are only
//! added.

use std::time::{SystemTime, UNIX_EPOCH};

use outboard_measure::figure::Figure;
use outboard_measure::goal::{Goal, Verdict};
use outboard_measure::machine::Machine;
use serde::Serialize;

/// The value of [`Answer::schema`].
pub const SCHEMA: &str = "outboard-tune/1";

/// The document of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// `outboard-tune/1`.
    pub schema: &'static str,
    /// Time of the run, in UTC.
    pub made: String,
    /// The criterion for winning.
    pub goal: Goal,
    /// The machine.
    pub machine: Machine,
    /// OpenSSL's version.
    pub openssl: String,
    /// The drivers that were measured.
    pub drivers: Vec<Driver>,
    /// One for each cipher.
    pub ciphers: Vec<Cipher>,
    /// One for each cipher that can use look-ahead.
    pub lookahead: Vec<Lookahead>,
    /// Reasons why ciphers are missing.
    pub reasons: Vec<String>,
    /// Reasons why the figures may be less accurate.
    pub warnings: Vec<String>,
    /// ^C ended the run; nothing was written.
    pub interrupted: bool,
    /// The file that was written, or null.
    pub written: Option<&'static str>,
}

/// A driver that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Driver {
    /// Its name in /proc/crypto.
    pub driver: String,
    /// Its module, or `kernel`.
    pub module: String,
    /// The module's build ID as a number, or `-`.
    pub version: String,
}

/// The results for a cipher.
#[derive(Clone, Debug, Serialize)]
pub struct Cipher {
    /// OpenSSL's name.
    pub name: String,
    /// The driver.
    pub driver: String,
    /// The interface to the driver.
    pub interface: String,
    /// Results for encryption.
    pub encrypt: Direction,
    /// Results for decryption.
    pub decrypt: Direction,
    /// Encryption with sixteen requests in flight over /dev/outboard: the size from which hardware
    /// would win. Null if it was not measured.
    pub sixteen_at_once: Option<Direction>,
    /// The best size of the chunks into which a large request over /dev/outboard is divided. Null
    /// if it cannot be divided, or if this was not measured.
    pub pieces: Option<Pieces>,
    /// The decision in one or two sentences.
    pub sentence: String,
}

/// The look-ahead of a cipher, compared with the same thresholds without look-ahead.
#[derive(Clone, Debug, Serialize)]
pub struct Lookahead {
    /// OpenSSL's name of the cipher.
    pub name: String,
    /// The driver of ECB mode that computes the key stream, over /dev/outboard.
    pub driver: String,
    /// The threshold for direct requests of both sides in bytes; null: software does the rest.
    pub direct_from: Option<usize>,
    /// By size of a request, within one long stream or sequence of messages.
    pub requests: Direction,
    /// Share of the bytes that found key stream, at the largest size: 0 to 100.
    pub ahead_percent: f64,
    /// By number of bytes with a key; null if look-ahead does not win in the long run. Look-ahead
    /// starts when a key was used for as many bytes as pay for it.
    pub connections: Option<Direction>,
    /// The decision in one or two sentences.
    pub sentence: String,
}

/// The results for one direction of a cipher.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Direction {
    /// Hardware wins from this size on, in bytes; null: software always wins, or nothing was
    /// decided.
    pub from: Option<usize>,
    /// The samples varied too much to decide: the built-in threshold stays.
    pub undecided: bool,
    /// Hardware wins at the smallest size too.
    pub always: bool,
    /// Smaller sizes at which hardware wins, but not at all larger ones.
    pub wins_below: Vec<usize>,
    /// The measured points, in order of measurement.
    pub points: Vec<Point>,
}

/// The best division of a large request.
#[derive(Clone, Debug, Serialize)]
pub struct Pieces {
    /// The best size of a chunk in bytes.
    pub bytes: usize,
    /// Size of the divided request in bytes; the operation is decryption.
    pub request: usize,
    /// Each size that was tried, compared with the best size before it.
    pub tried: Vec<Tried>,
}

/// A size of chunks, compared with the best size before it.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    /// The best size before it, in bytes.
    pub best: usize,
    /// Its figure.
    pub best_figure: Figure,
    /// The size that was tried, in bytes.
    pub bytes: usize,
    /// Its figure.
    pub figure: Figure,
    /// Whether this size wins.
    pub verdict: Verdict,
}

/// The results for one size.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Size of a request in bytes.
    pub bytes: usize,
    /// The figure without the accelerator.
    pub software: Figure,
    /// The figure with the accelerator.
    pub hardware: Figure,
    /// Whether hardware wins.
    pub verdict: Verdict,
    /// The reason why hardware cannot win here regardless of its figure, or null.
    pub refused: Option<String>,
}

impl Answer {
    /// Creates a document without results.
    pub fn new(goal: Goal, machine: Machine, warnings: Vec<String>) -> Answer {
        Answer {
            schema: SCHEMA,
            made: now(),
            goal,
            machine,
            openssl: String::new(),
            drivers: Vec::new(),
            ciphers: Vec::new(),
            lookahead: Vec::new(),
            reasons: Vec::new(),
            warnings,
            interrupted: false,
            written: None,
        }
    }

    /// Adds a warning unless it is present.
    pub fn warn(&mut self, text: String) {
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }
}

/// Returns the time in UTC: `2026-11-21T12:34:56Z`.
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
