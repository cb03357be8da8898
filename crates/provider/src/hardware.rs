//! One driver, as long as it can be trusted.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use outboard_accel::{Accelerator, Error, Session, Share};
use outboard_policy::ShadowChecks;
use zeroize::Zeroizing;

use crate::log::{Level, Log};
use crate::sessions::{Hold, Sessions};

/// So many results of each key are compared with software's in any case.
const FIRST: u32 = 16;

/// So many failures, and the driver rests for the process.
const PATIENCE: u32 = 3;

/// A driver that some algorithm uses, shared by all contexts of the process.
pub(crate) struct Hardware<S: ?Sized = dyn Session> {
    accelerator: Box<dyn Accelerator<S>>,
    /// The keys in it.
    pub(crate) sessions: Sessions<S>,
    /// One request in so many is compared; 0: none.
    share: u32,
    requests: AtomicU32,
    failures: AtomicU32,
    resting: AtomicBool,
    log: Log,
}

impl<S: ?Sized + Share> Hardware<S> {
    pub(crate) fn new(
        accelerator: Box<dyn Accelerator<S>>,
        ShadowChecks(share): ShadowChecks,
        log: Log,
    ) -> Self {
        let (requests, failures, resting) = (AtomicU32::new(0), AtomicU32::new(0), AtomicBool::new(false));
        Hardware { accelerator, sessions: Sessions::new(), share, requests, failures, resting, log }
    }

    /// Its name in /proc/crypto.
    pub(crate) fn driver(&self) -> &str {
        self.accelerator.driver()
    }

    /// What leads there.
    pub(crate) fn interface(&self) -> &'static str {
        self.accelerator.interface()
    }

    /// Whether the next result, of a key of which so many were compared, is to be compared with software's.
    pub(crate) fn is_to_be_compared(&self, compared: u32) -> bool {
        compared < FIRST || self.share != 0 && self.requests.fetch_add(1, Ordering::Relaxed) % self.share == 0
    }

    /// Whether requests may still go there.
    pub(crate) fn is_up(&self) -> bool {
        !self.resting.load(Ordering::Relaxed)
    }

    /// A session for `key`, or `None`: then its requests are for software. Who is `urgent` may have the place of one that is
    /// idle.
    pub(crate) fn open(&self, key: &[u8], urgent: bool) -> Option<Hold> {
        self.opened(self.sessions.open(key, urgent, || self.accelerator.open(key)))
    }

    /// The same for an algorithm that has tags, of so many bytes.
    pub(crate) fn open_with_tag(&self, key: &[u8], tag_len: usize, urgent: bool) -> Option<Hold> {
        // With other tags it is another session, so the length is part of what is compared.
        let both = Zeroizing::new([key, &[tag_len as u8]].concat());
        self.opened(self.sessions.open(&both, urgent, || self.accelerator.open_with_tag(key, tag_len)))
    }

    fn opened(&self, opened: Result<Option<Hold>, Error>) -> Option<Hold> {
        match opened {
            Ok(hold) => hold,
            Err(error) => {
                self.failed(&error);
                None
            }
        }
    }

    /// A key or a request did not get through. The caller goes on in software. That the driver's key memory or
    /// the room for requests is full is ordinary life, not a failure.
    pub(crate) fn failed(&self, error: &Error) {
        if error.is_scarcity() {
            self.log.line(Level::Debug, format_args!("{error}; done in software"));
            return;
        }
        let count = self.failures.fetch_add(1, Ordering::Relaxed) + 1;
        if count > PATIENCE {
            return;
        }
        self.log.line(Level::Warn, format_args!("{error}; done in software"));
        if count == PATIENCE {
            self.rest(format_args!("failed {PATIENCE} times"));
        }
    }

    /// A result differed from software's.
    pub(crate) fn mismatched(&self, algorithm: &str, len: usize) {
        self.log.line(
            Level::Error,
            format_args!(
                "driver {} gave a wrong result for {algorithm}, {len} bytes; the right one was computed in \
                 software: please report it to the driver's maintainers",
                self.accelerator.driver()
            ),
        );
        self.rest(format_args!("gave a wrong result"));
    }

    fn rest(&self, why: std::fmt::Arguments<'_>) {
        if !self.resting.swap(true, Ordering::Relaxed) {
            let (driver, interface) = (self.accelerator.driver(), self.accelerator.interface());
            self.log.line(
                Level::Warn,
                format_args!("driver {driver} over {interface} {why}: it rests until this process ends"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Fails on demand: no driver can be told to.
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

    fn silent() -> Log {
        Log { level: Level::Off }
    }

    #[test]
    fn the_third_failure_puts_the_driver_to_rest() {
        let hardware = Hardware::new(Box::new(Refusing(broken)), ShadowChecks::default(), silent());
        for left in [2, 1, 0] {
            assert!(hardware.is_up());
            assert!(hardware.open(&[0; 16], false).is_none());
            assert_eq!(hardware.is_up(), left > 0);
        }
    }

    #[test]
    fn the_first_results_of_a_key_are_compared_and_then_one_in_so_many() {
        let compared = |share| {
            let hardware = Hardware::new(Box::new(Refusing(full)), ShadowChecks(share), silent());
            (0..116).filter(|&done| hardware.is_to_be_compared(done)).count()
        };
        assert_eq!([0, 1, 10, 100, 1000].map(compared), [16, 116, 26, 17, 17]);
    }

    #[test]
    fn a_full_key_memory_is_no_failure() {
        let hardware = Hardware::new(Box::new(Refusing(full)), ShadowChecks::default(), silent());
        for _ in 0..100 {
            assert!(hardware.open(&[0; 16], false).is_none());
        }
        assert!(hardware.is_up());
    }

    #[test]
    fn one_wrong_result_is_enough() {
        let hardware = Hardware::new(Box::new(Refusing(full)), ShadowChecks::default(), silent());
        hardware.mismatched("AES-128-CBC", 4096);
        assert!(!hardware.is_up());
    }
}
