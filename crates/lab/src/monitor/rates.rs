//! The difference of two samples as rates.

use crate::documents::watch::{
    DeviceRates, DriverRates, GroupWork, KernelCpu, ModuleState, ProcessGroup, Watch,
};
use outboard_counters::{Counts, Table};
use outboard_measure::cpu::seconds;
use std::time::Duration;

use super::Sample;
use outboard_monitor::{DriverSample, ServiceSample};

#[must_use]
pub fn rates(earlier: &Sample, now: &Sample) -> Watch {
    let elapsed = now.at.saturating_duration_since(earlier.at);
    let per = PerSecond(elapsed.max(Duration::from_millis(1)).as_secs_f64());
    let drivers =
        |sample: &Sample| sample.module.as_ref().map_or(Vec::new(), |module| module.drivers.clone());
    let before = drivers(earlier);
    let devices = now.interrupts.as_ref().ok().zip(earlier.interrupts.as_ref().ok()).map(|(now, then)| {
        let present = now.since(then).into_iter().filter(|difference| !difference.gone);
        let device = present.map(|difference| DeviceRates {
            name: difference.device.device,
            driver: difference.device.driver,
            chip: difference.device.chip.map(str::to_owned),
            interrupts: per.of(difference.interrupts),
        });
        device.collect()
    });
    Watch {
        seconds: elapsed.as_secs_f64(),
        module: now.module.as_ref().map(|module| ModuleState {
            sessions: module.sessions,
            requests: module.requests,
            arena_bytes: module.arena_bytes,
        }),
        drivers: drivers(now).into_iter().map(|driver| per.driver(&before, driver)).collect(),
        devices,
        kernel_cpu: now.kernel_time.zip(earlier.kernel_time).map(|(now, then)| {
            let time = now.since(then);
            let percent = |ticks: u64| seconds(ticks) / per.0 * 100.0;
            KernelCpu {
                interrupts: percent(time.interrupts),
                softirqs: percent(time.softirqs),
                threads: percent(time.threads),
            }
        }),
        processes: per.groups(earlier, now),
        unreadable_processes: now.processes.unreadable,
    }
}

struct PerSecond(f64);

impl PerSecond {
    fn of(&self, count: u64) -> f64 {
        count as f64 / self.0
    }

    /// The rate of a counter that begins at 0 again if the driver is allowed anew.
    fn between(&self, then: Option<u64>, now: Option<u64>) -> Option<f64> {
        now.zip(then).map(|(now, then)| self.of(now.saturating_sub(then)))
    }

    fn driver(&self, before: &[DriverSample], now: DriverSample) -> DriverRates {
        let then = before.iter().find(|driver| driver.name == now.name);
        let errors = now.errors.zip(now.timeouts).map(|(errors, timeouts)| errors.saturating_add(timeouts));
        DriverRates {
            requests: self.between(then.map_or(Some(0), |driver| driver.requests), now.requests),
            bytes: self.between(then.map_or(Some(0), |driver| driver.bytes), now.bytes),
            in_flight: now.in_flight,
            errors,
            name: now.name,
            algorithm: now.algorithm,
        }
    }

    /// The units that are counted, and other processes with the provider by unit or name.
    fn groups(&self, earlier: &Sample, now: &Sample) -> Vec<ProcessGroup> {
        let mut groups: Vec<ProcessGroup> = Vec::new();
        for service in &now.services {
            let then = earlier.services.iter().find(|other| other.unit == service.unit);
            let work = service.counters.as_ref().ok().map(|table| self.work(then, table));
            groups.push(ProcessGroup { name: service.unit.clone(), pids: Vec::new(), work });
        }
        for process in &now.processes.found {
            let name = process.unit.as_ref().unwrap_or(&process.name);
            match groups.iter_mut().find(|group| group.name == *name) {
                Some(group) => group.pids.push(process.pid),
                None => {
                    groups.push(ProcessGroup { name: name.clone(), pids: vec![process.pid], work: None });
                }
            }
        }
        groups
    }

    fn work(&self, then: Option<&ServiceSample>, table: &Table) -> GroupWork {
        let sum = |table: &Table| table.snapshot().iter().fold(Counts::default(), |sum, (_, one)| sum + *one);
        let (all, then) = (sum(table), then.and_then(|service| service.counters.as_ref().ok()));
        // A restart begins a new table: all of it is new.
        let earlier = then.filter(|then| then.attached() <= table.attached()).map(sum).unwrap_or_default();
        let since = all - earlier;
        let used = all.ahead_bytes.saturating_add(all.key_stream_discarded);
        GroupWork {
            direct: self.of(since.hw_bytes.saturating_sub(since.ahead_bytes)),
            ahead: self.of(since.ahead_bytes),
            software: self.of(since.sw_bytes),
            requests: self.of(since.requests()),
            hardware_percent: since.percent_hw(),
            key_stream: all.key_stream_generated.saturating_sub(used),
            errors: all.failures.saturating_add(all.mismatches),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::processes::{Process, Processes};
    use outboard_drivers::root::Root;
    use outboard_monitor::ModuleSample;

    fn process(pid: u32, unit: Option<&str>) -> Process {
        Process { pid, name: "worker".to_owned(), unit: unit.map(str::to_owned) }
    }

    fn sample(requests: u64, hardware: u64, software: u64) -> Sample {
        let table = Table::private();
        let row = table.row("AES-128-GCM").unwrap();
        row.add_hw(hardware / 16, hardware);
        row.add_ahead(1, 16);
        row.add_generated(4096);
        row.add_discarded(80);
        row.add_sw(software / 16, software);
        let name = "sim-cbc-aes".to_owned();
        let (errors, timeouts) = (Some(1), Some(2));
        let driver =
            DriverSample { name, requests: Some(requests), errors, timeouts, ..DriverSample::default() };
        let unit = "nginx.service".to_owned();
        Sample {
            module: Some(ModuleSample { drivers: vec![driver], ..ModuleSample::default() }),
            processes: Processes {
                found: vec![process(7, Some("nginx.service")), process(8, None), process(9, None)],
                unreadable: 3,
            },
            services: vec![ServiceSample { unit, counters: Ok(table) }],
            ..Sample::take(&Root::saved(tempfile::tempdir().unwrap().path()).unwrap())
        }
    }

    #[test]
    fn differences_become_rates() {
        let earlier = sample(100, 16_000, 0);
        let now = Sample { at: earlier.at + Duration::from_secs(2), ..sample(300, 48_000, 32_000) };
        let watch = rates(&earlier, &now);
        assert_eq!((watch.seconds, watch.unreadable_processes, watch.kernel_cpu.is_none()), (2.0, 3, true));
        let [driver] = &watch.drivers[..] else { panic!("{watch:?}") };
        assert_eq!((driver.requests, driver.bytes, driver.errors), (Some(100.0), None, Some(3)));
        let [nginx, others] = &watch.processes[..] else { panic!("{:?}", watch.processes) };
        assert_eq!((nginx.name.as_str(), &nginx.pids[..]), ("nginx.service", &[7][..]));
        let work = nginx.work.unwrap();
        assert_eq!((work.direct, work.ahead, work.software), (16_000.0, 0.0, 16_000.0));
        assert_eq!((work.hardware_percent, work.key_stream), (Some(50.0), 4000));
        assert_eq!(
            (others.name.as_str(), &others.pids[..], others.work.is_none()),
            ("worker", &[8, 9][..], true)
        );
    }

    #[test]
    fn counters_that_began_again_give_no_negative_rate() {
        let earlier = sample(500, 48_000, 0);
        let now = Sample { at: earlier.at, ..sample(1, 16_000, 0) };
        let watch = rates(&earlier, &now);
        assert_eq!(watch.drivers[0].requests, Some(0.0));
        assert_eq!(watch.processes[0].work.unwrap().direct, 0.0);
    }
}
