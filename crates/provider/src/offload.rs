//! The sequence of each request to a driver: it is processed, the result verified before it is
//! released, and repeated if it differs.

use std::sync::atomic::{AtomicBool, Ordering};

use outboard_accel::{Error, Share};
use outboard_counters::{Row, SoftwareReason};

use crate::hardware::{Hardware, Release, reason_of};
use crate::spot_check::Verdict;

pub(crate) trait Offload {
    fn process(&mut self) -> Result<(), Error>;

    fn was_compared(&self) -> &AtomicBool;

    /// Compares the result with software, as far as each result requires it or in full.
    fn verify(&mut self, is_full: bool) -> Verdict;

    /// Has the driver process a copy of the input that the application cannot change, and compares
    /// all.
    fn repeat(&mut self) -> Result<Verdict, Error>;
}

/// The driver's error. Without one the result must not be used, and that of a repetition may have
/// replaced it.
pub(crate) struct Refusal(pub(crate) Option<Error>);

impl Refusal {
    pub(crate) fn why(&self) -> SoftwareReason {
        self.0.as_ref().map_or(SoftwareReason::DriverFailed, reason_of)
    }

    pub(crate) fn is_away(&self) -> bool {
        self.0.as_ref().is_some_and(Error::is_away)
    }
}

impl<S: ?Sized + Share> Hardware<S> {
    /// `Ok`: the result may be released to the application.
    pub(crate) fn offload(
        &self,
        algorithm: &str,
        row: Option<&Row>,
        len: usize,
        request: &mut dyn Offload,
    ) -> Result<(), Refusal> {
        if let Err(error) = request.process() {
            self.note(&error, row);
            return Err(Refusal(Some(error)));
        }
        let is_full = self.compares_in_full(!request.was_compared().load(Ordering::Relaxed));
        match self.release(is_full, || request.verify(is_full)) {
            Release::Yes => {
                request.was_compared().fetch_or(is_full, Ordering::Relaxed);
                row.inspect(|row| row.add_hw(1, len as u64));
                return Ok(());
            }
            Release::No => {}
            Release::Differs(offset) => self.try_again(algorithm, row, len, offset, || {
                let repeated = request.repeat().inspect_err(|error| self.note(error, None));
                repeated.unwrap_or(Verdict::Unknown)
            }),
        }
        Err(Refusal(None))
    }

    /// Counts an error, unless the tag of the request is wrong.
    fn note(&self, error: &Error, row: Option<&Row>) {
        if !matches!(error, Error::Forged { .. }) {
            self.failed(error, row);
        }
    }
}

#[cfg(test)]
mod tests;
