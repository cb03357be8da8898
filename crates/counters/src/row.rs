use crate::Counts;
use crate::claim::{Claim, State, holds, load_text, store_bytes};
use crate::counter::Counter;
use std::sync::atomic::AtomicU8;

pub const ROWS: usize = 64;

pub const NAME_BYTES: usize = 32;

/// The counters of one algorithm. Any thread may count: by relaxed atomic additions.
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
    pub fn add_hw(&self, requests: u64, bytes: u64) {
        self.hw_requests.add(requests);
        self.hw_bytes.add(bytes);
    }

    pub fn add_sw(&self, requests: u64, bytes: u64) {
        self.sw_requests.add(requests);
        self.sw_bytes.add(bytes);
    }

    /// [`Row::add_sw`] also counts its replay in software.
    pub fn add_failure(&self) {
        self.failures.add(1);
    }

    pub fn add_mismatch(&self) {
        self.mismatches.add(1);
    }

    /// They are requests completed by hardware too.
    pub fn add_ahead(&self, requests: u64, bytes: u64) {
        self.add_hw(requests, bytes);
        self.ahead_requests.add(requests);
        self.ahead_bytes.add(bytes);
    }

    pub fn add_ahead_miss(&self) {
        self.ahead_misses.add(1);
    }

    pub fn add_generated(&self, bytes: u64) {
        self.key_stream_generated.add(bytes);
    }

    pub fn add_discarded(&self, bytes: u64) {
        self.key_stream_discarded.add(bytes);
    }

    /// The fields may be inconsistent while another thread counts. The reasons are not in the row.
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

    pub(crate) fn name(&self) -> Option<String> {
        self.claim.is_ready().then(|| load_text(&self.name))
    }
}

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
