use std::process;

use super::socket::Socket;
use super::{accept, exactly, request};
use crate::immediate::Backend;
use crate::memory::Shared;
use crate::{Algorithm, Direction, DriverName, Error, MAX_AAD, Request};

/// The maximum request in bytes. Longer requests gain little.
const LONGEST: usize = 64 * 1024;

/// Bytes that AF_ALG needs in its queue in addition to the data of a request.
const QUEUE_MARGIN: usize = 4096;

/// A keyed socket, and its channel for requests.
pub(super) struct AfAlgKey {
    keyed: Shared<Socket>,
    /// None after a failure: the kernel may hold part of a request there.
    channel: Option<Socket>,
    /// The process that owns the channel: after fork(2) parent and child would mix their requests.
    process: u32,
    driver: DriverName,
    algorithm: Algorithm,
    tag_len: usize,
    max_request: usize,
}

impl AfAlgKey {
    pub(super) fn new(
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
        let (channel, process) = (Some(channel), process::id());
        Ok(AfAlgKey { keyed, channel, process, driver, algorithm, tag_len, max_request })
    }

    /// The caller stores it again after a complete request, and only then.
    fn take_channel(&mut self) -> Result<Socket, Error> {
        if self.process != process::id() {
            self.channel = None;
            self.process = process::id();
        }
        match self.channel.take() {
            Some(channel) if channel.is_ours() => Ok(channel),
            Some(_) => Err(Error::DescriptorLost { driver: DriverName::clone(&self.driver) }),
            None => accept(&self.keyed, &self.driver),
        }
    }
}

impl Backend for AfAlgKey {
    fn driver(&self) -> &DriverName {
        &self.driver
    }

    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    fn tag_len(&self) -> usize {
        self.tag_len
    }

    fn max_request(&self) -> usize {
        self.max_request
    }

    fn returned_aad<'a>(&self, request: &Request<'a>) -> &'a [u8] {
        request.aad
    }

    fn process(&mut self, asked: &Request<'_>, room: &mut [u8]) -> Result<bool, Error> {
        let channel = self.take_channel()?;
        let text_end = asked.aad.len() + asked.len();
        let sent = channel.send(self.algorithm, asked);
        exactly("sendmsg", &self.driver, sent, text_end + asked.tag.len())?;
        let end = text_end + if asked.direction == Direction::Encrypt { self.tag_len } else { 0 };
        // A read of zero bytes reports nothing, not even a wrong tag.
        let got = match channel.receive(&mut room[..end.max(1)]) {
            Err(error) if self.tag_len > 0 && error.raw_os_error() == Some(libc::EBADMSG) => {
                return Ok(false);
            }
            got => got,
        };
        exactly("read", &self.driver, got, end)?;
        self.channel = Some(channel);
        Ok(true)
    }

    fn share(&self) -> Result<Self, Error> {
        let (keyed, driver) = (Shared::clone(&self.keyed), DriverName::clone(&self.driver));
        AfAlgKey::new(keyed, driver, self.algorithm, self.tag_len)
    }
}
