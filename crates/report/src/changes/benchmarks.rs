//! What benchmarks measured, at the largest size that both did.

use super::figures::moved;
use super::{Change, Topic, lists};
use crate::document::Report;
use crate::page::bytes;
use crate::parts::bench::Row;

pub fn of(old: &Report, new: &Report) -> Vec<Change> {
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
        // The last of a kind counts.
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
        let what = format!(
            "{}, {}, {}, {} at once{threads}, {}",
            row.cipher,
            row.direction.noun(),
            bytes(now.bytes),
            row.depth,
            row.contestant
        );
        let cpu = format!("{what}, CPU time");
        changes.extend(moved(
            topic,
            what,
            "MB/s",
            &before,
            &after,
            |one| Some(one.megabytes_per_second),
            true,
        ));
        changes.extend(moved(topic, cpu, "ms/MB", &before, &after, |one| one.cpu_ms_per_megabyte, false));
    }
    changes
}

/// But for the size.
fn is_alike(a: &Row, b: &Row) -> bool {
    let kind = |row: &Row| (row.direction, row.threads, row.depth);
    kind(a) == kind(b) && a.cipher == b.cipher && a.contestant == b.contestant
}
