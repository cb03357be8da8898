//! A driver, its failures, and whether it is still trusted.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use outboard_accel::KeyBytes;
use outboard_accel::{Accelerator, DriverName, Error, Session, Share};
use outboard_counters::{Row, SoftwareReason};

use crate::clock::now_us;
use crate::log::{Level, Log};
use crate::sampling::Sampling;
use crate::sessions::{SessionId, Sessions};
use crate::spot_check::Verdict;
use crate::trust::{MAX_STRIKES, Trust};

/// Number of failures after which the driver is disabled for the rest of the process.
const MAX_FAILURES: u32 = 3;

pub(crate) struct Hardware<S: ?Sized = dyn Session> {
    accelerator: Box<dyn Accelerator<S>>,
    driver: DriverName,
    pub(crate) sessions: Sessions<S>,
    sampling: Sampling,
    failures: AtomicU32,
    trust: &'static Trust,
    /// Whether the last key of which it is known had enough bytes for a session to pay.
    long_keys: AtomicBool,
    /// It was reported that the driver did not complete key stream.
    was_silent: AtomicBool,
    log: Log,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Release {
    Yes,
    No,
    /// From this byte on: see [`Hardware::try_again`], and for key stream [`Hardware::is_wrong`].
    Differs(usize),
}

pub(crate) fn reason_of(error: &Error) -> SoftwareReason {
    match error {
        Error::Unanswered { .. } | Error::Stopped { .. } => SoftwareReason::EngineStopped,
        _ if error.is_scarcity() && !error.is_away() => SoftwareReason::DriverBusy,
        _ => SoftwareReason::DriverFailed,
    }
}

impl<S: ?Sized + Share> Hardware<S> {
    pub(crate) fn new(accelerator: Box<dyn Accelerator<S>>, share: u32, log: Log) -> Option<Self> {
        let (sessions, sampling) = (Sessions::new()?, Sampling::new(share));
        let (failures, trust) = (AtomicU32::new(0), Trust::of(accelerator.driver()));
        let driver = accelerator.driver().into();
        let [long_keys, was_silent] = [false; 2].map(AtomicBool::new);
        Some(Hardware {
            accelerator,
            driver,
            sessions,
            sampling,
            failures,
            trust,
            long_keys,
            was_silent,
            log,
        })
    }

    /// Whether the next key is likely to have enough bytes for a session to pay: the last one had.
    pub(crate) fn expects_long_keys(&self) -> bool {
        self.long_keys.load(Ordering::Relaxed)
    }

    pub(crate) fn expect_long_keys(&self, is_so: bool) {
        self.long_keys.store(is_so, Ordering::Relaxed);
    }

    pub(crate) fn driver(&self) -> &DriverName {
        &self.driver
    }

    pub(crate) fn interface(&self) -> &'static str {
        self.accelerator.interface()
    }

    pub(crate) fn computes_key_stream(&self) -> bool {
        self.accelerator.computes_key_stream()
    }

    /// Whether the next result must be compared in full, as the first one of each key is.
    pub(crate) fn compares_in_full(&self, is_first_of_key: bool) -> bool {
        self.sampling.next() || is_first_of_key
    }

    /// Forgets what the driver did.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn restore(&self) {
        self.failures.store(0, Ordering::Relaxed);
        self.sessions.forget_refusal();
        self.trust.restore();
    }

    /// Ends the time after the start or a failure, in which all results are compared in full.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn end_of_start(&self) {
        assert!((0..1000).any(|_| !self.compares_in_full(false)), "each result is compared in full");
    }

    /// Every result of a driver passes through this function: of ciphers, AEADs, digests, key
    /// stream.
    pub(crate) fn release(&self, is_full: bool, verify: impl FnOnce() -> Verdict) -> Release {
        // Results of a driver that is disabled are not used, so there is nothing to verify.
        if !self.is_up() {
            return Release::No;
        }
        let start = is_full.then(now_us);
        let verdict = verify();
        start.inspect(|start| self.sampling.took(now_us().wrapping_sub(*start)));
        match verdict {
            // Another thread may have found a wrong result in the meantime.
            Verdict::Right if self.is_up() => Release::Yes,
            Verdict::Wrong { offset } => Release::Differs(offset),
            // Without a reference, the result would be released unverified.
            Verdict::Right | Verdict::Unknown => Release::No,
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.trust.is_given() && self.failures.load(Ordering::Relaxed) < MAX_FAILURES
    }

    /// `None`: software must compute its requests. An `urgent` caller may replace an idle session.
    pub(crate) fn open(&self, key: &[u8], urgent: bool) -> Option<SessionId> {
        self.opened(self.sessions.open(key, urgent, || self.accelerator.open(key)))
    }

    pub(crate) fn open_with_tag(&self, key: &[u8], tag_len: usize, urgent: bool) -> Option<SessionId> {
        // The tag length is part of the compared key, because another length needs another session.
        let mut both = KeyBytes::default();
        both.set_with(key, tag_len as u8);
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

    /// The failure of a key or a request. A full key memory or queue of the driver is none. While
    /// an engine has stopped, the module limits how often it is tried, and earlier failures do not
    /// count.
    pub(crate) fn failed(&self, error: &Error, row: Option<&Row>) {
        let is_stopped = matches!(error, Error::Stopped { .. });
        if is_stopped || error.is_away() || !error.is_scarcity() {
            self.sampling.look_closely();
        }
        if is_stopped {
            let is_up = |failures| (failures < MAX_FAILURES).then_some(0);
            let _ = self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_up);
        }
        if error.is_scarcity() {
            self.log.line(Level::Debug, format_args!("{error}; done in software"));
            return;
        }
        row.inspect(|row| row.add_failure());
        // Each further request would cost the driver's time limit again.
        if error.is_timeout_of_driver() {
            if self.failures.swap(MAX_FAILURES, Ordering::Relaxed) < MAX_FAILURES {
                self.log.line(Level::Warn, format_args!("{error}; done in software"));
                self.say_disabled(format_args!("did not answer"));
            }
            return;
        }
        let count = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if count > MAX_FAILURES {
            return;
        }
        self.log.line(Level::Warn, format_args!("{error}; done in software"));
        if count == MAX_FAILURES {
            self.say_disabled(format_args!("failed {MAX_FAILURES} times"));
        }
    }

    /// For longer than the driver may take. It is not disabled, because software does not wait for
    /// it: a later stream shows whether it works.
    pub(crate) fn has_not_answered(&self, row: Option<&Row>) {
        row.inspect(|row| row.add_failure());
        self.sampling.look_closely();
        let is_first = !self.was_silent.swap(true, Ordering::Relaxed);
        let (driver, interface) = (self.accelerator.driver(), self.accelerator.interface());
        self.log.line(
            if is_first { Level::Warn } else { Level::Debug },
            format_args!("driver {driver} over {interface} has not completed key stream; done in software"),
        );
    }

    /// Judges the driver after a result that differs from software's at byte `offset`. `repeat`
    /// processes a private copy of the input again and compares all of it.
    pub(crate) fn try_again(
        &self,
        algorithm: &str,
        row: Option<&Row>,
        len: usize,
        offset: usize,
        repeat: impl FnOnce() -> Verdict,
    ) {
        self.sampling.look_closely();
        // Otherwise another thread judges it at this moment, or it is disabled.
        if self.trust.begin_trial() {
            if let Verdict::Wrong { offset } = repeat() {
                return self.is_wrong(algorithm, row, len, offset);
            }
            self.strike(algorithm, len, format_args!("differed from software's at byte {offset}"));
        }
        row.inspect(|row| row.add_failure());
    }

    /// The driver rejected a message that software accepts. Nothing keeps its text for a
    /// repetition.
    pub(crate) fn rejected_wrongly(&self, algorithm: &str, row: Option<&Row>, len: usize) {
        row.inspect(|row| row.add_failure());
        if self.trust.begin_trial() {
            self.strike(algorithm, len, format_args!("rejected a tag that is right"));
        }
    }

    fn strike(&self, algorithm: &str, len: usize, what: std::fmt::Arguments<'_>) {
        let driver = self.accelerator.driver();
        self.log.line(
            Level::Warn,
            format_args!(
                "driver {driver}: a result for {algorithm}, {len} bytes, {what}, and a repetition did not \
                 confirm it: done in software. Did the input change meanwhile?"
            ),
        );
        if self.trust.strike() {
            self.say_disabled(format_args!("differed {MAX_STRIKES} times"));
        }
    }

    /// The result of a repetition is wrong, or key stream, whose input no application can change.
    pub(crate) fn is_wrong(&self, algorithm: &str, row: Option<&Row>, len: usize, offset: usize) {
        if !self.trust.disable() {
            // Another thread was first.
            row.inspect(|row| row.add_failure());
            return;
        }
        row.inspect(|row| row.add_mismatch());
        self.say_disabled(format_args!("returned a wrong result"));
        self.log.line(
            Level::Error,
            format_args!(
                "driver {} returned a wrong result for {algorithm}, {len} bytes at byte {offset}; software computed \
                 the right one. Other processes still use it: withdraw it with \"outboard disallow {0}\" and report \
                 it to its maintainers",
                self.accelerator.driver(),
            ),
        );
    }

    fn say_disabled(&self, why: std::fmt::Arguments<'_>) {
        let (driver, interface) = (self.accelerator.driver(), self.accelerator.interface());
        self.log.line(
            Level::Warn,
            format_args!("driver {driver} over {interface} {why}: it is disabled until this process ends"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Fails on demand, because a real driver cannot be made to fail.
    struct Refusing(&'static str, fn() -> Error);

    impl Accelerator for Refusing {
        fn driver(&self) -> &str {
            self.0
        }
        fn interface(&self) -> &'static str {
            "nothing"
        }
        fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
            Err((self.1)())
        }
        fn computes_key_stream(&self) -> bool {
            self.0 == "ahead"
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

    /// Each test has a driver of its own, because trust is the process's.
    fn hardware(driver: &'static str, share: u32, error: fn() -> Error) -> Hardware {
        Hardware::new(Box::new(Refusing(driver, error)), share, Log::silent()).expect("memory")
    }

    #[test]
    fn the_third_failure_disables_the_driver() {
        let hardware = hardware("failing", 64, broken);
        for left in [2, 1, 0] {
            assert!(hardware.is_up());
            assert!(hardware.open(&[0; 16], false).is_none());
            assert_eq!(hardware.is_up(), left > 0);
        }
    }

    #[test]
    fn the_first_timeout_of_the_driver_itself_disables_it() {
        let late = || Error::Request {
            call: "write",
            driver: "late".into(),
            source: io::Error::from_raw_os_error(libc::ETIMEDOUT),
        };
        let hardware = hardware("late", 64, late);
        assert!(hardware.is_up() && hardware.open(&[0; 16], false).is_none());
        assert!(!hardware.is_up());
    }

    #[test]
    fn requests_that_are_lost_disable_the_driver_unless_the_module_reports_that_its_engine_stopped() {
        let lost = || Error::Unanswered { driver: "losing".into() };
        let hardware = hardware("losing", 64, lost);
        for _ in 0..10 {
            (0..2).for_each(|_| hardware.failed(&lost(), None));
            assert!(hardware.is_up());
            hardware.failed(&Error::Stopped { driver: "losing".into() }, None);
            assert!(hardware.is_up());
        }
        (0..MAX_FAILURES).for_each(|_| hardware.failed(&lost(), None));
        assert!(!hardware.is_up());
        hardware.failed(&Error::Stopped { driver: "losing".into() }, None);
        assert!(!hardware.is_up(), "a disabled driver stays disabled");
    }

    #[test]
    fn a_driver_that_has_not_completed_key_stream_is_not_disabled_and_its_next_result_is_compared() {
        let hardware = hardware("silent", 0, full);
        hardware.end_of_start();
        (0..10).for_each(|_| hardware.has_not_answered(None));
        assert!(hardware.is_up() && hardware.compares_in_full(false));
    }

    #[test]
    fn a_full_key_memory_is_no_failure() {
        let hardware = hardware("full", 64, full);
        for _ in 0..100 {
            assert!(hardware.open(&[0; 16], false).is_none());
        }
        assert!(hardware.is_up());
    }

    #[test]
    fn a_repetition_that_differs_too_disables_the_driver_for_all_contexts_of_the_process() {
        let [one, other, third] = ["wrong", "wrong", "right"].map(|driver| hardware(driver, 64, full));
        assert_eq!(one.release(false, || Verdict::Wrong { offset: 7 }), Release::Differs(7));
        assert!(one.is_up(), "not judged yet");
        one.try_again("AES-128-CBC", None, 4096, 7, || {
            assert!(!one.is_up() && !other.is_up() && third.is_up(), "on trial");
            Verdict::Wrong { offset: 9 }
        });
        assert!(!one.is_up() && !other.is_up() && third.is_up());
    }

    #[test]
    fn the_third_difference_that_a_repetition_does_not_confirm_disables_the_driver() {
        let hardware = hardware("striking", 64, full);
        for verdict in [Verdict::Right, Verdict::Unknown, Verdict::Right] {
            assert!(hardware.is_up());
            hardware.try_again("AES-128-CTR", None, 64, 0, || verdict);
        }
        assert!(!hardware.is_up());
        hardware.try_again("AES-128-CTR", None, 64, 0, || panic!("a disabled driver gets no request"));
    }

    #[test]
    fn a_result_is_released_only_if_it_is_right_and_the_driver_still_trusted() {
        let hardware = hardware("released", 64, full);
        let accepted = |verify: &dyn Fn() -> Verdict| hardware.release(true, verify) == Release::Yes;
        assert!(accepted(&|| Verdict::Right) && !accepted(&|| Verdict::Unknown) && hardware.is_up());
        // While this result is compared, another thread finds a wrong one.
        let found = || {
            hardware.try_again("SHA2-256", None, 64, 0, || Verdict::Wrong { offset: 0 });
            Verdict::Right
        };
        assert!(!accepted(&found) && !accepted(&|| Verdict::Right));
    }

    #[test]
    fn the_first_result_of_a_key_and_those_after_a_failure_are_compared_in_full() {
        let hardware = hardware("sampled", 0, full);
        hardware.end_of_start();
        assert!(hardware.compares_in_full(true) && !hardware.compares_in_full(false));
        hardware.failed(&full(), None);
        assert!(!hardware.compares_in_full(false), "no room for a key is not suspicious");
        hardware.failed(&broken(), None);
        assert!(hardware.compares_in_full(false));
        hardware.end_of_start();
        hardware.failed(&Error::Stopped { driver: "sampled".into() }, None);
        assert!(hardware.compares_in_full(false), "what an engine returns that had stopped");
    }

    #[test]
    fn the_third_tag_that_is_rejected_wrongly_disables_the_driver() {
        let hardware = hardware("rejecting", 0, full);
        for _ in 0..3 {
            assert!(hardware.is_up());
            hardware.rejected_wrongly("AES-128-GCM", None, 64);
        }
        assert!(!hardware.is_up());
    }

    #[test]
    fn a_session_with_a_tag_length_fails_as_any_other() {
        let hardware = hardware("tags", 0, broken);
        (0..3).for_each(|_| assert!(hardware.open_with_tag(&[0; 16], 12, false).is_none()));
        assert!(!hardware.is_up());
    }

    #[test]
    fn reasons_follow_the_error() {
        let driver = || DriverName::from("some");
        for (error, reason) in [
            (Error::Unanswered { driver: driver() }, SoftwareReason::EngineStopped),
            (Error::Stopped { driver: driver() }, SoftwareReason::EngineStopped),
            (full(), SoftwareReason::DriverBusy),
            (broken(), SoftwareReason::DriverFailed),
        ] {
            assert_eq!(reason_of(&error), reason, "{error}");
        }
    }

    #[test]
    fn it_is_named_as_its_driver_and_remembers_whether_keys_are_long() {
        let [one, other] = ["ahead", "direct"].map(|driver| hardware(driver, 0, full));
        assert_eq!([one.driver(), other.driver()].map(|name| &**name), ["ahead", "direct"]);
        assert_eq!(one.interface(), "nothing");
        assert!(one.computes_key_stream() && !other.computes_key_stream());
        for is_so in [true, false] {
            one.expect_long_keys(is_so);
            assert_eq!(one.expects_long_keys(), is_so);
        }
    }
}
