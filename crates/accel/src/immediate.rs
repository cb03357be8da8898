//! Sessions of interfaces that complete a request before its submission returns.

use std::ops::Range;

use crate::buffer::Buffer;
use crate::memory::boxed;
use crate::{Algorithm, Direction, DriverName, Error, InFlight, Request, Session};

/// A key in a driver.
pub(crate) trait Backend: Send + Sized + 'static {
    /// Bytes behind the data that the driver may read.
    const READ_AHEAD: usize = 0;

    fn driver(&self) -> &DriverName;

    fn algorithm(&self) -> Algorithm;

    /// 0 without tags.
    fn tag_len(&self) -> usize;

    /// In bytes.
    fn max_request(&self) -> usize;

    /// The part of the additional data that the result begins with.
    fn returned_aad<'a>(&self, _request: &Request<'a>) -> &'a [u8] {
        &[]
    }

    fn computes_key_stream(&self) -> bool {
        false
    }

    /// Processes a request in `room`: returned additional data, text, tag and [`Self::READ_AHEAD`].
    /// False if the tag is wrong.
    fn process(&mut self, request: &Request<'_>, room: &mut [u8]) -> Result<bool, Error>;

    /// Another one with the same key.
    fn share(&self) -> Result<Self, Error>;
}

/// A key, and a buffer for one request, in whose own pages it is processed: the caller's may belong to
/// a file, which a driver would mark as dirty, or share cache lines with other data. What the driver
/// does not write is then the input, which the caller can recognise.
pub(crate) struct Immediate<B> {
    backend: B,
    buffer: Buffer,
    /// Where the last result is, or `None` if the tag was wrong.
    answer: Option<Option<Range<usize>>>,
    /// Bytes of plaintext or key stream in the buffer, to be wiped.
    secret: usize,
}

impl<B: Backend> Immediate<B> {
    pub(crate) fn new(backend: B) -> Immediate<B> {
        Immediate { backend, buffer: Buffer::new(), answer: None, secret: 0 }
    }
}

impl<B> InFlight for Immediate<B> {}

impl<B: Backend> Session for Immediate<B> {
    fn max_request(&self, _direction: Direction) -> usize {
        self.backend.max_request()
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.release();
        let [request] = requests else {
            return Err(Error::Batch { count: requests.len(), max: self.max_batch() });
        };
        let tag_len = self.backend.tag_len();
        request.check(self.backend.algorithm(), tag_len, self.backend.max_request())?;
        let aad = self.backend.returned_aad(request);
        let text_end = aad.len() + request.len();
        let room = self.buffer.room(text_end + tag_len + B::READ_AHEAD)?;
        let (front, text) = room.split_at_mut(aad.len());
        front.copy_from_slice(aad);
        let (given, rest) = text.split_at_mut(request.len() + request.tag.len());
        request.copy_to(given);
        rest.fill(0);
        self.secret = text_end;
        // Empty data has a tag too.
        let is_genuine = request.len() + tag_len == 0 || self.backend.process(request, room)?;
        let encrypts = request.direction == Direction::Encrypt;
        if encrypts {
            self.secret = 0;
        }
        let end = text_end + if encrypts { tag_len } else { 0 };
        self.answer = Some(is_genuine.then_some(aad.len()..end));
        Ok(())
    }

    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.release();
        let request = Request::new(Direction::Encrypt, &[], &[]);
        if !self.backend.computes_key_stream() {
            let algorithm = self.backend.algorithm().kernel_name();
            return Err(Error::Misfit { len, iv_len: 0, algorithm, max: 0 });
        }
        let room = self.buffer.room(len + B::READ_AHEAD)?;
        fill(&mut room[..len]);
        self.secret = len;
        self.backend.process(&request, room)?;
        self.answer = Some(Some(0..len));
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        match &self.answer {
            Some(Some(place)) if index == 0 => Ok(&self.buffer.bytes(place.end)[place.start..]),
            Some(None) if index == 0 => {
                Err(Error::Forged { driver: DriverName::clone(self.backend.driver()) })
            }
            known => Err(Error::Batch { count: index + 1, max: known.as_ref().map_or(0, |_| 1) }),
        }
    }

    fn release(&mut self) {
        self.answer = None;
        self.buffer.wipe(std::mem::take(&mut self.secret));
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(boxed(Immediate::new(self.backend.share()?))?)
    }
}
