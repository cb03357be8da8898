//! What interrupts say of work that hardware is said to have done: the one rule of `prove`, `bench`
//! and `tune`.

use outboard_catalog::families::Completion;

/// What they say; the later, the more doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// Some came: it was hardware.
    Shown,
    /// None came, and a device was unbound meanwhile: its count is lost.
    Lost,
    /// None came, and none could have: requests of these accelerators end without interrupts of
    /// their own.
    Silent,
    /// None came: the driver computed on the CPU.
    Refuted,
}

/// Weighs so many interrupts of accelerators whose requests complete so; `lost` when a counter went
/// back.
pub fn weigh(interrupts: u64, lost: bool, mut completions: impl Iterator<Item = Completion>) -> Evidence {
    let is_silent = |completion| completion != Completion::OwnInterrupt;
    match (interrupts, lost, completions.next()) {
        (1.., ..) => Evidence::Shown,
        (0, true, _) => Evidence::Lost,
        (0, false, Some(first)) if is_silent(first) && completions.all(is_silent) => Evidence::Silent,
        (0, false, _) => Evidence::Refuted,
    }
}

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
