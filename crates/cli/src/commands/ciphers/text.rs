//! Formats the decisions as text.

use std::fmt::Write;

use outboard_console::{aligned, first_of};

use super::answer::{Algorithm, Answer};

/// Formats the algorithms that are offered, those that are not with the reasons, and a summary.
pub fn report(answer: &Answer) -> String {
    let machine = &answer.machine;
    let mut text = format!("{}, Linux {}. ", machine.openssl, machine.kernel);
    text += &match (&machine.configuration, machine.enabled) {
        (Some(file), true) => format!("{file} enables outboard:\n"),
        (Some(file), false) => format!("{file} does not enable outboard. If it did:\n"),
        (None, _) => "Without openssl.cnf, if outboard were enabled:\n".to_owned(),
    };
    let (offered, left): (Vec<&Algorithm>, Vec<&Algorithm>) =
        answer.algorithms.iter().partition(|algorithm| algorithm.offered);
    if !offered.is_empty() {
        text += "\n";
        text += &table(&offered);
    }
    for (reason, algorithms) in reasons(&left) {
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name.as_str()).collect();
        let _ = write!(
            text,
            "\nin software: {}\n    {reason}{}\n",
            names.join(", "),
            available_drivers(&algorithms)
        );
    }
    let notes = first_of(&answer.notes, "note", "--json", false);
    notes.shown.iter().for_each(|note| _ = write!(text, "\nnote: {note}\n"));
    notes.more.iter().for_each(|more| _ = write!(text, "\nand {more}\n"));
    text + "\n" + &summary(&offered, answer.algorithms.len())
}

/// Counts what goes to hardware. With key USE_SOFTDRIVERS, drivers of other kinds are offered too.
fn summary(offered: &[&Algorithm], all: usize) -> String {
    let is_software =
        |of: &&&Algorithm| of.verdict.is_some_and(|verdict| !matches!(verdict, "accelerator" | "unknown"));
    let software = offered.iter().filter(is_software).count();
    let mut text = match offered.len() - software {
        0 => format!("None of {all} algorithms goes to hardware"),
        some => format!("{some} of {all} algorithms go to hardware, where requests are large enough"),
    };
    if software > 0 {
        let _ = write!(text, "; {software} go to software of the kernel");
    }
    text + ".\n"
}

fn table(offered: &[&Algorithm]) -> String {
    let mut rows = vec![["algorithm", "driver", "which is", "over", "from"].map(str::to_owned)];
    rows.extend(offered.iter().map(|algorithm| row(algorithm)));
    aligned(&rows, 0..0, "")
}

fn row(algorithm: &Algorithm) -> [String; 5] {
    let text = |of: &Option<String>| of.clone().unwrap_or_else(|| "-".to_owned());
    let verdict = algorithm.verdict.unwrap_or("unknown").to_owned();
    [algorithm.name.clone(), text(&algorithm.driver), verdict, text(&algorithm.interface), from(algorithm)]
}

/// Formats the thresholds: `4096 bytes`; `2048 bytes (encrypt), never (decrypt)`.
fn from(algorithm: &Algorithm) -> String {
    let size = |from: &Option<u32>| from.map_or_else(|| "never".to_owned(), |bytes| format!("{bytes} bytes"));
    let mut sizes: Vec<(&str, String)> =
        algorithm.from.iter().map(|(direction, from)| (*direction, size(from))).collect();
    // Encryption first.
    sizes.reverse();
    let text = match &sizes[..] {
        [(_, one)] => one.clone(),
        [(_, one), (_, other)] if one == other => one.clone(),
        _ => {
            let each: Vec<String> =
                sizes.iter().map(|(direction, size)| format!("{size} ({direction})")).collect();
            each.join(", ")
        }
    };
    let ahead = |from: u32| match (from, algorithm.key_stream_to) {
        (0 | 1, None) => "look-ahead".to_owned(),
        (from, None) => format!("look-ahead {from} bytes"),
        (from, Some(to)) => format!("look-ahead {from} to {to} bytes"),
    };
    match (&algorithm.key_stream, algorithm.key_stream_from) {
        (Some(_), Some(from)) if algorithm.from.values().all(Option::is_none) => ahead(from),
        (Some(driver), Some(from)) => format!("{text}; {} by {driver}", ahead(from)),
        _ => text,
    }
}

fn reasons<'a>(left: &[&'a Algorithm]) -> Vec<(&'a str, Vec<&'a Algorithm>)> {
    let mut reasons: Vec<(&str, Vec<&Algorithm>)> = Vec::new();
    for &algorithm in left {
        let reason = algorithm.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, algorithms)) => algorithms.push(algorithm),
            None => reasons.push((reason, vec![algorithm])),
        }
    }
    reasons
}

/// Formats the available drivers, if all algorithms have the same kernel name.
fn available_drivers(algorithms: &[&Algorithm]) -> String {
    let first = algorithms[0];
    if first.drivers.is_empty() || algorithms.iter().any(|other| other.kernel_name != first.kernel_name) {
        return String::new();
    }
    let each: Vec<String> =
        first.drivers.iter().map(|driver| format!("{} ({})", driver.name, driver.verdict)).collect();
    format!("; the kernel has {}", each.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::answer::{Driver, Machine};
    use super::*;
    use outboard_counters::{Decision, KeyStreamSource, SoftwareReason};

    fn answer(enabled: bool, decisions: &[(&str, Decision)]) -> Answer {
        let machine = Machine {
            openssl: "OpenSSL 3.5.7 9 Jun 2026".into(),
            kernel: "7.3.4".into(),
            configuration: Some("/etc/ssl/openssl.cnf".into()),
            enabled,
            module: "/usr/lib/ossl-modules/outboard.so".into(),
        };
        let decisions =
            decisions.iter().map(|(name, decision)| ((*name).to_owned(), decision.clone())).collect();
        Answer::new(machine, decisions, &[], vec!["a remark".into()])
    }

    fn offered(from: [Option<u32>; 2]) -> Decision {
        Decision::Offered {
            driver: "virtio_crypto_aes_cbc".into(),
            interface: "/dev/outboard".into(),
            from,
            key_stream: None,
        }
    }

    fn looks_ahead(to: Option<u32>) -> Decision {
        let key_stream = Some(KeyStreamSource { driver: "engine-ecb-aes".into(), from: 512, to });
        let Decision::Offered { driver, interface, from, .. } = offered([Some(16385); 2]) else { panic!() };
        Decision::Offered { driver, interface, from, key_stream }
    }

    fn left(why: &str) -> Decision {
        Decision::Left { reason: SoftwareReason::NoDriver, why: why.into() }
    }

    #[test]
    fn offers_and_reasons() {
        let answer = answer(
            true,
            &[
                ("AES-128-CBC", offered([Some(4096); 2])),
                ("AES-192-CBC", offered([Some(512), None])),
                ("AES-128-CTR", left("/proc/crypto lists no driver for ctr(aes) that may be used")),
                ("AES-256-CTR", left("/proc/crypto lists no driver for ctr(aes) that may be used")),
                ("AES-128-GCM", looks_ahead(None)),
                ("AES-256-GCM", looks_ahead(Some(16384))),
                ("SHA1", offered([Some(16384); 2])),
                ("SHA2-256", left("DIGESTS does not name it")),
            ],
        );
        insta::assert_snapshot!(report(&answer));
        insta::assert_snapshot!("json", serde_json::to_string_pretty(&answer).unwrap());
    }

    #[test]
    fn no_more_than_two_notes_are_shown() {
        let mut answer = answer(true, &[("AES-128-CBC", left("no driver"))]);
        answer.notes = ["a", "b", "c"].map(str::to_owned).to_vec();
        let text = report(&answer);
        assert_eq!(text.matches("\nnote: ").count(), 2, "{text}");
        assert!(text.contains("\nand 1 more note (--json)\n"), "{text}");
    }

    #[test]
    fn nothing_at_all() {
        let answer = answer(false, &[("AES-128-CBC", left("software was measured to win"))]);
        let text = report(&answer);
        assert!(text.contains("does not enable outboard. If it did:"), "{text}");
        assert!(text.ends_with("None of 1 algorithms goes to hardware.\n"), "{text}");
    }

    #[test]
    fn software_of_the_kernel_is_not_counted_as_hardware() {
        let offers = ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"].map(|name| (name, offered([Some(1); 2])));
        let mut answer = answer(true, &offers);
        let kinds = ["accelerator", "software", "cpu-instructions"];
        answer.algorithms.iter_mut().zip(kinds).for_each(|(one, kind)| one.verdict = Some(kind));
        let counted = "1 of 3 algorithms go to hardware, where requests are large enough; 2 go to software of the kernel.\n";
        assert!(report(&answer).ends_with(counted), "{}", report(&answer));
        answer.algorithms.remove(0);
        let none = "None of 2 algorithms goes to hardware; 2 go to software of the kernel.\n";
        assert!(report(&answer).ends_with(none), "{}", report(&answer));
    }

    #[test]
    fn available_drivers_that_are_not_used_are_shown() {
        let mut answer = answer(true, &[("AES-128-CTR", left("no driver"))]);
        answer.algorithms[0].drivers = vec![Driver { name: "ctr-aes-lib".into(), verdict: "software" }];
        let text = report(&answer);
        assert!(text.contains("no driver; the kernel has ctr-aes-lib (software)\n"), "{text}");
    }
}
