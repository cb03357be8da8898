//! Counts of requests in software and with look-ahead. Each context counts its own requests first,
//! because an update of the shared counters costs more than some requests.

use outboard_counters::{Row, SoftwareReason};

use crate::provider::Provider;

/// Requests that are added to the table together, if no other process reads it.
const TOGETHER: u32 = 4096;

/// The same for a table in a file: what is observed during a long transfer lags by fewer.
const TOGETHER_IN_FILE: u32 = 64;

/// What is not yet in the shared counters. It is added at the latest on drop.
pub(crate) struct ContextCounts {
    requests: u32,
    ahead_requests: u32,
    together: u32,
    bytes: u64,
    ahead_bytes: u64,
    /// The row of the algorithm, from the first update of the shared counters on.
    row: Option<&'static Row>,
    name: &'static str,
    provider: &'static Provider,
}

impl ContextCounts {
    pub(crate) fn new(provider: &'static Provider, name: &'static str) -> ContextCounts {
        let together = if provider.counters.is_shared() { TOGETHER_IN_FILE } else { TOGETHER };
        let (requests, bytes, ahead_requests, ahead_bytes, row) = (0, 0, 0, 0, None);
        ContextCounts { requests, bytes, ahead_requests, ahead_bytes, together, row, name, provider }
    }

    #[inline]
    pub(crate) fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes = self.bytes.wrapping_add(bytes);
        if self.requests >= self.together {
            self.flush();
        }
    }

    /// For a caller that must not call anything. False if the shared counters are due: nothing was
    /// counted.
    #[inline]
    pub(crate) fn add_here(&mut self, bytes: u64) -> bool {
        let is_due = self.requests + 1 >= self.together;
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
        if self.ahead_requests >= self.together {
            self.flush();
        }
    }

    /// Whether reasons are counted: another process reads them.
    #[inline]
    pub(crate) fn has_reasons(&self) -> bool {
        self.together == TOGETHER_IN_FILE
    }

    /// Counts why software completes a request, which [`add`](Self::add) counts too.
    #[cold]
    pub(crate) fn because(&mut self, reason: SoftwareReason, bytes: u64) {
        if let (true, Some(row)) = (self.has_reasons(), self.row()) {
            self.provider.counters.add_reason(row, reason, bytes);
        }
    }

    fn row(&mut self) -> Option<&'static Row> {
        if self.row.is_none() {
            self.row = self.provider.counters.row(self.name);
        }
        self.row
    }

    #[cold]
    pub(crate) fn flush(&mut self) {
        if self.requests > 0 || self.ahead_requests > 0 {
            if let Some(row) = self.row() {
                row.add_sw(self.requests.into(), self.bytes);
                row.add_ahead(self.ahead_requests.into(), self.ahead_bytes);
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
