//! Compares benchmarks, at the largest size that both measured.

use crate::documents::Report;
use crate::documents::bench::Row;
use outboard_documents::Figure;

use super::figures::speed_and_cost;
use super::{Change, Topic, lists};
use outboard_console::size as bytes;

pub fn of(old_report: &Report, new_report: &Report) -> Vec<Change> {
    let (old, new) = (old_report, new_report);
    if old.benches.is_empty() || new.benches.is_empty() {
        return Vec::new();
    }
    let topic = Topic::Benchmarks;
    let contestants = |report: &Report| -> Vec<(String, String)> {
        let all = report.benches.iter().flat_map(|bench| &bench.contestants);
        all.map(|one| (one.name.clone(), "measured".to_owned())).collect()
    };
    let mut changes = lists(topic, &contestants(old), &contestants(new), |_, _| None);
    let all = |report: &Report| -> Vec<Row> {
        report.benches.iter().flat_map(|bench| bench.rows.iter().cloned()).collect()
    };
    let (old, new) = (all(old), all(new));
    let mut seen: Vec<&Row> = Vec::new();
    for row in &old {
        if seen.iter().any(|other| is_alike(other, row)) {
            continue;
        }
        seen.push(row);
        // The last matching row counts.
        let of = |rows: &'_ [Row], size: u64| {
            rows.iter()
                .rfind(|other| is_alike(other, row) && other.bytes == size && other.fault.is_none())
                .cloned()
        };
        let mut sizes: Vec<u64> =
            old.iter().filter(|other| is_alike(other, row)).map(|row| row.bytes).collect();
        sizes.sort_unstable();
        let both = sizes.into_iter().rev().find_map(|size| of(&old, size).zip(of(&new, size)));
        let Some((was, now)) = both else { continue };
        let Some((before, after)) = was.figure.zip(now.figure) else { continue };
        let threads = if row.threads == 1 { String::new() } else { format!(", {} threads", row.threads) };
        let direction = row.direction.map_or_else(String::new, |direction| format!(", {}", direction.noun()));
        let what = format!(
            "{}{direction}, {}, {} at once{threads}, {}",
            row.cipher,
            bytes(now.bytes),
            row.depth,
            row.contestant
        );
        changes.extend(speed_and_cost(topic, what, &before, &after));
    }
    changes.extend(applications(&of_applications(old_report), &of_applications(new_report)));
    changes
}

fn of_applications(report: &Report) -> Vec<(String, Figure)> {
    let all = report.benches.iter().flat_map(|bench| &bench.applications);
    let runs = all.flat_map(|one| {
        // The bytes of connections are measured, and differ from run to run.
        let size = match one.runs.iter().find_map(|run| run.connections.as_ref()) {
            Some(connections) => format!("{} in each run", connections.in_run),
            None => bytes(one.bytes),
        };
        let job = format!("{}, {}, {size}, {} at once", one.name, one.cipher, one.at_once);
        let sound = one.runs.iter().filter(|run| run.fault.is_none());
        sound.map(move |run| (format!("{job}, {}", run.contestant), run.figure))
    });
    runs.collect()
}

fn applications(old: &[(String, Figure)], new: &[(String, Figure)]) -> Vec<Change> {
    let mut changes = Vec::new();
    for (at, (what, was)) in old.iter().enumerate() {
        let is_last = !old[at + 1..].iter().any(|(other, _)| other == what);
        let Some((_, now)) = new.iter().rfind(|(other, _)| is_last && other == what) else { continue };
        changes.extend(speed_and_cost(Topic::Benchmarks, what.clone(), was, now));
    }
    changes
}

/// Returns whether two rows differ at most in the size.
fn is_alike(a: &Row, b: &Row) -> bool {
    let kind = |row: &Row| (row.direction, row.threads, row.depth);
    kind(a) == kind(b) && a.cipher == b.cipher && a.contestant == b.contestant
}
