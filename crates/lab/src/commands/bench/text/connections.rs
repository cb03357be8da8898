//! The table of an application whose job is connections.

use std::fmt::Write;

use crate::documents::bench::{Application, Connections, Run};
use outboard_console::aligned;

use super::{head, number, proof};

const COLUMNS: [&str; 11] = [
    "driver",
    "connections/s",
    "±%",
    "server CPU ms",
    "CPU ms",
    "p50 ms",
    "p99 ms",
    "requests",
    "by hardware",
    "irqs",
    "hardware?",
];

/// Appends the table. All figures but the first are for one connection.
pub fn table(text: &mut String, one: &Application) {
    let measured: Vec<(&Run, &Connections)> =
        one.runs.iter().filter_map(|run| Some((run, run.connections.as_ref()?))).collect();
    let in_run = measured.first().map_or(0, |(_, each)| each.in_run);
    let _ = writeln!(text, "{}, {}, {in_run} in each run", one.name, one.cipher);
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
    let mut table = vec![head(&[""], COLUMNS.into_iter().map(str::to_owned))];
    table.extend(measured.into_iter().map(|(run, each)| {
        vec![
            run.contestant.clone(),
            run.driver.clone().unwrap_or_else(|| "-".to_owned()),
            number(each.per_second),
            or_none(run.figure.spread_percent()),
            number(each.server_cpu_ms),
            or_none(each.system_cpu_ms),
            number(each.latency_p50_ms),
            or_none(each.latency_p99_ms),
            or_none(each.requests),
            or_none(each.hardware_requests),
            number(each.interrupts),
            proof(run.evidence).to_owned(),
        ]
    }));
    *text += &aligned(&table, 2..table[0].len(), "  ");
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::bench::Evidence;
    use outboard_documents::Figure;

    #[test]
    fn the_figures_of_a_connection_are_the_columns() {
        let each = Connections {
            in_run: 20,
            per_second: 8.25,
            server_cpu_ms: 50.5,
            system_cpu_ms: Some(120.0),
            latency_p50_ms: 99.0,
            latency_p99_ms: None,
            latency_connections: 99,
            requests: None,
            hardware_requests: None,
            bytes_per_request: None,
            interrupts: 0.0,
        };
        let figure = Figure {
            megabytes_per_second: 0.03,
            spread: 0.0512,
            samples: 5,
            outliers: 0,
            cpu_ms_per_megabyte: None,
            interrupts_per_request: 0.0,
        };
        let plain = Run {
            contestant: "OpenSSL".into(),
            driver: None,
            figure,
            user_percent: 30.0,
            system_percent: 10.0,
            hardware_percent: None,
            evidence: None,
            fault: None,
            connections: Some(each.clone()),
        };
        let each = Connections {
            latency_p99_ms: Some(250.0),
            requests: Some(4.0),
            hardware_requests: Some(2.0),
            interrupts: 10.0,
            ..each
        };
        let with = Run {
            contestant: "OpenSSL with outboard".into(),
            driver: Some("sim".into()),
            evidence: Some(Evidence::Interrupts),
            connections: Some(each),
            ..plain.clone()
        };
        let runs = vec![plain, with];
        let one = Application { name: "x".into(), cipher: "aes128".into(), bytes: 1, at_once: 1, runs };
        let mut text = String::new();
        table(&mut text, &one);
        insta::assert_snapshot!(text);
    }
}
