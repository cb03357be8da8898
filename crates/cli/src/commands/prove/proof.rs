//! The results of a run and the conclusion. Serialized, this is the schema `outboard-prove/1`.

use super::command::Ended;
use super::conclusion::{Conclusion, conclude};
use super::options::Options;
use outboard_counters::{Counts, Decision, Table};
use outboard_drivers::interrupts::Difference;
use outboard_measure::cpu::seconds;
use outboard_measure::meter::Spent;
use outboard_report::prove::{Ahead, Algorithm, Work};
use outboard_report::without_secrets;
use serde::Serialize;

/// The document of `--json`. Fields are only added within a version; times are in seconds, sizes in bytes.
#[derive(Serialize)]
pub struct Proof {
    /// `outboard-prove/1`.
    pub schema: &'static str,
    /// The command and its arguments, without openssl's keys and passwords; bytes that are not UTF-8 are replaced.
    pub command: Vec<String>,
    /// The command's exit code as a shell gives it: 128 + N after signal N.
    pub exit_code: u8,
    /// The signal that ended it, or null.
    pub signal: Option<i32>,
    /// The conclusion as one word.
    pub verdict: Verdict,
    /// The conclusion in one or two sentences.
    pub summary: String,
    /// Wall clock from start to end of the command.
    pub wall_seconds: f64,
    /// CPU time of the whole system in that time, other processes included; null without /proc/stat.
    pub cpu_seconds: Option<f64>,
    /// The same command without the provider, if `--compare` ran it; else null.
    pub software: Option<SoftwareRun>,
    /// CPU time that the hypervisor used for other guests in that time; null without /proc/stat.
    pub steal_seconds: Option<f64>,
    /// Number of times that the command and its children loaded the provider; the child of a fork
    /// is not counted.
    pub provider_loads: u64,
    /// One entry for each algorithm that the application requested.
    pub algorithms: Vec<Algorithm>,
    /// Sum over all algorithms.
    pub total: Work,
    /// One entry for each device of an accelerator; null when /proc/interrupts cannot be read.
    pub devices: Option<Vec<Device>>,
    /// The value of `--require-hardware`, or null.
    pub required_percent: Option<f64>,
    /// Whether the requirement was met; true without one.
    pub requirement_met: bool,
    /// Notes of the provider and about the configuration.
    pub notes: Vec<String>,
}

/// The conclusion, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A result of a driver differed from software's.
    Wrong,
    /// Hardware did at least half of the bytes, confirmed by its interrupts.
    Hardware,
    /// Hardware did less than half of the bytes, confirmed by its interrupts.
    Partly,
    /// All work was done in software.
    Software,
    /// The command never loaded the provider.
    NotLoaded,
    /// Hardware work is counted, and no interrupts can confirm or refute it.
    Unverified,
    /// Hardware work is counted, and the interrupts refute it.
    Contradicted,
}

/// A run without the provider.
#[derive(Serialize)]
pub struct SoftwareRun {
    /// Wall clock from start to end of the command.
    pub wall_seconds: f64,
    /// CPU time of the whole system in that time; null without /proc/stat.
    pub cpu_seconds: Option<f64>,
    /// The command's exit code as a shell gives it.
    pub exit_code: u8,
}

impl SoftwareRun {
    /// Creates the record of a run from its times.
    pub fn new(ended: &Ended, spent: &Spent) -> SoftwareRun {
        SoftwareRun {
            wall_seconds: spent.wall.as_secs_f64(),
            cpu_seconds: spent.cpu.map(|cpu| seconds(cpu.busy)),
            exit_code: ended.code(),
        }
    }
}

/// A device of an accelerator.
#[derive(Serialize)]
pub struct Device {
    /// Its name on its bus.
    pub name: String,
    /// The device driver.
    pub driver: String,
    /// The engine, if it is known.
    pub chip: Option<&'static str>,
    /// Whether it processed requests of the command, as far as is known.
    pub used: bool,
    /// Interrupts during the command, including those for other programs.
    pub interrupts: u64,
    /// Whether the device disappeared while the command ran.
    pub gone: bool,
}

impl Proof {
    /// Creates the document and its conclusion.
    pub fn new(
        options: &Options,
        ended: &Ended,
        spent: Spent,
        table: &Table,
        mut notes: Vec<String>,
    ) -> Self {
        let counted = table.snapshot();
        let total = counted.iter().fold(Counts::default(), |sum, (_, counts)| sum + *counts);
        let from_provider = table.notes();
        let Conclusion { verdict, summary, used } = conclude(table, &counted, &total, &spent, &from_provider);
        notes.extend(ways(table));
        notes.extend(from_provider);
        if ended.left_running {
            notes.push(
                "the command left processes running in the background: what they do from now on is not counted, \
                 start servers in the foreground"
                    .to_owned(),
            );
        }
        let percent = total.percent_hw().unwrap_or(0.0);
        let is_confirmed = matches!(verdict, Verdict::Hardware | Verdict::Partly);
        let met = |required: f64| required == 0.0 || (is_confirmed && percent >= required);
        Self {
            schema: "outboard-prove/1",
            command: without_secrets(ended.words.clone()),
            exit_code: ended.code(),
            signal: ended.signal(),
            verdict,
            summary,
            wall_seconds: spent.wall.as_secs_f64(),
            cpu_seconds: spent.cpu.map(|c| seconds(c.busy)),
            software: None,
            steal_seconds: spent.cpu.map(|c| seconds(c.steal)),
            provider_loads: table.attached(),
            algorithms: counted
                .into_iter()
                .map(|(name, counts)| Algorithm { name, work: work(counts) })
                .collect(),
            total: work(total),
            devices: spent.interrupts.ok().map(|all| all.iter().zip(used).map(Device::from).collect()),
            required_percent: options.require_hardware,
            requirement_met: options.require_hardware.is_none_or(met),
            notes,
        }
    }

    /// Returns whether outboard failed, independent of the command's result.
    pub fn is_error(&self) -> bool {
        matches!(self.verdict, Verdict::Wrong | Verdict::Contradicted) || !self.requirement_met
    }

    /// Returns the command's exit code, or outboard's if only the command succeeded.
    pub fn exit_code(&self) -> u8 {
        if self.exit_code == 0 && self.is_error() { super::OWN_FAILURE } else { self.exit_code }
    }
}

/// Returns the drivers that were chosen, each once.
fn ways(table: &Table) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for (_, decision) in table.decisions() {
        let Decision::Offered { driver, interface, key_stream, .. } = decision else { continue };
        for driver in [Some(driver), key_stream].into_iter().flatten() {
            let way = format!("chosen: driver {driver} over {interface}");
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways
}

/// Converts the counts of an algorithm.
pub fn work(counts: Counts) -> Work {
    Work {
        hardware_requests: counts.hw_requests,
        hardware_bytes: counts.hw_bytes,
        software_requests: counts.sw_requests,
        software_bytes: counts.sw_bytes,
        hardware_percent: counts.percent_hw(),
        failures: counts.failures,
        mismatches: counts.mismatches,
        ahead: Ahead {
            ahead_requests: counts.ahead_requests,
            ahead_bytes: counts.ahead_bytes,
            ahead_misses: counts.ahead_misses,
            key_stream_generated: counts.key_stream_generated,
            key_stream_discarded: counts.key_stream_discarded,
        },
    }
}

impl From<(&Difference, bool)> for Device {
    fn from((difference, used): (&Difference, bool)) -> Self {
        let Difference { device, interrupts, gone, .. } = difference;
        Self {
            name: device.device.clone(),
            driver: device.driver.clone(),
            chip: device.chip,
            used,
            interrupts: *interrupts,
            gone: *gone,
        }
    }
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
