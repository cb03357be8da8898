//! Counts of requests in software. Each context counts its own requests first, because an update of
//! the shared counters costs more than some requests.

use crate::entry::Provider;

/// Number of requests that are added to the shared counters together.
const TOGETHER: u64 = 4096;

/// Requests of one context in software that are not yet in the shared counters. They are added at
/// the latest when this is dropped.
pub(crate) struct SoftCounts {
    requests: u64,
    bytes: u64,
    name: &'static str,
    provider: &'static Provider,
}

impl SoftCounts {
    /// Counts for a context of the algorithm with OpenSSL's name `name`.
    pub(crate) fn new(provider: &'static Provider, name: &'static str) -> SoftCounts {
        SoftCounts { requests: 0, bytes: 0, name, provider }
    }

    /// Counts one request of `bytes` bytes.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes = self.bytes.wrapping_add(bytes);
        if self.requests >= TOGETHER {
            self.flush();
        }
    }

    /// Adds all counts to the shared counters.
    #[cold]
    pub(crate) fn flush(&mut self) {
        if self.requests > 0 {
            if let Some(row) = self.provider.counters.row(self.name) {
                row.add_sw(self.requests, self.bytes);
            }
            (self.requests, self.bytes) = (0, 0);
        }
    }
}

impl Drop for SoftCounts {
    fn drop(&mut self) {
        self.flush();
    }
}
