//! Interrupts of the accelerators, which show that hardware did the work.

use std::io;

use outboard_catalog::families::Completion;
use outboard_drivers::interrupts::{Line, Snapshot, parse, snapshot_of};
use outboard_drivers::padlock::is_padlock;
use outboard_drivers::root::Root;

use crate::driver_devices::DriverDevices;
use crate::evidence::{Evidence, weigh};
use crate::meter::snapshot;

const PADLOCK: &str = "VIA PadLock";

pub struct Interrupts {
    root: Root,
    lines: Vec<String>,
    completions: Vec<Completion>,
    /// The name of an accelerator whose requests complete without interrupts of its own, if there
    /// is one.
    pub silent: Option<String>,
}

impl Interrupts {
    pub fn find() -> io::Result<Interrupts> {
        let root = Root::live();
        let now = snapshot(&root, &DriverDevices::now(&root))?;
        Ok(Interrupts::of_devices(root, now))
    }

    /// Finds the lines of the devices that a driver of /proc/crypto uses, or the drivers nested in
    /// its name: `essiv(sim-cbc-aes,sha256-lib)`. If those devices are unknown, the lines of all
    /// accelerators. None for instructions of the CPU.
    pub fn of(driver: &str) -> io::Result<Interrupts> {
        let root = Root::live();
        if is_padlock(driver) {
            let silent = Some(PADLOCK.to_owned());
            return Ok(Interrupts { root, lines: Vec::new(), completions: vec![Completion::Polled], silent });
        }
        match snapshot_of(&root, DriverDevices::now(&root).of(driver)) {
            Ok(now) if !now.devices.is_empty() => Ok(Interrupts::of_devices(root, now)),
            Err(error) => Err(error),
            Ok(_) => Interrupts::find(),
        }
    }

    fn of_devices(root: Root, now: Snapshot) -> Interrupts {
        let completions: Vec<_> = now.devices.iter().map(|device| device.completion).collect();
        let silent = now.devices.iter().find(|device| device.completion != Completion::OwnInterrupt);
        let silent = silent.map(|device| device.chip.unwrap_or(&device.driver).to_owned());
        let lines = now.devices.into_iter().flat_map(|device| device.lines).collect();
        Interrupts { root, lines, completions, silent }
    }

    /// Lines that another process has found and whose counts it judges.
    pub fn told(lines: Vec<String>) -> Interrupts {
        Interrupts { root: Root::live(), lines, completions: Vec::new(), silent: None }
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn count(&self) -> io::Result<u64> {
        let text = self.root.read("proc/interrupts")?;
        let text = String::from_utf8_lossy(&text);
        let is_ours = |line: &&Line| self.lines.iter().any(|label| label == line.label);
        Ok(parse(&text).0.iter().filter(is_ours).map(|line| line.total).sum())
    }

    /// A warning if one of these figures of a measurement, in interrupts per request, has none and none
    /// were possible. A driver whose requests may complete through another device can have interrupts.
    pub fn doubt(&self, mut figures: impl Iterator<Item = f64>) -> Option<String> {
        let chip = self.silent.as_ref().filter(|_| figures.any(|interrupts| interrupts <= 0.0))?;
        Some(format!(
            "{chip} ends requests without interrupts of its own: nothing proves that it did them, not even here"
        ))
    }

    /// Judges whether these accelerators did the work, by the number of their interrupts.
    pub fn evidence(&self, interrupts: u64, lost: bool) -> Evidence {
        weigh(interrupts, lost, self.completions.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_figures_without_interrupts_are_in_doubt() {
        let silent = |chip: &str| Some(chip.to_owned());
        let interrupts = |silent| Interrupts { silent, ..Interrupts::told(Vec::new()) };
        let (cryp, own) = (interrupts(silent("ST CRYP")), interrupts(None));
        assert_eq!(cryp.doubt([257.0, 0.5].into_iter()), None);
        assert!(cryp.doubt([257.0, 0.0].into_iter()).is_some_and(|text| text.starts_with("ST CRYP ends")));
        assert_eq!(cryp.doubt([].into_iter()), None);
        assert_eq!(own.doubt([0.0].into_iter()), None);
    }
}
