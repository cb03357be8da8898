//! The problems that `outboard status` names.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Problem {
    #[serde(with = "crate::named")]
    pub id: ProblemId,
    /// Whether it is only worth knowing: the text output shows it with `--verbose`.
    pub is_note: bool,
    pub text: String,
    /// What shows it: a line of a file, or what was read where.
    pub evidence: String,
    pub next: String,
}

macro_rules! problem_ids {
    ($($(#[$doc:meta])* $id:ident $name:literal)*) => {
        /// A kind of problem. Its name is part of `outboard-status/1` and stays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProblemId {
            $($(#[$doc])* $id,)*
        }

        impl ProblemId {
            /// All kinds, in the order in which `outboard status` shows them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$id),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }
        }
    };
}

problem_ids! {
    /// A driver failed `outboard check`.
    WrongWhenChecked "wrong-results-when-checked"
    Unanswered "driver-does-not-answer"
    PolicyUnused "policy-not-in-force"
    DeviceWithoutDriver "device-without-driver"
    /// A self-test has not passed.
    SelftestFailed "selftest-failed"
    /// A self-test has not finished.
    SelftestPending "selftest-pending"
    ChipWithoutDriver "chip-without-driver"
    KnownFault "known-fault"
    NarrowKernel "32-bit-kernel"
    /// PadLock without its driver.
    PadlockUnused "padlock-unused"
    /// AES in C although the CPU has instructions.
    SlowAes "slow-aes"
    OutranksCpu "accelerator-outranks-cpu"
    /// The kernel's users do not get the accelerator.
    AcceleratorOutranked "accelerator-outranked"
    NotAllowed "driver-not-allowed"
    TagsUnchecked "tags-unchecked"
    /// No interface leads programs to the accelerator.
    Unreached "accelerator-unreached"
    DevCryptoOfSoftware "dev-crypto-without-accelerator"
    /// Lockdown, and the module is not loaded.
    LockedDown "locked-down"
    /// A device node that the user may not open.
    NoPermission "no-permission"
    AfAlgOpen "af-alg-open"
    /// Engines with OpenSSL 4.
    EngineIgnored "engine-ignored"
    /// The engine afalg on a kernel that is closed.
    EngineOfSoftware "engine-in-software"
    /// Engines with OpenSSL 3.
    EngineConfigured "engine-configured"
    NoDefaultProvider "no-default-provider"
    DigestsOffloaded "digests-offloaded"
    PadlockEngineGone "padlock-engine-gone"
    HwrngFailing "hwrng-failing"
    HwrngUnused "hwrng-unused"
    /// A generator is credited with nothing.
    HwrngUncredited "hwrng-uncredited"
}
