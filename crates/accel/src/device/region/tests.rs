//! Regions of an arena in a file, in which the test writes what the module would.

use std::os::fd::RawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::super::link::tests::{Module, NUMBER, module};
use super::*;
use crate::{Direction, Woken};

const MOST: usize = 4 * UNIT;

/// A region of four units, which is not the first of its arena.
fn region(module: &Module) -> Region {
    let first = Link::allocate(&module.link, 3).expect("units");
    let region = Link::allocate(&module.link, 4).expect("units");
    drop(first);
    assert_eq!(region.first, 3);
    region
}

fn arena(region: &Region) -> &'static Arena {
    // SAFETY: it lives as long as the link, which the test keeps.
    unsafe { &*region.arena }
}

fn set_status(arena: &Arena, slot: u32, status: i32) {
    // SAFETY: within the mapping; no other thread writes it.
    unsafe { (&raw mut (*arena.slot(slot)).status).write_volatile(status) };
}

/// The bytes of the units of a region.
fn memory(arena: &Arena, first: u32) -> &[u8] {
    // SAFETY: within the mapping; nothing writes there while the test reads it.
    unsafe { std::slice::from_raw_parts(arena.data(first), MOST) }
}

fn panics<T>(call: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn data_is_written_to_its_unit_and_read_from_there_and_never_beyond_the_region() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    let input: Vec<u8> = (0..1000).map(|at| (at * 7) as u8).collect();
    let request =
        Request { tag: &[0x5a; 16], aad: &[0xa5; 20], ..Request::new(Direction::Encrypt, &[], &input) };
    assert_eq!(region.fill(1, &request, 1024).expect("mapped"), arena.offset(4));
    let expected = [&input[..], &[0x5a; 16], &[0; 8], &[0xa5; 20]].concat();
    assert_eq!(region.bytes(0..0, 1, expected.len()).expect("mapped"), expected);
    assert_eq!(memory(arena, 3)[UNIT..][..expected.len()], expected);
    assert_eq!(region.put(2, &input).expect("mapped"), arena.offset(5));
    assert_eq!(region.bytes(0..0, 2, 1000).expect("mapped"), input);
    assert_eq!(memory(arena, 3)[2 * UNIT..][..1000], input);
    let fill = |region: &mut Region, len| region.fill_with(len, &mut |room| room.fill(9));
    assert_eq!(fill(&mut region, MOST).expect("mapped"), arena.offset(3));
    assert!(memory(arena, 3).iter().all(|byte| *byte == 9) && region.bytes(0..0, 0, MOST).is_ok());

    // To the end of the region, and a byte more.
    let last = UNIT - 20;
    assert!(region.fill(3, &request, last).is_ok() && panics(|| region.fill(3, &request, last + 1)));
    assert!(region.fill(0, &request, 1016).is_ok() && panics(|| region.fill(0, &request, 1015)));
    let long = vec![1; 2 * UNIT + 1];
    assert!(region.put(2, &long[1..]).is_ok() && panics(|| region.put(2, &long)));
    assert!(panics(|| fill(&mut region, MOST + 1)));
    assert!(region.bytes(0..0, 3, UNIT).is_ok() && panics(|| region.bytes(0..0, 3, UNIT + 1)));
}

#[test]
fn slots_are_submitted_with_their_numbers_and_what_is_submitted_is_not_written() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    for slot in 0..4 {
        let request = uapi::Slot { session: 70 + slot, status: 0, ..uapi::Slot::EMPTY };
        region.ask(slot, &request).expect("mapped");
        // SAFETY: a slot that is not in flight.
        let written = unsafe { arena.slot(3 + slot).read() };
        assert_eq!((written.session, written.status), (70 + slot, UNTOUCHED));
    }
    assert!(panics(|| region.ask(4, &uapi::Slot::EMPTY)));
    assert!(panics(|| region.ring(5, false, 0)) && panics(|| region.ring(1, false, MOST + 1)));
    assert!(region.ring(3, false, MOST).is_ok());
    assert_eq!(module.records(), [(uapi::SUBMIT, NUMBER, 3, 3)]);
    // The module has not processed them.
    let status = region.status(0).expect_err("it has no result");
    assert_eq!(status.raw_os_error(), Some(libc::ENODATA));
    let request = Request::new(Direction::Encrypt, &[], &[0; 16]);
    assert!(panics(|| region.ask(0, &uapi::Slot::EMPTY)) && panics(|| region.put(0, &[0])));
    assert!(panics(|| region.fill(0, &request, 16)) && panics(|| region.fill_with(16, &mut |_| ())));
}

#[test]
fn what_the_module_refuses_is_an_error() {
    let module = module();
    let mut region = region(&module);
    module.refuse();
    assert!(region.ring(1, true, 0).is_err() && region.notify(&Event(99)).is_err());
    set_status(arena(&region), 3, uapi::IN_FLIGHT);
    assert!(region.finish(0..1).is_err());
    set_status(arena(&region), 3, 0);
}

#[test]
fn the_status_of_each_slot_is_its_own() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    region.ring(3, false, 0).expect("the module accepts it");
    for (slot, status) in [(2, uapi::IN_FLIGHT), (3, 0), (4, uapi::IN_FLIGHT), (5, -libc::EIO)] {
        set_status(arena, slot, status);
    }
    assert_eq!([0, 1, 2].map(|slot| region.is_in_flight(slot..slot + 1)), [false, true, false]);
    assert!(region.is_in_flight(0..3) && region.is_any_in_flight());
    let status = |slot| region.status(slot).map_err(|error| error.raw_os_error());
    assert_eq!([0, 1, 2].map(status), [Ok(()), Err(None), Err(Some(libc::EIO))]);
    assert!(region.status(1).is_err_and(|error| is_late(&error)));
    let bytes = |slots| region.bytes(slots, 0, 16).map(<[u8]>::len).map_err(|error| error.raw_os_error());
    assert_eq!([0..1, 2..3].map(bytes), [Ok(16), Err(Some(libc::EIO))]);
    assert_eq!([1..2, 0..3, 1..3].map(bytes), [Err(None); 3], "late, whatever the others have");
    set_status(arena, 4, 0);
    assert!(!region.is_any_in_flight(), "slot 2 is not of this region");
}

#[test]
fn a_digest_is_read_once_and_only_if_its_request_succeeded() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    region.ring(2, false, 0).expect("the module accepts it");
    for slot in [3, 4] {
        // SAFETY: a slot that is not in flight.
        unsafe { (*arena.slot(slot)).digest = [0x60 | slot as u8; uapi::DIGEST_SIZE] };
    }
    set_status(arena, 3, -libc::EIO);
    set_status(arena, 4, 0);
    assert!(region.digest(0).is_err());
    assert_eq!(region.digest(1).ok(), Some([0x64; uapi::DIGEST_SIZE]));
    assert_eq!(region.digest(1).ok(), Some([0; uapi::DIGEST_SIZE]), "it was wiped");
}

/// What of the memory is left when a region of which two slots were submitted is dropped with these
/// statuses, and whether its units can be used at once.
fn dropped(statuses: Option<[i32; 2]>, secret: usize) -> (usize, bool) {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    // SAFETY: the units of the region.
    unsafe { arena.data(3).write_bytes(0xff, MOST) };
    if let Some(statuses) = statuses {
        region.ring(2, false, secret).expect("the module accepts it");
        statuses.into_iter().zip(3..).for_each(|(status, slot)| set_status(arena, slot, status));
    }
    drop(region);
    let left = memory(arena, 3).iter().rev().take_while(|byte| **byte == 0xff).count();
    assert!(memory(arena, 3)[..MOST - left].iter().all(|byte| *byte == 0));
    // All seven units, if they are free.
    (left, Link::allocate(&module.link, 7).is_ok_and(|next| next.first == 0))
}

#[test]
fn plaintext_is_wiped_and_memory_to_which_a_driver_may_write_is_not_used_again() {
    let most = MOST - 100;
    for (statuses, left, is_free) in [
        (Some([0, 0]), most, true),
        // The input of a request that failed is still there, and so is one that was not submitted.
        (Some([0, -libc::EIO]), 0, false),
        (Some([-libc::EIO, 0]), 0, false),
        (Some([0, -libc::EBADMSG]), 0, true),
        (Some([UNTOUCHED, UNTOUCHED]), 0, true),
        (None, 0, true),
        (Some([0, uapi::IN_FLIGHT]), MOST, false),
        (Some([uapi::IN_FLIGHT, 0]), MOST, false),
    ] {
        assert_eq!(dropped(statuses, 100), (left, is_free), "{statuses:?}");
    }
    assert_eq!(dropped(Some([0, 0]), 0), (MOST, true));
}

#[test]
fn units_are_renewed_for_as_many_units_of_the_same_link_where_no_driver_writes() {
    let (module, other) = (module(), module());
    for (is_same, count, status, is_renewed) in [
        (true, 4, 0, true),
        (true, 4, WRONG_TAG, true),
        (true, 3, 0, false),
        (false, 4, 0, false),
        (true, 4, uapi::IN_FLIGHT, false),
        (true, 4, -libc::EIO, false),
    ] {
        let mut region = Link::allocate(&module.link, 4).expect("units");
        let (arena, first) = (arena(&region), region.first);
        region.ring(1, false, 0).expect("the module accepts it");
        set_status(arena, first, status);
        let renewed = region.renew(if is_same { &module.link } else { &other.link }, count);
        assert_eq!(renewed.is_some(), is_renewed, "{is_same}, {count}, {status}");
        // It can be written again.
        assert!(renewed.is_none_or(|mut region| region.put(0, &[1]).is_ok()));
    }
}

#[test]
fn a_wait_ends_when_its_slots_are_complete() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    region.ring(3, false, 0).expect("the module accepts it");
    region.finish(0..3).expect("none is in flight");
    assert_eq!(module.records().len(), 1, "no wait");
    set_status(arena, 4, uapi::IN_FLIGHT);
    set_status(arena, 5, uapi::IN_FLIGHT);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(30));
            set_status(arena, 4, 0);
        });
        region.finish(1..2).expect("it completes");
        assert!(!region.is_in_flight(1..2) && region.is_in_flight(2..3));
    });
    assert!(module.records()[1..].iter().all(|record| *record == (uapi::AWAIT, NUMBER, 4, 2)));
    set_status(arena, 5, 0);
}

struct Event(RawFd);

impl WaitDescriptor for Event {
    fn fd(&self) -> RawFd {
        self.0
    }
    fn is_ours(&self) -> bool {
        true
    }
    fn event(&self) -> io::Result<RawFd> {
        Ok(self.0)
    }
    fn begin(&self) -> io::Result<()> {
        Ok(())
    }
    fn end(&self) {}
    fn abandon(&self) -> bool {
        false
    }
    fn woken(&self) -> Woken {
        Woken::No
    }
}

#[test]
fn the_last_slot_in_flight_notifies() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    region.ring(3, false, 0).expect("the module accepts it");
    for (in_flight, slot) in [(&[][..], 3), (&[3, 4], 4), (&[3], 3), (&[5], 5)] {
        (3..6).for_each(|slot| set_status(arena, slot, i32::from(in_flight.contains(&slot))));
        region.notify(&Event(99)).expect("the module accepts it");
        assert_eq!(module.records().last(), Some(&(uapi::NOTIFY, NUMBER, slot, 99)), "{in_flight:?}");
    }
    set_status(arena, 5, 0);
}

/// The switch is the process's: no other test waits for a late request.
#[test]
fn only_a_check_waits_for_late_requests() {
    let module = module();
    let mut region = region(&module);
    let arena = arena(&region);
    region.ring(1, false, 0).expect("the module accepts it");
    let wrong = || io::Error::from_raw_os_error(libc::EIO);
    let is_refused = |error| region.wait_if_late(Err(error), 0..1).is_err();
    assert!(is_refused(late()) && is_refused(wrong()) && limit_after(Err(late())).is_err());
    wait_for_late_requests();
    assert!(is_refused(wrong()) && limit_after(Err(wrong())).is_err());
    assert_eq!(
        [Err(late()), Ok(())].map(|waited| limit_after(waited).ok()),
        [Some(LATE_WAIT), Some(CLOSED_WAIT)]
    );
    set_status(arena, 3, uapi::IN_FLIGHT);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(30));
            set_status(arena, 3, 0);
        });
        assert!(!is_refused(late()) && !region.is_any_in_flight(), "it waits until the request completes");
    });
    WAITS_FOR_LATE.store(false, Ordering::Relaxed);
}
