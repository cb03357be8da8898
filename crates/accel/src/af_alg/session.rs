use std::io;
use std::process;

use super::socket::Socket;
use super::{accept, request};
use crate::buffer::Buffer;
use crate::memory::{Shared, boxed};
use crate::{Algorithm, Direction, DriverName, Error, InFlight, MAX_AAD, Request, Session};

/// The maximum request in bytes. Longer requests gain little.
const LONGEST: usize = 64 * 1024;

/// Bytes that AF_ALG needs in its queue in addition to the data of a request.
const QUEUE_MARGIN: usize = 4096;

#[derive(Clone, Copy, Default)]
struct ResultLayout {
    /// Bytes before the result: AF_ALG returns the additional data too.
    aad: usize,
    len: usize,
}

pub(super) struct AfAlgSession {
    keyed: Shared<Socket>,
    /// None after a failure: the kernel may hold part of a request there.
    channel: Option<Socket>,
    pending: Option<Socket>,
    /// The process that owns the channels: after fork(2) parent and child would mix their requests.
    process: u32,
    driver: DriverName,
    algorithm: Algorithm,
    tag_len: usize,
    max_request: usize,
    answer: ResultLayout,
    result: Buffer,
}

impl AfAlgSession {
    pub(super) fn new(
        keyed: Socket,
        driver: DriverName,
        algorithm: Algorithm,
        tag_len: usize,
    ) -> Result<Self, Error> {
        Self::channel_of(Shared::new(keyed)?, driver, algorithm, tag_len)
    }

    fn channel_of(
        keyed: Shared<Socket>,
        driver: DriverName,
        algorithm: Algorithm,
        tag_len: usize,
    ) -> Result<Self, Error> {
        let channel = accept(&keyed, &driver)?;
        let room = channel.send_room().map_err(|source| request("getsockopt", &driver, source))?;
        // A request that the queue cannot hold would block for ever.
        let overhead = if algorithm.has_tags() { 2 * QUEUE_MARGIN + MAX_AAD } else { QUEUE_MARGIN };
        let max_request = LONGEST.min(room.saturating_sub(overhead) / 4096 * 4096).max(algorithm.block_len());
        Ok(AfAlgSession {
            keyed,
            channel: Some(channel),
            pending: None,
            process: process::id(),
            driver,
            algorithm,
            tag_len,
            max_request,
            answer: ResultLayout::default(),
            result: Buffer::new(),
        })
    }

    /// The caller stores it again after a complete request, and only then.
    fn take_channel(&mut self) -> Result<Socket, Error> {
        if self.process != process::id() {
            self.channel = None;
            self.pending = None;
            self.process = process::id();
        }
        match self.channel.take() {
            Some(channel) if channel.is_ours() => Ok(channel),
            Some(_) => Err(Error::DescriptorLost { driver: DriverName::clone(&self.driver) }),
            None => accept(&self.keyed, &self.driver),
        }
    }
}

impl AfAlgSession {
    fn failed(&self, source: io::Error) -> Error {
        match source.raw_os_error() {
            Some(libc::EBADMSG) if self.algorithm.has_tags() => {
                Error::Forged { driver: DriverName::clone(&self.driver) }
            }
            _ => request("read", &self.driver, source),
        }
    }
}

/// The kernel processes a request while its result is read.
impl InFlight for AfAlgSession {}

impl Session for AfAlgSession {
    fn max_request(&self, _direction: Direction) -> usize {
        self.max_request
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        let [asked] = requests else {
            return Err(Error::Batch { count: requests.len(), max: self.max_batch() });
        };
        asked.check(self.algorithm, self.tag_len, self.max_request)?;
        self.pending = None;
        let tag = if asked.direction == Direction::Encrypt { self.tag_len } else { 0 };
        self.answer = ResultLayout { aad: asked.aad.len(), len: asked.len() + tag };
        // Empty data has a tag too.
        if asked.len() == 0 && !self.algorithm.has_tags() {
            return Ok(());
        }
        // What the driver does not write is then the input, which the caller can recognise, and not
        // the text of an earlier request.
        let aad = asked.aad.len();
        let wanted = aad + asked.len() + asked.tag.len();
        let room = self.result.room(wanted + tag)?;
        room[..aad].copy_from_slice(asked.aad);
        asked.copy_to(&mut room[aad..wanted]);
        room[wanted..].fill(0);
        let channel = self.take_channel()?;
        let sent = channel.send(self.algorithm, asked);
        let got = sent.map_err(|source| request("sendmsg", &self.driver, source))?;
        if got != wanted {
            return Err(Error::Short { driver: DriverName::clone(&self.driver), got, wanted });
        }
        self.pending = Some(channel);
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        if index > 0 {
            return Err(Error::Batch { count: index + 1, max: self.max_batch() });
        }
        let ResultLayout { aad, len } = self.answer;
        if let Some(channel) = self.pending.take() {
            if !channel.is_ours() || self.process != process::id() {
                return Err(Error::DescriptorLost { driver: DriverName::clone(&self.driver) });
            }
            let wanted = aad + len;
            // A read of zero bytes reports nothing, not even a wrong tag.
            let got =
                channel.receive(self.result.room(wanted.max(1))?).map_err(|source| self.failed(source))?;
            if got != wanted {
                return Err(Error::Short { driver: DriverName::clone(&self.driver), got, wanted });
            }
            self.channel = Some(channel);
        }
        Ok(&self.result.bytes(aad + len)[aad..])
    }

    fn release(&mut self) {}

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        let (keyed, driver) = (Shared::clone(&self.keyed), DriverName::clone(&self.driver));
        Ok(boxed(Self::channel_of(keyed, driver, self.algorithm, self.tag_len)?)?)
    }
}
