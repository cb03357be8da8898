//! Digests and HMAC over AF_ALG.

use std::process;

use super::socket::Socket;
use super::{accept, exactly};
use crate::hash::fits;
use crate::memory::{Shared, boxed};
use crate::{Digest, DriverName, Error, HashAlgorithm, HashSession};

/// The maximum message in bytes: as many pages as the kernel passes to a driver at once.
const LONGEST: usize = 64 * 1024;

struct Bound {
    socket: Socket,
    driver: DriverName,
    algorithm: HashAlgorithm,
}

pub(super) struct AfAlgHash {
    bound: Shared<Bound>,
    /// With the process that owns it: after fork(2) parent and child would both hash into it. None
    /// after a failure: the kernel may hold part of a message there.
    channel: Option<(Socket, u32)>,
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

    fn digest(&mut self, message: &[u8]) -> Result<Digest, Error> {
        let Bound { socket, driver, algorithm } = &*self.bound;
        fits(message, algorithm.kernel_name(), LONGEST)?;
        let channel = match self.channel.take() {
            Some((channel, process)) if process == process::id() => channel,
            _ => accept(socket, driver)?,
        };
        if !channel.is_ours() {
            return Err(Error::DescriptorLost { driver: DriverName::clone(driver) });
        }
        // An empty send would end the message too, and on some kernels begin another one.
        if !message.is_empty() {
            exactly("send", driver, channel.hash(message), message.len())?;
        }
        let (mut bytes, wanted) = ([0; 64], algorithm.hash.digest_len());
        exactly("read", driver, channel.receive(&mut bytes[..wanted]), wanted)?;
        self.channel = Some((channel, process::id()));
        Ok(Digest::new(bytes, wanted))
    }

    fn share(&self) -> Result<Box<dyn HashSession>, Error> {
        Ok(boxed(AfAlgHash { bound: Shared::clone(&self.bound), channel: None })?)
    }
}
