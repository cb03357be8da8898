//! `outboard prove --service`: observes a service while it runs.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use outboard_counters::{Counts, Table};
use outboard_documents::prove::{ObservedService, Prove};
use outboard_drivers::root::Root;
use outboard_measure::{meter::Meter, stop};
use outboard_monitor::ServiceSample;
use outboard_services::enable::{Record, Tree, changed_units};

use super::conclusion::{Observed, Subject};
use super::options::Options;
use super::proof::results;
use crate::commands::enable::named;
use crate::live_service::systemctl;
use outboard_console::progress;

/// Observes the service for the requested time.
pub fn observe(options: &Options) -> Result<Prove> {
    let (name, units) = running_units(options)?;
    let before: Vec<Unit> = units.iter().map(|unit| Unit::read(unit)).collect::<Result<_>>()?;
    stop::listen();
    let (start, meter) = (Instant::now(), Meter::read());
    while let Some(left) = options.time.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
        if stop::asked() {
            break;
        }
        progress(&format!("observing {}, {} s left", units.join(", "), left.as_secs() + 1));
        thread::sleep(left.min(Duration::from_millis(200)));
    }
    progress("");
    let after: Vec<Unit> = units.iter().map(|unit| Unit::read(unit)).collect::<Result<_>>()?;
    let spent = Meter::read().since(&meter);

    let (mut observed, mut notes) = (nothing(), Vec::new());
    let (mut cpu, mut traffic) = (Some(0), Some(0));
    for ((unit, before), after) in units.iter().zip(&before).zip(&after) {
        let since = after.since(before);
        if since.has_restarted {
            notes.push(format!("{unit} was restarted meanwhile: what it did before that is not counted"));
        }
        cpu = cpu.zip(since.cpu).map(|(sum, own): (u64, u64)| sum.saturating_add(own));
        traffic = traffic.zip(since.traffic).map(|(sum, own): (u64, u64)| sum.saturating_add(own));
        add(&mut observed, &after.table, since.counted);
    }
    observed.traffic = traffic;
    let service = ObservedService {
        name,
        units,
        traffic_bytes: traffic,
        cpu_seconds: cpu.map(|nanoseconds| Duration::from_nanos(nanoseconds).as_secs_f64()),
        interrupted: stop::by_signal(),
    };
    Ok(Prove { service: Some(service), ..results(options.require_hardware, spent, observed, notes) })
}

/// The name of the service, and its units that run and can be counted.
fn running_units(options: &Options) -> Result<(String, Vec<String>)> {
    let (services, given): (Vec<String>, Vec<String>) =
        (options.service.iter().cloned().collect(), options.unit.iter().cloned().collect());
    let service = named(&services, &given).next().ok_or_else(|| anyhow!("no service is named"))?;
    service.checked()?;
    let key = service.key();
    let record = Record::read(&Tree::at(Path::new("/")), &key).map_err(|why| anyhow!(why))?;
    let Some(record) = record else { bail!("{key} is not enabled: outboard enable {}", service.arguments()) };
    let changed = changed_units(&record.files);
    if changed.is_empty() {
        bail!("{key} has no unit of systemd: use outboard prove -- COMMAND");
    }
    systemctl::check_booted()?;
    let running = systemctl::running(&changed)?;
    if running.is_empty() {
        bail!("no unit of {key} runs: start it first");
    }
    let (counted, others): (Vec<_>, Vec<_>) =
        running.into_iter().partition(|unit| changed.contains(unit) && !unit.contains('@'));
    match counted.is_empty() {
        true => bail!("{}: the instances of a template are not counted", others.join(", ")),
        false => Ok((key, counted)),
    }
}

/// The counters of a unit at one moment.
struct Unit {
    table: Table,
    cpu: Option<u64>,
    /// Bytes that its processes read and wrote with system calls.
    transferred: Option<[u64; 2]>,
}

/// What a unit did between two moments.
struct UnitWork {
    counted: Vec<(String, Counts)>,
    cpu: Option<u64>,
    /// Bytes that were read or written, whichever is more.
    traffic: Option<u64>,
    has_restarted: bool,
}

impl Unit {
    fn read(unit: &str) -> Result<Self> {
        let table = ServiceSample::read(&Root::live(), unit).counters.map_err(|why| {
            anyhow!(
                "{unit} has no counters ({why}); if it runs since before outboard enable, restart it; \
                 outboard config --unit {unit} shows what its processes have"
            )
        })?;
        let processes = systemctl::processes(unit).unwrap_or_default();
        Ok(Self { table, cpu: systemctl::cpu_nanoseconds(unit), transferred: transferred(&processes) })
    }

    fn since(&self, before: &Self) -> UnitWork {
        // A restart begins a new file.
        let has_restarted = self.table.attached() < before.table.attached()
            || self.cpu.zip(before.cpu).is_some_and(|(now, then)| now < then);
        let earlier = if has_restarted { Vec::new() } else { before.table.snapshot() };
        let difference = |(name, counts): (String, Counts)| {
            let then = earlier.iter().find(|(other, _)| *other == name);
            let counts = counts - then.map_or_else(Counts::default, |(_, counts)| *counts);
            (name, counts)
        };
        let counted = self.table.snapshot().into_iter().map(difference);
        UnitWork {
            counted: counted.filter(|(_, counts)| *counts != Counts::default()).collect(),
            cpu: self.cpu.zip(before.cpu).map(|(now, then)| if has_restarted { now } else { now - then }),
            // Processes that ended meanwhile lower the sums.
            traffic: self.transferred.zip(before.transferred).filter(|_| !has_restarted).map(
                |(now, then)| {
                    now.iter().zip(then).map(|(now, then)| now.saturating_sub(then)).max().unwrap_or(0)
                },
            ),
            has_restarted,
        }
    }
}

/// The sums of what these processes read and wrote (proc_pid_io(5)). `None` if the kernel does not
/// count it.
fn transferred(processes: &[u32]) -> Option<[u64; 2]> {
    let texts = processes.iter().filter_map(|id| fs::read_to_string(format!("/proc/{id}/io")).ok());
    let sums = |sums: Option<[u64; 2]>, text: String| {
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
        let [read, written] = sums.unwrap_or_default();
        Some([read.saturating_add(field("rchar:")?), written.saturating_add(field("wchar:")?)])
    };
    texts.fold(None, sums)
}

fn nothing() -> Observed {
    Observed {
        subject: Subject::Service,
        loads: 0,
        counted: Vec::new(),
        decisions: Vec::new(),
        notes: Vec::new(),
        traffic: None,
    }
}

/// Adds what a unit did.
fn add(observed: &mut Observed, table: &Table, counted: Vec<(String, Counts)>) {
    observed.loads = observed.loads.saturating_add(table.attached());
    observed.decisions.extend(table.decisions());
    observed.notes.extend(table.notes());
    for (name, counts) in counted {
        match observed.counted.iter_mut().find(|(other, _)| *other == name) {
            Some((_, sum)) => *sum += counts,
            None => observed.counted.push((name, counts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(hardware: u64, software: u64, cpu: u64) -> Unit {
        let table = Table::private();
        table.row("AES-128-GCM").unwrap().add_hw(hardware / 16, hardware);
        table.row("AES-256-GCM").unwrap().add_sw(software / 16, software);
        Unit { table, cpu: Some(cpu), transferred: Some([hardware, 2 * hardware]) }
    }

    #[test]
    fn only_the_work_in_between_counts() {
        let work = unit(4096, 160, 30).since(&unit(1024, 160, 10));
        let [(name, counts)] = &work.counted[..] else { panic!("{:?}", work.counted) };
        assert_eq!((name.as_str(), counts.hw_bytes, counts.hw_requests), ("AES-128-GCM", 3072, 192));
        assert_eq!((work.cpu, work.traffic, work.has_restarted), (Some(20), Some(6144), false));
        let mut sum = nothing();
        add(&mut sum, &unit(0, 0, 0).table, work.counted.clone());
        add(&mut sum, &unit(0, 0, 0).table, work.counted);
        assert_eq!((sum.counted.len(), sum.total().hw_bytes), (1, 6144));
    }

    #[test]
    fn after_a_restart_the_new_counts_apply() {
        let work = unit(512, 0, 5).since(&unit(4096, 160, 30));
        assert_eq!((work.cpu, work.traffic, work.has_restarted), (Some(5), None, true));
        assert!(transferred(&[std::process::id()]).is_some_and(|[read, _]| read > 0));
        assert_eq!(transferred(&[]), None);
        assert_eq!(work.counted[0].1.hw_bytes, 512);
    }
}
