//! Whether an accelerator wins for a user within the kernel: `outboard bench disk` and `ipsec` of the
//! laboratory, or for kTLS the policy of `outboard tune`. From Linux 7.2 on only dm-crypt and IPsec
//! themselves reach the kernel's software, so the command cannot compare the two without them.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, anyhow, bail};
use outboard_console::progress;
use outboard_documents::Goal;
use outboard_documents::bench::{Application, Bench, Evidence, Run};
use outboard_drivers::reach::{KernelNeed, KernelUser};
use outboard_drivers::template;
use outboard_measure::goal::relative_cost;
use outboard_policy::{POLICY_FILE, Tuned};

use crate::commands::tune::GoalName;
use crate::laboratory;

/// Limit of a benchmark's time.
const TIME: &str = "90s";

/// Bytes of a full TLS record (RFC 8446, 5.1).
const RECORD: usize = 16384;

/// A job by software and by an accelerator.
pub struct Contest {
    pub rows: Vec<ContestRow>,
    pub accelerator_wins: bool,
}

/// One contestant in one job.
pub struct ContestRow {
    pub job: String,
    pub driver: String,
    /// 10^6 bytes per second; `None` where only the threshold is known.
    pub megabytes_per_second: Option<f64>,
    /// Of the whole system.
    pub cpu_ms_per_megabyte: Option<f64>,
}

/// Compares a driver with software at what the user requests from it.
pub fn measure(user: KernelUser, need: &KernelNeed, driver: &str, goal: GoalName) -> Result<Contest> {
    let arguments: Vec<&str> = match user {
        KernelUser::Disk => vec!["disk", "--cipher", need.setting, "--size", "64K", "--megabytes", "16"],
        KernelUser::Ipsec if need.algorithm.contains("gcm") => vec!["ipsec", "--esp", "rfc4106(gcm(aes))"],
        KernelUser::Ipsec => vec!["ipsec", "--esp", "cbc(aes)+hmac(sha256)"],
        KernelUser::Ktls => return of_policy(need, driver, goal),
    };
    let mut command = laboratory::command()?;
    progress(&format!("outboard bench {}: up to {TIME}", arguments.join(" ")));
    command.arg("bench").args(&arguments).args(["--for", TIME, "--json"]).stdin(Stdio::null());
    let output = command.output().context("the laboratory cannot be started");
    progress("");
    let output = output?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("outboard bench {}: {}", arguments[0], errors.trim());
    }
    let bench: Bench = serde_json::from_slice(&output.stdout).context("the document of outboard bench")?;
    of_bench(&bench, driver, goal.into()).map_err(|why| anyhow!("outboard bench {}: {why}", arguments[0]))
}

fn of_bench(bench: &Bench, driver: &str, goal: Goal) -> Result<Contest, String> {
    let (mut rows, mut costs, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for job in &bench.applications {
        // A job that did not fit into the time is left out.
        let (software, hardware) = match sides(job, driver) {
            (Some(software), Some(hardware)) if hardware.fault.is_none() => (software, hardware),
            (None, _) => {
                missing.push(format!("{}: software was not measured", job.name));
                continue;
            }
            (_, hardware) => {
                let fault = hardware.and_then(|run| run.fault.as_deref()).unwrap_or("it was not measured");
                missing.push(format!("{}: {driver}: {fault}", job.name));
                continue;
            }
        };
        // All contestants of a job process the same bytes.
        let wall = software.figure.megabytes_per_second / hardware.figure.megabytes_per_second;
        let cpu = hardware.figure.cpu_ms_per_megabyte.zip(software.figure.cpu_ms_per_megabyte);
        let cpu = cpu.filter(|(_, software)| *software > 0.0).map(|(hardware, software)| hardware / software);
        costs.push(relative_cost(goal, (wall, 0.0), cpu.map(|cpu| (cpu, 0.0))).0.max(f64::MIN_POSITIVE).ln());
        rows.extend([software, hardware].map(|run| ContestRow {
            job: job.name.clone(),
            driver: run.driver.clone().unwrap_or_default(),
            megabytes_per_second: Some(run.figure.megabytes_per_second),
            cpu_ms_per_megabyte: run.figure.cpu_ms_per_megabyte,
        }));
    }
    if costs.is_empty() {
        missing.extend(bench.notes.iter().cloned());
        return Err(missing.join("; "));
    }
    // The geometric mean of reading and writing.
    Ok(Contest { rows, accelerator_wins: costs.iter().sum::<f64>() < 0.0 })
}

/// The fastest software of a job, and the run of the driver, alone or in a template.
fn sides<'a>(job: &'a Application, driver: &str) -> (Option<&'a Run>, Option<&'a Run>) {
    let has_driver =
        |run: &&Run| run.driver.as_deref().is_some_and(|name| template::nested(name).contains(&driver));
    let software =
        job.runs.iter().filter(|run| run.evidence.is_none() && run.fault.is_none() && !has_driver(run));
    let speed = |run: &&Run| run.figure.megabytes_per_second;
    let software = software.max_by(|a, b| speed(a).total_cmp(&speed(b)));
    let hardware =
        job.runs.iter().filter(|run| run.evidence != Some(Evidence::Contradicted)).find(has_driver);
    (software, hardware)
}

/// kTLS has no benchmark: the thresholds of `outboard tune` decide, which compare the same driver
/// with OpenSSL.
fn of_policy(need: &KernelNeed, driver: &str, goal: GoalName) -> Result<Contest> {
    let policy = Tuned::read(Path::new(POLICY_FILE))?;
    let policy =
        policy.context("which of the two wins was not measured on this machine: run outboard tune")?;
    policy.is_of(Path::new("/")).with_context(|| format!("{POLICY_FILE} is not used"))?;
    if policy.value("goal") != goal.name() {
        bail!(
            "it was measured for the goal {}: run outboard tune --goal {}",
            policy.value("goal"),
            goal.name()
        );
    }
    of_thresholds(&policy, need, driver)
}

fn of_thresholds(policy: &Tuned, need: &KernelNeed, driver: &str) -> Result<Contest> {
    let cipher = if need.algorithm.starts_with("ccm") { "AES-128-CCM" } else { "AES-128-GCM" };
    let row = policy.of(cipher).filter(|row| row.driver == driver);
    let row = row.with_context(|| format!("outboard tune did not measure {cipher} by {driver}"))?;
    let from = row.from.iter().flatten().min().copied();
    let job = match from {
        Some(bytes) => format!("{cipher}, wins from {bytes} bytes"),
        None => format!("{cipher}, wins at no size"),
    };
    let row =
        ContestRow { job, driver: driver.to_owned(), megabytes_per_second: None, cpu_ms_per_megabyte: None };
    Ok(Contest { rows: vec![row], accelerator_wins: from.is_some_and(|bytes| bytes <= RECORD) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(runs: &[(&str, Option<&str>, f64, f64)]) -> Bench {
        let run = |(driver, evidence, speed, cpu): &(&str, Option<&str>, f64, f64)| {
            serde_json::json!({
                "contestant": "x", "driver": driver, "user_percent": 0.0, "system_percent": 1.0,
                "hardware_percent": null, "evidence": evidence, "fault": null,
                "figure": {
                    "megabytes_per_second": speed, "spread": 0.0, "samples": 5, "outliers": 0,
                    "cpu_ms_per_megabyte": cpu, "interrupts_per_request": 0.0
                },
            })
        };
        let runs: Vec<_> = runs.iter().map(run).collect();
        let job = serde_json::json!({"name": "reads", "cipher": "c", "bytes": 1, "at_once": 1, "runs": runs});
        serde_json::from_value(serde_json::json!({
            "made": "", "openssl": "", "contestants": [], "rows": [], "applications": [job],
            "notes": ["a note"], "interrupted": false,
            "machine": {"kernel": "", "architecture": "", "cpu": "", "cpus": 1, "openssl": ""},
        }))
        .unwrap()
    }

    #[test]
    fn the_fastest_software_is_compared_with_the_driver_within_its_template() {
        let runs = [
            ("essiv(cbc(plain),sha256-lib)", None, 40.0, 10.0),
            ("essiv(cbc(slow),sha256-lib)", None, 20.0, 10.0),
            ("essiv(engine,sha256-lib)", Some("interrupts"), 38.0, 2.0),
        ];
        let of = |goal| of_bench(&bench(&runs), "engine", goal).unwrap();
        assert!(!of(Goal::Throughput).accelerator_wins);
        assert!(of(Goal::Cpu).accelerator_wins);
        assert!(of(Goal::Balanced).accelerator_wins);
        let drivers: Vec<String> = of(Goal::Cpu).rows.into_iter().map(|row| row.driver).collect();
        assert_eq!(drivers, [runs[0].0, runs[2].0]);
    }

    #[test]
    fn a_driver_without_a_sound_figure_is_not_compared() {
        let software = ("plain", None, 40.0, 10.0);
        let none = of_bench(&bench(&[software]), "engine", Goal::Cpu).err().unwrap();
        assert!(none.contains("engine: it was not measured; a note"), "{none}");
        let refuted = ("engine", Some("contradicted"), 90.0, 1.0);
        assert!(of_bench(&bench(&[software, refuted]), "engine", Goal::Cpu).is_err());
        let alone = ("engine", Some("interrupts"), 90.0, 1.0);
        assert!(of_bench(&bench(&[alone]), "engine", Goal::Cpu).is_err());
    }

    #[test]
    fn records_of_tls_are_compared_with_the_threshold() {
        let policy =
            |line: &str| Tuned::parse(format!("outboard-policy 2\ngoal balanced\n{line}\n")).unwrap();
        let need = &KernelUser::Ktls.needs()[0];
        let wins =
            |line: &str| of_thresholds(&policy(line), need, "engine").map(|it| it.accelerator_wins).ok();
        assert_eq!(wins("AES-128-GCM 4096 never engine"), Some(true));
        assert_eq!(wins("AES-128-GCM 32768 never engine"), Some(false));
        assert_eq!(wins("AES-128-GCM never never engine"), Some(false));
        assert_eq!(wins("AES-128-GCM 4096 never other"), None);
    }
}
