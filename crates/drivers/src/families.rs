//! The driver families that the kernel knows (drivers/crypto, arch/*/crypto and lib/crypto of 6.1 to 7.2, and the
//! out-of-tree drivers that OpenWrt and vendors ship). A name alone proves nothing: see `judge`.

mod boards;
mod cards;
mod cpu;
pub mod devices;
mod engines;
mod software;

/// What computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// A device beside the CPU.
    Accelerator,
    /// The CPU's own crypto or vector instructions; user space has them too.
    Instructions,
    /// Plain code.
    Software,
}

/// How a request to an accelerator shows that it is done, and so what proves that it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// Interrupts of its own, visible in /proc/interrupts.
    OwnInterrupt,
    /// Interrupts of something else, named here.
    Through(&'static str),
    /// The CPU waits: no interrupt ever proves anything.
    Polled,
}

/// One row of the table, below a line that says which chips and boards have it. A `|` stands between several values; patterns may
/// contain `*`, which stands for any text.
#[derive(Debug)]
pub struct Family {
    /// Short name.
    pub id: &'static str,
    /// What computes.
    pub nature: Nature,
    /// Patterns of driver names.
    pub names: &'static str,
    /// Kernel modules, spelled as in /sys/module.
    pub modules: &'static str,
    /// `bus/driver` as in /sys/bus/BUS/drivers/DRIVER, of the device drivers behind it.
    pub bound: &'static str,
    /// How completion shows.
    pub completion: Completion,
    /// Patterns of the action names in /proc/interrupts, where these are not the device's name.
    pub irqs: &'static str,
    /// The engine's name, for people.
    pub chip: &'static str,
}

impl Family {
    const ROW: Self = Self {
        id: "",
        nature: Nature::Accelerator,
        names: "",
        modules: "",
        bound: "",
        completion: Completion::OwnInterrupt,
        irqs: "",
        chip: "",
    };
}

/// What is between the `|` of a text.
pub fn values(text: &str) -> impl Iterator<Item = &str> {
    text.split('|').filter(|value| !value.is_empty())
}

const TABLES: [&[Family]; 5] = [engines::ROWS, boards::ROWS, cards::ROWS, cpu::ROWS, software::ROWS];

/// Every row; accelerators first, because some of their names end like those of CPU code (`cbc-aes-sun8i-ce`).
pub fn all() -> impl Iterator<Item = &'static Family> {
    TABLES.into_iter().flatten()
}

/// The rows of accelerators.
pub fn accelerators() -> impl Iterator<Item = &'static Family> {
    all().filter(|f| f.nature == Nature::Accelerator)
}

/// By what a family is known: its row without what is for people, which the provider does not carry.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// Its place in [`all`].
    row: usize,
    /// As in [`Family`].
    pub nature: Nature,
    names: &'static str,
    modules: &'static str,
    /// As in [`Family`].
    pub bound: &'static str,
    /// As in [`Family`].
    pub irqs: &'static str,
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

const COUNT: usize =
    engines::ROWS.len() + boards::ROWS.len() + cards::ROWS.len() + cpu::ROWS.len() + software::ROWS.len();

const fn signature(row: usize, family: &Family) -> Signature {
    let &Family { nature, names, modules, bound, irqs, .. } = family;
    Signature { row, nature, names, modules, bound, irqs }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.row == other.row
    }
}

impl Signature {
    /// Whose it is.
    pub fn family(&self) -> &'static Family {
        all().nth(self.row).unwrap_or(&Family::ROW)
    }

    /// True when a driver's name fits.
    fn has_name(&self, driver: &str) -> bool {
        fits(self.names, driver)
    }

    /// True when a driver of this family may live in `module`.
    pub fn has_module(&self, module: &str) -> bool {
        module == "kernel" || self.modules.is_empty() || values(self.modules).any(|one| one == module)
    }
}

/// The family of a driver by its name.
pub fn by_name(driver: &str) -> Option<&'static Signature> {
    let driver = driver.strip_prefix("__").unwrap_or(driver);
    SIGNATURES.iter().find(|s| s.has_name(driver))
}

/// The family of a driver by name and module; a row whose module fits wins over one whose name alone does.
pub fn of(driver: &str, module: &str) -> Option<&'static Signature> {
    let name = driver.strip_prefix("__").unwrap_or(driver);
    SIGNATURES.iter().find(|s| s.has_name(name) && s.has_module(module)).or_else(|| by_name(driver))
}

/// The family of a driver by name and module, if both fit.
pub fn known(driver: &str, module: &str) -> Option<&'static Signature> {
    of(driver, module).filter(|signature| signature.has_module(module))
}

/// Whether a text fits one of the patterns.
pub fn fits(patterns: &str, text: &str) -> bool {
    values(patterns).any(|pattern| glob(pattern.as_bytes(), text.as_bytes()))
}

/// `*` stands for any text, everything else for itself.
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
