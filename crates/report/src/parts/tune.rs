//! `outboard-tune/1`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Tune {
    pub made: String,
    pub goal: String,
    pub machine: Machine,
    pub openssl: String,
    pub drivers: Vec<Driver>,
    pub ciphers: Vec<Cipher>,
    #[serde(default)]
    pub lookahead: Vec<Lookahead>,
    #[serde(default)]
    pub reasons: Vec<String>,
    #[serde(default)]
    pub warnings: Vec<String>,
    pub interrupted: bool,
    pub written: Option<String>,
}

/// The machine of the measurement.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Machine {
    /// uname -r
    pub kernel: String,
    /// The CPU's model.
    pub cpu: String,
    /// CPUs online.
    pub cpus: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Driver {
    pub driver: String,
    pub module: String,
    pub version: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Cipher {
    pub name: String,
    pub driver: String,
    pub interface: String,
    pub encrypt: Direction,
    pub decrypt: Direction,
    pub sixteen_at_once: Option<Direction>,
    pub pieces: Option<Pieces>,
    pub sentence: String,
}

/// The look-ahead of a cipher, compared with the same thresholds without look-ahead.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Lookahead {
    pub name: String,
    pub driver: String,
    pub direct_from: Option<u64>,
    /// By size of a request.
    pub requests: Direction,
    pub ahead_percent: f64,
    /// By number of bytes with a key.
    pub connections: Option<Direction>,
    pub sentence: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Direction {
    pub from: Option<u64>,
    #[serde(default)]
    pub undecided: bool,
    #[serde(default)]
    pub always: bool,
    #[serde(default)]
    pub wins_below: Vec<u64>,
    pub points: Vec<Point>,
}

/// The best size of the chunks into which a large request is divided.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Pieces {
    pub bytes: u64,
    pub request: u64,
    pub tried: Vec<Tried>,
}

/// A size of chunks, compared with the best size tried before it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Tried {
    pub best: u64,
    pub best_figure: Figure,
    pub bytes: u64,
    pub figure: Figure,
    pub verdict: Verdict,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Point {
    pub bytes: u64,
    pub software: Figure,
    pub hardware: Figure,
    pub verdict: Verdict,
    pub refused: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Wins,
    Even,
    Loses,
    Unclear,
}

/// The cost of requests of one size.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Figure {
    /// Throughput in 10^6 bytes per second of wall time, the median of the samples.
    pub megabytes_per_second: f64,
    /// Distance of the farthest sample from the median, relative to the median.
    pub spread: f64,
    /// Number of samples.
    pub samples: u64,
    /// Number of samples that were probably disturbed.
    pub outliers: u64,
    /// CPU time of the whole system in milliseconds per megabyte; null without /proc/stat.
    pub cpu_ms_per_megabyte: Option<f64>,
    /// Interrupts of accelerators per request.
    pub interrupts_per_request: f64,
}

impl Cipher {
    /// Returns both directions with their verbs.
    pub fn ways(&self) -> [(&'static str, &Direction); 2] {
        [("encrypt", &self.encrypt), ("decrypt", &self.decrypt)]
    }
}

impl Direction {
    /// Returns the points in ascending order of size.
    pub fn by_size(&self) -> Vec<&Point> {
        let mut points: Vec<&Point> = self.points.iter().collect();
        points.sort_by_key(|point| point.bytes);
        points
    }

    /// Returns the threshold as text.
    pub fn threshold(&self) -> String {
        match (self.undecided, self.from) {
            (true, _) => "not decided".to_owned(),
            (false, None) => "software at every size".to_owned(),
            (false, Some(bytes)) => format!("hardware from {bytes} bytes on"),
        }
    }
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Wins => "hardware wins",
            Verdict::Even => "even",
            Verdict::Loses => "software wins",
            Verdict::Unclear => "samples vary too much",
        }
    }
}
