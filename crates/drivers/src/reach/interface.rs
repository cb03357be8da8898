//! The interfaces through which a program reaches a driver, and the rule for using them.

use outboard_catalog::families;

use crate::padlock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramInterface {
    DevOutboard,
    DevCrypto,
    AfAlg,
    /// Instructions of the CPU that the program executes itself.
    Instructions,
}

/// Whether a driver is known to reject forged tags. `outboard check` determines it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TagCheck {
    /// It rejected them when it was checked.
    Passed,
    /// It was not checked in its current form.
    #[default]
    Missing,
}

impl ProgramInterface {
    /// The interfaces that may lead to a driver, the preferred one first. The module is designed for accelerators, works in
    /// sandboxes and keeps many requests in flight. /dev/crypto is faster than AF_ALG and available
    /// on new kernels, but processes one request at a time and waits without limit for a driver
    /// that does not complete. AF_ALG is available on old kernels.
    pub fn preferred_first(driver: &str) -> &'static [ProgramInterface] {
        match padlock::is_padlock(driver) {
            true => &[Self::Instructions],
            false => &[Self::DevOutboard, Self::DevCrypto, Self::AfAlg],
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::DevOutboard => "/dev/outboard",
            Self::DevCrypto => "/dev/crypto",
            Self::AfAlg => "AF_ALG",
            Self::Instructions => "CPU instructions",
        }
    }

    /// Whether the limits that a driver needs are kept through it: those of some only the module keeps.
    pub fn keeps_limits_of(self, driver: &str) -> bool {
        self == Self::DevOutboard || !families::is_module_only(driver)
    }

    /// Whether a driver may be used through it. /dev/outboard leads to no driver that accepts a
    /// forged tag, since `outboard allow` checks each first. The other interfaces lead to any
    /// driver, so an AEAD must have passed the check.
    pub fn is_open_to(self, is_aead: bool, tags: TagCheck) -> bool {
        !matches!(self, Self::DevCrypto | Self::AfAlg) || !is_aead || tags == TagCheck::Passed
    }
}

/// Why an AEAD is not used where [`ProgramInterface::is_open_to`] is false, and the next step.
pub fn tags_unchecked(driver: &str) -> String {
    format!(
        "/dev/crypto and AF_ALG are used for AEADs only if the driver is known to refuse forged tags: outboard check {driver}"
    )
}

/// Why a driver is not used over any interface after `outboard check` found it wrong.
pub fn found_wrong(driver: &str, made: &str, fault: &str) -> String {
    format!("{driver} gave a wrong result when it was checked on {made} ({fault})")
}

/// Why a driver is not used over any interface after it did not answer a check.
pub fn found_unanswered(driver: &str, made: &str) -> String {
    format!("{driver} did not answer when it was checked on {made}: outboard check {driver} tries again")
}

/// Why a driver is not used where [`ProgramInterface::keeps_limits_of`] is false.
pub fn limits_kept_elsewhere(driver: &str) -> String {
    format!("{driver} is used over /dev/outboard only, whose module keeps the limits that it needs")
}

/// Why a driver is used by no other way than /dev/outboard, if the catalogue says so.
pub fn module_only(driver: &str) -> Option<String> {
    families::is_module_only(driver).then(|| limits_kept_elsewhere(driver))
}

/// Why a driver is used over no interface, if the catalogue refuses it.
pub fn refused(driver: &str) -> Option<String> {
    families::is_refused(driver).then(|| format!("{driver} is refused: known to be wrong"))
}

pub fn not_preferred(driver: &str) -> Option<String> {
    refused(driver).or_else(|| module_only(driver))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_is_known_to_be_wrong_is_refused_also_inside_a_template() {
        for driver in ["mv-sha1", "mv-hmac-sha256", "hmac(mv-sha1)", "authenc(mv-hmac-sha1,mv-cbc-aes)"] {
            assert!(refused(driver).is_some_and(|why| why.ends_with("known to be wrong")), "{driver}");
        }
        for driver in ["mv-cbc-aes", "mv-ecb-des", "cts(mv-cbc-aes)", "sha1-generic", "mv-sha1x"] {
            assert_eq!(refused(driver), None, "{driver}");
        }
    }

    #[test]
    fn a_driver_with_limits_is_used_over_our_own_device_only() {
        for driver in
            ["cbc(aes-eip93)", "authenc(hmac(sha1-eip93),cbc(aes-eip93))", "aspeed-cbc-aes", "cbc-aes-s5p"]
        {
            assert!(module_only(driver).is_some_and(|why| why.contains("/dev/outboard only")), "{driver}");
        }
        for driver in ["mv-cbc-aes", "cbc-aes-talitos", "cbc-aes-ccp"] {
            assert_eq!(module_only(driver), None, "{driver}");
        }
    }

    #[test]
    fn an_aead_needs_the_check_except_over_our_own_device() {
        let all = ProgramInterface::preferred_first("mv-cbc-aes");
        let open = |is_aead, tags| all.iter().map(|one| one.is_open_to(is_aead, tags)).collect::<Vec<_>>();
        assert_eq!(open(true, TagCheck::Missing), [true, false, false]);
        assert_eq!(open(true, TagCheck::Passed), [true; 3]);
        assert_eq!(open(false, TagCheck::Missing), [true; 3]);
    }
}
