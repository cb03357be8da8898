//! The trait of every way down.

use std::io;
use std::os::fd::RawFd;
use std::slice;

use crate::mode::longest_text;
use crate::{Algorithm, Direction, Error};

/// A kernel driver that can be reached. What it opens is a [`Session`], or a [`HashSession`](crate::HashSession).
pub trait Accelerator<S: ?Sized = dyn Session>: Send + Sync {
    /// The driver's name in `/proc/crypto`, such as `virtio_crypto_aes_cbc`.
    fn driver(&self) -> &str;

    /// The interface that leads to it, such as `AF_ALG`.
    fn interface(&self) -> &'static str;

    /// Hands `key` to the driver. Costs system calls and, on many devices, a slot of scarce key memory:
    /// keep the session. Key lengths are those of the algorithm.
    fn open(&self, key: &[u8]) -> Result<Box<S>, Error>;

    /// As `open`, for an algorithm that authenticates, with tags of `tag_len` bytes; `open` gives it full ones of 16 bytes.
    /// Other algorithms have no tags.
    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<S>, Error> {
        let _ = tag_len;
        self.open(key)
    }

    /// Reports that a result of the driver was wrong, where the interface keeps such reports for the administrator and for
    /// processes that start later. Never fails: the report is lost where it cannot be made.
    fn report_wrong(&self) {}
}

/// What several threads may have at the same time, each one of its own.
pub trait Share {
    /// Another session with the same key, that can be used at the same time by another thread.
    fn share(&self) -> Result<Box<Self>, Error>;
}

impl Share for dyn Session {
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Session::share(self)
    }
}

/// What is asked of a session.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Which way.
    pub direction: Direction,
    /// As long as the algorithm wants it.
    pub iv: &'a [u8],
    /// What comes before `input`: nothing, or a block that the caller has kept back.
    pub head: &'a [u8],
    /// With `head` whole blocks, at most [`Session::max_request`] bytes.
    pub input: &'a [u8],
    /// What is authenticated with the text and not encrypted, at most [`MAX_AAD`] bytes. Only where there are tags.
    pub aad: &'a [u8],
    /// The tag that the text to be decrypted came with. Only for decryption, and where there are tags.
    pub tag: &'a [u8],
    /// What the pieces have at least that it is cut into, in bytes, if it can be cut and the way down takes several at once:
    /// [`PIECE`] to [`LONGEST_PIECE`].
    pub piece: usize,
}

/// The least that a piece has, in bytes: enough that the cost of a request is small against it on engines that need several at
/// once, and small enough that half a dozen pages of a file already keep two of them busy.
pub const PIECE: usize = 16 * 1024;

/// The most that goes down whole of what can be cut, in bytes. More gains little.
pub const LONGEST_PIECE: usize = 64 * 1024;

/// The most additional data of a request, in bytes: records and packets have a dozen.
pub const MAX_AAD: usize = 4096;

impl<'a> Request<'a> {
    /// A request without a head.
    pub const fn new(direction: Direction, iv: &'a [u8], input: &'a [u8]) -> Request<'a> {
        Request { direction, iv, head: &[], input, aad: &[], tag: &[], piece: PIECE }
    }

    /// Bytes of head and input, and of the result but for the tag behind what was encrypted.
    #[allow(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.head.len() + self.input.len()
    }

    /// Whether it is one that `algorithm` can do, with tags of `tag_len` bytes, of at most `max` bytes.
    pub(crate) fn check(&self, algorithm: Algorithm, tag_len: usize, max: usize) -> Result<(), Error> {
        let (len, iv_len, block) = (self.len(), self.iv.len(), algorithm.block_len());
        let head_fits = [0, block].contains(&self.head.len());
        let tag_fits = self.tag.len() == if self.direction == Direction::Decrypt { tag_len } else { 0 };
        let aad_fits = self.aad.len() <= if tag_len > 0 { MAX_AAD } else { 0 };
        if len <= max.min(longest_text(algorithm, iv_len))
            && len % block == 0
            && head_fits
            && tag_fits
            && aad_fits
            && algorithm.takes_iv(iv_len)
        {
            return Ok(());
        }
        Err(Error::Misfit { len, iv_len, algorithm: algorithm.kernel_name(), max })
    }

    /// Copies head and input, and the tag if there is one, to `room`, which is as long as they are.
    pub(crate) fn copy_to(&self, room: &mut [u8]) {
        let (head, rest) = room.split_at_mut(self.head.len());
        let (input, tag) = rest.split_at_mut(self.input.len());
        head.copy_from_slice(self.head);
        input.copy_from_slice(self.input);
        tag.copy_from_slice(self.tag);
    }
}

/// What was handed to a driver, for who does something else meanwhile.
pub trait InFlight {
    /// Whether nobody has to wait for any of it.
    fn is_done(&self) -> bool {
        true
    }

    /// Makes a descriptor readable when a request has ended; at once, if none is left. Others may still be at work then: ask
    /// again.
    fn notify(&self, _descriptor: &dyn WaitDescriptor) -> Result<(), Error> {
        Ok(())
    }
}

/// Called with a request while the accelerator works on it; after an error nobody waits for that any more.
pub type Meanwhile<'m> = &'m mut dyn FnMut(&dyn InFlight) -> Result<(), Error>;

/// A key in a driver. Used by one thread at a time; [`share`](Self::share) makes another one for a second thread.
///
/// A result lies in memory of the session's own until [`release`](Self::release) or the next submission.
pub trait Session: InFlight + Send {
    /// The longest request in bytes; a multiple of the block length. Where the algorithm allows it, a request is
    /// cut into pieces that the accelerator works on at the same time, so directions may differ.
    fn max_request(&self, direction: Direction) -> usize;

    /// How many requests [`submit`](Self::submit) takes at once.
    fn max_batch(&self) -> usize {
        1
    }

    /// Hands requests to the driver, all at once, and does not wait for them. What was submitted before is
    /// forgotten, whether it was done or not.
    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error>;

    /// Waits for the request with this place in the batch, and lends its result, as long as its input; an encrypted one has
    /// its tag behind it where there are tags. That a tag is wrong is an answer: [`Error::Forged`].
    fn result(&mut self, index: usize) -> Result<&[u8], Error>;

    /// Gives back the memory of the results, wiped where they were plaintext.
    fn release(&mut self);

    /// A descriptor for [`notify`](InFlight::notify); `None` where nothing tells of a request's end, and who wants a result has to
    /// wait for it. It serves each session of the interface.
    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        None
    }

    /// Another session with the same key, that can be used at the same time by another thread.
    fn share(&self) -> Result<Box<dyn Session>, Error>;

    /// As [`submit`](Self::submit), for who wants the results next: where that saves something, all are done when it returns.
    fn submit_and_wait(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.submit(requests)
    }

    /// One request from its submission to its result.
    fn crypt(&mut self, request: &Request<'_>) -> Result<&[u8], Error> {
        self.submit_and_wait(slice::from_ref(request))?;
        self.result(0)
    }
}

/// A descriptor to wait for by poll(2) and its like, beside others: for who does something else while the accelerator works.
pub trait WaitDescriptor: Send {
    /// Readable when a request has ended, and when a turn has.
    fn fd(&self) -> RawFd;

    /// Whether it is this process's own, and the application has left it to us.
    fn is_ours(&self) -> bool;

    /// Where the kernel is to tell of the next end: an eventfd.
    fn event(&self) -> io::Result<RawFd>;

    /// Begins a turn: a second. Time is counted in turns because a machine may stand still for longer than a driver may take.
    fn begin_turn(&self) -> io::Result<()>;

    /// Ends the turn, and makes it unreadable until it is used again, whatever the kernel was to tell.
    fn end(&self);

    /// Why it is readable, if it is; makes it unreadable.
    fn woken(&self) -> Woken;
}

/// Why a [`WaitDescriptor`] is readable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// It is not.
    No,
    /// A request has ended.
    ByAnAnswer,
    /// A turn has ended.
    ByTheClock,
}
