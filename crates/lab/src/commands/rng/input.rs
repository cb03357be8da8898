//! Reads samples from a device, a file or standard input. ^C ends a read.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use outboard_drivers::root::Root;
use outboard_inventory::hwrng;
use outboard_measure::stop;

use super::device_reader::{DeviceReader, ReadFailure, TIME_LIMIT};

pub const HWRNG: &str = "/dev/hwrng";

/// The kernel keeps up to a cache line of bytes that were not read, also those of a generator that is
/// no longer in use (rng_dev_read() in drivers/char/hw_random/core.c).
const LEFT_OVER: usize = 256;

/// What is read.
#[derive(Args)]
pub struct InputOptions {
    /// A device that gives random bytes [default: /dev/hwrng]
    #[arg(long, value_name = "PATH", group = "input")]
    device: Option<PathBuf>,
    /// A file of recorded bytes
    #[arg(long, value_name = "FILE", group = "input")]
    file: Option<PathBuf>,
    /// - reads standard input
    #[arg(value_name = "-", group = "input", value_parser = ["-"])]
    stdin: Option<String>,
}

#[derive(Debug)]
pub struct InputError(String);

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InputError {}

pub struct Input {
    pub name: String,
    stream: Stream,
    generator: Option<String>,
    /// Bytes to discard before the first one of the generator.
    left_over: usize,
}

enum Stream {
    Device(DeviceReader),
    File(File),
}

impl InputOptions {
    /// Returns whether the input is the kernel's device, for which the kernel credits a quality.
    pub fn is_hwrng(&self) -> bool {
        self.file.is_none() && self.stdin.is_none() && self.path() == Path::new(HWRNG)
    }

    pub fn is_device(&self) -> bool {
        self.file.is_none() && self.stdin.is_none()
    }

    fn path(&self) -> &Path {
        match (&self.file, &self.stdin) {
            (Some(file), _) => file,
            (_, Some(_)) => Path::new("/dev/stdin"),
            _ => self.device.as_deref().unwrap_or(Path::new(HWRNG)),
        }
    }

    pub fn open(&self) -> Result<Input, InputError> {
        let path = self.path();
        let is_device = self.is_device();
        let mut options = File::options();
        options.read(true);
        if is_device {
            options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
        }
        let name =
            if self.stdin.is_some() { "standard input".to_owned() } else { path.display().to_string() };
        let file = options.open(path).map_err(|error| failed(&name, &error))?;
        let generator = if self.is_hwrng() { current_generator() } else { None };
        let name = generator.iter().fold(name, |name, generator| format!("{name} ({generator})"));
        let stream = if is_device { Stream::Device(DeviceReader::new(file)) } else { Stream::File(file) };
        let left_over = if self.is_hwrng() { LEFT_OVER } else { 0 };
        Ok(Input { name, stream, generator, left_over })
    }
}

fn current_generator() -> Option<String> {
    hwrng::read(&Root::live()).and_then(|hwrng| hwrng.current)
}

impl Input {
    /// Fills `buffer` as far as there is input. Returns the number of bytes; fewer than the size of
    /// the buffer mean the end of the input, or ^C.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, InputError> {
        let reader = match &mut self.stream {
            Stream::Device(reader) => reader,
            Stream::File(file) => return fill_from(file, buffer).map_err(|error| failed(&self.name, &error)),
        };
        let discarded = reader.fill(&mut [0; LEFT_OVER][..std::mem::take(&mut self.left_over)]);
        let filled = discarded.and_then(|_| reader.fill(buffer));
        let filled = filled.map_err(|failure| self.explained(&failure))?;
        self.check_generator()?;
        Ok(filled)
    }

    /// When a generator disappears, the kernel chooses another one for open descriptors too.
    fn check_generator(&self) -> Result<(), InputError> {
        let Some(before) = &self.generator else { return Ok(()) };
        match current_generator() {
            Some(now) if now == *before => Ok(()),
            now => Err(InputError(format!(
                "{}: the generator changed to {} while it was read, so results would be those of both: run the command again, \
                 and see dmesg if {before} disappeared by itself",
                self.name,
                now.as_deref().unwrap_or("none")
            ))),
        }
    }

    fn explained(&self, failure: &ReadFailure) -> InputError {
        let name = &self.name;
        match failure {
            ReadFailure::Ended => InputError(format!(
                "{name}: the device returned end of file: was its driver unloaded? outboard rng shows what is there"
            )),
            ReadFailure::Silent => InputError(format!(
                "{name}: no byte for {} s: the generator is stuck, or another process reads all of its output; \
                 outboard rng shows what is there",
                TIME_LIMIT.as_secs()
            )),
            ReadFailure::Failed(error) => failed(name, error),
        }
    }
}

fn fill_from(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() && !stop::asked() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn failed(name: &str, error: &io::Error) -> InputError {
    let advice = match error.raw_os_error() {
        Some(libc::ENODEV | libc::ENXIO) => "no generator is in use; outboard rng shows what is there",
        Some(libc::ENOENT) => "is the name right, and is the driver of the generator loaded?",
        Some(libc::EACCES | libc::EPERM) => "try again as root",
        Some(libc::EIO) => "the generator failed; see dmesg",
        _ => "see dmesg, and outboard rng for what is there",
    };
    InputError(format!("{name}: {error}; {advice}"))
}
