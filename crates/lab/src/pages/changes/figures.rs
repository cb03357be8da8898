//! Compares thresholds, throughput and CPU time.

use crate::documents::Report;
use outboard_documents::Figure;
use outboard_documents::tune::{DirectionResult, TunedCipher};

use super::{Change, Kind, Topic};
use crate::pages::page::figure;
use outboard_console::size as bytes;

/// A relative change below this is not reported.
const LEAST: f64 = 0.05;

pub const RULE: &str = "Throughput and CPU time are compared at the largest size that both measured; they are named when they moved \
                        by 5 % and by more than their samples spread.";

/// Returns the ciphers of both reports, paired by name. If a name occurs several times, the last
/// one counts, as the last policy does.
fn pairs<'a>(old: &'a Report, new: &'a Report) -> Vec<(Option<&'a TunedCipher>, Option<&'a TunedCipher>)> {
    if old.tunes.is_empty() || new.tunes.is_empty() {
        return Vec::new();
    }
    let all = |report: &'a Report| report.tunes.iter().flat_map(|tune| &tune.ciphers);
    let find = |report: &'a Report, name: &str| all(report).rfind(|one| one.name == name);
    let mut names: Vec<&str> = Vec::new();
    for cipher in all(old).chain(all(new)) {
        if !names.contains(&cipher.name.as_str()) {
            names.push(&cipher.name);
        }
    }
    names.into_iter().map(|name| (find(old, name), find(new, name))).collect()
}

fn ways(cipher: &TunedCipher) -> Vec<(&'static str, &DirectionResult)> {
    let mut ways = vec![("encryption", &cipher.encrypt), ("decryption", &cipher.decrypt)];
    ways.extend(cipher.sixteen_at_once.as_ref().map(|deep| ("encryption, 16 at once", deep)));
    ways
}

fn common<'a>(
    old: &'a TunedCipher,
    new: &'a TunedCipher,
) -> Vec<(&'static str, &'a DirectionResult, &'a DirectionResult)> {
    let now = ways(new);
    let pair = |(name, was): (&'static str, &'a DirectionResult)| {
        let (_, now) = now.iter().find(|(other, _)| *other == name)?;
        Some((name, was, *now))
    };
    ways(old).into_iter().filter_map(pair).collect()
}

pub fn thresholds(old: &Report, new: &Report) -> Vec<Change> {
    let topic = Topic::Thresholds;
    let mut changes = Vec::new();
    for (was, now) in pairs(old, new) {
        let thresholds = |cipher: &TunedCipher| {
            format!("encryption: {}; decryption: {}", cipher.encrypt.threshold(), cipher.decrypt.threshold())
        };
        let (Some(was), Some(now)) = (was, now) else {
            let kind = if was.is_none() { Kind::Added } else { Kind::Removed };
            let Some(cipher) = was.or(now) else { continue };
            let (was, now) = (was.map(thresholds), now.map(thresholds));
            changes.push(Change { topic, what: cipher.name.clone(), kind, was, now, by: None, better: None });
            continue;
        };
        let drivers = [was, now].map(|cipher| format!("{} over {}", cipher.driver, cipher.interface));
        if drivers[0] != drivers[1] {
            let [was_by, now_by] = drivers.map(Some);
            let what = format!("{}, measured with", now.name);
            changes.push(Change {
                topic,
                what,
                kind: Kind::Changed,
                was: was_by,
                now: now_by,
                by: None,
                better: None,
            });
        }
        for (name, was, now_way) in common(was, now) {
            if (was.from, was.undecided) == (now_way.from, now_way.undecided) {
                continue;
            }
            changes.push(Change {
                topic,
                what: format!("{}, {name}", now.name),
                kind: Kind::Changed,
                was: Some(was.threshold()),
                now: Some(now_way.threshold()),
                by: factor(was, now_way),
                better: better(was, now_way),
            });
        }
    }
    changes
}

/// Returns whether the threshold improved: a lower one is better.
fn better(was: &DirectionResult, now: &DirectionResult) -> Option<bool> {
    match (was.undecided || now.undecided, was.from, now.from) {
        (true, ..) => None,
        (_, None, _) => Some(true),
        (_, _, None) => Some(false),
        (_, Some(was), Some(now)) => Some(now < was),
    }
}

fn factor(was: &DirectionResult, now: &DirectionResult) -> Option<String> {
    let (was, now) = was.from.filter(|_| !was.undecided).zip(now.from.filter(|_| !now.undecided))?;
    let factor = now as f64 / was as f64;
    factor.is_finite().then(|| format!("×{}", figure(factor)))
}

pub fn throughput(old: &Report, new: &Report) -> Vec<Change> {
    let mut changes = Vec::new();
    for (was, now) in pairs(old, new) {
        let (Some(was), Some(now)) = (was, now) else { continue };
        for (name, was, now_way) in common(was, now) {
            let sizes = was.by_size().into_iter().rev();
            let both = sizes.filter_map(|point| {
                Some((point, now_way.points.iter().find(|now| now.bytes == point.bytes)?))
            });
            let Some((was, now_point)) = both.take(1).next() else { continue };
            let at = format!("{}, {name}, {}", now.name, bytes(was.bytes as u64));
            for (side, was, now) in [
                ("software", &was.software, &now_point.software),
                ("hardware", &was.hardware, &now_point.hardware),
            ] {
                changes.extend(speed_and_cost(Topic::Figures, format!("{at}, {side}"), was, now));
            }
        }
    }
    changes
}

pub fn speed_and_cost(topic: Topic, what: String, was: &Figure, now: &Figure) -> Vec<Change> {
    let cpu = format!("{what}, CPU time");
    let speed = moved(topic, what, "MB/s", was, now, |one| Some(one.megabytes_per_second), true);
    let cost = moved(topic, cpu, "ms/MB", was, now, |one| one.cpu_ms_per_megabyte, false);
    speed.into_iter().chain(cost).collect()
}

/// Returns a change that is large and exceeds the spread of the samples.
fn moved(
    topic: Topic,
    what: String,
    unit: &str,
    was: &Figure,
    now: &Figure,
    value: fn(&Figure) -> Option<f64>,
    more_is_better: bool,
) -> Option<Change> {
    let (before, after) = value(was).zip(value(now))?;
    let part = after / before - 1.0;
    if !part.is_finite() || part.abs() < LEAST || part.abs() < was.spread.hypot(now.spread) {
        return None;
    }
    Some(Change {
        topic,
        what,
        kind: Kind::Changed,
        was: Some(format!("{} {unit}", figure(before))),
        now: Some(format!("{} {unit}", figure(after))),
        by: Some(format!("{:+.0} %", part * 100.0)),
        better: Some((part > 0.0) == more_is_better),
    })
}
