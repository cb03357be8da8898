//! The families of the kernel's drivers (drivers/crypto, arch/*/crypto and lib/crypto of 6.1 to
//! 7.2, and the out-of-tree drivers that OpenWrt and vendors ship), and the lookups by a driver's
//! name. A name alone proves nothing: `outboard_drivers` combines it with other evidence.

use crate::chips::TABLES;
pub use crate::family::{Board, Bounds, Completion, EngineKind, Family, Limit, Nature, Speed};

pub fn values(text: &str) -> impl Iterator<Item = &str> {
    text.split('|').filter(|value| !value.is_empty())
}

/// Every row, accelerators first.
pub fn all() -> impl Iterator<Item = &'static Family> {
    TABLES.into_iter().flatten()
}

pub fn accelerators() -> impl Iterator<Item = &'static Family> {
    all().filter(|f| f.nature == Nature::Accelerator)
}

/// The part of a family's row that drivers are matched with. The rest is for output, and the
/// provider does not contain it.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    row: usize,
    pub nature: Nature,
    names: &'static str,
    modules: &'static str,
    pub bound: &'static str,
    pub irqs: &'static str,
    refused: &'static str,
    bounds: Bounds,
    is_module_only: bool,
}

static SIGNATURES: [Signature; COUNT] = {
    let mut all = [signature(0, &Family::ROW); COUNT];
    let (mut row, mut table) = (0, 0);
    while table < TABLES.len() {
        let first = row;
        while row - first < TABLES[table].len() {
            all[row] = signature(row, &TABLES[table][row - first]);
            row += 1;
        }
        table += 1;
    }
    all
};

const COUNT: usize = {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};

const fn signature(row: usize, family: &Family) -> Signature {
    let &Family { nature, names, modules, bound, irqs, refused, bounds, is_module_only, .. } = family;
    Signature { row, nature, names, modules, bound, irqs, refused, bounds, is_module_only }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.row == other.row
    }
}

impl Signature {
    pub fn family(&self) -> &'static Family {
        all().nth(self.row).unwrap_or(&Family::ROW)
    }

    fn has_name(&self, driver: &str) -> bool {
        fits(self.names, driver)
    }

    pub fn has_module(&self, module: &str) -> bool {
        module == "kernel" || self.modules.is_empty() || values(self.modules).any(|one| one == module)
    }
}

pub fn by_name(driver: &str) -> Option<&'static Signature> {
    let driver = driver.strip_prefix("__").unwrap_or(driver);
    SIGNATURES.iter().find(|s| s.has_name(driver))
}

/// The family of a driver by name and module; a row whose module matches takes precedence over one
/// that matches by name only.
pub fn by_name_and_module(driver: &str, module: &str) -> Option<&'static Signature> {
    let name = driver.strip_prefix("__").unwrap_or(driver);
    let mut by_name = SIGNATURES.iter().filter(|s| s.has_name(name));
    let first = by_name.next()?;
    if first.has_module(module) {
        return Some(first);
    }
    Some(by_name.find(|s| s.has_module(module)).unwrap_or(first))
}

/// The family of a driver by name and module, if both match.
pub fn known(driver: &str, module: &str) -> Option<&'static Signature> {
    by_name_and_module(driver, module).filter(|signature| signature.has_module(module))
}

pub fn bounds(driver: &str) -> Bounds {
    by_name(driver).map_or(Bounds::NONE, |signature| signature.bounds)
}

/// Whether a driver, or one that a template is built around, is known to be wrong: it is used over no
/// interface, and not run to find that out.
pub fn is_refused(driver: &str) -> bool {
    SIGNATURES.iter().any(|s| !s.refused.is_empty() && is_around(driver, s.refused))
}

/// Whether a driver, or one that a template is built around, is used over `/dev/outboard` only, as in
/// [`Family::is_module_only`].
pub fn is_module_only(driver: &str) -> bool {
    SIGNATURES.iter().any(|s| s.is_module_only && is_around(driver, s.names))
}

/// Whether a pattern matches a driver, or one that a template is built around.
fn is_around(driver: &str, patterns: &str) -> bool {
    let mut names = driver.split(['(', ',', ')']).map(|name| name.strip_prefix("__").unwrap_or(name));
    names.any(|name| fits(patterns, name))
}

pub fn fits(patterns: &str, text: &str) -> bool {
    let text = text.as_bytes();
    // The first byte excludes most patterns, before the others are compared.
    let may_fit = |pattern: &[u8]| pattern[0] == b'*' || text.first() == Some(&pattern[0]);
    values(patterns).map(str::as_bytes).any(|pattern| may_fit(pattern) && glob(pattern, text))
}

/// `*` matches any text, every other character itself.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([b'*', end @ ..], _) if !end.contains(&b'*') => text.ends_with(end),
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|at| glob(rest, &text[at..])),
        ([one, rest @ ..], [first, after @ ..]) => one == first && glob(rest, after),
        _ => pattern.is_empty() && text.is_empty(),
    }
}

#[cfg(test)]
#[path = "families_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "complete_tests.rs"]
mod complete_tests;
