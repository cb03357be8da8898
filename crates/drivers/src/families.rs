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

/// One row of the table, below a line that says which chips and boards have it. Patterns may contain `*`, which stands for any text.
#[derive(Debug)]
pub struct Family {
    /// Short name.
    pub id: &'static str,
    /// What computes.
    pub nature: Nature,
    /// Patterns of driver names.
    pub names: &'static [&'static str],
    /// Kernel modules, spelled as in /sys/module.
    pub modules: &'static [&'static str],
    /// `bus/driver` as in /sys/bus/BUS/drivers/DRIVER, of the device drivers behind it.
    pub bound: &'static [&'static str],
    /// How completion shows.
    pub completion: Completion,
    /// Patterns of the action names in /proc/interrupts, where these are not the device's name.
    pub irqs: &'static [&'static str],
    /// The engine's name, for people.
    pub chip: &'static str,
}

impl Family {
    const ROW: Self = Self {
        id: "",
        nature: Nature::Accelerator,
        names: &[],
        modules: &[],
        bound: &[],
        completion: Completion::OwnInterrupt,
        irqs: &[],
        chip: "",
    };

    /// True when a driver's name fits.
    pub fn has_name(&self, driver: &str) -> bool {
        self.names.iter().any(|pattern| glob(pattern, driver))
    }

    /// True when a driver of this family may live in `module`.
    pub fn has_module(&self, module: &str) -> bool {
        module == "kernel" || self.modules.is_empty() || self.modules.contains(&module)
    }
}

/// Every row; accelerators first, because some of their names end like those of CPU code (`cbc-aes-sun8i-ce`).
pub fn all() -> impl Iterator<Item = &'static Family> {
    [engines::ROWS, boards::ROWS, cards::ROWS, cpu::ROWS, software::ROWS].into_iter().flatten()
}

/// The rows of accelerators.
pub fn accelerators() -> impl Iterator<Item = &'static Family> {
    all().filter(|f| f.nature == Nature::Accelerator)
}

/// The family of a driver by its name.
pub fn by_name(driver: &str) -> Option<&'static Family> {
    let driver = driver.strip_prefix("__").unwrap_or(driver);
    all().find(|f| f.has_name(driver))
}

/// The family of a driver by name and module; a row whose module fits wins over one whose name alone does.
pub fn of(driver: &str, module: &str) -> Option<&'static Family> {
    let driver = driver.strip_prefix("__").unwrap_or(driver);
    all().find(|f| f.has_name(driver) && f.has_module(module)).or_else(|| by_name(driver))
}

/// `*` stands for any text, everything else for itself.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut open = false;
    let mut last = "";
    for part in parts {
        match rest.find(last) {
            Some(at) => rest = &rest[at + last.len()..],
            None => return false,
        }
        last = part;
        open = true;
    }
    if open { rest.ends_with(last) } else { rest.is_empty() }
}

#[cfg(test)]
#[path = "families_tests.rs"]
mod tests;
