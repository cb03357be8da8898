//! Formats the results as tables: throughput by size first, then all figures of one size, or of
//! each.

use std::fmt::Write;

use crate::documents::bench::{Application, Bench, Evidence, Row, Subject};
use outboard_console::{aligned, counted, first_of, size};
use outboard_documents::Figure;

/// The size in bytes whose figures are shown, or the nearest to it.
const SHOWN: u64 = 4096;

pub fn report(bench: &Bench, verbose: bool) -> String {
    let mut text = String::new();
    for one in bench.subjects() {
        let rows: Vec<&Row> = bench.rows.iter().filter(|row| row.subject() == one).collect();
        subject(&mut text, one, &rows, verbose);
    }
    bench.applications.iter().for_each(|one| application(&mut text, one));
    let mut line = |args: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{args}");
    };
    for row in bench.rows.iter().filter(|row| row.fault.is_some()) {
        let fault = row.fault.as_deref().unwrap_or_default();
        line(format_args!(
            "INVALID RESULT: {}, {} bytes, {} at once, {} threads, {}: {fault}.",
            row.subject(),
            row.bytes,
            row.depth,
            row.threads,
            row.contestant
        ));
    }
    for run in bench.applications.iter().flat_map(|one| &one.runs) {
        if let Some(fault) = &run.fault {
            line(format_args!("INVALID HARDWARE RESULT: {}: {fault}.", run.contestant));
        }
    }
    for (word, unit, texts) in [("Note", "note", &bench.notes), ("Warning", "warning", &bench.warnings)] {
        let first = first_of(texts, unit, "--verbose", verbose);
        first.shown.iter().for_each(|text| line(format_args!("{word}: {text}.")));
        first.more.iter().for_each(|more| line(format_args!("And {more}.")));
    }
    line(format_args!(
        "Linux {}, {}, {}, {}. Medians of wall time; CPU time and context switches are the whole system's.",
        bench.machine.kernel,
        bench.machine.cpu,
        counted(bench.machine.cpus, "CPU"),
        bench.openssl
    ));
    if bench.interrupted {
        line(format_args!("Interrupted: figures are missing, and the last ones have fewer samples."));
    }
    text
}

fn subject(text: &mut String, subject: Subject<'_>, rows: &[&Row], verbose: bool) {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let _ = writeln!(text, "{subject}, MB/s by bytes of a request");
    let mut table = vec![head(&["", "at once", "threads"], sizes.iter().map(|&bytes| size(bytes)))];
    let mut kinds: Vec<(u64, &str, u64)> = Vec::new();
    for row in rows {
        let kind = (row.threads, row.contestant.as_str(), row.depth);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    // A stable sort: with an equal number of threads, contestants keep their order.
    kinds.sort_by_key(|kind| kind.0);
    for (threads, contestant, depth) in kinds {
        let at = |bytes: u64| {
            let row = rows.iter().find(|row| {
                (row.threads, row.contestant.as_str(), row.depth, row.bytes)
                    == (threads, contestant, depth, bytes)
            });
            row.map_or_else(|| "-".to_owned(), |row| speed(row))
        };
        let name = [contestant.to_owned(), depth.to_string(), threads.to_string()];
        table.push(name.into_iter().chain(sizes.iter().map(|&bytes| at(bytes))).collect());
    }
    *text += &aligned(&table, 1..table[0].len(), "  ");
    text.push('\n');
    let nearest = sizes.iter().copied().min_by_key(|bytes| bytes.abs_diff(SHOWN));
    for bytes in sizes.into_iter().filter(|&bytes| verbose || Some(bytes) == nearest) {
        let _ = writeln!(text, "{subject}, {}", size(bytes));
        let names = ["MB/s", "±%", "p50 us", "p99 us", "CPU ms/MB", "±", "irqs", "switches", "hardware?"];
        let mut table = vec![head(&["", "at once", "threads"], names.into_iter().map(str::to_owned))];
        table.extend(rows.iter().filter(|row| row.bytes == bytes).map(|row| all(row)));
        *text += &aligned(&table, 1..table[0].len(), "  ");
        text.push('\n');
    }
}

fn application(text: &mut String, one: &Application) {
    let _ = writeln!(text, "{}, {}, {}, {} at once", one.name, one.cipher, size(one.bytes), one.at_once);
    let names =
        ["driver", "MB/s", "±%", "user %", "system %", "CPU ms/MB", "irqs/MB", "% by hardware", "hardware?"];
    let mut table = vec![head(&[""], names.into_iter().map(str::to_owned))];
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
    table.extend(one.runs.iter().map(|run| {
        vec![
            run.contestant.clone(),
            run.driver.clone().unwrap_or_else(|| "-".to_owned()),
            number(run.figure.megabytes_per_second),
            or_none(run.figure.spread_percent()),
            number(run.user_percent),
            number(run.system_percent),
            or_none(run.figure.cpu_ms_per_megabyte),
            number(run.figure.interrupts_per_request / (one.bytes as f64 / 1e6)),
            or_none(run.hardware_percent),
            proof(run.evidence).to_owned(),
        ]
    }));
    *text += &aligned(&table, 2..table[0].len(), "  ");
    text.push('\n');
}

fn proof(evidence: Option<Evidence>) -> &'static str {
    match evidence {
        None => "-",
        Some(Evidence::Interrupts) => "yes",
        Some(Evidence::Unverified) => "unverified",
        Some(Evidence::Contradicted) => "NO",
    }
}

fn head(names: &[&str], more: impl Iterator<Item = String>) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).chain(more).collect()
}

fn all(row: &Row) -> Vec<String> {
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
    let figure = row.figure.as_ref();
    let cpu = figure.and_then(|figure| figure.cpu_ms_per_megabyte);
    // A clock that is too coarse for it.
    let [cpu, off] = match row.cpu_off_ms_per_megabyte {
        Some(off) if cpu.is_some_and(|cpu| cpu < off) => [format!("< {}", number(off)), "-".to_owned()],
        off => [or_none(cpu), or_none(off)],
    };
    vec![
        row.contestant.clone(),
        row.depth.to_string(),
        row.threads.to_string(),
        speed(row),
        or_none(figure.and_then(Figure::spread_percent)),
        or_none(row.latency_p50_us),
        or_none(row.latency_p99_us),
        cpu,
        off,
        or_none(figure.map(|figure| figure.interrupts_per_request)),
        or_none(row.context_switches_per_request),
        proof(row.evidence).to_owned(),
    ]
}

fn speed(row: &Row) -> String {
    match (&row.figure, &row.fault) {
        (Some(figure), None) => number(figure.megabytes_per_second),
        _ => "NO".to_owned(),
    }
}

fn number(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "-".to_owned(),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.01 || v == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::bench::{CipherDirection, Contestant, ContestantKind, Run};
    use outboard_documents::Machine;

    fn row(contestant: &str, bytes: u64, depth: u64, speed: f64, evidence: Option<Evidence>) -> Row {
        let interrupts_per_request =
            if evidence == Some(Evidence::Interrupts) { 1.0 / depth as f64 } else { 0.0 };
        Row {
            cipher: "AES-128-CBC".into(),
            direction: Some(CipherDirection::Encrypt),
            bytes,
            threads: 1,
            depth,
            contestant: contestant.into(),
            figure: Some(Figure {
                megabytes_per_second: speed,
                spread: 0.0123,
                samples: 5,
                outliers: 0,
                cpu_ms_per_megabyte: Some(1e3 / speed),
                interrupts_per_request,
            }),
            cpu_off_ms_per_megabyte: Some(0.25),
            latency_p50_us: Some(bytes as f64 / speed),
            latency_p99_us: (bytes < 65536).then_some(2.0 * bytes as f64 / speed),
            latency_requests: 320,
            context_switches_per_request: Some(0.05),
            evidence,
            fault: None,
        }
    }

    fn bench() -> Bench {
        let device = "virtio_crypto_aes_cbc over /dev/outboard";
        let shown = Some(Evidence::Interrupts);
        let mut silent = row(device, 16, 1, 31.0, Some(Evidence::Contradicted));
        silent.fault = Some(outboard_measure::evidence::NO_INTERRUPT.to_owned());
        let mut full = row(device, 65536, 16, 1.0, None);
        (full.figure, full.fault) =
            (None, Some("driver virtio_crypto_aes_cbc accepted no further key".into()));
        let back = Row {
            direction: Some(CipherDirection::Decrypt),
            ..row(device, 4096, 1, 95.5, Some(Evidence::Unverified))
        };
        let contestant = Contestant {
            name: device.into(),
            kind: ContestantKind::Accelerator,
            driver: Some("virtio_crypto_aes_cbc".into()),
            interface: Some("/dev/outboard".into()),
        };
        let openssl = Contestant {
            name: "OpenSSL".into(),
            kind: ContestantKind::Openssl,
            driver: None,
            interface: None,
        };
        Bench {
            made: "2026-11-21T12:34:56Z".into(),
            machine: Machine { kernel: "7.2.0-amd64".into(), cpu: "QEMU Virtual CPU".into(), cpus: 1 },
            openssl: "OpenSSL 3.5.4".into(),
            contestants: vec![openssl, contestant],
            rows: vec![
                row("OpenSSL", 16, 1, 31.25, None),
                silent,
                row("OpenSSL", 4096, 1, 66.0, None),
                row(device, 4096, 1, 99.1, shown),
                row(device, 4096, 16, 263.0, shown),
                row("OpenSSL", 65536, 1, 68.0, None),
                row(device, 65536, 1, 538.0, shown),
                full,
                back,
            ],
            applications: Vec::new(),
            notes: vec!["not measured: /dev/crypto is not available".into()],
            warnings: vec!["this is a virtual machine".into()],
            interrupted: false,
        }
    }

    #[test]
    fn the_tables_say_what_is_a_figure_and_what_is_not() {
        let mut bench = bench();
        let coarse = bench.rows.last_mut().and_then(|row| row.figure.as_mut()).expect("a figure");
        coarse.cpu_ms_per_megabyte = Some(0.0);
        let all = report(&bench, true);
        bench.interrupted = true;
        bench.rows.truncate(4);
        insta::assert_snapshot!([all, report(&bench, false)].join("----\n"));
    }

    /// A result of `openssl enc`.
    fn file() -> Bench {
        let run = |contestant: &str, speed: f64, percent: Option<f64>, evidence| Run {
            contestant: contestant.into(),
            driver: percent.map(|_| "virtio_crypto_aes_cbc".into()),
            figure: row("", 64 << 20, 1, speed, None).figure.unwrap(),
            user_percent: 90.0,
            system_percent: 9.5,
            hardware_percent: percent,
            evidence,
            fault: None,
        };
        let without = run("OpenSSL", 61.0, None, None);
        let mut with = run("OpenSSL with outboard", 98.7, Some(100.0), Some(Evidence::Contradicted));
        with.fault = Some(outboard_measure::evidence::NO_INTERRUPT.to_owned());
        let application = Application {
            name: "openssl enc".into(),
            cipher: "AES-128-CBC".into(),
            bytes: 64 << 20,
            at_once: 1,
            runs: vec![without, with],
        };
        Bench { contestants: Vec::new(), rows: Vec::new(), applications: vec![application], ..bench() }
    }

    #[test]
    fn an_application_has_a_table_of_its_own() {
        let file = file();
        assert!(!file.is_sound());
        insta::assert_snapshot!(
            [report(&file, false), outboard_documents::json(&file).unwrap()].join("----\n")
        );
    }

    #[test]
    fn a_single_run_has_no_spread() {
        let mut once = file();
        once.applications[0]
            .runs
            .iter_mut()
            .for_each(|run| (run.figure.samples, run.figure.spread) = (1, 0.0));
        let text = report(&once, false);
        let row = text.lines().find(|line| line.trim_start().starts_with("OpenSSL  ")).expect("a row");
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells[3], "-", "{text}");
        assert!(
            report(&file(), false).lines().any(|line| line.contains("OpenSSL ") && line.contains("1.23"))
        );
    }

    #[test]
    fn digests_and_hmacs_have_no_direction() {
        let software = row("OpenSSL", 4096, 1, 210.0, None);
        let deep = row("sim-sha256 over /dev/outboard", 4096, 16, 640.0, Some(Evidence::Interrupts));
        let wrong = Row { fault: Some("a result is wrong".into()), figure: None, ..deep.clone() };
        let rows = [software, deep, wrong];
        let digest = |row| Row { cipher: "SHA2-256".into(), direction: None, ..row };
        let digests = Bench { rows: rows.map(digest).into(), ..bench() };
        insta::assert_snapshot!(
            [report(&digests, false), outboard_documents::json(&digests).unwrap()].join("----\n")
        );
    }

    #[test]
    fn json_has_all_of_it() {
        let mut bench = bench();
        assert!(!bench.is_sound());
        bench.rows.truncate(2);
        insta::assert_snapshot!(outboard_documents::json(&bench).unwrap());
    }
}
