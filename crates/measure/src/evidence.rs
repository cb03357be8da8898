//! Decides from interrupts whether hardware did the work: the one rule of `prove`, `bench` and
//! `tune`.

use outboard_catalog::families::Completion;

/// The evidence, in order of increasing doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// There were interrupts: hardware did the work.
    Shown,
    /// There were none, but a device was unbound meanwhile, so its count is lost.
    Lost,
    /// There were none, and none were possible: requests to these accelerators complete without
    /// interrupts of their own.
    Silent,
    /// There were none: the driver computed on the CPU.
    Refuted,
}

/// Judges the number of interrupts of accelerators with these kinds of completion. `lost`: a
/// counter decreased.
pub fn weigh(interrupts: u64, lost: bool, mut completions: impl Iterator<Item = Completion>) -> Evidence {
    let is_silent = |completion| completion != Completion::OwnInterrupt;
    match (interrupts, lost, completions.next()) {
        (1.., ..) => Evidence::Shown,
        (0, true, _) => Evidence::Lost,
        (0, false, Some(first)) if is_silent(first) && completions.all(is_silent) => Evidence::Silent,
        (0, false, _) => Evidence::Refuted,
    }
}

/// The fault of a hardware figure without interrupts.
pub const NO_INTERRUPT: &str = "no interrupt of the accelerator came: its driver computed this on the CPU";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_engines_that_have_none_are_believed_without_interrupts() {
        use Completion::{OwnInterrupt, Polled};
        for (interrupts, lost, completions, says) in [
            (7, false, &[OwnInterrupt][..], Evidence::Shown),
            (7, true, &[], Evidence::Shown),
            (0, true, &[OwnInterrupt], Evidence::Lost),
            (0, false, &[Polled, Polled], Evidence::Silent),
            (0, false, &[Polled, OwnInterrupt], Evidence::Refuted),
            (0, false, &[OwnInterrupt], Evidence::Refuted),
            (0, false, &[], Evidence::Refuted),
        ] {
            let weighed = weigh(interrupts, lost, completions.iter().copied());
            assert_eq!(weighed, says, "{interrupts} {lost} {completions:?}");
        }
    }
}
