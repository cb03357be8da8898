use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use outboard_accel::memory::try_vec;
use outboard_policy::MinEntropy;
use zeroize::Zeroizing;

use crate::amount::{bits_in, seed_length};
use crate::device::has_no_generator;
use crate::failure::Failure;
use crate::source::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum State {
    Uninstantiated = 0,
    Ready = 1,
    /// A health test failed: no bytes until it is instantiated again.
    Error = 2,
}

pub struct SeedSource {
    entropy: MinEntropy,
    state: AtomicU8,
    /// Null while a thread reads from it, and before it exists: a thread that finds null opens the
    /// device itself. Without a lock, which a fork could leave held, and for which threads would
    /// wait.
    source: AtomicPtr<Source>,
}

impl SeedSource {
    pub fn new(entropy: MinEntropy) -> SeedSource {
        let state = AtomicU8::new(State::Uninstantiated as u8);
        SeedSource { entropy, state, source: AtomicPtr::new(null_mut()) }
    }

    /// The device is tested before its first output and not here: OpenSSL before 4.0 continues with
    /// a seed of its own if a seed source cannot be instantiated (`RAND_get0_primary`), which is
    /// right for a missing device only.
    pub fn instantiate(&self) -> Result<(), Failure> {
        let source = Source::open(self.entropy)?;
        if has_no_generator() {
            return Err(Failure::NoGenerator);
        }
        self.put(Box::into_raw(source));
        self.set(State::Ready);
        Ok(())
    }

    pub fn uninstantiate(&self) {
        self.put(null_mut());
        self.set(State::Uninstantiated);
    }

    pub fn state(&self) -> State {
        match self.state.load(Ordering::Acquire) {
            0 => State::Uninstantiated,
            1 => State::Ready,
            _ => State::Error,
        }
    }

    /// A source wipes its state when it is dropped.
    pub fn is_wiped(&self) -> bool {
        self.source.load(Ordering::Acquire).is_null()
    }

    fn ready(&self) -> Result<(), Failure> {
        match self.state() {
            State::Ready => Ok(()),
            State::Error => Err(Failure::WasUnhealthy),
            State::Uninstantiated => Err(Failure::Uninstantiated),
        }
    }

    /// With `bits` bits of entropy, mixed with `additional`.
    pub fn seed(
        &self,
        bits: u64,
        least: usize,
        most: usize,
        additional: &[u8],
    ) -> Result<Zeroizing<Box<[u8]>>, Failure> {
        let length = seed_length(self.entropy, bits, least, most);
        let length = length.ok_or(Failure::TooLittleRoom { bits, bytes: most })?;
        let room = try_vec(length).ok_or(Failure::Io(libc::ENOMEM))?;
        let mut seed = Zeroizing::new(room.into_boxed_slice());
        self.fill(&mut seed, 0, additional)?;
        Ok(seed)
    }

    /// With at least `bits` bits of entropy, mixed with `additional`.
    pub fn fill(&self, out: &mut [u8], bits: u64, additional: &[u8]) -> Result<(), Failure> {
        self.ready()?;
        if bits_in(self.entropy, out.len()) < bits {
            return Err(Failure::TooLittleRoom { bits, bytes: out.len() });
        }
        if out.is_empty() {
            return Ok(());
        }
        let mut source = self.take()?;
        // A device that was absent may return, and is then tested from the start.
        source.fill(out).inspect_err(|failure| {
            if matches!(failure, Failure::Unhealthy(_)) {
                self.set(State::Error);
            }
        })?;
        self.put(Box::into_raw(source));
        for piece in additional.chunks(out.len()) {
            out.iter_mut().zip(piece).for_each(|(byte, other)| *byte ^= other);
        }
        Ok(())
    }

    fn set(&self, state: State) {
        self.state.store(state as u8, Ordering::Release);
    }

    fn take(&self) -> Result<Box<Source>, Failure> {
        let known = self.source.swap(null_mut(), Ordering::AcqRel);
        if !known.is_null() {
            // SAFETY: it came from a box, and the thread that swaps it out owns it alone.
            let known = unsafe { Box::from_raw(known) };
            if known.is_ours() {
                return Ok(known);
            }
        }
        Source::open(self.entropy)
    }

    #[inline(never)]
    fn put(&self, source: *mut Source) {
        let earlier = self.source.swap(source, Ordering::AcqRel);
        if !earlier.is_null() {
            // SAFETY: as in `take`.
            drop(unsafe { Box::from_raw(earlier) });
        }
    }
}

impl Drop for SeedSource {
    fn drop(&mut self) {
        self.put(null_mut());
    }
}
