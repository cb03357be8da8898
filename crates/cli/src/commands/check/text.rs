//! Formats the results as a table.

use outboard_console::aligned;
use outboard_documents::check::{Check, CheckVerdict, CheckedDriver};

pub fn report(check: &Check) -> String {
    let head = ["driver", "algorithm", "over", "verdict", "requests", "MB", "interrupts", "kernel's test"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(check.drivers.iter().map(row));
    let mut text = aligned(&rows, 4..7, "");
    text.push('\n');
    for driver in &check.drivers {
        if let Some(fault) = &driver.fault {
            text += &format!("{}: {fault}.\n", driver.name);
        }
        if driver.packets > 0 {
            text += &format!("{}: {} packets of IPsec were right.\n", driver.name, driver.packets);
        }
        if let Some(why) = &driver.no_packets {
            text += &format!("{}: not checked with packets of IPsec: {why}.\n", driver.name);
        }
        if driver.verdict == CheckVerdict::Exact && driver.interrupts == Some(0) {
            text += &format!(
                "{}: no interrupt came: its driver computed all of it on the CPU, and no accelerator was checked.\n",
                driver.name
            );
        }
    }
    if !check.not_checked.is_empty() {
        let (names, end) =
            (check.not_checked.join(", "), if check.interrupted { "a signal came" } else { "--for ended" });
        text += &format!("Not checked, because {end} before: {names}.\n");
    }
    text += &match (check.interrupted, check.is_right()) {
        (true, _) => format!("Interrupted. The requests were those of --seed {}.\n", check.seed),
        (false, true) => {
            format!("Every result was right. The requests were those of --seed {}.\n", check.seed)
        }
        (false, false) => format!("The same requests again: outboard check --seed {}\n", check.seed),
    };
    text
}

fn row(driver: &CheckedDriver) -> [String; 8] {
    let verdict = match driver.verdict {
        CheckVerdict::Exact => "exact",
        CheckVerdict::Wrong => "WRONG",
        CheckVerdict::Unanswered => "NO ANSWER",
        CheckVerdict::Refuses => "refuses",
        CheckVerdict::Unreached => "not reached",
    };
    [
        driver.name.clone(),
        driver.algorithm.clone(),
        driver.interface.clone().unwrap_or_else(|| "-".to_owned()),
        verdict.to_owned(),
        driver.requests.to_string(),
        format!("{:.1}", driver.bytes as f64 / 1e6),
        driver.interrupts.map_or_else(|| "-".to_owned(), |count| count.to_string()),
        driver.selftest.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    use outboard_accel::check::{check_hash_seeded, check_seeded};
    use outboard_accel::{Accelerator, Algorithm, Error, Hash, HashAlgorithm};
    use outboard_documents::{Machine, secrets};

    fn check() -> Check {
        let exact = CheckedDriver {
            name: "virtio_crypto_aes_cbc".into(),
            algorithm: "cbc(aes)".into(),
            selftest: "passed".into(),
            interface: Some("/dev/outboard".into()),
            verdict: CheckVerdict::Exact,
            fault: None,
            requests: 12345,
            bytes: 67_890_123,
            packets: 2874,
            no_packets: None,
            interrupts: Some(12000),
        };
        let wrong = CheckedDriver {
            name: "sim-ctr-aes".into(),
            algorithm: "ctr(aes)".into(),
            verdict: CheckVerdict::Wrong,
            fault: Some(
                "encrypting 4096 bytes by ctr(aes) (128-bit key): the result is wrong from byte 7 on".into(),
            ),
            requests: 999,
            packets: 0,
            ..exact.clone()
        };
        let silent = CheckedDriver { name: "qce-cbc-aes".into(), interrupts: Some(0), ..exact.clone() };
        let unreached = CheckedDriver {
            name: "mv-cbc-aes".into(),
            interface: None,
            verdict: CheckVerdict::Unreached,
            fault: Some("/dev/outboard does not reach driver mv-cbc-aes: outboard allow mv-cbc-aes".into()),
            requests: 0,
            bytes: 0,
            packets: 0,
            no_packets: Some("the command ip cannot be run".into()),
            interrupts: None,
            selftest: "unknown".into(),
            ..exact.clone()
        };
        let machine = Machine { kernel: "7.3.4".into(), cpu: "a CPU".into(), cpus: 1 };
        let drivers = vec![exact, wrong, silent, unreached];
        let made = "2026-11-21T12:34:56Z".into();
        Check { made, machine, seed: 42, drivers, interrupted: false, not_checked: Vec::new() }
    }

    #[test]
    fn the_table_says_what_is_right_and_what_is_not() {
        let mut check = check();
        let bad = report(&check);
        check.drivers.truncate(1);
        insta::assert_snapshot!([bad, report(&check)].join("\n----\n"));
    }

    #[test]
    fn a_report_keeps_all_of_it() {
        let (kept, written) = outboard_tests::kept::kept(&check());
        assert_eq!(kept, written);
    }

    #[test]
    fn json_says_the_same() {
        insta::assert_snapshot!(outboard_documents::json(&check()).unwrap());
    }

    #[test]
    fn only_what_was_checked_can_be_right() {
        let mut check = check();
        assert!(!check.is_right());
        check.drivers.remove(1);
        assert!(check.is_right(), "one that cannot be reached is not wrong");
        check.not_checked.push("later".into());
        assert!(!check.is_right() && check.is_right_so_far(), "the exit codes differ");
        check.not_checked.clear();
        check.drivers.retain(|driver| driver.verdict == CheckVerdict::Unreached);
        assert!(!check.is_right());
    }

    /// Opens no session.
    struct FullKeyMemory;

    impl<S: ?Sized> Accelerator<S> for FullKeyMemory {
        fn driver(&self) -> &str {
            "full"
        }
        fn interface(&self) -> &'static str {
            "nothing"
        }
        fn open(&self, _key: &[u8]) -> Result<Box<S>, Error> {
            let source = io::Error::from_raw_os_error(libc::ENOSPC);
            Err(Error::KeyRefused { driver: "full".into(), source })
        }
    }

    #[test]
    fn the_file_of_a_trial_keeps_a_fault_whole() {
        let hmac = HashAlgorithm { hash: Hash::Sha256, hmac: true };
        let faults = Algorithm::ALL
            .into_iter()
            .map(|algorithm| check_seeded(&FullKeyMemory, algorithm, 1))
            .chain([check_hash_seeded(&FullKeyMemory, hmac, 1)]);
        for fault in faults {
            let line = format!("allow full: exit code 1 after 3 s: {}", fault.unwrap_err());
            assert_eq!(String::from_utf8_lossy(&secrets::text(line.as_bytes())), line);
        }
    }
}
