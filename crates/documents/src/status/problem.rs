//! The problems that `outboard status` names.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Problem {
    #[serde(with = "crate::named")]
    pub id: ProblemId,
    /// Whether it is only worth knowing: the text output shows it with `--verbose`.
    pub is_note: bool,
    pub text: String,
    pub evidence: String,
    pub next: String,
}

outboard_catalog::texts! { name:
/// A kind of problem. Its name is part of `outboard-status/1` and stays; `outboard status` shows them
/// in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemId {
    WrongWhenChecked = "wrong-results-when-checked",
    Unanswered = "driver-does-not-answer",
    PolicyUnused = "policy-not-in-force",
    DeviceWithoutDriver = "device-without-driver",
    SelftestFailed = "selftest-failed",
    SelftestPending = "selftest-pending",
    ChipWithoutDriver = "chip-without-driver",
    KnownFault = "known-fault",
    NarrowKernel = "32-bit-kernel",
    /// PadLock without its driver.
    PadlockUnused = "padlock-unused",
    SlowAes = "slow-aes",
    OutranksCpu = "accelerator-outranks-cpu",
    AcceleratorOutranked = "accelerator-outranked",
    NotAllowed = "driver-not-allowed",
    TagsUnchecked = "tags-unchecked",
    Unreached = "accelerator-unreached",
    DevCryptoOfSoftware = "dev-crypto-without-accelerator",
    LockedDown = "locked-down",
    NoPermission = "no-permission",
    AfAlgOpen = "af-alg-open",
    /// Engines with OpenSSL 4.
    EngineIgnored = "engine-ignored",
    EngineOfSoftware = "engine-in-software",
    /// Engines with OpenSSL 3.
    EngineConfigured = "engine-configured",
    NoDefaultProvider = "no-default-provider",
    DigestsOffloaded = "digests-offloaded",
    PadlockEngineGone = "padlock-engine-gone",
    HwrngFailing = "hwrng-failing",
    HwrngUnused = "hwrng-unused",
    HwrngUncredited = "hwrng-uncredited",
}
}
