//! A keyed socket and the request channel in use.

use std::io;
use std::process;
use std::sync::Arc;

use super::socket::Socket;
use crate::buffer::Buffer;
use crate::{Algorithm, Direction, Error, Session};

/// The longest request in bytes. Longer ones gain little.
const LONGEST: usize = 64 * 1024;

/// Room that AF_ALG needs in its queue beside the data of a request, in bytes.
const QUEUE_MARGIN: usize = 4096;

/// A key in a driver, reached through one request channel.
pub(super) struct AfAlgSession {
    keyed: Arc<Socket>,
    /// None after a failure: the kernel may hold half a request there, so the next one begins afresh.
    channel: Option<Socket>,
    /// The process that the channel belongs to: after fork(2) both sides would mix their requests on it.
    process: u32,
    driver: String,
    algorithm: Algorithm,
    max_request: usize,
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
            process: process::id(),
            driver,
            algorithm,
            max_request,
            result: Buffer::new(),
        })
    }

    /// Takes this process's channel. Who takes it gives it back after a whole request, and only then.
    fn take_channel(&mut self) -> Result<Socket, Error> {
        if self.process != process::id() {
            self.channel = None;
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
    fn max_request(&self) -> usize {
        self.max_request
    }

    fn crypt(&mut self, direction: Direction, iv: &[u8], input: &[u8]) -> Result<&[u8], Error> {
        let len = input.len();
        if len > self.max_request
            || len % self.algorithm.block_len() != 0
            || iv.len() != self.algorithm.iv_len()
        {
            return Err(Error::Misfit {
                len,
                iv_len: iv.len(),
                algorithm: self.algorithm.kernel_name(),
                max: self.max_request,
            });
        }
        if len == 0 {
            return Ok(&[]);
        }
        let channel = self.take_channel()?;
        let queued =
            channel.send(direction, iv, input).map_err(|source| request("sendmsg", &self.driver, source))?;
        let got =
            channel.receive(self.result.room(len)).map_err(|source| request("read", &self.driver, source))?;
        if queued != len || got != len {
            return Err(Error::Short { driver: self.driver.clone(), got: got.min(queued), wanted: len });
        }
        self.channel = Some(channel);
        Ok(self.result.bytes(len))
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(Box::new(Self::channel_of(Arc::clone(&self.keyed), self.driver.clone(), self.algorithm)?))
    }
}

fn accept(keyed: &Socket, driver: &str) -> Result<Socket, Error> {
    if !keyed.is_ours() {
        return Err(Error::DescriptorLost { driver: driver.to_owned() });
    }
    keyed.accept().map_err(|source| request("accept", driver, source))
}

fn request(call: &'static str, driver: &str, source: io::Error) -> Error {
    Error::Request { call, driver: driver.to_owned(), source }
}
