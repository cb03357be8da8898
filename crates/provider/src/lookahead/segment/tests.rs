//! Which blocks of a segment are recomputed before a request uses it.

use std::ops::Range;

use outboard_accel::{Accelerator, Direction, InFlight, Request, Session};

use super::*;
use crate::block_cipher::{BlockEncryption, toy::Toy};
use crate::hardware::Hardware;
use crate::log::Log;
use crate::lookahead::budget::Budget;
use crate::trust::Trust;

/// Number of blocks of a segment, and of each part of it of which a block is recomputed.
const BLOCKS: usize = 4096;
const PART: usize = 256;

const COUNTERS: Counters = Counters::Run { first: 77 };

/// A driver that makes these blocks of each result wrong. Each test has one of its own, because trust
/// is the process's.
struct Engine(&'static str);

impl Accelerator for Engine {
    fn driver(&self) -> &str {
        self.0
    }
    fn interface(&self) -> &'static str {
        "nothing"
    }
    fn open(&self, _key: &[u8]) -> Result<Box<dyn Session>, Error> {
        unreachable!("the tests have sessions")
    }
}

struct Wrong {
    blocks: Range<usize>,
    bytes: Vec<u128>,
}

impl InFlight for Wrong {
    fn is_done(&self) -> bool {
        true
    }
}

impl Session for Wrong {
    fn max_request(&self, _direction: Direction) -> usize {
        BLOCKS * BLOCK
    }
    fn submit(&mut self, _requests: &[Request<'_>]) -> Result<(), Error> {
        unreachable!("key stream only")
    }
    fn submit_counters(&mut self, len: usize, fill: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        assert!(self.blocks.is_empty() || self.bytes.is_empty(), "a wrong result is not requested again");
        self.bytes = vec![0; len / BLOCK];
        fill(as_bytes(&mut self.bytes));
        Toy::default().encrypt(as_bytes(&mut self.bytes));
        self.bytes[self.blocks.clone()].iter_mut().for_each(|block| *block ^= 4 << 64);
        Ok(())
    }
    fn result(&mut self, _index: usize) -> Result<&[u8], Error> {
        Ok(as_bytes(&mut self.bytes))
    }
    fn release(&mut self) {}
    fn share(&self) -> Result<Box<dyn Session>, Error> {
        unreachable!("one segment")
    }
}

fn as_bytes(numbers: &mut [u128]) -> &mut [u8] {
    // SAFETY: any bits are bytes, for which each number is aligned.
    unsafe { numbers.align_to_mut().1 }
}

/// A segment of [`BLOCKS`] blocks, of which these are wrong.
fn segment(wrong: Range<usize>) -> Segment {
    let budget: &'static Budget = Box::leak(Box::new(Budget::new(usize::MAX)));
    let session = Box::new(Wrong { blocks: wrong, bytes: Vec::new() });
    let lease = budget.lease(BLOCKS * BLOCK).expect("memory");
    Segment::submit(KeyStreamSegment::new(session), COUNTERS, BLOCKS, lease).expect("it accepts all")
}

fn hardware(driver: &'static str) -> Hardware {
    Hardware::new(Box::new(Engine(driver)), 0, Log::silent()).expect("memory")
}

/// A text of this length, of which each byte has other bits.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index as u8).wrapping_mul(37)).collect()
}

/// Uses these bytes of a segment for a [`text`]. Returns the result, whether the key stream was
/// usable, and the number of blocks that were recomputed.
fn used(segment: &mut Segment, hardware: &Hardware, bytes: Range<usize>) -> (Vec<u8>, bool, usize) {
    let (text, mut out) = (text(bytes.len()), vec![0; bytes.len()]);
    let reference = Toy::default();
    let verifier = Verifier { hardware, reference: &reference, algorithm: "AES", row: None };
    // SAFETY: two buffers of this length, which live through the call.
    let job = unsafe { InOut::new(text.as_ptr(), out.as_mut_ptr(), bytes.len()) };
    let (done, stopped) = segment.mix(bytes.start, job, &verifier);
    assert_eq!(done, if stopped.is_none() { bytes.len() } else { 0 });
    (out, stopped.is_none(), reference.count.get())
}

/// Requests of a segment by bytes: short and long, in one part and in several, of whole blocks and not.
const REQUESTS: [Range<usize>; 10] = [
    0..16,
    5..100,
    4000..4016,
    65_521..65_523,
    30_000..31_400,
    4090..4100,
    4096..8192,
    0..16_384,
    8177..25_600,
    49_152..65_536,
];

#[test]
fn right_key_stream_is_xored_wherever_a_request_begins() {
    let (hardware, mut segment) = (hardware("segment-right"), segment(0..0));
    let mut stream: Vec<u128> = (0..BLOCKS).map(|index| COUNTERS.at(index).to_be()).collect();
    Toy::default().encrypt(as_bytes(&mut stream));
    for bytes in REQUESTS {
        let (out, is_usable, _) = used(&mut segment, &hardware, bytes.clone());
        let stream = &as_bytes(&mut stream)[bytes.clone()];
        let expected: Vec<u8> =
            text(bytes.len()).iter().zip(stream).map(|(one, other)| one ^ other).collect();
        assert!(is_usable && out == expected, "{bytes:?}");
    }
}

#[test]
fn each_request_of_wrong_blocks_is_found_by_a_check_of_its_own() {
    let hardware = hardware("segment-requests");
    for bytes in REQUESTS {
        let mut segment = segment(bytes.start / BLOCK..bytes.end.div_ceil(BLOCK));
        segment.is_in_use = true;
        let (out, is_usable, _) = used(&mut segment, &hardware, bytes.clone());
        assert!(!is_usable && out.iter().all(|byte| *byte == 0), "{bytes:?}: nothing is written");
        assert!(!hardware.is_up(), "one wrong block is proof");
        Trust::of("segment-requests").restore();
    }
}

#[test]
fn a_wrong_part_of_4_kib_is_found_by_each_request_that_uses_any_of_it_and_by_no_other() {
    let hardware = hardware("segment-parts");
    for part in 0..BLOCKS / PART {
        let wrong = part * PART..(part + 1) * PART;
        for bytes in REQUESTS {
            let mut segment = segment(wrong.clone());
            // A first use may compare a window, which has more blocks than those of the request.
            segment.is_in_use = true;
            let (out, is_usable, _) = used(&mut segment, &hardware, bytes.clone());
            let uses_it = bytes.start < wrong.end * BLOCK && wrong.start * BLOCK < bytes.end;
            assert_eq!(is_usable, !uses_it, "part {part}, {bytes:?}");
            assert!(is_usable || out.iter().all(|byte| *byte == 0), "nothing is written");
            Trust::of("segment-parts").restore();
        }
    }
}

#[test]
fn each_request_has_its_blocks_recomputed_and_the_first_one_of_a_new_segment_a_window_too() {
    let hardware = hardware("segment-windows");
    let mut segment = segment(0..0);
    for _ in 0..2 {
        assert!(!segment.is_in_use());
        for (bytes, count) in [
            (40_000..40_064, PART + 1),
            (40_064..40_960, 1),
            (40_960..43_360, 2),
            (4095..8193, 3),
            (0..65_536, 16),
        ] {
            let recomputed = used(&mut segment, &hardware, bytes.clone()).2;
            assert_eq!(recomputed, count, "{bytes:?}");
            assert!(segment.is_in_use());
        }
        segment.renew(COUNTERS).expect("it accepts all");
    }
}

#[test]
fn key_stream_that_software_cannot_verify_is_not_used() {
    let (hardware, mut segment) = (hardware("segment-unverified"), segment(0..0));
    let reference = Toy { is_broken: true, ..Toy::default() };
    let verifier = Verifier { hardware: &hardware, reference: &reference, algorithm: "AES", row: None };
    let (text, mut out) = ([0; 64], [0; 64]);
    // SAFETY: two buffers of this length, which live through the call.
    let job = unsafe { InOut::new(text.as_ptr(), out.as_mut_ptr(), text.len()) };
    assert!(matches!(segment.mix(0, job, &verifier), (0, Some(Unusable::Wrong))));
    assert_eq!(out, [0; 64]);
    assert!(hardware.is_up(), "that is not the driver's fault");
}
