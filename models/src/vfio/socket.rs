//! The connection to QEMU: bytes, with the file descriptors that came with them.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// The number of descriptors that QEMU may send with one message.
pub const MOST_DESCRIPTORS: usize = 8;

pub struct Socket {
    stream: UnixStream,
    descriptors: VecDeque<OwnedFd>,
}

impl Socket {
    pub fn new(stream: UnixStream) -> Socket {
        Socket { stream, descriptors: VecDeque::new() }
    }

    /// Whether bytes arrive within `limit`.
    pub fn readable(&self, limit: Duration) -> io::Result<bool> {
        let limit = Timespec { tv_sec: limit.as_secs() as _, tv_nsec: limit.subsec_nanos() as _ };
        match poll(&mut [PollFd::new(&self.stream, PollFlags::IN)], Some(&limit)) {
            Ok(count) => Ok(count > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Fills `to`; false if the client has closed the connection before that.
    pub fn receive(&mut self, to: &mut [u8]) -> io::Result<bool> {
        let mut done = 0;
        while done < to.len() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let part = &mut [IoSliceMut::new(&mut to[done..])];
            let received = match recvmsg(&self.stream, part, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
                Ok(message) => message.bytes,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            for message in ancillary.drain() {
                if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                    self.descriptors.extend(descriptors);
                }
            }
            if received == 0 {
                return Ok(false);
            }
            done += received;
        }
        Ok(true)
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The descriptors that came with the last message.
    pub fn take_descriptors(&mut self) -> VecDeque<OwnedFd> {
        std::mem::take(&mut self.descriptors)
    }
}
