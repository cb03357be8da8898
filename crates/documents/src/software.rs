//! Puts into words why software did the work.

use std::cmp::Reverse;

use outboard_counters::{Counts, Decision, SoftwareReason};

use crate::prove::{NotOffered, SoftwareWork};

/// The requests in software by reason, those with the most bytes first.
#[must_use]
pub fn software(counts: &Counts) -> Vec<SoftwareWork> {
    let (mut requests, mut bytes) = (counts.sw_requests, counts.sw_bytes);
    let mut all: Vec<SoftwareWork> = Vec::new();
    for (reason, own_requests, own_bytes) in counts.reasons.iter() {
        requests = requests.saturating_sub(own_requests);
        bytes = bytes.saturating_sub(own_bytes);
        all.push(SoftwareWork { reason, requests: own_requests, bytes: own_bytes });
    }
    if requests > 0 {
        all.push(SoftwareWork { reason: SoftwareReason::BelowThreshold, requests, bytes });
    }
    all.sort_by_key(|work| std::cmp::Reverse(work.bytes));
    all
}

/// Why software did the work that these counts of algorithms show: each reason with at least a tenth
/// of the bytes. `None` if software did nothing.
#[must_use]
pub fn why_software(counted: &[(String, Counts)], decisions: &[(String, Decision)]) -> Option<String> {
    let total = counted.iter().fold(Counts::default(), |sum, (_, counts)| sum + *counts);
    let mut all = software(&total);
    // What an engine that stopped has keeps its room.
    if all.iter().any(|work| work.reason == SoftwareReason::EngineStopped) {
        all.retain(|work| work.reason != SoftwareReason::DriverBusy);
    }
    let most = all.first()?.bytes;
    let is_much = |work: &&SoftwareWork| work.bytes.saturating_mul(10) >= most;
    let mut sentences: Vec<String> = Vec::new();
    for work in all.iter().filter(is_much) {
        // The algorithm with the most bytes is the example.
        let own = |(_, counts): &&(String, Counts)| {
            software(counts).iter().find(|own| own.reason == work.reason).map_or(0, |own| own.bytes)
        };
        let example = counted.iter().max_by_key(own).map_or("", |(name, _)| name);
        sentences.push(sentence(work, example, decisions));
    }
    Some(sentences.join("; "))
}

fn sentence(work: &SoftwareWork, algorithm: &str, decisions: &[(String, Decision)]) -> String {
    let average = work.bytes / work.requests.max(1);
    match work.reason {
        SoftwareReason::BelowThreshold => below(average, algorithm, decisions),
        SoftwareReason::AboveLimit => format!(
            "messages of {average} bytes on average ({algorithm}) are longer than the limit: one request of the \
             driver, and 1 MiB for digests"
        ),
        SoftwareReason::FewKeyBytes => format!(
            "each key of {algorithm} processed too few bytes for hardware: its first request with a key costs more \
             than it saves (KEY_BYTES, LOOKAHEAD_START)"
        ),
        SoftwareReason::DriverBusy => {
            format!("the driver had no room for keys or requests of {algorithm}")
        }
        SoftwareReason::DriverFailed => format!(
            "the driver of {algorithm} failed or was disabled in the process (LOG_LEVEL = warn shows the cause)"
        ),
        SoftwareReason::EngineStopped => format!(
            "the engine of {} did not complete requests of {algorithm} in time (outboard status says what to do)",
            driver_of(algorithm, decisions)
        ),
        SoftwareReason::LookaheadMissed => {
            format!("look-ahead had no key stream for requests of {average} bytes on average ({algorithm})")
        }
        _ => format!(
            "drivers do not take the calls that were made for {algorithm}, such as a text in several updates"
        ),
    }
}

fn driver_of<'d>(algorithm: &str, decisions: &'d [(String, Decision)]) -> &'d str {
    let own = decisions.iter().filter(|(name, _)| name == algorithm);
    let mut drivers = own.filter_map(|(_, decision)| match decision {
        Decision::Offered { driver, .. } => Some(driver.as_str()),
        Decision::Left { .. } => None,
    });
    drivers.next().unwrap_or("the driver")
}

/// For requests that are shorter than the threshold, or of an algorithm without one.
fn below(average: u64, algorithm: &str, decisions: &[(String, Decision)]) -> String {
    let is_own = |(name, _): &&(String, Decision)| name == algorithm;
    let offered = decisions.iter().filter(is_own).find_map(|(_, decision)| match decision {
        Decision::Offered { from, key_stream, .. } => Some((from, key_stream)),
        Decision::Left { .. } => None,
    });
    let requests = format!("requests of {average} bytes on average ({algorithm})");
    let Some((from, key_stream)) = offered else { return format!("{requests} are below their threshold") };
    let direct = from.iter().flatten().min();
    match (direct, key_stream) {
        (Some(bytes), _) if u64::from(*bytes) > average => {
            format!("{requests} are below the threshold of {bytes} bytes")
        }
        (None, Some(source)) if u64::from(source.from) > average => {
            format!("{requests} are below the {} bytes from which look-ahead serves them", source.from)
        }
        (None, _) => format!("the policy uses software for {requests}"),
        (Some(_), _) => format!("some {requests} are below their threshold"),
    }
}

#[must_use]
pub fn not_offered(decisions: &[(String, Decision)]) -> Vec<NotOffered> {
    let is_offered = |name: &str| {
        decisions
            .iter()
            .any(|(other, decision)| other == name && matches!(decision, Decision::Offered { .. }))
    };
    let mut all: Vec<NotOffered> = Vec::new();
    for (name, decision) in decisions {
        let Decision::Left { reason, why } = decision else { continue };
        if is_offered(name) {
            continue;
        }
        match all.iter_mut().find(|other| (other.reason, &other.why) == (*reason, why)) {
            Some(other) if other.algorithms.contains(name) => {}
            Some(other) => other.algorithms.push(name.clone()),
            None => {
                all.push(NotOffered { algorithms: vec![name.clone()], reason: *reason, why: why.clone() })
            }
        }
    }
    // What a check has found comes before drivers that are merely not allowed; else what concerns most
    // algorithms.
    let is_found = |reason: SoftwareReason| reason.is_fault() && reason != SoftwareReason::DriverUnreachable;
    all.sort_by_key(|group| {
        (!is_found(group.reason), group.reason.is_usual(), Reverse(group.algorithms.len()))
    });
    all
}

#[must_use]
pub fn offered(decisions: &[(String, Decision)]) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for (name, decision) in decisions {
        if matches!(decision, Decision::Offered { .. }) && !all.contains(&name.as_str()) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_counters::{KeyStreamSource, Table};

    fn counts(requests: u64, bytes: u64, reasons: &[(SoftwareReason, u64)]) -> Counts {
        let folder = tempfile::tempdir().expect("a directory");
        let table = Table::create(&folder.path().join("counters")).expect("a table");
        let row = table.row("X").expect("a row");
        row.add_sw(requests, bytes);
        reasons.iter().for_each(|(reason, bytes)| table.add_reason(row, *reason, *bytes));
        table.snapshot()[0].1
    }

    fn offer(from: Option<u32>, ahead: Option<u32>) -> Decision {
        Decision::Offered {
            driver: "a".into(),
            interface: "b".into(),
            from: [from; 2],
            key_stream: ahead.map(|from| KeyStreamSource { driver: "c".into(), from, to: None }),
        }
    }

    #[test]
    fn each_reason_has_a_sentence_that_is_true_for_its_requests() {
        use SoftwareReason::*;
        for (reason, says) in [
            (AboveLimit, "of 1048577 bytes on average (X) are longer than the limit"),
            (FewKeyBytes, "each key of X processed too few bytes"),
            (DriverBusy, "no room for keys or requests of X"),
            (DriverFailed, "the driver of X failed or was disabled"),
            (EngineStopped, "the engine of a did not complete requests of X in time"),
            (LookaheadMissed, "look-ahead had no key stream for requests of 1048577 bytes"),
            (UnsuitableCall, "drivers do not take the calls that were made for X"),
        ] {
            let one = ("X".to_owned(), counts(3, 1_048_609, &[(reason, 1_048_577)]));
            let decisions = [("X".to_owned(), offer(Some(1), None))];
            let why = why_software(&[one], &decisions).unwrap();
            assert!(why.contains(says) && !why.contains("threshold"), "{reason:?}: {why}");
        }
        assert_eq!(why_software(&[("X".to_owned(), Counts::default())], &[]), None);
    }

    #[test]
    fn a_threshold_is_the_reason_only_for_shorter_requests() {
        let why = |decision: Option<Decision>| {
            let one = ("X".to_owned(), counts(2, 2000, &[]));
            let decisions: Vec<_> = decision.into_iter().map(|made| ("X".to_owned(), made)).collect();
            why_software(&[one], &decisions).unwrap()
        };
        assert!(why(Some(offer(Some(4096), None))).ends_with("are below the threshold of 4096 bytes"));
        assert!(
            why(Some(offer(None, Some(1400))))
                .ends_with("below the 1400 bytes from which look-ahead serves them")
        );
        assert!(
            why(Some(offer(None, None))).starts_with("the policy uses software for requests of 1000 bytes")
        );
        assert!(why(Some(offer(Some(16), None))).starts_with("some requests of 1000 bytes"));
        assert!(why(None).starts_with("requests of 1000 bytes on average (X)"));
    }

    #[test]
    fn large_parts_of_the_work_are_all_explained() {
        let all = [
            ("SHA2-256".to_owned(), counts(1, 16_000_000, &[(SoftwareReason::AboveLimit, 16_000_000)])),
            (
                "AES-128-GCM".to_owned(),
                counts(1000, 8_000_000, &[(SoftwareReason::LookaheadMissed, 7_900_000)]),
            ),
        ];
        let why = why_software(&all, &[]).unwrap();
        assert!(
            why.starts_with("messages of 16000000 bytes") && why.contains("; look-ahead had no"),
            "{why}"
        );
        assert!(!why.contains("threshold"), "100 kB of 24 MB: {why}");
    }

    #[test]
    fn an_engine_that_stopped_is_the_reason_for_its_lack_of_room() {
        let reasons = [(SoftwareReason::DriverBusy, 3_996_000), (SoftwareReason::EngineStopped, 4000)];
        let of_both = counts(2, 4_000_000, &reasons);
        let why = why_software(&[("X".to_owned(), of_both)], &[]).unwrap();
        assert!(why.starts_with("the engine of the driver did not complete requests of X in time"), "{why}");
        assert!(!why.contains("room"), "{why}");
    }

    #[test]
    fn algorithms_that_are_not_offered_are_grouped_and_faults_come_first() {
        let left = |reason, why: &str| Decision::Left { reason, why: why.to_owned() };
        let all = [
            ("AES-128-GCM", left(SoftwareReason::NoDriver, "none")),
            ("AES-128-CBC", left(SoftwareReason::DriverWrong, "x is wrong")),
            ("AES-256-CBC", left(SoftwareReason::DriverWrong, "x is wrong")),
            ("AES-128-CTR", left(SoftwareReason::NoDriver, "none")),
            ("AES-128-CTR", offer(Some(1), None)),
        ]
        .map(|(name, decision)| (name.to_owned(), decision));
        let groups = not_offered(&all);
        let names: Vec<_> = groups.iter().map(|group| group.algorithms.join(" ")).collect();
        assert_eq!(names, ["AES-128-CBC AES-256-CBC", "AES-128-GCM"]);
        assert_eq!(offered(&all), ["AES-128-CTR"]);
    }
}
