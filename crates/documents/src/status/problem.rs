//! The problems that `outboard status` names.

use serde::{Deserialize, Serialize};

/// A problem of a system.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Problem {
    /// The kind.
    #[serde(with = "crate::named")]
    pub id: ProblemId,
    /// Whether it is only worth knowing: the text output shows it with `--verbose`.
    pub is_note: bool,
    /// The problem in one sentence.
    pub text: String,
    /// What shows it: a line of a file, or what was read where.
    pub evidence: String,
    /// The next step.
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

            /// Its name in output and JSON.
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
    /// A driver does not complete its requests.
    Unanswered "driver-does-not-answer"
    /// The policy file does not apply.
    PolicyUnused "policy-not-in-force"
    /// A device has no driver.
    DeviceWithoutDriver "device-without-driver"
    /// A self-test has not passed.
    SelftestFailed "selftest-failed"
    /// A self-test has not finished.
    SelftestPending "selftest-pending"
    /// The chip's engine has no driver registered.
    ChipWithoutDriver "chip-without-driver"
    /// A driver with a published fault.
    KnownFault "known-fault"
    /// A 32-bit kernel on a 64-bit CPU.
    NarrowKernel "32-bit-kernel"
    /// PadLock without its driver.
    PadlockUnused "padlock-unused"
    /// AES in C although the CPU has instructions.
    SlowAes "slow-aes"
    /// The accelerator outranks the CPU's instructions.
    OutranksCpu "accelerator-outranks-cpu"
    /// The kernel's users do not get the accelerator.
    AcceleratorOutranked "accelerator-outranked"
    /// The module is loaded and has no driver allowed.
    NotAllowed "driver-not-allowed"
    /// An AEAD that was not checked.
    TagsUnchecked "tags-unchecked"
    /// No interface leads programs to the accelerator.
    Unreached "accelerator-unreached"
    /// /dev/crypto without an accelerator.
    DevCryptoOfSoftware "dev-crypto-without-accelerator"
    /// Lockdown, and the module is not loaded.
    LockedDown "locked-down"
    /// A device node that the user may not open.
    NoPermission "no-permission"
    /// AF_ALG without restriction.
    AfAlgOpen "af-alg-open"
    /// Engines with OpenSSL 4.
    EngineIgnored "engine-ignored"
    /// The engine afalg on a kernel that is closed.
    EngineOfSoftware "engine-in-software"
    /// Engines with OpenSSL 3.
    EngineConfigured "engine-configured"
    /// Providers without default.
    NoDefaultProvider "no-default-provider"
    /// Digests are offloaded.
    DigestsOffloaded "digests-offloaded"
    /// PadLock without its engine.
    PadlockEngineGone "padlock-engine-gone"
    /// A generator fails its tests.
    HwrngFailing "hwrng-failing"
    /// No generator is selected.
    HwrngUnused "hwrng-unused"
    /// A generator is credited with nothing.
    HwrngUncredited "hwrng-uncredited"
}
