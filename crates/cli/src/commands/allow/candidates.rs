//! `outboard allow` without a driver: lists the accelerators that can be allowed.

use anyhow::Result;
use outboard_accel::checkable::Checkable;
use outboard_console::aligned;
use outboard_drivers::Judged;
use outboard_drivers::find::survey;
use outboard_drivers::judge::Verdict;
use outboard_drivers::root::Root;

use super::{list, say};

/// Prints a command for each accelerator that is not allowed.
pub fn offer() -> Result<()> {
    let survey = survey(&Root::live())?;
    let allowed = list::read_if_loaded()?;
    let names: Vec<&str> = allowed.iter().flatten().map(|entry| entry.driver.as_str()).collect();
    say(text(&survey.drivers, &names).trim_end())?;
    match allowed {
        Some(_) => Ok(()),
        None => say("The outboard module is not loaded: modprobe outboard"),
    }
}

fn text(drivers: &[Judged], allowed: &[&str]) -> String {
    let is_candidate = |judged: &&Judged| {
        let driver = &judged.driver;
        judged.judgement.verdict == Verdict::Accelerator
            && Checkable::by_kernel_name(&driver.algorithm).is_some()
            && !allowed.contains(&driver.name.as_str())
    };
    let row = |judged: &Judged| {
        let driver = &judged.driver;
        [format!("outboard allow {}", driver.name), format!("# {}", driver.algorithm)]
    };
    let rows: Vec<_> = drivers.iter().filter(is_candidate).map(row).collect();
    match rows.is_empty() {
        true => "No further accelerator can be allowed (outboard status)\n".to_owned(),
        false => format!("Accelerators that are not allowed:\n{}", aligned(&rows, 0..0, "  ")),
    }
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
        let offered = text(&survey.drivers, &["mv-ecb-aes"]);
        let line = offered.lines().find(|line| line.contains(" mv-cbc-aes "));
        assert!(line.is_some_and(|line| line.ends_with("# cbc(aes)")), "{offered}");
        assert!(!offered.contains("mv-ecb-aes") && !offered.contains("generic"), "{offered}");
        assert!(text(&[], &[]).starts_with("No further accelerator"));
    }
}
