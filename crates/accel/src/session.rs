//! The trait that every interface implements, and the requests to it.

use std::io;
use std::os::fd::RawFd;
use std::slice;

use crate::mode::takes_text;
use crate::{Algorithm, Direction, Error};

/// A kernel driver that can be reached. It opens a [`Session`] or a
/// [`HashSession`](crate::HashSession).
pub trait Accelerator<S: ?Sized = dyn Session>: Send + Sync {
    /// The driver's name in `/proc/crypto`, such as `virtio_crypto_aes_cbc`.
    fn driver(&self) -> &str;

    /// The interface that leads to it, such as `AF_ALG`.
    fn interface(&self) -> &'static str;

    /// Opens a session with a key of the algorithm. This costs system calls and, on many devices, a
    /// slot of scarce key memory: keep the session.
    fn open(&self, key: &[u8]) -> Result<Box<S>, Error>;

    /// As `open`, for an AEAD with tags of `tag_len` bytes; `open` uses full tags of 16 bytes.
    /// Other algorithms have no tags and ignore `tag_len`.
    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<S>, Error> {
        let _ = tag_len;
        self.open(key)
    }

    /// Whether sessions support [`Session::submit_counters`].
    fn computes_key_stream(&self) -> bool {
        false
    }
}

/// A session that can be duplicated, so that each of several threads uses its own.
pub trait Share {
    /// Creates another session with the same key, for concurrent use by another thread.
    fn share(&self) -> Result<Box<Self>, Error>;
}

impl Share for dyn Session {
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Session::share(self)
    }
}

/// A request to a session.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Encryption or decryption.
    pub direction: Direction,
    /// The IV, of a length that the algorithm accepts.
    pub iv: &'a [u8],
    /// Data before `input`: empty, or one block that the caller has buffered.
    pub head: &'a [u8],
    /// The data. Together with `head` it is whole blocks, at most [`Session::max_request`] bytes.
    pub input: &'a [u8],
    /// Data that is authenticated and not encrypted (AAD), at most [`MAX_AAD`] bytes. Empty unless
    /// the algorithm is an AEAD.
    pub aad: &'a [u8],
    /// The tag of the ciphertext. Empty except for decryption with an AEAD.
    pub tag: &'a [u8],
    /// The minimum length in bytes of the chunks that the request is split into, if its algorithm
    /// can be split and the interface accepts several requests at once: [`PIECE`] to
    /// [`LONGEST_PIECE`].
    pub piece: usize,
}

/// The smallest minimum length of a chunk, in bytes: the cost of a request is small in comparison,
/// and about six pages of a file keep two engines busy.
pub const PIECE: usize = 16 * 1024;

/// The largest chunk, in bytes, of a request that can be split. Longer chunks gain little.
pub const LONGEST_PIECE: usize = 64 * 1024;

/// The maximum additional data of a request, in bytes; records and packets have about a dozen.
pub const MAX_AAD: usize = 4096;

impl<'a> Request<'a> {
    /// A request without a head.
    pub const fn new(direction: Direction, iv: &'a [u8], input: &'a [u8]) -> Request<'a> {
        Request { direction, iv, head: &[], input, aad: &[], tag: &[], piece: PIECE }
    }

    /// Bytes of head and input. The result is as long, plus the tag if it was encrypted with an
    /// AEAD.
    #[allow(clippy::len_without_is_empty, reason = "it would have no caller")]
    pub fn len(&self) -> usize {
        self.head.len() + self.input.len()
    }

    /// Fails with [`Error::Misfit`] unless `algorithm` can process it with tags of `tag_len` bytes.
    pub(crate) fn check(&self, algorithm: Algorithm, tag_len: usize, max: usize) -> Result<(), Error> {
        let (len, iv_len, block) = (self.len(), self.iv.len(), algorithm.block_len());
        let head_fits = [0, block].contains(&self.head.len());
        let tag_fits = self.tag.len() == if self.direction == Direction::Decrypt { tag_len } else { 0 };
        let aad_fits = self.aad.len() <= if tag_len > 0 { MAX_AAD } else { 0 };
        if len <= max
            && takes_text(algorithm, len, iv_len)
            && head_fits
            && tag_fits
            && aad_fits
            && algorithm.takes_iv(iv_len)
        {
            return Ok(());
        }
        Err(Error::Misfit { len, iv_len, algorithm: algorithm.kernel_name(), max })
    }

    /// `room` must be as long as the three together.
    pub(crate) fn copy_to(&self, room: &mut [u8]) {
        let (head, rest) = room.split_at_mut(self.head.len());
        let (input, tag) = rest.split_at_mut(self.input.len());
        head.copy_from_slice(self.head);
        input.copy_from_slice(self.input);
        tag.copy_from_slice(self.tag);
    }
}

/// Requests in flight, for a caller that does other work meanwhile.
pub trait InFlight {
    /// Whether all requests are complete, so that no result has to be waited for.
    fn is_done(&self) -> bool {
        true
    }

    /// Makes a descriptor readable when a request completes, or at once if none is in flight. Other
    /// requests may still be in flight then: call it again for those.
    fn notify(&self, _descriptor: &dyn WaitDescriptor) -> Result<(), Error> {
        Ok(())
    }
}

/// Called with the requests in flight while the accelerator works. After an error they are
/// abandoned.
pub type Meanwhile<'m> = &'m mut dyn FnMut(&dyn InFlight) -> Result<(), Error>;

/// A key in a driver. One thread uses it at a time; [`share`](Self::share) creates a session for
/// another thread.
///
/// A result stays in the session's own memory until [`release`](Self::release) or the next
/// submission.
pub trait Session: InFlight + Send {
    /// The maximum length of a request in bytes; a multiple of the block length. Where the
    /// algorithm allows it, a request is split into chunks that the accelerator processes in
    /// parallel, so the directions may differ.
    fn max_request(&self, direction: Direction) -> usize;

    /// The maximum number of requests that [`submit`](Self::submit) accepts at once.
    fn max_batch(&self) -> usize {
        1
    }

    /// Submits requests to the driver, all at once, and does not wait for them. Requests submitted
    /// before are abandoned, complete or not.
    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error>;

    /// Submits the encryption of `len` bytes that `fill` writes into the session's own memory, and
    /// does not wait. The driver encrypts them in place. The result is a secret, and is wiped when
    /// it is released. Requests submitted before are abandoned.
    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        let _ = fill;
        Err(Error::Misfit { len, iv_len: 0, algorithm: "key stream", max: 0 })
    }

    /// Waits for the request with this index and returns its result, as long as its input, after
    /// encryption with an AEAD with the tag. Bytes that the driver did not write are those of the
    /// input. A wrong tag is [`Error::Forged`].
    fn result(&mut self, index: usize) -> Result<&[u8], Error>;

    /// Releases the memory of the results, and wipes it where they were plaintext.
    fn release(&mut self);

    /// A descriptor for [`notify`](InFlight::notify); `None` where the interface cannot notify of
    /// completion, so that a caller must block for a result. It serves every session of the
    /// interface.
    fn wait_descriptor(&self) -> Option<io::Result<Box<dyn WaitDescriptor>>> {
        None
    }

    /// Creates another session with the same key, for concurrent use by another thread.
    fn share(&self) -> Result<Box<dyn Session>, Error>;

    /// As [`submit`](Self::submit), but may block until all requests complete, where that is
    /// cheaper.
    fn submit_and_wait(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.submit(requests)
    }

    /// Submits one request and returns its result.
    fn crypt(&mut self, request: &Request<'_>) -> Result<&[u8], Error> {
        self.submit_and_wait(slice::from_ref(request))?;
        self.result(0)
    }
}

/// A descriptor to wait for with poll(2) and similar calls, together with other descriptors, while
/// the accelerator works.
pub trait WaitDescriptor: Send {
    /// The number. It is readable when a request has completed, and when the time is over.
    fn fd(&self) -> RawFd;

    /// Whether the descriptor belongs to this process, and the application has not closed it.
    fn is_ours(&self) -> bool;

    /// The eventfd through which the kernel notifies of the next completion.
    fn event(&self) -> io::Result<RawFd>;

    /// Begins the time of 200 ms for which a job is paused. It is no timeout of the driver: that
    /// is the kernel module's.
    fn begin(&self) -> io::Result<()>;

    /// Ends the time, and makes the descriptor unreadable until its next use, even if the kernel
    /// still has a notification pending.
    fn end(&self);

    /// As [`end`](Self::end) if the descriptor is not [ours](Self::is_ours). In the child of a fork
    /// it becomes unreadable; a file of the application under its number is left alone. Returns
    /// whether this is the child of a fork.
    fn abandon(&self) -> bool;

    /// Why the descriptor is readable, if it is. Makes it unreadable.
    fn woken(&self) -> Woken;
}

/// Why a [`WaitDescriptor`] is readable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Woken {
    /// It is not readable.
    No,
    /// A request has completed.
    ByAnAnswer,
    /// The time is over.
    ByTheClock,
}
