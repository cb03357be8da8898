//! The memory of a process for key stream.

use crate::sync::{AtomicUsize, Ordering};

/// A limited number of bytes. Lock-free, so that a fork leaves no lock held.
pub(crate) struct Budget {
    limit: usize,
    used: AtomicUsize,
}

pub(super) struct Lease {
    budget: &'static Budget,
    bytes: usize,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Budget {
        Budget { limit, used: AtomicUsize::new(0) }
    }

    /// Reserves memory. `None` if less is left.
    pub(super) fn lease(&'static self, bytes: usize) -> Option<Lease> {
        let fits = |used: usize| used.checked_add(bytes).filter(|&used| used <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()?;
        Some(Lease { budget: self, bytes })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_never_exceed_the_limit_and_are_returned() {
        let budget: &'static Budget = Box::leak(Box::new(Budget::new(100)));
        let first = budget.lease(60).expect("room");
        assert!(budget.lease(41).is_none() && budget.lease(usize::MAX).is_none());
        let second = budget.lease(40).expect("room");
        drop(first);
        assert!(budget.lease(61).is_none() && budget.lease(60).is_some());
        drop(second);
        assert_eq!(budget.used.load(Ordering::Relaxed), 0);
    }
}
