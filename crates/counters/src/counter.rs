//! A 64-bit counter shared between processes. 32-bit MIPS and PowerPC, which many routers use, have
//! only 32-bit atomics. Both implementations have the same layout, so a 32-bit process can count
//! into the table of a 64-bit `prove`.

#[cfg(target_has_atomic = "64")]
pub(crate) use wide::Counter;

#[cfg(not(target_has_atomic = "64"))]
pub(crate) use narrow::Counter;

#[cfg(target_has_atomic = "64")]
#[allow(clippy::disallowed_types, reason = "only where the processor has them")]
mod wide {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[repr(transparent)]
    #[derive(Default)]
    pub(crate) struct Counter(AtomicU64);

    impl Counter {
        pub(crate) fn add(&self, n: u64) {
            self.0.fetch_add(n, Relaxed);
        }

        pub(crate) fn get(&self) -> u64 {
            self.0.load(Relaxed)
        }
    }
}

#[cfg(any(test, not(target_has_atomic = "64")))]
pub(crate) mod narrow {
    use crate::sync::{AtomicU32, Ordering::Relaxed};

    #[repr(C, align(8))]
    #[derive(Default)]
    pub(crate) struct Counter([AtomicU32; 2]);

    const LOW: usize = cfg!(target_endian = "big") as usize;
    const HIGH: usize = 1 - LOW;

    impl Counter {
        pub(crate) fn add(&self, n: u64) {
            let low = n as u32;
            let carry = self.0[LOW].fetch_add(low, Relaxed).checked_add(low).is_none();
            let high = ((n >> 32) as u32).wrapping_add(carry.into());
            if high != 0 {
                self.0[HIGH].fetch_add(high, Relaxed);
            }
        }

        /// Exact after all writers have finished; meanwhile it can be 2^32 too low.
        pub(crate) fn get(&self) -> u64 {
            u64::from(self.0[HIGH].load(Relaxed)) << 32 | u64::from(self.0[LOW].load(Relaxed))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{narrow, wide};
    use proptest::prelude::*;

    #[cfg(not(loom))]
    #[test]
    fn both_forms_have_one_layout() {
        assert_eq!(size_of::<narrow::Counter>(), size_of::<wide::Counter>());
        assert_eq!(align_of::<narrow::Counter>(), 8);
        let n = narrow::Counter::default();
        n.add(0x0123_4567_89ab_cdef);
        // SAFETY: both are eight bytes of atomics without padding.
        let seen = unsafe { std::mem::transmute::<narrow::Counter, wide::Counter>(n) }.get();
        assert_eq!(seen, 0x0123_4567_89ab_cdef);
    }

    proptest! {
        #[test]
        fn both_forms_count_alike(adds in proptest::collection::vec(any::<u64>(), 0..20)) {
            let (n, w) = (narrow::Counter::default(), wide::Counter::default());
            for a in adds {
                n.add(a);
                w.add(a);
            }
            prop_assert_eq!(n.get(), w.get());
        }
    }
}
