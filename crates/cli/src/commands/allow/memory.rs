//! What root allowed, remembered for the next boot: a text file, one driver a line in root's order of preference.
//!
//! It lies in /etc because it is root's decision, and because /var does not outlive a reboot on OpenWrt. [`Replacement`]
//! changes it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use crate::etc::{Replacement, lock, resolved};

/// The file.
pub const FILE: &str = "/etc/outboard/allowed";

/// Its first lines.
const HEADER: &str = "# Drivers for /dev/outboard, the preferred one first: allowed by `outboard allow DRIVER`, checked and allowed again
# by `outboard allow --restore` when the module is loaded, taken off by `outboard disallow DRIVER`.
";

/// What follows the name of a driver that was allowed with --force.
const FORCE: &str = "force";

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The driver's exact name.
    pub driver: String,
    /// It was allowed although it is judged to be software.
    pub forced: bool,
}

/// The lines, and what is needed to change them.
#[derive(Debug)]
pub struct Memory {
    lines: Vec<String>,
    new: Option<Replacement>,
    _lock: Option<File>,
}

impl Memory {
    /// The list as it is.
    pub fn read() -> Result<Self> {
        Self::read_at(Path::new(FILE))
    }

    /// The list, which nobody changes until this is dropped.
    pub fn locked() -> Result<Self> {
        let path = Path::new(FILE);
        // Where no lock can be made (a read-only root), the list cannot be changed either.
        let lock = lock(path).ok();
        Ok(Self { _lock: lock, ..Self::read_at(path)? })
    }

    /// The list, to be changed. Fails early where it cannot be.
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

    /// The lines of a text.
    pub fn parse(text: &str) -> Self {
        Self { lines: text.lines().map(str::to_owned).collect(), new: None, _lock: None }
    }

    /// Its drivers; and of each line that means nothing, what is wrong with it.
    pub fn drivers(&self) -> (Vec<Remembered>, Vec<String>) {
        let (mut drivers, mut mistakes) = (Vec::<Remembered>::new(), Vec::new());
        for (number, line) in (1..).zip(&self.lines) {
            let words: Vec<&str> = words(line).collect();
            match words[..] {
                [] => {}
                [driver] | [driver, FORCE] if drivers.iter().any(|known| known.driver == driver) => {}
                [driver] => drivers.push(Remembered { driver: driver.to_owned(), forced: false }),
                [driver, FORCE] => drivers.push(Remembered { driver: driver.to_owned(), forced: true }),
                _ => mistakes.push(format!(
                    "{FILE}, line {number} is no driver's name (with or without '{FORCE}'): {line}"
                )),
            }
        }
        (drivers, mistakes)
    }

    /// Is a driver remembered?
    pub fn has(&self, driver: &str) -> bool {
        self.drivers().0.iter().any(|known| known.driver == driver)
    }

    /// Remembers a driver, after those that are known; one that is known keeps its place.
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

    /// Forgets a driver.
    pub fn remove(&mut self, driver: &str) {
        self.lines.retain(|line| words(line).next() != Some(driver));
    }

    /// Writes the list: on disk when this returns, or as it was.
    pub fn store(&mut self) -> Result<()> {
        let new = self.new.take().context("the list was not opened to be changed")?;
        let text: String = self.lines.iter().flat_map(|line| [line, "\n"]).collect();
        new.store(&text)
    }
}

/// A line's words, without what follows a #.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split('#').next().unwrap_or_default().split_ascii_whitespace()
}

fn explained(path: &Path, error: &io::Error) -> anyhow::Error {
    let advice = match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => "only root decides that: try again with sudo",
        Some(libc::EROFS) => {
            "make it writable (mount -o remount,rw), or change only what is allowed now: --now"
        }
        Some(libc::ENOSPC | libc::EDQUOT) => "make some room, or change only what is allowed now: --now",
        _ => "it is as it was; --now changes only what is allowed now",
    };
    anyhow!("{}: {error}; {advice}", path.display())
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
