//! For tests of contexts: a driver that returns what the default provider computes, with faults, and
//! this provider in a real libcrypto with that driver behind its ciphers.

use std::collections::VecDeque;
use std::ffi::c_uint;
use std::io;
use std::ptr::{from_ref, null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard};

use outboard_abi::{Param, end, name};
use outboard_accel::{Accelerator, Algorithm, Direction, Error, InFlight, Request, Session};
use outboard_counters::{Counts, SoftwareReason, Table};
use outboard_policy::{Policy, Tuned};

use crate::decided::Decided;
use crate::hardware::Hardware;
use crate::kinds::{KINDS, Kind, Mode};
use crate::libcrypto;
use crate::log::Log;
use crate::lookahead::Lookahead;
use crate::offer::{Cipher, Offer};
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::software::{SoftCipher, SoftContext};
use crate::tables;
use crate::trust::Trust;

/// What is wrong with a submission or, one after the other, with its requests.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    Nothing,
    /// The submission fails.
    Refused(fn() -> Error),
    /// The request fails.
    Failed(fn() -> Error),
    /// The result is wrong.
    Wrong(fn(&mut [u8])),
    /// The tag is not verified.
    Unverified,
}

/// What the driver can do, and what was requested.
pub(crate) struct State {
    pub(crate) max_request: usize,
    pub(crate) max_batch: usize,
    /// Whether there is room for another key.
    pub(crate) has_room: bool,
    /// Those of the next requests.
    pub(crate) faults: VecDeque<Fault>,
    /// The lengths of the requests of each submission.
    pub(crate) submitted: Vec<Vec<usize>>,
    /// Number of requests for key stream.
    pub(crate) ahead: usize,
    /// Number of sessions opened with a key, and of those that exist.
    pub(crate) opened: usize,
    sessions: usize,
    /// Number of sessions that have results.
    pub(crate) unreleased: usize,
}

/// A driver. Copies are the same one.
#[derive(Clone)]
pub(crate) struct Sham {
    name: String,
    algorithm: Algorithm,
    state: Arc<Mutex<State>>,
}

impl Sham {
    /// A driver without faults.
    pub(crate) fn new(name: String, algorithm: Algorithm) -> Sham {
        let state = Arc::new(Mutex::new(State {
            max_request: 1 << 20,
            max_batch: 32,
            has_room: true,
            faults: VecDeque::new(),
            submitted: Vec::new(),
            ahead: 0,
            opened: 0,
            sessions: 0,
            unreleased: 0,
        }));
        Sham { name, algorithm, state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it has the lock")
    }

    fn session(&self, key: &[u8], tag_len: usize) -> Box<dyn Session> {
        self.state().sessions += 1;
        let (results, blocks) = (Vec::new(), Vec::new());
        Box::new(ShamSession { sham: self.clone(), key: key.to_vec(), tag_len, results, blocks })
    }
}

/// Errors of drivers.
pub(crate) mod errors {
    use super::*;

    const NAME: &str = "sham";

    fn cause(errno: i32) -> io::Error {
        io::Error::from_raw_os_error(errno)
    }
    pub(crate) fn failed() -> Error {
        Error::Request { call: "a request", driver: NAME.into(), source: cause(libc::EIO) }
    }
    pub(crate) fn away() -> Error {
        Error::Away { driver: NAME.into(), source: cause(libc::ENODEV) }
    }
    pub(crate) fn stopped() -> Error {
        Error::Stopped { driver: NAME.into() }
    }
    pub(crate) fn no_room() -> Error {
        Error::NoRoom { interface: "none", driver: NAME.into(), source: cause(libc::ENOMEM) }
    }
    pub(crate) fn full() -> Error {
        Error::KeyRefused { driver: NAME.into(), source: cause(libc::ENOSPC) }
    }
    pub(crate) fn forged() -> Error {
        Error::Forged { driver: NAME.into() }
    }
}

impl Accelerator for Sham {
    fn driver(&self) -> &str {
        &self.name
    }
    fn interface(&self) -> &'static str {
        "none"
    }
    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        self.open_with_tag(key, 16)
    }
    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<dyn Session>, Error> {
        if !self.state().has_room {
            return Err(errors::full());
        }
        self.state().opened += 1;
        Ok(self.session(key, tag_len))
    }
    fn computes_key_stream(&self) -> bool {
        self.algorithm == Algorithm::EcbAes
    }
}

struct ShamSession {
    sham: Sham,
    key: Vec<u8>,
    tag_len: usize,
    results: Vec<Result<Vec<u8>, Error>>,
    /// Key stream.
    blocks: Vec<u128>,
}

impl ShamSession {
    /// What the driver should return.
    fn right(&self, request: &Request<'_>) -> Result<Vec<u8>, Error> {
        let is_its = |kind: &&Kind| kind.algorithm == self.sham.algorithm && kind.key_len == self.key.len();
        let kind = KINDS.iter().find(is_its).expect("a cipher");
        let message = Message {
            encrypt: request.direction == Direction::Encrypt,
            iv: request.iv,
            aad: request.aad,
            tag: request.tag,
            tag_len: self.tag_len,
            ..Message::new(kind, &self.key)
        };
        let text = [request.head, request.input].concat();
        message.process(&software(kind), &text).ok_or_else(errors::forged)
    }

    /// The plaintext of any message. Its key stream encrypts as it decrypts.
    fn unverified(&self, request: &Request<'_>) -> Result<Vec<u8>, Error> {
        let mut result = self.right(&Request { direction: Direction::Encrypt, tag: &[], ..*request })?;
        result.truncate(request.len());
        Ok(result)
    }
}

impl Drop for ShamSession {
    fn drop(&mut self) {
        self.release();
        self.sham.state().sessions -= 1;
    }
}

impl InFlight for ShamSession {}

impl Session for ShamSession {
    fn max_request(&self, _direction: Direction) -> usize {
        self.sham.state().max_request
    }

    fn max_batch(&self) -> usize {
        self.sham.state().max_batch
    }

    fn submit(&mut self, requests: &[Request<'_>]) -> Result<(), Error> {
        self.release();
        let mut state = self.sham.state();
        assert!(!requests.is_empty() && requests.len() <= state.max_batch);
        assert!(requests.iter().all(|request| request.len() <= state.max_request));
        state.submitted.push(requests.iter().map(Request::len).collect());
        if let Some(Fault::Refused(error)) = state.faults.front() {
            let error = error();
            state.faults.pop_front();
            return Err(error);
        }
        let faults: Vec<Option<Fault>> = requests.iter().map(|_| state.faults.pop_front()).collect();
        state.unreleased += 1;
        drop(state);
        for (request, fault) in requests.iter().zip(faults) {
            self.results.push(match fault {
                Some(Fault::Failed(error)) => Err(error()),
                Some(Fault::Unverified) => self.unverified(request),
                Some(Fault::Wrong(change)) => self.right(request).map(|mut result| {
                    change(&mut result);
                    result
                }),
                _ => self.right(request),
            });
        }
        Ok(())
    }

    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        self.blocks = vec![0; len / 16];
        // SAFETY: any bits are bytes.
        fill(unsafe { self.blocks.align_to_mut().1 });
        // SAFETY: as above.
        let counters: &[u8] = unsafe { self.blocks.align_to().1 };
        let encrypted = self.right(&Request::new(Direction::Encrypt, &[], counters))?;
        for (block, bytes) in self.blocks.iter_mut().zip(encrypted.chunks_exact(16)) {
            *block = u128::from_ne_bytes(bytes.try_into().expect("a block"));
        }
        self.sham.state().ahead += 1;
        Ok(())
    }

    fn result(&mut self, index: usize) -> Result<&[u8], Error> {
        if !self.blocks.is_empty() {
            // SAFETY: as above.
            return Ok(unsafe { self.blocks.align_to().1 });
        }
        match &mut self.results[index] {
            Ok(result) => Ok(result),
            failed => Err(std::mem::replace(failed, Err(errors::failed())).expect_err("it failed")),
        }
    }

    fn release(&mut self) {
        if !self.results.is_empty() {
            self.sham.state().unreleased -= 1;
        }
        self.results.clear();
        self.blocks.clear();
    }

    fn share(&self) -> Result<Box<dyn Session>, Error> {
        Ok(self.sham.session(&self.key, self.tag_len))
    }
}

/// A context of the default provider.
pub(crate) fn software(kind: &Kind) -> SoftContext {
    let software = libcrypto::provider().software;
    let functions = software.cipher(kind.name).expect("the default provider has the cipher");
    SoftContext::new(functions, software.context()).expect("memory")
}

/// The cipher with this name.
pub(crate) fn kind(name: &str) -> &'static Kind {
    KINDS.iter().find(|kind| kind.name == name).expect("a cipher")
}

/// A message without its text.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    pub(crate) kind: &'a Kind,
    pub(crate) encrypt: bool,
    pub(crate) key: &'a [u8],
    pub(crate) iv: &'a [u8],
    pub(crate) aad: &'a [u8],
    /// Of an AEAD, for decryption.
    pub(crate) tag: &'a [u8],
    pub(crate) tag_len: usize,
}

impl<'a> Message<'a> {
    pub(crate) fn new(kind: &'a Kind, key: &'a [u8]) -> Message<'a> {
        let iv = &[0x5a; 16][..if kind.mode.is_aead() { 12 } else { kind.iv_len() }];
        Message { kind, encrypt: true, key, iv, aad: &[], tag: &[], tag_len: 16 }
    }

    /// The calls before the text: with padding off, and for CCM with the length of the text.
    pub(crate) fn begin(&self, context: &SoftContext, len: usize) -> bool {
        let mut padding: c_uint = 0;
        match self.kind.mode {
            Mode::Gcm => {
                context.init(self.encrypt, Some(self.key), Some(self.iv))
                    && (self.encrypt || self.tag.is_empty() || context.set_octets(name::AEAD_TAG, self.tag))
                    && context.add_associated(self.aad)
            }
            Mode::Ccm => {
                let mut room = [0; 16];
                let only_length = Param {
                    data: null_mut(),
                    ..Param::construct_octet_string(name::AEAD_TAG, &mut room[..self.tag_len])
                };
                context.init(self.encrypt, None, None)
                    && context.set_size(name::IVLEN, self.iv.len())
                    && match self.encrypt {
                        true => context.set_params(&[only_length, end()]),
                        false => context.set_octets(name::AEAD_TAG, self.tag),
                    }
                    && context.init(self.encrypt, Some(self.key), Some(self.iv))
                    // SAFETY: nothing is read or written. The size of the output is compared all the same.
                    && unsafe { context.update(null_mut(), len, null(), len) }.is_some()
                    && context.add_associated(self.aad)
            }
            _ => {
                let iv = Some(self.iv).filter(|iv| !iv.is_empty());
                context.init(self.encrypt, Some(self.key), iv)
                    && context.set_params(&[Param::construct_uint(name::PADDING, &mut padding), end()])
            }
        }
    }

    /// Ends the message. Returns the tag after encryption with an AEAD. `None`: the tag is wrong.
    pub(crate) fn finish(&self, context: &SoftContext) -> Option<Vec<u8>> {
        if self.kind.mode == Mode::Gcm && !context.end() {
            return None;
        }
        let mut tag = vec![0; if self.kind.mode.is_aead() && self.encrypt { self.tag_len } else { 0 }];
        (tag.is_empty() || context.get_octets(name::AEAD_TAG, &mut tag)).then_some(tag)
    }

    /// The text processed in place, with the tag after it. `None`: the tag is wrong.
    pub(crate) fn process(&self, context: &SoftContext, text: &[u8]) -> Option<Vec<u8>> {
        let mut result = text.to_vec();
        if !self.begin(context, text.len()) || context.crypt(&mut result)? != text.len() {
            return None;
        }
        result.extend(self.finish(context)?);
        Some(result)
    }
}

/// An update. Returns the output; `None` if it fails.
pub(crate) fn update(context: &SoftContext, input: &[u8]) -> Option<Vec<u8>> {
    let mut output = vec![0; input.len() + 32];
    // SAFETY: both have the given lengths.
    let written = unsafe { context.update(output.as_mut_ptr(), output.len(), input.as_ptr(), input.len()) }?;
    output.truncate(written);
    Some(output)
}

/// Whole blocks by EVP_Cipher(3), in place.
pub(crate) fn cipher(context: &SoftContext, input: &[u8]) -> Option<Vec<u8>> {
    let mut blocks = input.to_vec();
    context.encrypt_blocks(&mut blocks).then_some(blocks)
}

/// The last block.
pub(crate) fn finish(context: &SoftContext) -> Option<Vec<u8>> {
    let (mut output, mut written) = (vec![0; 32], 0);
    // SAFETY: the output has this length.
    let done = unsafe { (context.functions.finish)(context.at, output.as_mut_ptr(), &mut written, 32) };
    output.truncate(written);
    (done == 1).then_some(output)
}

/// A policy with these keys of openssl.cnf.
pub(crate) fn policy(lines: &[(&str, &str)]) -> Policy {
    let mut policy = Policy::default();
    for (key, value) in lines {
        assert!(policy.set(key, value).is_ok_and(|skipped| skipped.is_empty()), "{key} = {value}");
    }
    policy
}

/// A provider with this policy, and with counters in a file: only there reasons are counted.
pub(crate) fn provider(policy: Policy) -> Provider {
    let loaded = libcrypto::provider();
    let folder = tempfile::tempdir().expect("a directory");
    let counters = Table::create(&folder.path().join("counters")).expect("counters");
    let lookahead = Lookahead::new(&policy.lookahead);
    let (core, software, log, jobs) = (loaded.core, loaded.software, Log::silent(), None);
    Provider { core, policy, log, lookahead, counters, software, jobs }
}

/// A provider whose ciphers have a sham driver.
pub(crate) struct Bench {
    pub(crate) sham: Sham,
    /// The algorithms of which drivers were searched.
    pub(crate) searched: Vec<Algorithm>,
    /// Whether the configuration names them.
    pub(crate) are_named: bool,
    pub(crate) context: &'static ProviderContext,
}

impl Bench {
    /// Each test has a driver of its own, because trust is the process's; each bench of the test begins
    /// with one that is trusted. `lines` are keys of openssl.cnf.
    pub(crate) fn new(test: &str, lines: &[(&str, &str)]) -> Bench {
        Bench::with(test, lines, None)
    }

    /// With the measurements of a policy file.
    pub(crate) fn with(test: &str, lines: &[(&str, &str)], tuned: Option<&Tuned>) -> Bench {
        let sham = Sham::new(format!("sham-{test}"), Algorithm::CbcAes);
        let provider = provider(policy(lines));
        let (offer, digests) = (Decided::not_yet(), Decided::not_yet());
        let context = Box::leak(Box::new(ProviderContext { provider, is_allowed: true, offer, digests }));
        let (mut searched, mut are_named) = (Vec::new(), false);
        let search = |algorithms: &[Algorithm], named| {
            (searched, are_named) = (algorithms.to_vec(), named);
            let driver = |&algorithm: &Algorithm| {
                let sham = Sham { algorithm, ..sham.clone() };
                let hardware = Hardware::new(Box::new(sham), 0, Log::silent()).expect("memory");
                (algorithm, Ok(Arc::new(hardware)))
            };
            algorithms.iter().map(driver).collect()
        };
        let offer = Offer::with(&context.provider, tuned, &tables::CIPHERS, search);
        context.offer.set(offer).expect("memory");
        let bench = Bench { sham, searched, are_named, context };
        bench.forget_differences();
        bench
    }

    pub(crate) fn offer(&self) -> &'static Offer {
        self.context.offer.get().expect("it is decided")
    }

    pub(crate) fn cipher(&self, name: &str) -> &'static Cipher {
        let place = KINDS.iter().position(|kind| kind.name == name).expect("a cipher");
        self.offer().cipher(place).expect("it is offered")
    }

    /// A context of this provider, as the core makes one.
    pub(crate) fn context(&self, kind: &Kind) -> SoftContext {
        let place = KINDS.iter().position(|own| own.name == kind.name).expect("a cipher");
        // SAFETY: a dispatch table.
        let functions = unsafe { SoftCipher::new(tables::CIPHERS[place].as_ptr()) };
        let at = from_ref(self.context).cast_mut().cast();
        SoftContext::new(functions.expect("all functions"), at).expect("a context")
    }

    /// Compares no result in full but the first of a key.
    pub(crate) fn end_of_start(&self) {
        let ciphers = (0..KINDS.len()).filter_map(|place| self.offer().cipher(place));
        ciphers.for_each(|cipher| cipher.hardware.end_of_start());
    }

    /// Trusts the driver again.
    pub(crate) fn forget_differences(&self) {
        Trust::of(self.sham.driver()).restore();
    }

    /// Counts of a cipher whose contexts are freed.
    pub(crate) fn counts(&self, kind: &Kind) -> Counts {
        let counts = self.context.provider.counters.snapshot();
        counts.into_iter().find(|(name, _)| name == kind.name).map(|(_, counts)| counts).unwrap_or_default()
    }

    /// Requests and bytes in software, for each reason.
    pub(crate) fn reasons(&self, kind: &Kind) -> Vec<(SoftwareReason, u64, u64)> {
        self.counts(kind).reasons.iter().collect()
    }
}

/// Bytes that differ from each other and from key to key.
pub(crate) fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|at| (at.wrapping_mul(31) ^ at >> 8 ^ seed.wrapping_mul(77)) as u8).collect()
}
