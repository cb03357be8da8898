use crate::Counts;
use crate::claim::{Claim, State, holds, load_text, store_bytes};
use crate::counter::Counter;
use std::sync::atomic::AtomicU8;

/// Maximum number of algorithms in a table.
pub const ROWS: usize = 64;

/// Maximum length of an algorithm name, in bytes.
pub const NAME_BYTES: usize = 32;

/// The counters of one algorithm. Every counting method makes one or two relaxed atomic additions
/// and may be called from any thread.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Row {
    claim: Claim,
    reserved: u32,
    name: [AtomicU8; NAME_BYTES],
    hw_requests: Counter,
    hw_bytes: Counter,
    sw_requests: Counter,
    sw_bytes: Counter,
    failures: Counter,
    mismatches: Counter,
    ahead_requests: Counter,
    ahead_bytes: Counter,
    ahead_misses: Counter,
    key_stream_generated: Counter,
    key_stream_discarded: Counter,
}

const _: () = assert!(size_of::<Row>() == 128);

impl Row {
    /// Counts requests that a driver completed, and their input bytes.
    pub fn add_hw(&self, requests: u64, bytes: u64) {
        self.hw_requests.add(requests);
        self.hw_bytes.add(bytes);
    }

    /// Counts requests that OpenSSL's own implementation completed, and their input bytes.
    pub fn add_sw(&self, requests: u64, bytes: u64) {
        self.sw_requests.add(requests);
        self.sw_bytes.add(bytes);
    }

    /// Counts a request that a driver failed. [`Row::add_sw`] also counts its replay in software.
    pub fn add_failure(&self) {
        self.failures.add(1);
    }

    /// Counts a driver's result that differed from the result of software.
    pub fn add_mismatch(&self) {
        self.mismatches.add(1);
    }

    /// Counts requests that were completed with key stream from look-ahead, and their bytes. They
    /// are requests completed by hardware too.
    pub fn add_ahead(&self, requests: u64, bytes: u64) {
        self.add_hw(requests, bytes);
        self.ahead_requests.add(requests);
        self.ahead_bytes.add(bytes);
    }

    pub fn add_ahead_miss(&self) {
        self.ahead_misses.add(1);
    }

    /// Counts bytes of key stream that were submitted to the driver.
    pub fn add_generated(&self, bytes: u64) {
        self.key_stream_generated.add(bytes);
    }

    /// Counts bytes of key stream that were dropped without use.
    pub fn add_discarded(&self, bytes: u64) {
        self.key_stream_discarded.add(bytes);
    }

    /// The current counts. The fields are read one after the other, so they may be inconsistent
    /// while another thread counts. The reasons are not in the row.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            hw_requests: self.hw_requests.get(),
            hw_bytes: self.hw_bytes.get(),
            sw_requests: self.sw_requests.get(),
            sw_bytes: self.sw_bytes.get(),
            failures: self.failures.get(),
            mismatches: self.mismatches.get(),
            ahead_requests: self.ahead_requests.get(),
            ahead_bytes: self.ahead_bytes.get(),
            ahead_misses: self.ahead_misses.get(),
            key_stream_generated: self.key_stream_generated.get(),
            key_stream_discarded: self.key_stream_discarded.get(),
            ..Counts::default()
        }
    }

    /// The algorithm's name, if the row is in use.
    pub(crate) fn name(&self) -> Option<String> {
        self.claim.is_ready().then(|| load_text(&self.name))
    }
}

/// Finds the row of `algorithm` or claims one for it.
///
/// Two processes that start at the same time may get two rows with the same name; the snapshot adds
/// them up.
pub(crate) fn find_or_claim<'a>(rows: &'a [Row], algorithm: &str) -> Option<&'a Row> {
    let name = algorithm.as_bytes();
    if name.is_empty() || name.len() > NAME_BYTES || name.contains(&0) {
        return None;
    }
    rows.iter().find(|row| {
        let state = match row.claim.settled() {
            State::Free if row.claim.fill(|| store_bytes(&row.name, name)) => State::Ready,
            State::Free => row.claim.settled(),
            other => other,
        };
        matches!(state, State::Ready) && holds(&row.name, name)
    })
}
