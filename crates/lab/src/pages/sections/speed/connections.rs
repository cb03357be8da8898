//! The table of an application whose job is connections.

use crate::documents::bench::{Application, Connections, Run};

use crate::pages::page::{Section, figure, number, with_spread, words};
use crate::pages::plot;

pub fn table(section: &mut Section, one: &Application) {
    let head = vec![
        words("with"),
        words("driver"),
        number("connections/s"),
        number("server CPU ms"),
        number("CPU ms"),
        number("p50 ms"),
        number("p99 ms"),
        number("requests"),
        number("by hardware"),
        number("interrupts"),
        words("hardware?"),
    ];
    let or_none = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), figure);
    let row = |(run, each): (&Run, &Connections)| {
        vec![
            run.contestant.as_str().into(),
            run.driver.as_deref().unwrap_or("-").into(),
            with_spread(each.per_second, &run.figure).into(),
            figure(each.server_cpu_ms).into(),
            or_none(each.system_cpu_ms).into(),
            figure(each.latency_p50_ms).into(),
            or_none(each.latency_p99_ms).into(),
            or_none(each.requests).into(),
            or_none(each.hardware_requests).into(),
            figure(each.interrupts).into(),
            plot::benchmark::proof(run.fault.as_deref(), run.evidence),
        ]
    };
    let measured = one.runs.iter().filter_map(|run| Some((run, run.connections.as_ref()?)));
    let rows: Vec<_> = measured.map(row).collect();
    section.table(format!("{}, {}, for each connection", one.name, one.cipher), head, rows);
}
