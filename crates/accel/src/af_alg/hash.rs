//! Digests and HMAC over AF_ALG: each channel holds the state of one message.

use std::io;
use std::process;

use super::socket::Socket;
use super::{accept, request};
use crate::memory::{Shared, boxed};
use crate::{Digest, DriverName, Error, HashAlgorithm, HashSession, HashState};

/// The maximum chunk of a message in bytes: as many pages as the kernel passes to a driver at once.
const LONGEST: usize = 64 * 1024;

struct Bound {
    socket: Socket,
    driver: DriverName,
    algorithm: HashAlgorithm,
}

pub(super) struct AfAlgHash {
    bound: Shared<Bound>,
    /// None before the first message, and after a failure: the kernel may hold part of a message
    /// there.
    channel: Option<Channel>,
}

impl AfAlgHash {
    pub(super) fn new(socket: Socket, driver: DriverName, algorithm: HashAlgorithm) -> Result<Self, Error> {
        Ok(AfAlgHash { bound: Shared::new(Bound { socket, driver, algorithm })?, channel: None })
    }
}

impl HashSession for AfAlgHash {
    fn max_request(&self) -> usize {
        LONGEST
    }

    fn whole_message(&mut self, message: &[u8]) -> Result<Digest, Error> {
        let channel = match self.channel.take() {
            Some(channel) if channel.process == process::id() => channel,
            _ => Channel::new(&self.bound, &self.bound.socket)?,
        };
        let digest = channel.finish(message)?;
        self.channel = Some(channel);
        Ok(digest)
    }

    fn begin(&mut self) -> Result<Box<dyn HashState>, Error> {
        Ok(boxed(Channel::new(&self.bound, &self.bound.socket)?)?)
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(AfAlgHash { bound: Shared::clone(&self.bound), channel: None })?)
    }
}

struct Channel {
    bound: Shared<Bound>,
    socket: Socket,
    /// The process that owns the channel: after fork(2) parent and child would both hash into it.
    process: u32,
}

impl Channel {
    fn new(bound: &Shared<Bound>, from: &Socket) -> Result<Channel, Error> {
        let socket = accept(from, &bound.driver)?;
        Ok(Channel { bound: Shared::clone(bound), socket, process: process::id() })
    }

    fn check(&self) -> Result<(), Error> {
        let driver = || DriverName::clone(&self.bound.driver);
        if self.process != process::id() {
            return Err(Error::Forked { driver: driver() });
        }
        if self.socket.is_ours() { Ok(()) } else { Err(Error::DescriptorLost { driver: driver() }) }
    }

    fn hash(&self, piece: &[u8], more: bool) -> Result<(), Error> {
        let Bound { driver, algorithm, .. } = &*self.bound;
        self.check()?;
        if piece.len() > LONGEST {
            let (len, algorithm) = (piece.len(), algorithm.kernel_name());
            return Err(Error::Misfit { len, iv_len: 0, algorithm, max: LONGEST });
        }
        let taken = self.socket.hash(piece, more).map_err(|source| self.refused("send", source))?;
        if taken == piece.len() {
            return Ok(());
        }
        Err(Error::Short { driver: DriverName::clone(driver), got: taken, wanted: piece.len() })
    }

    /// Converts errno; a driver that cannot export a state is `NoState`: a message must fit one
    /// chunk.
    fn refused(&self, call: &'static str, source: io::Error) -> Error {
        match source.raw_os_error() {
            Some(libc::ENOSYS | libc::EOPNOTSUPP) => {
                Error::NoState { driver: DriverName::clone(&self.bound.driver), source }
            }
            _ => request(call, &self.bound.driver, source),
        }
    }

    fn finish(&self, last: &[u8]) -> Result<Digest, Error> {
        // An empty send would end the message too, and on some kernels begin another one.
        if last.is_empty() {
            self.check()?;
        } else {
            self.hash(last, false)?;
        }
        let (mut bytes, wanted) = ([0; 64], self.bound.algorithm.hash.digest_len());
        let got = self.socket.receive(&mut bytes[..wanted]).map_err(|source| self.refused("read", source))?;
        if got != wanted {
            return Err(Error::Short { driver: DriverName::clone(&self.bound.driver), got, wanted });
        }
        Ok(Digest::new(bytes, wanted))
    }
}

impl HashState for Channel {
    fn update(&mut self, piece: &[u8]) -> Result<(), Error> {
        // An empty chunk does not change the digest, so it is not sent.
        if piece.is_empty() { self.check() } else { self.hash(piece, true) }
    }

    fn try_clone(&self) -> Result<Box<dyn HashState>, Error> {
        self.check()?;
        Ok(boxed(Channel::new(&self.bound, &self.socket)?)?)
    }

    fn finish(&mut self, last: &[u8]) -> Result<Digest, Error> {
        Channel::finish(self, last)
    }
}
