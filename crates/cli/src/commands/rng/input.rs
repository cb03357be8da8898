//! Reads samples from a device, a file or standard input. Reads from a device have a time limit,
//! and ^C ends them.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use outboard_measure::stop;

/// The kernel's random number device.
pub const HWRNG: &str = "/dev/hwrng";

/// A device that returns no data for this time has failed.
const PATIENCE: Duration = Duration::from_secs(10);
/// /dev/hwrng does not support poll(2), so reads are retried after a pause.
const PAUSE: Duration = Duration::from_millis(1);

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

/// The reason why the input cannot be read: the name, the cause and the next step.
#[derive(Debug)]
pub struct InputError(String);

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InputError {}

/// An open input.
pub struct Input {
    /// Name of the input for messages.
    pub name: String,
    file: File,
    is_device: bool,
}

impl InputOptions {
    /// Returns whether the input is the kernel's device, for which the kernel credits a quality.
    pub fn is_hwrng(&self) -> bool {
        self.file.is_none() && self.stdin.is_none() && self.path() == Path::new(HWRNG)
    }

    /// Returns whether the input can be opened repeatedly.
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

    /// Opens the input.
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
        Ok(Input { name, file, is_device })
    }
}

impl Input {
    /// Fills `buffer` as far as there is input. Returns the number of bytes; fewer than the size of
    /// the buffer mean the end of the input, or ^C.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, InputError> {
        let (mut filled, mut waiting_since) = (0, None);
        while filled < buffer.len() && !stop::asked() {
            match self.file.read(&mut buffer[filled..]) {
                Ok(0) if self.is_device => {
                    return Err(InputError(format!(
                        "{}: the device gave no more bytes after {filled}: was its driver unloaded? outboard rng shows what is there",
                        self.name
                    )));
                }
                Ok(0) => break,
                Ok(count) => {
                    filled += count;
                    waiting_since = None;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let since = *waiting_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        return Err(InputError(format!(
                            "{}: no byte for {} s: the generator is stuck, or another process reads all of its output; \
                             outboard rng shows what is there",
                            self.name,
                            PATIENCE.as_secs()
                        )));
                    }
                    thread::sleep(PAUSE);
                }
                Err(error) => return Err(failed(&self.name, &error)),
            }
        }
        Ok(filled)
    }
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
