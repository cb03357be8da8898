//! The interfaces from user space, one file each, as an efficient program would use them.

mod af_alg;
mod bare;
mod cryptodev;
mod device;
mod library;

use anyhow::{Context, Result};

use crate::plan::MeasuredPath;

/// An open interface with a key.
pub trait Down {
    /// Prepares batches of `depth` requests of `bytes` bytes, with new plaintexts of the known
    /// answer.
    fn prepare(&mut self, bytes: usize, depth: usize) -> Result<()>;

    /// Runs one batch: submits all requests, waits for all, and fetches the results. Only this is
    /// timed.
    fn batch(&mut self) -> Result<()>;

    /// Returns the result of a request in the last batch.
    fn result(&self, index: usize) -> &[u8];
}

/// The open interfaces, and the reasons why others are not open.
pub struct Opened {
    /// In the order of [`MeasuredPath::ALL`].
    pub open: Vec<(MeasuredPath, Box<dyn Down>)>,
    /// One line for each interface that is not open.
    pub closed: Vec<String>,
}

/// Opens all interfaces to `driver`. Fails if /dev/outboard is not available.
pub fn open(driver: &str) -> Result<Opened> {
    let mut open: Vec<(MeasuredPath, Box<dyn Down>)> = Vec::new();
    let mut closed = Vec::new();
    let number = device::number_of(driver)?;
    for path in [MeasuredPath::InPlace, MeasuredPath::Copied] {
        let down =
            device::Outboard::open(number, path == MeasuredPath::Copied).with_context(|| path.title())?;
        open.push((path, Box::new(down)));
    }
    for path in [MeasuredPath::BareInPlace, MeasuredPath::BareCopied] {
        match bare::Bare::open(driver, path == MeasuredPath::BareCopied) {
            Ok(down) => open.push((path, Box::new(down))),
            Err(error) => closed.push(format!("{}: {error:#}", path.title())),
        }
    }
    open.push((MeasuredPath::Library, Box::new(library::Library::open(driver)?)));
    match af_alg::AfAlg::open(driver) {
        Ok(down) => open.push((MeasuredPath::AfAlg, Box::new(down))),
        Err(error) => closed.push(format!("{}: {error:#}", MeasuredPath::AfAlg.title())),
    }
    match cryptodev::Cryptodev::open(driver) {
        Ok(down) => open.push((MeasuredPath::Cryptodev, Box::new(down))),
        Err(error) => closed.push(format!("{}: {error:#}", MeasuredPath::Cryptodev.title())),
    }
    Ok(Opened { open, closed })
}

/// Returns the result of a system call, or its error.
fn check(returned: impl TryInto<i64>) -> std::io::Result<i64> {
    match returned.try_into() {
        Ok(value) if value >= 0 => Ok(value),
        _ => Err(std::io::Error::last_os_error()),
    }
}
