//! `outboard-prove/1`: the document of `outboard prove`.

use outboard_counters::SoftwareReason;
use serde::{Deserialize, Serialize};

use crate::{secrets, shell};

/// The results of a run and the conclusion. Times are in seconds, sizes in bytes.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Prove {
    /// The command and those of its arguments that may be shown ([`secrets::command`]).
    pub command: Vec<String>,
    /// The service, if `--service` observed one; then `command` is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ObservedService>,
    /// The command's exit code as a shell gives it: 128 + N after signal N.
    pub exit_code: u8,
    #[serde(default)]
    pub signal: Option<i32>,
    pub verdict: ProofVerdict,
    pub summary: String,
    pub wall_seconds: f64,
    /// CPU time of the whole system in that time, other processes included; null without /proc/stat.
    pub cpu_seconds: Option<f64>,
    /// The same command without the provider, if `--compare` ran it; else null.
    #[serde(default)]
    pub software: Option<SoftwareRun>,
    /// CPU time that the hypervisor used for other guests in that time; null without /proc/stat.
    #[serde(default)]
    pub steal_seconds: Option<f64>,
    /// Number of times that the command and its children loaded the provider; the child of a fork
    /// is not counted.
    #[serde(default)]
    pub provider_loads: u64,
    pub algorithms: Vec<AlgorithmWork>,
    #[serde(default)]
    pub total: Work,
    /// Algorithms that the provider does not offer, and why.
    #[serde(default)]
    pub not_offered: Vec<NotOffered>,
    /// The counters of the seed source OUTBOARD-HWRNG; null if it was not used.
    #[serde(default)]
    pub seed_source: Option<SeedWork>,
    /// One entry for each device of an accelerator; null when /proc/interrupts cannot be read.
    pub devices: Option<Vec<ProofDevice>>,
    /// The value of `--require-hardware`, or null.
    #[serde(default)]
    pub required_percent: Option<f64>,
    /// Whether the requirement was met; true without one.
    #[serde(default = "no_requirement")]
    pub requirement_met: bool,
    #[serde(default)]
    pub notes: Vec<String>,
    /// The faults that the simulated accelerator of the tests was told to make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub injected_faults: Vec<String>,
}

outboard_catalog::texts! { words:
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ProofVerdict {
        Wrong = "wrong: a result differed from software's",
        /// Hardware did at least half of the bytes, confirmed by its interrupts.
        Hardware = "proven: processed by hardware",
        /// Hardware did less than half of the bytes, confirmed by its interrupts.
        Partly = "partly: less than half by hardware",
        Software = "processed in software",
        NotLoaded = "the provider was not loaded",
        /// Hardware work is counted, and no interrupts can confirm or refute it.
        Unverified = "unverified: interrupts cannot confirm the count",
        /// Hardware work is counted, and the interrupts refute it.
        Contradicted = "contradicted: no interrupts for what was counted",
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ObservedService {
    pub name: String,
    pub units: Vec<String>,
    /// CPU time of these units in the time of `wall_seconds`; null if systemd does not measure it.
    pub cpu_seconds: Option<f64>,
    /// Bytes that their processes read or wrote, whichever is more, encrypted or not; null if the
    /// kernel does not count them.
    #[serde(default)]
    pub traffic_bytes: Option<u64>,
    /// Whether ^C ended the observation before its time.
    pub interrupted: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct SoftwareRun {
    pub wall_seconds: f64,
    /// CPU time of the whole system in that time; null without /proc/stat.
    pub cpu_seconds: Option<f64>,
    /// The command's exit code as a shell gives it.
    pub exit_code: u8,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct AlgorithmWork {
    pub name: String,
    /// Counts of requests and bytes.
    #[serde(flatten)]
    pub work: Work,
    /// Why requests were completed in software, the reason with the most bytes first.
    #[serde(default)]
    pub software_reasons: Vec<SoftwareWork>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SoftwareWork {
    #[serde(with = "crate::named")]
    pub reason: SoftwareReason,
    pub requests: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct NotOffered {
    pub algorithms: Vec<String>,
    #[serde(with = "crate::named")]
    pub reason: SoftwareReason,
    pub why: String,
}

/// Requests and bytes of input.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Work {
    /// Requests completed by a driver, directly or with key stream from look-ahead.
    pub hardware_requests: u64,
    pub hardware_bytes: u64,
    pub software_requests: u64,
    pub software_bytes: u64,
    /// Share of the bytes that hardware processed, 0 to 100; null without any byte.
    pub hardware_percent: Option<f64>,
    pub failures: u64,
    /// Results of a driver that differed from software's.
    pub mismatches: u64,
    /// Look-ahead; these requests and bytes are hardware's too.
    #[serde(flatten)]
    pub ahead: LookaheadWork,
}

/// Look-ahead: key stream that was computed before it was requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct LookaheadWork {
    /// Requests completed with key stream that was there.
    pub ahead_requests: u64,
    pub ahead_bytes: u64,
    /// Requests for which look-ahead was on and had no key stream.
    pub ahead_misses: u64,
    /// Bytes of key stream that a driver computed.
    pub key_stream_generated: u64,
    /// Bytes of key stream that were dropped without use.
    pub key_stream_discarded: u64,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct SeedWork {
    /// Requests for which the source delivered bytes.
    pub seeds: u64,
    pub bytes: u64,
    pub health_failures: u64,
    /// Requests that got no bytes for another reason.
    pub failures: u64,
    pub unavailable: u64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ProofDevice {
    pub name: String,
    #[serde(default)]
    pub driver: String,
    #[serde(default)]
    pub chip: Option<String>,
    /// Whether it processed requests of the command, as far as is known.
    pub used: bool,
    /// Interrupts during the command, including those for other programs.
    pub interrupts: u64,
    #[serde(default)]
    pub gone: bool,
}

fn no_requirement() -> bool {
    true
}

impl Work {
    pub fn has_ahead(&self) -> bool {
        self.ahead != LookaheadWork::default()
    }

    /// Requests and bytes that a driver processed when they were requested.
    pub fn direct(&self) -> (u64, u64) {
        let requests = self.hardware_requests.saturating_sub(self.ahead.ahead_requests);
        (requests, self.hardware_bytes.saturating_sub(self.ahead.ahead_bytes))
    }
}

impl Prove {
    pub fn mismatches(&self) -> u64 {
        self.algorithms.iter().fold(0, |sum, one| sum.saturating_add(one.work.mismatches))
    }

    /// Returns whether outboard failed, independent of the command's result.
    pub fn is_error(&self) -> bool {
        matches!(self.verdict, ProofVerdict::Wrong | ProofVerdict::Contradicted) || !self.requirement_met
    }

    /// Removes secrets. `prove` does so itself, but another program may have written the file.
    pub fn without_secrets(self) -> Prove {
        Prove { command: secrets::command(&self.command), ..self }
    }

    /// Returns the command quoted for a shell, or the name of the service.
    pub fn command_line(&self) -> String {
        if let Some(service) = &self.service {
            return format!("service {}", service.name);
        }
        self.command.iter().map(|word| shell::word(word)).collect::<Vec<_>>().join(" ")
    }

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
        assert_eq!(proof.command_line(), "openssl enc -K REMOVED:1-7");
        assert_eq!(proof.interrupts(), None);
    }

    #[test]
    fn a_proof_of_an_earlier_version_has_no_look_ahead() {
        let json = r#"{"hardware_requests":5,"hardware_bytes":500,"software_requests":0,"software_bytes":0,
            "hardware_percent":100.0,"failures":0,"mismatches":0}"#;
        let work = serde_json::from_str::<Work>(json).unwrap();
        assert!(!work.has_ahead());
        assert_eq!(work.direct(), (5, 500));
        let ahead = LookaheadWork { ahead_requests: 3, ahead_bytes: 600, ..LookaheadWork::default() };
        let hostile = Work { ahead, ..work };
        assert_eq!((hostile.has_ahead(), hostile.direct()), (true, (2, 0)));
    }

    #[test]
    fn the_work_of_other_processes_is_not_counted() {
        let json = r#"{"command":["true"],"exit_code":0,"verdict":"hardware","summary":"","wall_seconds":1,"cpu_seconds":null,
            "algorithms":[],"devices":[{"name":"a","used":true,"interrupts":3},{"name":"b","used":false,"interrupts":40}]}"#;
        assert_eq!(serde_json::from_str::<Prove>(json).unwrap().interrupts(), Some(3));
    }
}
