//! Template instances that are created only to learn which driver the kernel selects.

use std::collections::HashSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Error, Record, change, dump};
use crate::flags::Flags;

/// Time of the removal when this is dropped: an instance is in use while another one contains it, or
/// while it is tested.
const LONGEST_TEST: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(25);

/// Removes the instances that were created since [`start`](Self::start) when it is dropped, except
/// those that another user has begun to use.
#[derive(Debug)]
pub struct TrialInstances {
    before: HashSet<String>,
}

impl TrialInstances {
    /// Records the present instances. Changes of instances require root.
    /// Errors: those of [`dump`].
    pub fn start() -> Result<Self, Error> {
        Ok(Self { before: dump()?.into_iter().map(|record| record.name).collect() })
    }

    /// Has the kernel create the instance that it selects for an algorithm without drivers that
    /// have one of the flags in `without`. Nothing happens if a driver for it is registered.
    /// Errors: [`Error::System`] with `ENOENT` if the kernel has nothing for the algorithm, with
    /// `EPERM` for callers other than root.
    pub fn request(&self, algorithm: &str, is_aead: bool, without: u32) -> Result<(), Error> {
        match is_aead {
            true => change::make_any(algorithm, without),
            false => change::make_any_skcipher(algorithm, without),
        }
    }

    fn is_new(&self, record: &Record) -> bool {
        // A name of full length may have been truncated, and would not be found.
        record.flags.any(Flags::INSTANCE)
            && !self.before.contains(&record.name)
            && record.name.len() < change::LONGEST_NAME
    }

    /// Removes the instances now, for as long as this takes at most.
    pub fn remove(&self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            let new: Vec<Record> =
                dump().unwrap_or_default().into_iter().filter(|record| self.is_new(record)).collect();
            if new.is_empty() {
                return;
            }
            // An instance that remains is in use, or is replaced when a driver with a higher
            // priority is registered.
            let removed = new.iter().filter(|record| change::remove(&record.name).is_ok()).count();
            if removed == 0 {
                sleep(PAUSE);
            }
        }
    }
}

impl Drop for TrialInstances {
    fn drop(&mut self) {
        self.remove(LONGEST_TEST);
    }
}
