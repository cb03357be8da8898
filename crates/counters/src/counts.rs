use crate::ReasonCounts;
use crate::counter::Counter;
use std::ops::{Add, AddAssign, Sub};

/// Defines the counters of an algorithm: in the table, and as they were read.
macro_rules! counts {
    ($($(#[$documentation:meta])* $name:ident,)*) => {
        #[repr(C)]
        #[derive(Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: Counter,)*
        }

        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counts {
            $($(#[$documentation])* pub $name: u64,)*
            /// Why requests were completed in software, as far as it is not their length. Only for a
            /// table in a file.
            pub reasons: ReasonCounts,
        }

        impl Counters {
            /// Without the reasons.
            pub(crate) fn get(&self) -> Counts {
                Counts { $($name: self.$name.get(),)* reasons: ReasonCounts::default() }
            }
        }

        impl Counts {
            fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
                let reasons = self.reasons.zip(other.reasons, &f);
                Self { $($name: f(self.$name, other.$name),)* reasons }
            }
        }
    };
}

counts! {
    hw_requests,
    hw_bytes,
    sw_requests,
    sw_bytes,
    /// Requests that a driver rejected or failed and that were then completed in software.
    failures,
    mismatches,
    /// Requests completed with key stream from look-ahead, also counted in `hw_requests`.
    ahead_requests,
    /// Bytes of those requests, also counted in `hw_bytes`.
    ahead_bytes,
    /// Requests for which look-ahead was on and had no key stream.
    ahead_misses,
    key_stream_generated,
    key_stream_discarded,
}

impl Counts {
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.hw_bytes.saturating_add(self.sw_bytes)
    }

    #[must_use]
    pub fn requests(&self) -> u64 {
        self.hw_requests.saturating_add(self.sw_requests)
    }

    /// Percentage of the bytes that hardware processed, 0 to 100; `None` if no byte was processed.
    #[must_use]
    pub fn percent_hw(&self) -> Option<f64> {
        let all = self.bytes();
        // Precision: the 53-bit mantissa is far more precise than the displayed tenth of a percent.
        (all > 0).then(|| self.hw_bytes as f64 / all as f64 * 100.0)
    }
}

/// Saturating, field by field: a malicious file must not make a sum panic.
impl Add for Counts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Saturating at zero, field by field: the difference between two snapshots.
impl Sub for Counts {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, u64::saturating_sub)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_of_bytes_and_none_without_any() {
        assert_eq!(Counts::default().percent_hw(), None);
        let c = Counts { hw_bytes: 3, sw_bytes: 1, ..Counts::default() };
        assert_eq!(c.percent_hw(), Some(75.0));
        let most = Counts { hw_bytes: u64::MAX, sw_bytes: u64::MAX, ..Counts::default() };
        assert!(most.percent_hw().is_some_and(|p| (99.0..=100.0).contains(&p)));
    }

    #[test]
    fn sums_and_differences_saturate() {
        let one = Counts { hw_requests: 1, failures: 2, ..Counts::default() };
        let most = Counts { hw_requests: u64::MAX, ..Counts::default() };
        assert_eq!((one + most).hw_requests, u64::MAX);
        assert_eq!((one - most).hw_requests, 0);
        assert_eq!((one - most).failures, 2);
    }
}
