//! Why software did the work: of requests, which are counted, and of algorithms that are not
//! offered.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SoftwareReason {
    /// Not counted: the requests in software that have no other reason.
    BelowThreshold,
    /// The message is longer than the limit of messages, or than one request of the driver.
    AboveLimit,
    /// Few bytes of the key so far: a session or look-ahead would cost more than it saves.
    FewKeyBytes,
    /// The driver had no room for the key or the request.
    DriverBusy,
    /// The driver failed, or was disabled in this process after failures or a wrong result.
    DriverFailed,
    /// The engine completed no request in time, and the module sends it few or none.
    EngineStopped,
    /// Look-ahead was on and had no key stream for the request.
    LookaheadMissed,
    /// Text in several updates, a nonce or tag that the driver does not take, a partial block.
    UnsuitableCall,
    /// No driver implements the algorithm, or none that may be used.
    NoDriver,
    DriverWrong,
    DriverUnreachable,
    NotConfigured,
    /// `outboard tune` did not measure the algorithm with the driver on this machine.
    NotMeasured,
    SoftwareWins,
    CombinedCode,
}

use SoftwareReason::*;

const COUNTED: [SoftwareReason; 7] =
    [AboveLimit, FewKeyBytes, DriverBusy, DriverFailed, EngineStopped, LookaheadMissed, UnsuitableCall];

/// In the order of their codes, with their names in JSON documents.
const NAMES: [(SoftwareReason, &str); 15] = [
    (BelowThreshold, "below-threshold"),
    (AboveLimit, "above-limit"),
    (FewKeyBytes, "few-key-bytes"),
    (DriverBusy, "driver-busy"),
    (DriverFailed, "driver-failed"),
    (EngineStopped, "engine-stopped"),
    (LookaheadMissed, "look-ahead-missed"),
    (UnsuitableCall, "unsuitable-call"),
    (NoDriver, "no-driver"),
    (DriverWrong, "driver-wrong"),
    (DriverUnreachable, "driver-unreachable"),
    (NotConfigured, "not-configured"),
    (NotMeasured, "not-measured"),
    (SoftwareWins, "software-wins"),
    (CombinedCode, "combined-code"),
];

impl SoftwareReason {
    pub const ALL: [SoftwareReason; NAMES.len()] = {
        let (mut all, mut at) = ([BelowThreshold; NAMES.len()], 0);
        while at < NAMES.len() {
            all[at] = NAMES[at].0;
            at += 1;
        }
        all
    };

    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Whether a driver is there and must not or cannot be used.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, DriverWrong | DriverFailed | DriverUnreachable)
    }

    /// Whether every engine lacks some algorithms for this reason.
    #[must_use]
    pub fn is_usual(self) -> bool {
        matches!(self, NoDriver | NotConfigured)
    }

    pub(crate) fn code(self) -> u32 {
        self as u32
    }

    pub(crate) fn of_code(code: u32) -> Option<Self> {
        NAMES.get(code as usize).map(|(reason, _)| *reason)
    }

    pub(crate) fn counter(self) -> Option<usize> {
        COUNTED.into_iter().position(|counted| counted == self)
    }
}

/// Requests in software and their input bytes, for each reason that is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReasonCounts(pub(crate) [[u64; 2]; COUNTED.len()]);

pub(crate) const REASONS: usize = COUNTED.len();

impl ReasonCounts {
    /// The reasons that occurred, with their requests and bytes.
    pub fn iter(self) -> impl Iterator<Item = (SoftwareReason, u64, u64)> {
        let all = COUNTED.into_iter().zip(self.0);
        all.map(|(reason, [requests, bytes])| (reason, requests, bytes))
            .filter(|(_, requests, _)| *requests > 0)
    }

    pub(crate) fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|place| {
            std::array::from_fn(|which| f(self.0[place][which], other.0[place][which]))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_code_and_a_name_of_its_own() {
        for (code, (reason, name)) in NAMES.into_iter().enumerate() {
            assert_eq!((reason.code(), reason.name()), (code as u32, name));
            assert_eq!(SoftwareReason::of_code(code as u32), Some(reason));
            assert_eq!(NAMES.into_iter().filter(|(_, other)| *other == name).count(), 1);
        }
        assert_eq!(SoftwareReason::of_code(NAMES.len() as u32), None);
        assert_eq!((BelowThreshold.counter(), UnsuitableCall.counter()), (None, Some(REASONS - 1)));
    }
}
