//! The flag bits of a crypto driver (`cru_flags`), as numbered in include/linux/crypto.h of the
//! kernel.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u32);

const NAMES: &[(&str, u32)] = &[
    ("ASYNC", Flags::ASYNC),
    ("NEED_FALLBACK", Flags::NEED_FALLBACK),
    ("TESTED", Flags::TESTED),
    ("INSTANCE", Flags::INSTANCE),
    ("KERN_DRIVER_ONLY", Flags::KERN_DRIVER_ONLY),
    ("INTERNAL", Flags::INTERNAL),
    ("OPTIONAL_KEY", 0x4000),
    ("ALLOCATES_MEMORY", Flags::ALLOCATES_MEMORY),
    ("FIPS_INTERNAL", 0x2_0000),
];

impl Flags {
    /// Requests may complete later, through a callback.
    pub const ASYNC: u32 = 0x80;
    /// Passes requests that it cannot process to another driver, usually software.
    pub const NEED_FALLBACK: u32 = 0x100;
    /// The self-test passed, or there is none.
    pub const TESTED: u32 = 0x400;
    /// An instance of a template, such as `authenc(…)`.
    pub const INSTANCE: u32 = 0x800;
    /// The driver declares hardware that user space cannot reach with CPU instructions.
    pub const KERN_DRIVER_ONLY: u32 = 0x1000;
    /// A helper of another driver, not for users.
    pub const INTERNAL: u32 = 0x2000;
    /// May allocate memory while it processes a request.
    pub const ALLOCATES_MEMORY: u32 = 0x1_0000;
    /// Flags that AF_ALG refuses since Linux 7.2 (include/crypto/if_alg.h) and fscrypt since 6.17
    /// (fs/crypto).
    pub const OFF_CPU: u32 = Self::ASYNC | Self::ALLOCATES_MEMORY | Self::KERN_DRIVER_ONLY;

    pub fn any(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    pub fn names_of(self, bits: u32) -> Vec<&'static str> {
        NAMES.iter().filter(|(_, bit)| self.0 & bits & bit != 0).map(|(name, _)| *name).collect()
    }

    pub fn names(self) -> Vec<&'static str> {
        self.names_of(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_named_in_the_order_of_their_bits() {
        assert_eq!(Flags(0x1_0485).names(), ["ASYNC", "TESTED", "ALLOCATES_MEMORY"]);
        assert_eq!(Flags(0x1_0485).names_of(Flags::OFF_CPU), ["ASYNC", "ALLOCATES_MEMORY"]);
        assert!(Flags(0x1405).names_of(Flags::ASYNC).is_empty());
    }
}
