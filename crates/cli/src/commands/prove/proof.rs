//! Makes the document of a run: its results and the conclusion.

use std::fs;

use outboard_counters::{Counts, Decision, SeedCounts, Table};
use outboard_documents::prove::{
    AlgorithmWork, LookaheadWork, ProofDevice, ProofVerdict, Prove, SoftwareRun, Work,
};
use outboard_documents::secrets;
use outboard_documents::software::{not_offered, software};
use outboard_drivers::interrupts::Difference;
use outboard_measure::cpu::seconds;
use outboard_measure::meter::Spent;

use super::command::Ended;
use super::conclusion::{Conclusion, Observed, Subject, conclude};
use super::options::Options;
use crate::commands::rng::seed_source::seed_work;

/// Creates the record of a run without the provider from its times.
pub fn software_run(ended: &Ended, spent: &Spent) -> SoftwareRun {
    SoftwareRun {
        wall_seconds: spent.wall.as_secs_f64(),
        cpu_seconds: spent.cpu.map(|cpu| seconds(cpu.busy)),
        exit_code: ended.code(),
    }
}

pub fn proof(options: &Options, ended: &Ended, spent: Spent, table: &Table, mut notes: Vec<String>) -> Prove {
    let observed = Observed {
        subject: Subject::Command,
        loads: table.attached(),
        counted: table.snapshot(),
        decisions: table.decisions(),
        notes: table.notes(),
        traffic: None,
    };
    if ended.left_running {
        notes.push(
            "the command left processes running in the background: what they do from now on is not counted, \
             start servers in the foreground"
                .to_owned(),
        );
    }
    Prove {
        command: secrets::command(&ended.words),
        exit_code: ended.code(),
        signal: ended.signal(),
        seed_source: Some(table.seed().counts())
            .filter(|counts| *counts != SeedCounts::default())
            .map(seed_work),
        ..results(options.require_hardware, spent, observed, notes)
    }
}

pub fn results(required: Option<f64>, spent: Spent, observed: Observed, mut notes: Vec<String>) -> Prove {
    let total = observed.total();
    let Conclusion { verdict, summary, used } = conclude(&observed, &spent);
    notes.extend(ways(&observed.decisions, &observed.counted));
    notes.extend(observed.notes);
    let percent = total.percent_hw().unwrap_or(0.0);
    let is_confirmed = matches!(verdict, ProofVerdict::Hardware | ProofVerdict::Partly);
    let met = |required: f64| required == 0.0 || (is_confirmed && percent >= required);
    Prove {
        command: Vec::new(),
        service: None,
        exit_code: 0,
        signal: None,
        verdict,
        summary,
        wall_seconds: spent.wall.as_secs_f64(),
        cpu_seconds: spent.cpu.map(|c| seconds(c.busy)),
        software: None,
        steal_seconds: spent.cpu.map(|c| seconds(c.steal)),
        provider_loads: observed.loads,
        algorithms: observed
            .counted
            .into_iter()
            .map(|(name, counts)| AlgorithmWork {
                name,
                work: work(counts),
                software_reasons: software(&counts),
            })
            .collect(),
        total: work(total),
        not_offered: not_offered(&observed.decisions),
        seed_source: None,
        devices: spent.interrupts.ok().map(|all| all.iter().zip(used).map(device).collect()),
        required_percent: required,
        requirement_met: required.is_none_or(met),
        notes,
        injected_faults: injected_faults(),
    }
}

/// The faults of the simulated accelerator (kmod/sim), which only tests have.
fn injected_faults() -> Vec<String> {
    let rules = fs::read_to_string("/sys/kernel/debug/outboard_sim/faults").unwrap_or_default();
    rules.lines().filter(|rule| !rule.is_empty() && !rule.starts_with('#')).map(str::to_owned).collect()
}

/// Returns the command's exit code, or outboard's if only the command succeeded.
pub fn exit_code(proof: &Prove) -> u8 {
    if proof.exit_code == 0 && proof.is_error() { super::OWN_FAILURE } else { proof.exit_code }
}

/// Returns the drivers of the algorithms that were used, in words.
fn ways(decisions: &[(String, Decision)], counted: &[(String, Counts)]) -> Vec<String> {
    let is_used = |name: &String| counted.iter().any(|(used, counts)| used == name && counts.requests() > 0);
    let mut ways: Vec<String> = Vec::new();
    for (_, decision) in decisions.iter().filter(|(name, _)| is_used(name)) {
        let Decision::Offered { driver, interface, key_stream, .. } = decision else { continue };
        let source = key_stream.as_ref().map(|source| &source.driver);
        for driver in [Some(driver), source].into_iter().flatten() {
            let way = format!("chosen: driver {driver} over {interface}");
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
    }
    ways
}

pub fn work(counts: Counts) -> Work {
    Work {
        hardware_requests: counts.hw_requests,
        hardware_bytes: counts.hw_bytes,
        software_requests: counts.sw_requests,
        software_bytes: counts.sw_bytes,
        hardware_percent: counts.percent_hw(),
        failures: counts.failures,
        mismatches: counts.mismatches,
        ahead: LookaheadWork {
            ahead_requests: counts.ahead_requests,
            ahead_bytes: counts.ahead_bytes,
            ahead_misses: counts.ahead_misses,
            key_stream_generated: counts.key_stream_generated,
            key_stream_discarded: counts.key_stream_discarded,
        },
    }
}

fn device((difference, used): (&Difference, bool)) -> ProofDevice {
    let Difference { device, interrupts, gone, .. } = difference;
    ProofDevice {
        name: device.device.clone(),
        driver: device.driver.clone(),
        chip: device.chip.map(str::to_owned),
        used,
        interrupts: *interrupts,
        gone: *gone,
    }
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;
