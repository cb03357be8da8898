//! The verdict in one line: what outboard gains for connections, if that exceeds the spread.

use std::cmp::Ordering;

use crate::documents::bench::{Application, Connections, Run};
use outboard_advice::spread::{compare, of_both};

/// With fewer runs the spread says nothing.
const LEAST_SAMPLES: u64 = 5;

pub fn of(application: &Application) -> Vec<String> {
    let Some((plain, others)) = application.runs.split_first() else { return Vec::new() };
    let line = |with: &Run| {
        let verdict = compared((plain, plain.connections.as_ref()?), (with, with.connections.as_ref()?));
        Some(format!("{}: {}: {verdict}", application.cipher, with.contestant))
    };
    others.iter().filter_map(line).collect()
}

fn compared((plain_run, plain): (&Run, &Connections), (run, with): (&Run, &Connections)) -> String {
    let spread = of_both(&plain_run.figure, &run.figure);
    let rate = change(plain.per_second, with.per_second);
    let cpu = change(plain.server_cpu_ms, with.server_cpu_ms);
    let rates = compare(with.per_second, plain.per_second, spread);
    let costs = compare(with.server_cpu_ms, plain.server_cpu_ms, spread);
    let samples = plain_run.figure.samples.min(run.figure.samples);
    let verdict = match (rates, costs) {
        _ if samples < LEAST_SAMPLES => "too few runs for a verdict",
        (Ordering::Greater, _) => "gain",
        (Ordering::Less, _) => "loss",
        (_, Ordering::Less) => "no gain in connections per second, less CPU time",
        (_, Ordering::Greater) => "no gain in connections per second, more CPU time",
        _ => "no gain",
    };
    let hardware = match with.hardware_requests {
        Some(requests) if requests > 0.0 => format!("{requests:.1} requests by hardware for each"),
        _ => "no request by hardware".to_owned(),
    };
    format!(
        "{verdict}: {:.1} connections/s, {rate:+.1} %; {:.1} ms of CPU time of the server, {cpu:+.1} %; both vary by {:.1} %; \
         {hardware}",
        with.per_second,
        with.server_cpu_ms,
        spread * 100.0
    )
}

fn change(from: f64, to: f64) -> f64 {
    if from == 0.0 { 0.0 } else { (to / from - 1.0) * 100.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::Figure;

    fn run(contestant: &str, per_second: f64, server_cpu_ms: f64, hardware: Option<f64>) -> Run {
        Run {
            contestant: contestant.into(),
            driver: None,
            figure: Figure {
                megabytes_per_second: 0.01,
                spread: 0.05,
                samples: 5,
                outliers: 0,
                cpu_ms_per_megabyte: None,
                interrupts_per_request: 0.0,
            },
            user_percent: 0.0,
            system_percent: 0.0,
            hardware_percent: None,
            evidence: None,
            fault: None,
            connections: Some(Connections {
                in_run: 20,
                per_second,
                server_cpu_ms,
                system_cpu_ms: None,
                latency_p50_ms: 100.0,
                latency_p99_ms: None,
                latency_connections: 20,
                requests: hardware,
                hardware_requests: hardware,
                bytes_per_request: None,
                interrupts: 0.0,
            }),
        }
    }

    fn verdict(per_second: f64, server_cpu_ms: f64, hardware: Option<f64>) -> String {
        let runs = vec![run("plain", 10.0, 50.0, None), run("with", per_second, server_cpu_ms, hardware)];
        let application =
            Application { name: "x".into(), cipher: "aes128".into(), bytes: 1, at_once: 1, runs };
        let [line] = &of(&application)[..] else { panic!("one line: {application:?}") };
        line.clone()
    }

    #[test]
    fn a_difference_within_the_spread_is_no_gain() {
        assert_eq!(
            verdict(9.8, 51.0, Some(4.0)),
            "aes128: with: no gain: 9.8 connections/s, -2.0 %; 51.0 ms of CPU time of the server, +2.0 %; both vary by 10.0 %; \
             4.0 requests by hardware for each"
        );
        assert!(verdict(10.2, 50.0, Some(0.0)).contains(": no gain: "));
        assert!(verdict(10.2, 50.0, None).ends_with("; no request by hardware"));
    }

    #[test]
    fn few_runs_have_no_verdict() {
        let mut runs = vec![run("plain", 10.0, 50.0, None), run("with", 20.0, 20.0, Some(4.0))];
        runs[1].figure.samples = 1;
        let application =
            Application { name: "x".into(), cipher: "aes128".into(), bytes: 1, at_once: 1, runs };
        assert!(of(&application)[0].contains("with: too few runs for a verdict: 20.0 connections/s"));
    }

    #[test]
    fn a_difference_beyond_the_spread_is_named() {
        for (per_second, cpu, expected) in [
            (11.5, 50.0, "gain"),
            (8.5, 30.0, "loss"),
            (10.0, 40.0, "no gain in connections per second, less CPU time"),
            (10.1, 60.0, "no gain in connections per second, more CPU time"),
        ] {
            assert!(verdict(per_second, cpu, None).contains(&format!("with: {expected}: ")), "{expected}");
        }
    }
}
