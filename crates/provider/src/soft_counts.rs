//! Requests that software did. A context counts them for itself: the shared counters cost more than some of the requests.

use crate::entry::Provider;

/// So many are counted together before they go to the shared counters.
const TOGETHER: u64 = 4096;

/// What one context did in software and is not in the shared counters yet; it gets there when this is dropped, at the latest.
pub(crate) struct SoftCounts {
    requests: u64,
    bytes: u64,
    name: &'static str,
    provider: &'static Provider,
}

impl SoftCounts {
    /// For a context of the algorithm of this name of OpenSSL's.
    pub(crate) fn new(provider: &'static Provider, name: &'static str) -> SoftCounts {
        SoftCounts { requests: 0, bytes: 0, name, provider }
    }

    /// One request of so many bytes.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes = self.bytes.wrapping_add(bytes);
        if self.requests >= TOGETHER {
            self.flush();
        }
    }

    /// Hands all of it over.
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
