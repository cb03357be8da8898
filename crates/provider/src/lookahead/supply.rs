//! Submits segments of a stream: how many and how long.

use outboard_accel::{Error, KeyStreamSegment, Session};

use super::budget::Budget;
use super::counters::{BLOCK, Counters};
use super::segment::{Segment, Stopped};
use crate::clock::now_ms;

/// Of the first segments of a stream, in bytes. The window doubles whenever one was used up.
const FIRST: usize = 16 * 1024;

/// Of the window, so that the driver works on some while others are used.
const SEGMENTS: usize = 4;

/// In windows, for software while the driver computes what follows.
const LONGEST_LEAD: usize = 8;

/// With each segment that is there in time the gap loses this part of a segment's length, and of its
/// own if the driver was idle.
const NARROWING: usize = 32;

/// Milliseconds after which no other stream starts while needed key stream is not there: the queue
/// of a busy driver may be as long.
const LATE: u32 = 50;

/// Milliseconds after which a stream ends: the default time limit of the module.
const NO_ANSWER: u32 = 10_000;

pub(crate) struct Supply {
    session: Box<dyn Session>,
    budget: &'static Budget,
    /// Number of bytes to have in advance.
    target: usize,
    window: usize,
    /// Segments that the stream has left and the driver has not completed, in the order of
    /// submission. They keep their part of the memory of the process.
    left: Vec<Segment>,
    /// How many of these the driver has passed over: it has completed a later one. They may be
    /// lost.
    passed_over: usize,
    /// Since when needed key stream is not there, in milliseconds of [`now_ms`]. Meanwhile the
    /// driver gets no segments: an engine that has stopped would lose each one.
    pub(super) waits_since: Option<u32>,
    /// Whether key stream was not there when it was needed, since the last submission.
    was_late: bool,
    /// Bytes for software after each segment, so that the driver has completed the next one in
    /// time.
    gap: usize,
}

impl Supply {
    pub(super) fn new(session: Box<dyn Session>, budget: &'static Budget, window: usize) -> Supply {
        let (target, left) = (FIRST.min(window), Vec::new());
        let (passed_over, waits_since, was_late, gap) = (0, None, false, 0);
        Supply { session, budget, target, window, left, passed_over, waits_since, was_late, gap }
    }

    #[inline]
    pub(super) fn check(&mut self, segment: &mut Segment) -> Result<(), Stopped> {
        if segment.is_ready() {
            self.has_answered();
            return Ok(());
        }
        segment.set_late();
        Err(self.wait())
    }

    /// Records that the driver has completed a segment that is later than all that were left.
    #[inline]
    fn has_answered(&mut self) {
        (self.waits_since, self.passed_over) = (None, self.left.len());
    }

    /// Why a text cannot use key stream that is not there.
    #[cold]
    pub(super) fn wait(&mut self) -> Stopped {
        let now = now_ms();
        let since = *self.waits_since.get_or_insert(now);
        self.was_late = true;
        if now.wrapping_sub(since) < NO_ANSWER { Stopped::NotReady } else { Stopped::NoAnswer }
    }

    /// Whether key stream that a text needed before is still not there.
    pub(super) fn is_late_already(&self) -> bool {
        self.waits_since.is_some()
    }

    /// Without memory only the arena keeps it.
    pub(super) fn leave(&mut self, mut segment: Segment) {
        self.was_late |= self.is_overtaken(&mut segment);
        if segment.is_ready() {
            self.has_answered();
        } else if self.left.try_reserve(1).is_ok() {
            self.left.push(segment);
        }
    }

    /// Whether a segment whose texts are past came too late for them.
    pub(super) fn is_overtaken(&self, segment: &mut Segment) -> bool {
        !segment.is_ready() || self.was_late && !segment.is_in_use()
    }

    pub(super) fn gap(&self) -> usize {
        self.gap
    }

    /// The first `bytes` of a segment came too late. Those that are submitted already will be as
    /// late, and each adds its share.
    pub(super) fn widen_gap(&mut self, bytes: usize) {
        self.gap = (self.gap + bytes / SEGMENTS).min(self.window.saturating_mul(LONGEST_LEAD) / SEGMENTS);
    }

    /// The driver is idle if it has completed the last segment, too.
    pub(super) fn narrow_gap(&mut self, last: Option<&mut Segment>) {
        let is_idle = last.is_some_and(Segment::is_ready);
        let bytes = self.target / SEGMENTS + if is_idle { self.gap } else { 0 };
        self.gap = self.gap.saturating_sub(bytes / NARROWING);
    }

    /// Whether the driver has completed all segments that the stream left. Drops those.
    pub(super) fn has_all_back(&mut self) -> bool {
        if let Some(last) = self.left.iter_mut().rposition(Segment::is_ready) {
            let (later, mut index) = (self.left.len() - (last + 1), 0);
            // The driver may have completed a later one since.
            self.left.retain_mut(|segment| {
                index += 1;
                index > last + 1 || !segment.is_ready()
            });
            (self.waits_since, self.passed_over) = (None, self.left.len() - later);
        }
        self.left.is_empty()
    }

    /// Not while key stream is missing that was needed, unless the driver has completed some since,
    /// and not while it has to complete what software has overtaken.
    #[inline]
    pub(super) fn may_submit<'s>(&mut self, mut segments: impl Iterator<Item = &'s mut Segment>) -> bool {
        if self.waits_since.is_some() || !self.left.is_empty() {
            self.has_all_back();
            if segments.any(Segment::turns_ready) {
                self.has_answered();
            }
        }
        !self.is_waiting()
    }

    /// Whether the driver must complete something before it gets more.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        self.waits_since.is_some() || self.left.len() > self.passed_over
    }

    /// The driver seems to have stopped. After some time other streams may start, to find out.
    pub(super) fn is_late(&self, now: u32) -> bool {
        self.waits_since.is_some_and(|since| (LATE..NO_ANSWER).contains(&now.wrapping_sub(since)))
    }

    pub(super) fn was_late(&self) -> bool {
        self.was_late
    }

    /// Bytes for software before the next segments, after it processed `done` bytes while the
    /// driver computed the last ones: it would overtake them again.
    pub(super) fn lead(&mut self, done: usize) -> usize {
        if !self.was_late {
            return 0;
        }
        let lead = done.min(self.window.saturating_mul(LONGEST_LEAD));
        self.target = lead.next_power_of_two().clamp(self.target, self.window);
        lead
    }

    pub(super) fn is_judged(&self, submitted: u64) -> bool {
        submitted > 4 * self.window as u64
    }

    /// Doubles the number of bytes in advance, up to the window.
    pub(super) fn grow(&mut self) {
        self.target = (self.target * 2).min(self.window);
    }

    /// Of the next segment, if `ahead` bytes are in advance; 0 if that is enough. Segments are
    /// submitted whole: each costs a system call and an interrupt.
    pub(super) fn next_blocks(&self, ahead: usize) -> usize {
        let segment = (self.target / SEGMENTS).clamp(BLOCK, KeyStreamSegment::LONGEST);
        if ahead + segment > self.target.max(segment) { 0 } else { segment / BLOCK }
    }

    /// `None` if the memory for key stream, of the interface or of the process is used up.
    pub(super) fn submit(&mut self, counters: Counters, blocks: usize) -> Result<Option<Segment>, Error> {
        let Some(lease) = self.budget.lease(blocks * BLOCK) else { return Ok(None) };
        let submit = |session| Segment::submit(KeyStreamSegment::new(session), counters, blocks, lease);
        let submitted = unless_scarce(self.session.share().and_then(submit))?;
        self.was_late &= submitted.is_none();
        Ok(submitted)
    }

    /// `None` as for [`submit`](Self::submit): the segment must not be used then.
    pub(super) fn renew(&mut self, segment: &mut Segment, counters: Counters) -> Result<Option<()>, Error> {
        let submitted = unless_scarce(segment.renew(counters))?;
        self.was_late &= submitted.is_none();
        Ok(submitted)
    }
}

/// `None` instead of an error that means that the interface or the driver has no room now.
fn unless_scarce<T>(submitted: Result<T, Error>) -> Result<Option<T>, Error> {
    match submitted {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.is_scarcity() && !error.is_away() => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use outboard_accel::{Direction, InFlight, Request};

    use super::*;

    /// Its request completes after this number of calls of `is_done`.
    struct Looked(Rc<Cell<u32>>);

    // SAFETY: the test has one thread.
    unsafe impl Send for Looked {}

    impl InFlight for Looked {
        fn is_done(&self) -> bool {
            self.0.replace(self.0.get().saturating_sub(1)) == 0
        }
    }

    impl Session for Looked {
        fn max_request(&self, _direction: Direction) -> usize {
            BLOCK
        }
        fn submit(&mut self, _requests: &[Request<'_>]) -> Result<(), Error> {
            unreachable!("key stream only")
        }
        fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
            fill(&mut vec![0; len]);
            Ok(())
        }
        fn result(&mut self, _index: usize) -> Result<&[u8], Error> {
            unreachable!("no text uses it")
        }
        fn release(&mut self) {}
        fn share(&self) -> Result<Box<dyn Session>, Error> {
            Ok(Box::new(Looked(self.0.clone())))
        }
    }

    #[test]
    fn a_segment_that_completes_while_others_are_looked_at_stays_until_the_next_look() {
        let budget: &'static Budget = Box::leak(Box::new(Budget::new(4 * BLOCK)));
        let looks = [(); 2].map(|()| Rc::new(Cell::new(100)));
        let mut supply = Supply::new(Box::new(Looked(looks[0].clone())), budget, 2 * BLOCK);
        for look in &looks {
            supply.session = Box::new(Looked(look.clone()));
            let segment = supply.submit(Counters::Run { first: 0 }, 1).expect("accepted").expect("memory");
            supply.leave(segment);
        }
        looks[0].set(0);
        looks[1].set(1);
        assert!(!supply.has_all_back());
        assert_eq!((supply.left.len(), supply.passed_over), (1, 0));
        assert!(supply.has_all_back());
    }

    #[test]
    fn only_the_lack_of_room_is_no_error() {
        let driver = || "some".into();
        let source = || std::io::Error::from_raw_os_error(libc::EIO);
        assert!(matches!(unless_scarce(Ok(5)), Ok(Some(5))));
        let of = |error| unless_scarce::<()>(Err(error));
        assert!(matches!(of(Error::NoMemory), Ok(None)));
        assert!(matches!(of(Error::KeyRefused { driver: driver(), source: source() }), Ok(None)));
        assert!(of(Error::Request { call: "write", driver: driver(), source: source() }).is_err());
        assert!(of(Error::Away { driver: driver(), source: source() }).is_err());
    }
}
