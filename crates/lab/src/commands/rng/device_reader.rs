//! Reads a device in a thread of its own. A driver may sleep although the device was opened with
//! O_NONBLOCK, and the kernel serialises readers of /dev/hwrng, so a read can take any time.

use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use outboard_measure::stop;

/// A device that returns no data for this time has failed.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);
/// /dev/hwrng does not support poll(2), so reads are retried after a pause.
const PAUSE: Duration = Duration::from_millis(1);
const TICK: Duration = Duration::from_millis(50);
/// Bytes of one read. A driver of 1 kB/s returns them within the time limit.
const CHUNK: usize = 1024;

pub enum ReadFailure {
    Ended,
    Silent,
    Failed(io::Error),
}

/// An open device. Nothing is read in advance.
pub struct DeviceReader {
    sizes: Sender<usize>,
    chunks: Receiver<io::Result<Vec<u8>>>,
    is_reading: bool,
}

impl DeviceReader {
    /// Starts the thread. It ends with this reader, or with the process if the driver blocks it.
    pub fn new(mut file: File) -> DeviceReader {
        let (sizes, wanted) = channel::<usize>();
        let (sender, chunks) = channel();
        thread::spawn(move || {
            for size in wanted {
                let mut chunk = vec![0; size];
                let result = file.read(&mut chunk).map(|count| {
                    chunk.truncate(count);
                    chunk
                });
                if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
                    thread::sleep(PAUSE);
                }
                if sender.send(result).is_err() {
                    break;
                }
            }
        });
        DeviceReader { sizes, chunks, is_reading: false }
    }

    /// Fills `buffer`. Returns the number of bytes; fewer than its size mean ^C.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, ReadFailure> {
        let (mut filled, mut since) = (0, Instant::now());
        while filled < buffer.len() && !stop::asked() {
            let left = &mut buffer[filled..];
            if !self.is_reading {
                self.is_reading = self.sizes.send(left.len().min(CHUNK)).is_ok();
            }
            let result = match self.chunks.recv_timeout(TICK) {
                Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Disconnected) => return Err(ReadFailure::Ended),
                Ok(result) => {
                    self.is_reading = false;
                    result
                }
            };
            match result {
                Ok(chunk) if chunk.is_empty() => return Err(ReadFailure::Ended),
                Ok(chunk) => {
                    let count = chunk.len().min(left.len());
                    left[..count].copy_from_slice(&chunk[..count]);
                    filled += count;
                    since = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if since.elapsed() > TIME_LIMIT {
                        return Err(ReadFailure::Silent);
                    }
                }
                Err(error) => return Err(ReadFailure::Failed(error)),
            }
        }
        Ok(filled)
    }
}
