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
use outboard_services::enable::{Record, Tree, counted_programs};

use super::conclusion::{Observed, Subject};
use super::measured;
use super::options::Options;
use super::proof::results;
use crate::commands::enable::named;
use crate::running_services::init_system::InitSystem;
use outboard_console::progress;

pub fn observe(options: &Options) -> Result<Prove> {
    let (name, parts) = running_parts(options)?;
    let units: Vec<String> = parts.iter().flat_map(|part| part.units.clone()).collect();
    let before: Vec<State> = parts.iter().map(Part::state).collect::<Result<_>>()?;
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
    let after: Vec<State> = parts.iter().map(Part::state).collect::<Result<_>>()?;
    let spent = Meter::read().since(&meter);

    let (mut observed, mut notes) = (nothing(), Vec::new());
    let (mut cpu, mut traffic) = (Some(0), Some(0));
    for ((part, before), after) in parts.iter().zip(&before).zip(&after) {
        let since = after.since(before);
        if since.has_restarted {
            let units = part.units.join(", ");
            notes.push(format!("{units} was restarted meanwhile: what it did before that is not counted"));
        }
        cpu = cpu.zip(since.cpu).map(|(sum, own): (u64, u64)| sum.saturating_add(own));
        traffic = traffic.zip(since.traffic).map(|(sum, own): (u64, u64)| sum.saturating_add(own));
        after.tables.iter().for_each(|(_, table)| add_table(&mut observed, table));
        add_counts(&mut observed, since.counted);
    }
    observed.traffic = traffic;
    let service = ObservedService {
        name,
        units,
        traffic_bytes: traffic,
        cpu_seconds: cpu.map(|nanoseconds| Duration::from_nanos(nanoseconds).as_secs_f64()),
        interrupted: stop::by_signal(),
    };
    let remark = measured::remark(&observed.counted, &observed.decisions);
    let mut proof = results(options.require_hardware, spent, observed, notes);
    proof.summary += &remark;
    Ok(Prove { service: Some(service), ..proof })
}

struct Part {
    init: InitSystem,
    units: Vec<String>,
    counted: Vec<String>,
}

/// The name of the service, and its parts that run and can be counted.
fn running_parts(options: &Options) -> Result<(String, Vec<Part>)> {
    let (services, given): (Vec<String>, Vec<String>) =
        (options.service.iter().cloned().collect(), options.unit.iter().cloned().collect());
    let service = named(&services, &given).next().ok_or_else(|| anyhow!("no service is named"))?;
    service.checked()?;
    let key = service.key();
    let tree = Tree::at(Path::new("/"));
    let record = Record::read(&tree, &key).map_err(|why| anyhow!(why))?;
    let Some(record) = record else { bail!("{key} is not enabled: outboard enable {}", service.arguments()) };
    let Ok(init) = InitSystem::find() else {
        bail!("neither systemd nor procd runs here, so {key} has no counters: use outboard prove -- COMMAND");
    };
    let changed = init.units(&tree, &key, &record.files);
    let programs = counted_programs(&record.files);
    if changed.is_empty() || (init == InitSystem::Procd && programs.is_empty()) {
        bail!("{key} has no unit or init script: use outboard prove -- COMMAND");
    }
    let running = init.running(&changed)?;
    if running.is_empty() {
        bail!("no unit of {key} runs: start it first");
    }
    if init == InitSystem::Procd {
        return Ok((key, vec![Part { init, units: running, counted: programs }]));
    }
    let (counted, others): (Vec<_>, Vec<_>) =
        running.into_iter().partition(|unit| changed.contains(unit) && !unit.contains('@'));
    let part = |unit: String| Part { init, units: vec![unit.clone()], counted: vec![unit] };
    match counted.is_empty() {
        true => bail!("{}: the instances of a template are not counted", others.join(", ")),
        false => Ok((key, counted.into_iter().map(part).collect())),
    }
}

impl Part {
    fn state(&self) -> Result<State> {
        let (mut tables, mut missing) = (Vec::new(), None);
        for name in &self.counted {
            match ServiceSample::read(&Root::live(), name).counters {
                Ok(table) => tables.push((name.clone(), table)),
                Err(why) => missing = Some(why),
            }
        }
        let units = self.units.join(", ");
        // A program that has not run yet has no counters.
        if let Some(why) = missing.filter(|_| tables.is_empty()) {
            bail!("{units} has no counters ({why}); if it runs since before outboard enable, restart it");
        }
        let processes = self.units.iter().flat_map(|unit| self.init.processes(unit).unwrap_or_default());
        Ok(State {
            tables,
            cpu: self.units.iter().map(|unit| self.init.cpu_nanoseconds(unit)).sum(),
            transferred: transferred(&processes.collect::<Vec<u32>>()),
        })
    }
}

/// What a part did until one moment.
struct State {
    tables: Vec<(String, Table)>,
    cpu: Option<u64>,
    /// Bytes that its processes read and wrote with system calls.
    transferred: Option<[u64; 2]>,
}

/// What a part did between two moments.
struct Work {
    counted: Vec<(String, Counts)>,
    cpu: Option<u64>,
    /// Bytes that were read or written, whichever is more.
    traffic: Option<u64>,
    has_restarted: bool,
}

impl State {
    fn since(&self, before: &Self) -> Work {
        let earlier = |name: &str| {
            let same = before.tables.iter().find(|(other, _)| other == name);
            same.map(|(_, table)| table)
        };
        let is_new = |(name, table): &(String, Table)| {
            earlier(name).is_some_and(|then| table.attached() < then.attached())
        };
        // systemd begins a new file at a restart.
        let has_restarted =
            self.tables.iter().any(is_new) || self.cpu.zip(before.cpu).is_some_and(|(now, then)| now < then);
        let mut counted = Vec::new();
        for (name, table) in &self.tables {
            let then = earlier(name).filter(|_| !has_restarted).map(Table::snapshot).unwrap_or_default();
            counted.extend(table.snapshot().into_iter().map(|(algorithm, counts)| {
                let then = then.iter().find(|(other, _)| *other == algorithm);
                let counts = counts - then.map_or_else(Counts::default, |(_, counts)| *counts);
                (algorithm, counts)
            }));
        }
        counted.retain(|(_, counts)| *counts != Counts::default());
        Work {
            counted,
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

fn add_table(observed: &mut Observed, table: &Table) {
    observed.loads = observed.loads.saturating_add(table.attached());
    observed.decisions.extend(table.decisions());
    observed.notes.extend(table.notes());
}

fn add_counts(observed: &mut Observed, counted: Vec<(String, Counts)>) {
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

    fn table(hardware: u64, software: u64) -> Table {
        let table = Table::private();
        table.row("AES-128-GCM").unwrap().add_hw(hardware / 16, hardware);
        table.row("AES-256-GCM").unwrap().add_sw(software / 16, software);
        table
    }

    fn state(hardware: u64, software: u64, cpu: u64) -> State {
        let tables = vec![("nginx.service".to_owned(), table(hardware, software))];
        State { tables, cpu: Some(cpu), transferred: Some([hardware, 2 * hardware]) }
    }

    #[test]
    fn only_the_work_in_between_counts() {
        let work = state(4096, 160, 30).since(&state(1024, 160, 10));
        let [(name, counts)] = &work.counted[..] else { panic!("{:?}", work.counted) };
        assert_eq!((name.as_str(), counts.hw_bytes, counts.hw_requests), ("AES-128-GCM", 3072, 192));
        assert_eq!((work.cpu, work.traffic, work.has_restarted), (Some(20), Some(6144), false));
        let mut sum = nothing();
        add_counts(&mut sum, work.counted.clone());
        add_counts(&mut sum, work.counted);
        assert_eq!((sum.counted.len(), sum.total().hw_bytes), (1, 6144));
    }

    #[test]
    fn after_a_restart_the_new_counts_apply() {
        let work = state(512, 0, 5).since(&state(4096, 160, 30));
        assert_eq!((work.cpu, work.traffic, work.has_restarted), (Some(5), None, true));
        assert!(transferred(&[std::process::id()]).is_some_and(|[read, _]| read > 0));
        assert_eq!(transferred(&[]), None);
        assert_eq!(work.counted[0].1.hw_bytes, 512);
    }

    #[test]
    fn each_program_of_a_part_has_counters_of_its_own_from_its_first_run_on() {
        let programs = |first: u64, second: Option<u64>| {
            let all =
                [Some(("sshd", first)), second.map(|bytes| ("sshd-session", bytes))].into_iter().flatten();
            let tables = all.map(|(name, bytes)| (name.to_owned(), table(bytes, 0))).collect();
            State { tables, cpu: None, transferred: None }
        };
        let counted = |work: Work| work.counted.iter().map(|(_, counts)| counts.hw_bytes).collect::<Vec<_>>();
        assert_eq!(counted(programs(32, Some(64)).since(&programs(16, None))), [16, 64]);
        assert_eq!(counted(programs(32, Some(64)).since(&programs(16, Some(48)))), [16, 16]);
    }
}
