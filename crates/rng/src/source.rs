//! The device with its tests: only bytes that passed them are returned.

use outboard_accel::memory::try_box;
use outboard_policy::MinEntropy;
use zeroize::{Zeroize, Zeroizing};

use crate::device::{Device, MAX_ATTEMPTS};
use crate::failure::Failure;
use crate::health::Health;

/// Tested and discarded before the first output: the minimum of SP 800-90B, 4.3.
const START_UP: usize = 1024;

pub(crate) struct Source {
    device: Device,
    health: Health,
    started: bool,
}

impl Source {
    #[inline(never)]
    pub(crate) fn open(entropy: MinEntropy) -> Result<Box<Source>, Failure> {
        try_box(Source::new(Device::open()?, entropy)).ok_or(Failure::Io(libc::ENOMEM))
    }

    fn new(device: Device, entropy: MinEntropy) -> Source {
        Source { device, health: Health::new(entropy), started: false }
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.device.is_ours()
    }

    /// After an error `out` is zeroed, and the source must not be used again.
    pub(crate) fn fill(&mut self, out: &mut [u8]) -> Result<(), Failure> {
        let filled = self.fill_within(out, MAX_ATTEMPTS);
        if filled.is_err() {
            out.zeroize();
        }
        filled
    }

    fn fill_within(&mut self, out: &mut [u8], mut patience: u32) -> Result<(), Failure> {
        if !self.started {
            let mut discarded = Zeroizing::new([0; START_UP]);
            self.draw(&mut discarded[..], &mut patience)?;
            self.started = true;
        }
        self.draw(out, &mut patience)
    }

    fn draw(&mut self, out: &mut [u8], patience: &mut u32) -> Result<(), Failure> {
        self.device.read(out, patience)?;
        self.health.test(out).map_err(Failure::Unhealthy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Fault;
    use std::io::Write;
    use std::os::fd::FromRawFd;
    use std::time::Duration;

    /// A source that returns the data written to the other end of a pipe.
    fn pipe() -> (Source, std::fs::File) {
        let mut ends = [0; 2];
        // SAFETY: there is room for two descriptors.
        assert_eq!(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK | libc::O_CLOEXEC) }, 0);
        // SAFETY: no other code uses the write end.
        let writer = unsafe { std::fs::File::from_raw_fd(ends[1]) };
        (Source::new(Device::from_fd(ends[0]), MinEntropy::default()), writer)
    }

    fn varied(count: usize) -> Vec<u8> {
        (0..count).map(|i| (i * 31 + i / 256 * 7) as u8).collect()
    }

    #[test]
    fn the_start_up_bytes_are_discarded_once_and_the_rest_is_returned_unchanged() {
        let (mut source, mut writer) = pipe();
        let bytes = varied(START_UP + 96);
        writer.write_all(&bytes).expect("a pipe");
        let mut out = [0; 48];
        source.fill(&mut out).expect("good bytes");
        assert_eq!(out[..], bytes[START_UP..START_UP + 48]);
        source.fill(&mut out).expect("good bytes");
        assert_eq!(out[..], bytes[START_UP + 48..]);
    }

    #[test]
    fn short_reads_are_repeated() {
        let (mut source, mut writer) = pipe();
        let thread = std::thread::spawn(move || {
            for piece in varied(START_UP + 48).chunks(100) {
                writer.write_all(piece).expect("a pipe");
                std::thread::sleep(Duration::from_millis(2));
            }
            writer
        });
        let mut out = [0; 48];
        source.fill(&mut out).expect("good bytes");
        assert_eq!(out[..], varied(START_UP + 48)[START_UP..]);
        drop(thread.join());
    }

    #[test]
    fn a_silent_device_and_a_slow_one_fail_after_the_time_limit() {
        let (mut source, mut writer) = pipe();
        let mut out = [0; 48];
        let failure = source.fill_within(&mut out, 20).expect_err("nothing came");
        assert!(matches!(failure, Failure::Slow { got: 0, wanted: START_UP }), "{failure}");
        writer.write_all(&varied(100)).expect("a pipe");
        let failure = source.fill_within(&mut out, 20).expect_err("too little came");
        assert!(matches!(failure, Failure::Slow { got: 100, wanted: START_UP }), "{failure}");
    }

    #[test]
    fn a_device_that_ends_or_is_closed_fails_at_once() {
        let (mut source, writer) = pipe();
        drop(writer);
        assert!(matches!(source.fill(&mut [0; 48]), Err(Failure::Ended)));
    }

    #[test]
    fn a_source_that_fails_at_start_up_returns_nothing() {
        let (mut source, mut writer) = pipe();
        writer.write_all(&[0; START_UP + 48]).expect("a pipe");
        let mut out = [0x55; 48];
        assert!(matches!(source.fill(&mut out), Err(Failure::Unhealthy(Fault::Repeats(16)))));
        assert_eq!(out, [0; 48]);
    }

    #[test]
    fn after_a_failure_no_byte_of_that_read_is_returned() {
        let (mut source, mut writer) = pipe();
        let mut bytes = varied(START_UP + 32);
        bytes.extend([9; 16]);
        writer.write_all(&bytes).expect("a pipe");
        let mut out = [0x55; 48];
        assert!(matches!(source.fill(&mut out), Err(Failure::Unhealthy(_))));
        assert_eq!(out, [0; 48]);
    }
}
