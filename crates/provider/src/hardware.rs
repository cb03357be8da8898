//! A driver, its failures, and whether it is still trusted.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use outboard_accel::Wiped;
use outboard_accel::{Accelerator, DriverName, Error, Session, Share};
use outboard_counters::Row;

use crate::log::{Level, Log};
use crate::sampling::{Sample, Sampling};
use crate::sessions::{SessionId, Sessions};
use crate::spot_check::Verdict;

/// Number of failures after which the driver is disabled for the rest of the process.
const MAX_FAILURES: u32 = 3;

/// A driver that an algorithm uses, shared by all contexts of the process.
pub(crate) struct Hardware<S: ?Sized = dyn Session> {
    accelerator: Box<dyn Accelerator<S>>,
    driver: DriverName,
    /// Open sessions, one key each.
    pub(crate) sessions: Sessions<S>,
    sampling: Sampling,
    failures: AtomicU32,
    disabled: AtomicBool,
    log: Log,
}

impl<S: ?Sized + Share> Hardware<S> {
    pub(crate) fn new(accelerator: Box<dyn Accelerator<S>>, share: u32, log: Log) -> Self {
        let (failures, disabled) = (AtomicU32::new(0), AtomicBool::new(false));
        let (sessions, sampling) = (Sessions::new(), Sampling::new(share));
        let driver = accelerator.driver().into();
        Hardware { accelerator, driver, sessions, sampling, failures, disabled, log }
    }

    /// Name of the driver in /proc/crypto.
    pub(crate) fn driver(&self) -> &DriverName {
        &self.driver
    }

    /// Name of the interface that reaches the driver.
    pub(crate) fn interface(&self) -> &'static str {
        self.accelerator.interface()
    }

    /// Whether the driver can compute key stream while the caller continues.
    pub(crate) fn computes_key_stream(&self) -> bool {
        self.accelerator.computes_key_stream()
    }

    /// How the next result must be verified. The first result of each key is compared in full.
    pub(crate) fn sample(&self, is_first_of_key: bool) -> Sample {
        let sample = self.sampling.next();
        Sample { full: sample.full || is_first_of_key, ..sample }
    }

    /// Decides whether a result of `len` bytes may be released to the application, and counts it in
    /// the algorithm's row.
    pub(crate) fn accept(
        &self,
        algorithm: &str,
        row: Option<&Row>,
        len: usize,
        verify: impl FnOnce() -> Verdict,
    ) -> bool {
        let is_released = self.release(algorithm, row, len, verify);
        if is_released {
            row.inspect(|row| row.add_hw(1, len as u64));
        }
        is_released
    }

    /// Decides whether a result may be released, without counting a request. Every result of a
    /// driver passes through this function, for ciphers, AEADs, digests and key stream.
    pub(crate) fn release(
        &self,
        algorithm: &str,
        row: Option<&Row>,
        len: usize,
        verify: impl FnOnce() -> Verdict,
    ) -> bool {
        // Results of a driver that is disabled are not used, so there is nothing to verify.
        if !self.is_up() {
            return false;
        }
        match verify() {
            // Another thread may have found a wrong result in the meantime.
            Verdict::Right if self.is_up() => true,
            Verdict::Wrong { offset } => {
                self.mismatched(algorithm, row, len, Some(offset));
                false
            }
            // Without a reference, the result would be released unverified.
            Verdict::Right | Verdict::Unknown => false,
        }
    }

    /// Whether the driver may still be used.
    pub(crate) fn is_up(&self) -> bool {
        !self.disabled.load(Ordering::Relaxed)
    }

    /// A session for `key`. `None`: its requests must be computed in software. An `urgent` caller
    /// may replace an idle session.
    pub(crate) fn open(&self, key: &[u8], urgent: bool) -> Option<SessionId> {
        self.opened(self.sessions.open(key, urgent, || self.accelerator.open(key)))
    }

    /// As [`open`](Self::open), for an algorithm with authentication tags of `tag_len` bytes.
    pub(crate) fn open_with_tag(&self, key: &[u8], tag_len: usize, urgent: bool) -> Option<SessionId> {
        // The tag length is part of the compared key, because another length needs another session.
        let both = Wiped::new([key, &[tag_len as u8]].concat());
        self.opened(self.sessions.open(&both, urgent, || self.accelerator.open_with_tag(key, tag_len)))
    }

    fn opened(&self, opened: Result<Option<SessionId>, Error>) -> Option<SessionId> {
        match opened {
            Ok(hold) => hold,
            Err(error) => {
                self.failed(&error, None);
                None
            }
        }
    }

    /// Handles the failure of a key or a request. The caller continues in software. A full key
    /// memory or request queue of the driver is not a failure and is not counted.
    pub(crate) fn failed(&self, error: &Error, row: Option<&Row>) {
        if error.is_away() || !error.is_scarcity() {
            self.sampling.look_closely();
        }
        if error.is_scarcity() {
            self.log.line(Level::Debug, format_args!("{error}; done in software"));
            return;
        }
        row.inspect(|row| row.add_failure());
        let count = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if count > MAX_FAILURES {
            return;
        }
        self.log.line(Level::Warn, format_args!("{error}; done in software"));
        if count == MAX_FAILURES {
            self.disable(format_args!("failed {MAX_FAILURES} times"));
        }
    }

    /// Disables the driver because a result of `len` bytes differs from software's. `offset` is the
    /// first differing byte, if it is known.
    pub(crate) fn mismatched(&self, algorithm: &str, row: Option<&Row>, len: usize, offset: Option<usize>) {
        row.inspect(|row| row.add_mismatch());
        // Other requests in flight may be wrong too. One message is enough.
        if !self.disable(format_args!("returned a wrong result")) {
            return;
        }
        let at = offset.map_or(String::new(), |offset| format!(" at byte {offset}"));
        self.log.line(
            Level::Error,
            format_args!(
                "driver {} returned a wrong result for {algorithm}, {len} bytes{at}; software computed the right one. \
                 Withdraw the driver with \"outboard disallow {0}\" and report it to its maintainers",
                self.accelerator.driver(),
            ),
        );
        self.accelerator.report_wrong();
    }

    /// Disables the driver. Returns false if it was already disabled.
    fn disable(&self, why: std::fmt::Arguments<'_>) -> bool {
        let is_first = !self.disabled.swap(true, Ordering::Relaxed);
        if is_first {
            let (driver, interface) = (self.accelerator.driver(), self.accelerator.interface());
            self.log.line(
                Level::Warn,
                format_args!(
                    "driver {driver} over {interface} {why}: it is disabled until this process ends"
                ),
            );
        }
        is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Fails on demand, because a real driver cannot be made to fail.
    struct Refusing(fn() -> Error);

    impl Accelerator for Refusing {
        fn driver(&self) -> &str {
            "refusing"
        }
        fn interface(&self) -> &'static str {
            "nothing"
        }
        fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
            Err((self.0)())
        }
    }

    fn broken() -> Error {
        Error::Request {
            call: "accept",
            driver: "refusing".into(),
            source: io::Error::from_raw_os_error(libc::ENODEV),
        }
    }

    fn full() -> Error {
        Error::KeyRefused { driver: "refusing".into(), source: io::Error::from_raw_os_error(libc::EINVAL) }
    }

    #[test]
    fn the_third_failure_puts_the_driver_to_rest() {
        let hardware = Hardware::new(Box::new(Refusing(broken)), 64, Log::silent());
        for left in [2, 1, 0] {
            assert!(hardware.is_up());
            assert!(hardware.open(&[0; 16], false).is_none());
            assert_eq!(hardware.is_up(), left > 0);
        }
    }

    #[test]
    fn a_full_key_memory_is_no_failure() {
        let hardware = Hardware::new(Box::new(Refusing(full)), 64, Log::silent());
        for _ in 0..100 {
            assert!(hardware.open(&[0; 16], false).is_none());
        }
        assert!(hardware.is_up());
    }

    #[test]
    fn one_wrong_result_is_enough() {
        let hardware = Hardware::new(Box::new(Refusing(full)), 64, Log::silent());
        assert!(!hardware.accept("AES-128-CBC", None, 4096, || Verdict::Wrong { offset: 7 }));
        assert!(!hardware.is_up());
    }

    #[test]
    fn a_result_is_released_only_if_it_is_right_and_the_driver_still_trusted() {
        let hardware = Hardware::new(Box::new(Refusing(full)), 64, Log::silent());
        let accepted = |verify: &dyn Fn() -> Verdict| hardware.accept("SHA2-256", None, 100, verify);
        assert!(accepted(&|| Verdict::Right) && !accepted(&|| Verdict::Unknown) && hardware.is_up());
        // While this result is compared, another thread finds a wrong one.
        let found = || {
            hardware.mismatched("SHA2-256", None, 64, None);
            Verdict::Right
        };
        assert!(!accepted(&found) && !accepted(&|| Verdict::Right));
    }

    #[test]
    fn the_first_result_of_a_key_and_those_after_a_failure_are_compared_in_full() {
        let hardware = Hardware::new(Box::new(Refusing(full)), 0, Log::silent());
        while hardware.sample(false).full {}
        assert!(hardware.sample(true).full && !hardware.sample(false).full);
        hardware.failed(&full(), None);
        assert!(!hardware.sample(false).full, "no room for a key is not suspicious");
        hardware.failed(&broken(), None);
        assert!(hardware.sample(false).full);
    }
}
