//! `outboard-prove/1`.

use serde::{Deserialize, Serialize};

use crate::secrets::without_secrets;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Prove {
    pub command: Vec<String>,
    pub exit_code: u64,
    #[serde(default)]
    pub signal: Option<i64>,
    pub verdict: Verdict,
    pub summary: String,
    pub wall_seconds: f64,
    pub cpu_seconds: Option<f64>,
    /// The same command without the provider; null unless `prove --compare` ran it.
    #[serde(default)]
    pub software: Option<Software>,
    #[serde(default)]
    pub steal_seconds: Option<f64>,
    #[serde(default)]
    pub provider_loads: u64,
    pub algorithms: Vec<Algorithm>,
    #[serde(default)]
    pub total: Work,
    pub devices: Option<Vec<Device>>,
    #[serde(default)]
    pub required_percent: Option<f64>,
    #[serde(default = "no_requirement")]
    pub requirement_met: bool,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Wrong,
    Hardware,
    Partly,
    Software,
    NotLoaded,
    Unverified,
    Contradicted,
}

/// A run without the provider.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Software {
    pub wall_seconds: f64,
    pub cpu_seconds: Option<f64>,
    pub exit_code: u64,
}

/// The work for one algorithm.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Algorithm {
    /// OpenSSL's name.
    pub name: String,
    /// Counts of requests and bytes.
    #[serde(flatten)]
    pub work: Work,
}

/// Requests and bytes of input. `outboard prove` writes it, and reports read it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Work {
    /// Requests completed by a driver, directly or with key stream from look-ahead.
    pub hardware_requests: u64,
    /// Bytes of those requests.
    pub hardware_bytes: u64,
    /// Requests completed by OpenSSL's own code.
    pub software_requests: u64,
    /// Bytes of those requests.
    pub software_bytes: u64,
    /// Share of the bytes that hardware processed, 0 to 100; null without any byte.
    pub hardware_percent: Option<f64>,
    /// Requests that failed in a driver and were repeated in software.
    pub failures: u64,
    /// Results of a driver that differed from software's.
    pub mismatches: u64,
    /// Look-ahead; these requests and bytes are hardware's too.
    #[serde(flatten)]
    pub ahead: Ahead,
}

/// Look-ahead: key stream that was computed before it was requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Ahead {
    /// Requests completed with key stream that was there.
    pub ahead_requests: u64,
    /// Bytes of those requests.
    pub ahead_bytes: u64,
    /// Requests for which look-ahead was on and had no key stream.
    pub ahead_misses: u64,
    /// Bytes of key stream that a driver computed.
    pub key_stream_generated: u64,
    /// Bytes of key stream that were dropped without use.
    pub key_stream_discarded: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Device {
    pub name: String,
    #[serde(default)]
    pub driver: String,
    #[serde(default)]
    pub chip: Option<String>,
    pub used: bool,
    pub interrupts: u64,
    #[serde(default)]
    pub gone: bool,
}

fn no_requirement() -> bool {
    true
}

impl Verdict {
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Wrong => "wrong: a result differed from software's",
            Verdict::Hardware => "proven: hardware did it",
            Verdict::Partly => "partly: hardware did less than half",
            Verdict::Software => "software did it",
            Verdict::NotLoaded => "the provider was not loaded",
            Verdict::Unverified => "unverified: interrupts cannot confirm the count",
            Verdict::Contradicted => "contradicted: no interrupts for what was counted",
        }
    }
}

impl Work {
    /// Whether look-ahead took part.
    pub fn has_ahead(&self) -> bool {
        self.ahead != Ahead::default()
    }

    /// Requests and bytes that a driver processed when they were requested.
    pub fn direct(&self) -> (u64, u64) {
        let requests = self.hardware_requests.saturating_sub(self.ahead.ahead_requests);
        (requests, self.hardware_bytes.saturating_sub(self.ahead.ahead_bytes))
    }
}

impl Prove {
    /// Removes secrets. `prove` does so itself, but another program may have written the file.
    pub fn without_secrets(self) -> Prove {
        Prove { command: without_secrets(self.command), ..self }
    }

    /// Returns the command quoted for a shell.
    pub fn command_line(&self) -> String {
        self.command.iter().map(|word| crate::shell::word(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of interrupts of the devices that were used.
    pub fn interrupts(&self) -> Option<u64> {
        let used = self.devices.as_ref()?.iter().filter(|device| device.used);
        Some(used.fold(0, |sum: u64, device| sum.saturating_add(device.interrupts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_from_anywhere_shows_no_keys() {
        let json = r#"{"command":["openssl","enc","-K","00ff"],"exit_code":0,"verdict":"software","summary":"",
            "wall_seconds":1,"cpu_seconds":null,"algorithms":[],"devices":null}"#;
        let proof = serde_json::from_str::<Prove>(json).unwrap().without_secrets();
        assert_eq!(proof.command_line(), "openssl enc -K HIDDEN");
        assert_eq!(proof.interrupts(), None);
    }

    #[test]
    fn a_proof_of_an_earlier_version_has_no_look_ahead() {
        let json = r#"{"hardware_requests":5,"hardware_bytes":500,"software_requests":0,"software_bytes":0,
            "hardware_percent":100.0,"failures":0,"mismatches":0}"#;
        let work = serde_json::from_str::<Work>(json).unwrap();
        assert!(!work.has_ahead());
        assert_eq!(work.direct(), (5, 500));
        let ahead = Ahead { ahead_requests: 3, ahead_bytes: 600, ..Ahead::default() };
        let hostile = Work { ahead, ..work };
        assert_eq!((hostile.has_ahead(), hostile.direct()), (true, (2, 0)));
    }

    #[test]
    fn what_others_did_meanwhile_is_not_counted() {
        let json = r#"{"command":["true"],"exit_code":0,"verdict":"hardware","summary":"","wall_seconds":1,"cpu_seconds":null,
            "algorithms":[],"devices":[{"name":"a","used":true,"interrupts":3},{"name":"b","used":false,"interrupts":40}]}"#;
        assert_eq!(serde_json::from_str::<Prove>(json).unwrap().interrupts(), Some(3));
    }
}
