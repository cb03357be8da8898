//! A keyed socket and the request channel in use.

use std::process;
use std::sync::Arc;

use super::socket::Socket;
use super::{accept, request};
use crate::buffer::Buffer;
use crate::{Algorithm, Direction, Error, Request, Session};

/// The longest request in bytes. Longer ones gain little.
const LONGEST: usize = 64 * 1024;

/// Room that AF_ALG needs in its queue beside the data of a request, in bytes.
const QUEUE_MARGIN: usize = 4096;

/// A key in a driver, reached through one request channel.
pub(super) struct AfAlgSession {
    keyed: Arc<Socket>,
    /// None after a failure: the kernel may hold half a request there, so the next one begins afresh.
    channel: Option<Socket>,
    /// The channel that holds a request whose result was not fetched.
    pending: Option<Socket>,
    /// The process that the channels belong to: after fork(2) both sides would mix their requests on them.
    process: u32,
    driver: String,
    algorithm: Algorithm,
    max_request: usize,
    /// Bytes of the last request.
    len: usize,
    result: Buffer,
}

impl AfAlgSession {
    pub(super) fn new(keyed: Socket, driver: String, algorithm: Algorithm) -> Result<Self, Error> {
        Self::channel_of(Arc::new(keyed), driver, algorithm)
    }

    fn channel_of(keyed: Arc<Socket>, driver: String, algorithm: Algorithm) -> Result<Self, Error> {
        let channel = accept(&keyed, &driver)?;
        let room = channel.send_room().map_err(|source| request("getsockopt", &driver, source))?;
        // A request that the queue cannot hold would wait for itself for ever.
        let max_request =
            LONGEST.min(room.saturating_sub(QUEUE_MARGIN) / 4096 * 4096).max(algorithm.block_len());
        Ok(AfAlgSession {
            keyed,
            channel: Some(channel),
            pending: None,
            process: process::id(),
            driver,
            algorithm,
            max_request,
            len: 0,
            result: Buffer::new(),
        })
    }

    /// Takes this process's channel. Who takes it gives it back after a whole request, and only then.
    fn take_channel(&mut self) -> Result<Socket, Error> {
        if self.process != process::id() {
            self.channel = None;
            self.pending = None;
            self.process = process::id();
        }
        match self.channel.take() {
            Some(channel) if channel.is_ours() => Ok(channel),
            Some(_) => Err(Error::DescriptorLost { driver: self.driver.clone() }),
            None => accept(&self.keyed, &self.driver),
        }
    }
}

impl Session for AfAlgSession {
    fn max_request(&self, _direction: Direction) -> usize {
        self.max_request
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        let [asked] = requests else {
            return Err(Error::Batch { count: requests.len(), max: self.max_batch() });
        };
        asked.check(self.algorithm, 0, self.max_request)?;
        self.pending = None;
        self.len = asked.len();
        if self.len == 0 {
            return Ok(());
        }
        let channel = self.take_channel()?;
        let queued = channel.send(asked).map_err(|source| request("sendmsg", &self.driver, source))?;
        if queued != self.len {
            return Err(Error::Short { driver: self.driver.clone(), got: queued, wanted: self.len });
        }
        self.pending = Some(channel);
        Ok(())
    }

    /// The kernel works on a request while its result is fetched.
    fn is_done(&mut self) -> bool {
        true
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        if index > 0 {
            return Err(Error::Batch { count: index + 1, max: self.max_batch() });
        }
        if let Some(channel) = self.pending.take() {
            if !channel.is_ours() || self.process != process::id() {
                return Err(Error::DescriptorLost { driver: self.driver.clone() });
            }
            let got = channel
                .receive(self.result.room(self.len))
                .map_err(|source| request("read", &self.driver, source))?;
            if got != self.len {
                return Err(Error::Short { driver: self.driver.clone(), got, wanted: self.len });
            }
            self.channel = Some(channel);
        }
        Ok(self.result.bytes(self.len))
    }

    /// The buffer is kept for the next request, and wiped with the session.
    fn release(&mut self) {}

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(Self::channel_of(Arc::clone(&self.keyed), self.driver.clone(), self.algorithm)?))
    }
}
