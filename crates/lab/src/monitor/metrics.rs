//! A sample as metrics of Prometheus, docs/metrics.md.

use outboard_counters::Counts;

use super::Sample;
use super::exposition::{Exposition, MetricType::Counter, MetricType::Gauge};
use outboard_monitor::{DriverSample, ModuleSample, ServiceSample};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingState {
    Exact,
    Wrong,
    /// It did not answer: the provider does not use it until a check finds it exact.
    Unanswered,
    Outdated,
}

impl FindingState {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Exact, "exact"),
        (Self::Wrong, "wrong"),
        (Self::Unanswered, "unanswered"),
        (Self::Outdated, "outdated"),
    ];
}

/// The text for a textfile collector. `findings`: drivers with their state.
#[must_use]
pub fn metrics(sample: &Sample, findings: &[(String, FindingState)], version: &str) -> String {
    let mut page = Exposition::default();
    page.metric("outboard_build_info", Gauge, "The version of the outboard command.")
        .sample(&[("version", version)], 1);
    page.metric("outboard_module_loaded", Gauge, "Whether the kernel module outboard is loaded.")
        .sample(&[], u64::from(sample.module.is_some()));
    if let Some(module) = &sample.module {
        of_module(&mut page, module);
        of_drivers(&mut page, &module.drivers);
    }
    of_findings(&mut page, findings);
    of_interrupts(&mut page, sample);
    of_processes(&mut page, sample);
    of_services(&mut page, &sample.services);
    page.text()
}

fn of_module(page: &mut Exposition, module: &ModuleSample) {
    let mut gauge = |name, help, value: Option<u64>| page.metric(name, Gauge, help).sample(&[], value);
    gauge("outboard_module_open_files", "Open descriptors of /dev/outboard.", module.files);
    gauge("outboard_module_arenas", "Arenas that exist.", module.arenas);
    gauge("outboard_module_arena_bytes", "Memory of all arenas.", module.arena_bytes);
    gauge("outboard_module_sessions", "Sessions that exist.", module.sessions);
    let help = "Requests that exist, including those that wait for a driver.";
    gauge("outboard_module_requests", help, module.requests);
    page.metric(
        "outboard_module_double_completions_total",
        Counter,
        "Completions by drivers of requests that had ended already.",
    )
    .sample(&[], module.doubles);
    let help = "Limits of the module in bytes, by parameter.";
    let mut limits = page.metric("outboard_module_limit_bytes", Gauge, help);
    module.limits_in_bytes.iter().for_each(|(name, value)| limits.sample(&[("parameter", name)], *value));
    let help = "Limits of the module in numbers of objects, by parameter.";
    let mut limits = page.metric("outboard_module_limit_objects", Gauge, help);
    module.limits.iter().for_each(|(name, value)| limits.sample(&[("parameter", name)], *value));
}

type OfDriver = fn(&DriverSample) -> Option<u64>;

const DRIVER_COUNTERS: [(&str, &str, OfDriver); 4] = [
    ("outboard_driver_requests_total", "Requests submitted to a driver for /dev/outboard.", |d| d.requests),
    ("outboard_driver_bytes_total", "Bytes of these requests.", |d| d.bytes),
    ("outboard_driver_errors_total", "Requests that ended with an error of the driver.", |d| d.errors),
    ("outboard_driver_timeouts_total", "Requests that were late for their waiter.", |d| d.timeouts),
];

fn of_drivers(page: &mut Exposition, drivers: &[DriverSample]) {
    let labels = |driver: &DriverSample| [driver.name.clone(), driver.algorithm.clone().unwrap_or_default()];
    for (name, help, value) in DRIVER_COUNTERS {
        let mut counter = page.metric(name, Counter, help);
        for driver in drivers {
            let [name, algorithm] = &labels(driver);
            counter.sample(&[("driver", name), ("algorithm", algorithm)], value(driver));
        }
    }
    let mut gauge =
        page.metric("outboard_driver_requests_in_flight", Gauge, "Requests that a driver has now.");
    for driver in drivers {
        let [name, algorithm] = &labels(driver);
        gauge.sample(&[("driver", name), ("algorithm", algorithm)], driver.in_flight);
    }
}

fn of_findings(page: &mut Exposition, findings: &[(String, FindingState)]) {
    let mut gauge = page.metric(
        "outboard_driver_finding",
        Gauge,
        "Findings of outboard check: 1 for the state that applies to the driver.",
    );
    for (driver, state) in findings {
        for (one, word) in FindingState::ALL {
            gauge.sample(&[("driver", driver), ("state", word)], u64::from(one == *state));
        }
    }
}

fn of_interrupts(page: &mut Exposition, sample: &Sample) {
    let mut counter = page.metric(
        "outboard_accelerator_interrupts_total",
        Counter,
        "Interrupts of an accelerator's device.",
    );
    for one in sample.interrupts.iter().flat_map(|snapshot| &snapshot.devices) {
        let labels = [
            ("bus", one.bus.as_str()),
            ("device", &one.device),
            ("driver", &one.driver),
            ("chip", one.chip.unwrap_or_default()),
        ];
        counter.sample(&labels, one.total);
    }
}

fn of_processes(page: &mut Exposition, sample: &Sample) {
    let mut by_name: Vec<(&str, u64)> = Vec::new();
    for process in &sample.processes.found {
        match by_name.iter_mut().find(|(name, _)| *name == process.name) {
            Some((_, count)) => *count += 1,
            None => by_name.push((&process.name, 1)),
        }
    }
    let mut gauge =
        page.metric("outboard_provider_processes", Gauge, "Processes that have mapped the provider.");
    by_name.iter().for_each(|(name, count)| gauge.sample(&[("name", name)], *count));
    page.metric(
        "outboard_unreadable_processes",
        Gauge,
        "Processes whose mappings the user of the command may not read.",
    )
    .sample(&[], u64::try_from(sample.processes.unreadable).ok());
}

/// The paths of a request, with its requests and bytes.
fn paths(counts: &Counts) -> [(&'static str, u64, u64); 3] {
    let direct = |all: u64, ahead: u64| all.saturating_sub(ahead);
    [
        (
            "direct",
            direct(counts.hw_requests, counts.ahead_requests),
            direct(counts.hw_bytes, counts.ahead_bytes),
        ),
        ("lookahead", counts.ahead_requests, counts.ahead_bytes),
        ("software", counts.sw_requests, counts.sw_bytes),
    ]
}

type OfCounts = fn(&Counts) -> u64;

/// Name, help and value of further counters of a service.
const SERVICE_COUNTERS: [(&str, &str, OfCounts); 5] = [
    (
        "outboard_service_failures_total",
        "Requests that failed in a driver and were repeated in software.",
        |c| c.failures,
    ),
    ("outboard_service_mismatches_total", "Results of a driver that were wrong twice.", |c| c.mismatches),
    (
        "outboard_service_lookahead_misses_total",
        "Requests for which look-ahead was on and had no key stream.",
        |c| c.ahead_misses,
    ),
    (
        "outboard_service_key_stream_bytes_total",
        "Bytes of key stream that were submitted to a driver.",
        |c| c.key_stream_generated,
    ),
    (
        "outboard_service_key_stream_discarded_bytes_total",
        "Bytes of key stream that were dropped without use.",
        |c| c.key_stream_discarded,
    ),
];

fn of_services(page: &mut Exposition, services: &[ServiceSample]) {
    let mut rows = Vec::new();
    for service in services {
        let counted = service.counters.iter().flat_map(|table| table.snapshot());
        rows.extend(counted.map(|(algorithm, counts)| (service.unit.as_str(), algorithm, counts)));
    }
    let mut requests =
        page.metric("outboard_service_requests_total", Counter, "Requests of an enabled service, by path.");
    for (unit, algorithm, counts) in &rows {
        for (path, number, _) in paths(counts) {
            requests.sample(&[("unit", unit), ("algorithm", algorithm), ("path", path)], number);
        }
    }
    let mut bytes = page.metric("outboard_service_bytes_total", Counter, "Bytes of these requests, by path.");
    for (unit, algorithm, counts) in &rows {
        for (path, _, number) in paths(counts) {
            bytes.sample(&[("unit", unit), ("algorithm", algorithm), ("path", path)], number);
        }
    }
    for (name, help, value) in SERVICE_COUNTERS {
        let mut counter = page.metric(name, Counter, help);
        for (unit, algorithm, counts) in &rows {
            counter.sample(&[("unit", unit), ("algorithm", algorithm)], value(counts));
        }
    }
    let mut attached = page.metric(
        "outboard_service_provider_loads_total",
        Counter,
        "Times that a service loaded the provider.",
    );
    for service in services {
        attached.sample(&[("unit", &service.unit)], service.counters.as_ref().ok().map(|t| t.attached()));
    }
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
