use crate::Counts;
use crate::claim::{Claim, State, holds, load_text, store_bytes};
use crate::counts::Counters;
use crate::sync::AtomicU8;

pub const ROWS: usize = 64;

pub const NAME_BYTES: usize = 32;

/// The counters of one algorithm. Any thread may count: by relaxed atomic additions.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Row {
    claim: Claim,
    reserved: u32,
    name: [AtomicU8; NAME_BYTES],
    counters: Counters,
}

const _: () = assert!(cfg!(all(test, loom)) || size_of::<Row>() == 128);

impl Row {
    pub fn add_hw(&self, requests: u64, bytes: u64) {
        self.counters.hw_requests.add(requests);
        self.counters.hw_bytes.add(bytes);
    }

    pub fn add_sw(&self, requests: u64, bytes: u64) {
        self.counters.sw_requests.add(requests);
        self.counters.sw_bytes.add(bytes);
    }

    /// [`Row::add_sw`] also counts its replay in software.
    pub fn add_failure(&self) {
        self.counters.failures.add(1);
    }

    pub fn add_mismatch(&self) {
        self.counters.mismatches.add(1);
    }

    /// They are requests completed by hardware too.
    pub fn add_ahead(&self, requests: u64, bytes: u64) {
        self.add_hw(requests, bytes);
        self.counters.ahead_requests.add(requests);
        self.counters.ahead_bytes.add(bytes);
    }

    pub fn add_ahead_miss(&self) {
        self.counters.ahead_misses.add(1);
    }

    pub fn add_generated(&self, bytes: u64) {
        self.counters.key_stream_generated.add(bytes);
    }

    pub fn add_discarded(&self, bytes: u64) {
        self.counters.key_stream_discarded.add(bytes);
    }

    /// The fields may be inconsistent while another thread counts. The reasons are not in the row.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counters.get()
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
