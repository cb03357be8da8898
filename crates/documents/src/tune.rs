//! `outboard-tune/1`: the document of `outboard tune`. Sizes in bytes.

use serde::{Deserialize, Serialize};

use crate::decision::ServiceDecision;
use crate::status::KernelUserFigures;
use crate::{Figure, Goal, Machine, SpeedVerdict, now};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Tune {
    /// Time of the run, in UTC: `2026-11-21T12:34:56Z`.
    pub made: String,
    pub goal: Goal,
    pub machine: Machine,
    /// OpenSSL's version.
    pub openssl: String,
    pub drivers: Vec<TunedDriver>,
    pub ciphers: Vec<TunedCipher>,
    #[serde(default)]
    pub lookahead: Vec<Lookahead>,
    /// What to do with each service whose suites were compared.
    #[serde(default)]
    pub services: Vec<ServiceDecision>,
    /// The drivers that users within the kernel get, if these are in use, and the kernel's best software.
    #[serde(default)]
    pub kernel_users: Vec<KernelUserFigures>,
    #[serde(default)]
    pub reasons: Vec<String>,
    #[serde(default)]
    pub warnings: Vec<String>,
    /// ^C ended the run; nothing was written.
    pub interrupted: bool,
    pub written: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TunedDriver {
    pub driver: String,
    /// Its module, or `kernel`.
    pub module: String,
    /// The module's build ID as a number, or `-`.
    pub version: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TunedCipher {
    pub name: String,
    pub driver: String,
    pub interface: String,
    pub encrypt: DirectionResult,
    pub decrypt: DirectionResult,
    /// The best size of the chunks into which a large request over /dev/outboard is divided. Null
    /// if it cannot be divided, or if this was not measured.
    pub pieces: Option<Pieces>,
    /// Number of bytes of one key from which a session for it pays: the provider computes the first
    /// requests of a key with fewer bytes in software. Null if it was not measured.
    pub key_bytes: Option<usize>,
    pub sentence: String,
}

/// The look-ahead of a cipher, compared with the same thresholds without look-ahead.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Lookahead {
    pub name: String,
    /// The driver of ECB mode that computes the key stream, over /dev/outboard.
    pub driver: String,
    /// The threshold for direct requests of both sides in bytes; null: software does the rest.
    pub direct_from: Option<usize>,
    /// By size of a request, within one long stream or sequence of messages.
    pub requests: DirectionResult,
    /// Share of the bytes that found key stream, at the largest size: 0 to 100.
    pub ahead_percent: f64,
    /// By number of bytes with a key; null if look-ahead does not win in the long run. Look-ahead
    /// starts when a key was used for as many bytes as pay for it.
    pub connections: Option<DirectionResult>,
    pub sentence: String,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct DirectionResult {
    /// Hardware wins from this size on, in bytes; null: software always wins, or nothing was
    /// decided.
    pub from: Option<usize>,
    /// Hardware wins up to this size, in bytes; null: at all larger sizes. Only look-ahead has an
    /// upper end.
    pub to: Option<usize>,
    /// The samples varied too much to decide: software does all.
    #[serde(default)]
    pub undecided: bool,
    /// Hardware wins at the smallest size too.
    #[serde(default)]
    pub always: bool,
    /// Smaller sizes at which hardware wins, but not at all larger ones.
    #[serde(default)]
    pub wins_below: Vec<usize>,
    /// The measured points, in order of measurement.
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Pieces {
    pub bytes: usize,
    /// Size of the divided request in bytes; the operation is decryption.
    pub request: usize,
    /// Each size that was tried, compared with the best size before it.
    pub tried: Vec<TriedChunk>,
}

/// A size of chunks, compared with the best size before it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct TriedChunk {
    /// The best size before it, in bytes.
    pub best: usize,
    pub best_figure: Figure,
    pub bytes: usize,
    pub figure: Figure,
    pub verdict: SpeedVerdict,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Point {
    pub bytes: usize,
    pub software: Figure,
    pub hardware: Figure,
    pub verdict: SpeedVerdict,
    /// The reason why hardware cannot win here regardless of its figure, or null.
    pub refused: Option<String>,
}

impl Tune {
    pub fn new(goal: Goal, machine: Machine, warnings: Vec<String>) -> Tune {
        Tune {
            made: now(),
            goal,
            machine,
            openssl: String::new(),
            drivers: Vec::new(),
            ciphers: Vec::new(),
            lookahead: Vec::new(),
            services: Vec::new(),
            kernel_users: Vec::new(),
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

impl TunedCipher {
    pub fn ways(&self) -> [(&'static str, &DirectionResult); 2] {
        [("encrypt", &self.encrypt), ("decrypt", &self.decrypt)]
    }
}

impl DirectionResult {
    pub fn by_size(&self) -> Vec<&Point> {
        let mut points: Vec<&Point> = self.points.iter().collect();
        points.sort_by_key(|point| point.bytes);
        points
    }

    pub fn threshold(&self) -> String {
        match (self.undecided, self.from, self.to) {
            (true, ..) => "not decided".to_owned(),
            (false, None, _) => "software at every size".to_owned(),
            (false, Some(from), None) => format!("hardware from {from} bytes on"),
            (false, Some(from), Some(to)) => format!("hardware from {from} to {to} bytes"),
        }
    }
}
