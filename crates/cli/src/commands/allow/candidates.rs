//! `outboard allow` without a driver: lists the accelerators that can be allowed.

use anyhow::Result;
use outboard_accel::primitive::Primitive;
use outboard_console::aligned_list;
use outboard_drivers::Judged;
use outboard_drivers::find::survey;
use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::Selftest;
use outboard_drivers::reach::refused as refused_by_name;
use outboard_drivers::root::Root;

use super::{list, say};
use crate::commands::check::findings;

/// Prints a command for each accelerator that is not allowed, and why others are refused.
pub fn offer() -> Result<()> {
    let survey = survey(&Root::live())?;
    let allowed = list::read_if_loaded()?;
    let names: Vec<&str> = allowed.iter().flatten().map(|entry| entry.driver.as_str()).collect();
    say(text(&survey.drivers, &names, findings::wrong)?.trim_end())?;
    match allowed {
        Some(_) => Ok(()),
        None => say(&list::not_loaded()),
    }
}

/// `wrong` returns the fault that was found in a driver, if any.
fn text(
    drivers: &[Judged],
    allowed: &[&str],
    wrong: impl Fn(&str) -> Result<Option<String>>,
) -> Result<String> {
    let (mut rows, mut refused) = (Vec::new(), String::new());
    for Judged { driver, judgement, .. } in drivers {
        let is_candidate = judgement.verdict == Verdict::Accelerator
            && Primitive::by_kernel_name(&driver.algorithm).is_some()
            && !allowed.contains(&driver.name.as_str());
        if !is_candidate {
            continue;
        }
        if let Some(why) = refused_by_name(&driver.name) {
            refused += &format!("{why}\n");
        } else if driver.selftest == Selftest::Pending {
            refused += &format!("{}: the kernel still tests it, try again in some seconds\n", driver.name);
        } else if driver.selftest == Selftest::Unknown {
            refused += &format!("{} has not passed the kernel's self-test: dmesg | grep alg:\n", driver.name);
        } else if let Some(fault) = wrong(&driver.name)? {
            refused += &format!("{fault}\n");
        } else {
            rows.push([format!("outboard allow {}", driver.name), format!("# {}", driver.algorithm)]);
        }
    }
    let offered = match rows.is_empty() {
        true => "No further accelerator can be allowed (outboard status)\n".to_owned(),
        false => format!("Accelerators that are not allowed:\n{}", aligned_list(&rows, "  ")),
    };
    Ok(offered + &refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn accelerators_that_are_not_allowed_are_offered() {
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/armada388-helios4");
        let survey = survey(&Root::saved(&fixture).unwrap()).unwrap();
        let none = |_: &str| Ok(None);
        let offered = text(&survey.drivers, &["mv-ecb-aes"], none).unwrap();
        let line = offered.lines().find(|line| line.contains(" mv-cbc-aes "));
        assert!(line.is_some_and(|line| line.ends_with("# cbc(aes)")), "{offered}");
        assert!(!offered.contains("mv-ecb-aes") && !offered.contains("generic"), "{offered}");
        assert!(offered.contains("\nmv-sha256 is refused: known to be wrong\n"), "{offered}");
        assert!(!offered.contains("allow mv-sha256"), "{offered}");
        assert!(text(&[], &[], none).unwrap().starts_with("No further accelerator"));
    }

    #[test]
    fn drivers_that_would_be_refused_are_not_offered() {
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/armada388-helios4");
        let mut drivers = survey(&Root::saved(&fixture).unwrap()).unwrap().drivers;
        let untested = drivers.iter_mut().find(|judged| judged.driver.name == "mv-ecb-aes").unwrap();
        untested.driver.selftest = Selftest::Unknown;
        let pending = drivers.iter_mut().find(|judged| judged.driver.name == "mv-cbc-des3-ede").unwrap();
        pending.driver.selftest = Selftest::Pending;
        let wrong = |driver: &str| Ok((driver == "mv-cbc-aes").then(|| "mv-cbc-aes was wrong".to_owned()));
        let offered = text(&drivers, &[], wrong).unwrap();
        assert!(!offered.contains("allow mv-cbc-aes") && !offered.contains("allow mv-ecb-aes "), "{offered}");
        for line in [
            "mv-cbc-aes was wrong\n",
            "mv-ecb-aes has not passed the kernel's self-test",
            "mv-cbc-des3-ede: the kernel still tests it",
        ] {
            assert!(offered.contains(line), "{offered}");
        }
    }
}
