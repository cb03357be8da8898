//! Equal messages to the driver of a digest or an HMAC, with a number of them in flight.

use outboard_accel::{Digest, Error, HashSession};
use outboard_measure::clock::Clock;

use super::worker::Worker;

pub struct Messages {
    session: Box<dyn HashSession>,
    message: Vec<u8>,
    depth: usize,
    digests: Vec<Digest>,
}

impl Messages {
    pub fn new(session: Box<dyn HashSession>, message: Vec<u8>, depth: usize) -> Messages {
        Messages { session, message, depth, digests: Vec::new() }
    }

    pub fn run(&mut self) -> Result<(), Error> {
        self.digests = match self.depth {
            1 => vec![self.session.digest(&self.message)?],
            depth => self.session.digests(&vec![&self.message[..]; depth])?,
        };
        Ok(())
    }

    pub fn are(&self, expected: &[u8]) -> bool {
        self.digests.len() == self.depth && self.digests.iter().all(|digest| digest.as_slice() == expected)
    }
}

impl Worker for Messages {
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
        let done = (0..batches).try_for_each(|_| Messages::run(self));
        done.map(|()| None).map_err(|error| error.to_string())
    }

    /// All digests of a batch are returned together, so their latency is that of the batch.
    fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
        let mut latencies = Vec::new();
        for _ in 0..batches {
            let start = clock.now();
            Messages::run(self).map_err(|error| error.to_string())?;
            latencies.extend(vec![clock.since(start); self.depth]);
        }
        Ok(latencies)
    }
}
