//! The drivers that root allowed, saved for the next boot: a text file with one driver per line in
//! root's order of preference.
//!
//! The file is in /etc because it is a decision of the administrator, and because /var does not
//! survive a reboot on OpenWrt. [`Replacement`] changes it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use outboard_console::advice;

use crate::etc::{Changing, Replacement, resolved};

pub const FILE: &str = "/etc/outboard/allowed";

const HEADER: &str = "# Drivers for /dev/outboard, the preferred one first: allowed by `outboard allow DRIVER`, checked and allowed again
# by `outboard allow --restore` when the module is loaded, taken off by `outboard disallow DRIVER`.
";

/// Keyword after the name of a driver that was allowed with --force.
const FORCE: &str = "force";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedDriver {
    pub driver: String,
    /// The driver was allowed although it is classified as software.
    pub forced: bool,
}

/// The lines of the file, and the open replacement and lock if they are to be changed.
#[derive(Debug)]
pub struct Memory {
    lines: Vec<String>,
    new: Option<Replacement>,
    _lock: Option<Changing>,
}

impl Memory {
    /// Reads the list without a lock.
    pub fn read() -> Result<Self> {
        Self::read_at(Path::new(FILE))
    }

    /// Reads the list and locks it until this value is dropped.
    pub fn locked() -> Result<Self> {
        let path = Path::new(FILE);
        // If no lock file can be created (read-only root), the list cannot be changed either.
        let lock = Changing::begin_beside(path).ok();
        Ok(Self { _lock: lock, ..Self::read_at(path)? })
    }

    /// Opens the list to change it. Fails early if the file cannot be written.
    pub fn to_change() -> Result<Self> {
        Self::to_change_at(Path::new(FILE))
    }

    fn read_at(path: &Path) -> Result<Self> {
        let mut text = String::new();
        match File::open(resolved(path)?) {
            Ok(mut file) => {
                file.read_to_string(&mut text).map_err(|error| explained(path, &error))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(explained(path, &error)),
        }
        Ok(Self::parse(&text))
    }

    fn to_change_at(path: &Path) -> Result<Self> {
        let new = Replacement::open(path, explained)?;
        Ok(Self { new: Some(new), ..Self::read_at(path)? })
    }

    pub fn parse(text: &str) -> Self {
        Self { lines: text.lines().map(str::to_owned).collect(), new: None, _lock: None }
    }

    pub fn drivers(&self) -> (Vec<SavedDriver>, Vec<String>) {
        let (mut drivers, mut mistakes) = (Vec::<SavedDriver>::new(), Vec::new());
        for (number, line) in (1..).zip(&self.lines) {
            let words: Vec<&str> = words(line).collect();
            match words[..] {
                [] => {}
                [driver] | [driver, FORCE] if drivers.iter().any(|known| known.driver == driver) => {}
                [driver] => drivers.push(SavedDriver { driver: driver.to_owned(), forced: false }),
                [driver, FORCE] => drivers.push(SavedDriver { driver: driver.to_owned(), forced: true }),
                _ => mistakes.push(format!(
                    "{FILE}, line {number} is no driver's name (with or without '{FORCE}'): {line}"
                )),
            }
        }
        (drivers, mistakes)
    }

    pub fn has(&self, driver: &str) -> bool {
        self.drivers().0.iter().any(|known| known.driver == driver)
    }

    /// Appends a driver; a driver that is in the list keeps its position.
    pub fn add(&mut self, driver: &str, forced: bool) {
        let line = if forced { format!("{driver} {FORCE}") } else { driver.to_owned() };
        match self.lines.iter_mut().find(|line| words(line).next() == Some(driver)) {
            Some(known) => *known = line,
            None => {
                if self.lines.is_empty() {
                    self.lines.extend(HEADER.lines().map(str::to_owned));
                }
                self.lines.push(line);
            }
        }
    }

    pub fn remove(&mut self, driver: &str) {
        self.lines.retain(|line| words(line).next() != Some(driver));
    }

    /// Writes the list, or removes the file if only its own comment would be left: on disk when this
    /// returns; on an error the old file is unchanged.
    pub fn store(&mut self) -> Result<()> {
        let new = self.new.take().context("the list was not opened to be changed")?;
        if self.lines.iter().all(|line| HEADER.lines().any(|own| own == line)) {
            return new.remove();
        }
        let text: String = self.lines.iter().flat_map(|line| [line, "\n"]).collect();
        new.store(&text)
    }
}

/// Removes the file, with what root may have written into it.
pub fn remove_file() -> Result<()> {
    Replacement::open(Path::new(FILE), explained)?.remove()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split('#').next().unwrap_or_default().split_ascii_whitespace()
}

fn explained(path: &Path, error: &io::Error) -> anyhow::Error {
    let is_forbidden = error.kind() == io::ErrorKind::PermissionDenied;
    let advice = advice(error, (!is_forbidden).then_some("change only what is allowed now: --now"));
    anyhow!("{}: {error}; {advice}", path.display())
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
