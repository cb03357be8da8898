//! Counts of requests in software and with look-ahead. Each context counts its own requests first,
//! because an update of the shared counters costs more than some requests.

use crate::entry::Provider;

/// Number of requests that are added to the shared counters together.
const TOGETHER: u64 = 4096;

/// Requests of one context that are not yet in the shared counters. They are added at the latest
/// when this is dropped.
pub(crate) struct ContextCounts {
    requests: u64,
    bytes: u64,
    ahead_requests: u64,
    ahead_bytes: u64,
    name: &'static str,
    provider: &'static Provider,
}

impl ContextCounts {
    /// Counts for a context of the algorithm with OpenSSL's name `name`.
    pub(crate) fn new(provider: &'static Provider, name: &'static str) -> ContextCounts {
        ContextCounts { requests: 0, bytes: 0, ahead_requests: 0, ahead_bytes: 0, name, provider }
    }

    /// Counts one request of `bytes` bytes in software.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes = self.bytes.wrapping_add(bytes);
        if self.requests >= TOGETHER {
            self.flush();
        }
    }

    /// As [`add`](Self::add), for a caller that must not call anything. False if the shared counters
    /// are due: nothing was counted.
    #[inline]
    pub(crate) fn add_here(&mut self, bytes: u64) -> bool {
        let is_due = self.requests + 1 >= TOGETHER;
        if !is_due {
            self.requests += 1;
            self.bytes = self.bytes.wrapping_add(bytes);
        }
        !is_due
    }

    /// Counts one request of which `bytes` bytes were processed with key stream from look-ahead.
    #[inline]
    pub(crate) fn add_ahead(&mut self, bytes: u64) {
        self.ahead_requests += 1;
        self.ahead_bytes = self.ahead_bytes.wrapping_add(bytes);
        if self.ahead_requests >= TOGETHER {
            self.flush();
        }
    }

    /// Adds all counts to the shared counters.
    #[cold]
    pub(crate) fn flush(&mut self) {
        if self.requests > 0 || self.ahead_requests > 0 {
            if let Some(row) = self.provider.counters.row(self.name) {
                row.add_sw(self.requests, self.bytes);
                row.add_ahead(self.ahead_requests, self.ahead_bytes);
            }
            (self.requests, self.bytes) = (0, 0);
            (self.ahead_requests, self.ahead_bytes) = (0, 0);
        }
    }
}

impl Drop for ContextCounts {
    fn drop(&mut self) {
        self.flush();
    }
}
