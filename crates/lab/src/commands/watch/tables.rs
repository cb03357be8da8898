//! The tables of `outboard watch`, for the screen and for `--once`.

use crate::documents::watch::{GroupWork, Watch};
use outboard_console::{amount, percent};

use outboard_console::{aligned_within, output_columns, wrapped};

/// Headings, and rows with as many cells. The first column is text, the others are numbers.
pub struct Table {
    pub headings: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    pub empty: &'static str,
}

pub fn drivers(watch: &Watch) -> Table {
    let empty = match watch.module {
        Some(_) => "no driver is allowed (outboard allow)",
        None => "the module outboard is not loaded",
    };
    let rows = watch.drivers.iter().map(|driver| {
        vec![
            driver.name.clone(),
            per_second(driver.requests),
            driver.bytes.map_or("-".to_owned(), bytes_per_second),
            count(driver.in_flight),
            count(driver.errors),
        ]
    });
    Table {
        headings: vec!["driver", "requests/s", "bytes/s", "depth", "errors"],
        rows: rows.collect(),
        empty,
    }
}

pub fn devices(watch: &Watch) -> Table {
    let row = |device: &crate::documents::watch::DeviceRates| {
        let engine = device.chip.as_ref().unwrap_or(&device.driver);
        vec![format!("{} ({engine})", device.name), per_second(Some(device.interrupts))]
    };
    let empty = match watch.devices {
        Some(_) => "no accelerator has a device here",
        None => "/proc/interrupts cannot be read",
    };
    Table {
        headings: vec!["accelerator", "interrupts/s"],
        rows: watch.devices.iter().flatten().map(row).collect(),
        empty,
    }
}

pub fn processes(watch: &Watch) -> Table {
    let row = |group: &crate::documents::watch::ProcessGroup| {
        let of = |value: fn(&GroupWork) -> String| group.work.as_ref().map_or("-".to_owned(), value);
        vec![
            group.name.clone(),
            group.pids.len().to_string(),
            of(|work| per_second(Some(work.requests))),
            of(|work| bytes_per_second(work.direct)),
            of(|work| bytes_per_second(work.ahead)),
            of(|work| bytes_per_second(work.software)),
            of(|work| work.hardware_percent.map_or("-".to_owned(), percent)),
            of(|work| amount(work.key_stream)),
        ]
    };
    Table {
        headings: vec!["processes", "no.", "req/s", "direct/s", "ahead/s", "software/s", "hw", "stream"],
        rows: watch.processes.iter().map(row).collect(),
        empty: "no process has mapped the provider",
    }
}

/// The lines that are no table: CPU time, the module, what cannot be read.
pub fn summary(watch: &Watch) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(cpu) = watch.kernel_cpu {
        lines.push(format!(
            "CPU for devices, % of one CPU: softirq {:.1}, irq {:.1}, irq threads {:.1}",
            cpu.softirqs, cpu.interrupts, cpu.threads
        ));
    }
    if let Some(module) = watch.module {
        let memory = module.arena_bytes.map_or("-".to_owned(), amount);
        lines.push(format!(
            "/dev/outboard: {} sessions, {} requests, {memory} of arenas",
            count(module.sessions),
            count(module.requests)
        ));
    }
    if watch.unreadable_processes > 0 {
        lines.push(format!(
            "processes of other users that are not shown: {} (run this as root)",
            watch.unreadable_processes
        ));
    }
    lines
}

pub fn text(watch: &Watch) -> String {
    text_within(watch, output_columns(), usize::MAX)
}

/// The same for a width (`None`: any), with at most `most` rows of each table.
pub fn text_within(watch: &Watch, width: Option<usize>, most: usize) -> String {
    let mut out = format!("in {:.1} s:\n", watch.seconds);
    let line = |out: &mut String, text: &str| match width {
        Some(width) => out.push_str(&wrapped(text, width, 2)),
        None => out.push_str(&format!("{text}\n")),
    };
    for table in [drivers(watch), devices(watch), processes(watch)] {
        out.push('\n');
        if table.rows.is_empty() {
            line(&mut out, &format!("{}: {}", table.headings[0], table.empty));
            continue;
        }
        let columns = table.headings.len();
        let headings = table.headings.iter().map(|heading| (*heading).to_owned()).collect();
        let hidden = table.rows.len().saturating_sub(most);
        let rows: Vec<Vec<String>> =
            std::iter::once(headings).chain(table.rows.into_iter().take(most)).collect();
        out.push_str(&aligned_within(&rows, 1..columns, "", width));
        if hidden > 0 {
            line(&mut out, &format!("and {hidden} more: outboard watch --once"));
        }
    }
    out.push('\n');
    summary(watch).iter().for_each(|text| line(&mut out, text));
    out
}

fn per_second(rate: Option<f64>) -> String {
    rate.map_or("-".to_owned(), |rate| format!("{rate:.0}"))
}

fn bytes_per_second(rate: f64) -> String {
    // A rate is finite and not negative; the cast saturates.
    amount(rate.round() as u64)
}

fn count(number: Option<u64>) -> String {
    number.map_or("-".to_owned(), |number| number.to_string())
}
