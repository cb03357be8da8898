//! The columns of the tables of driver families.

/// The kind of computing unit that a driver uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// A device separate from the CPU.
    Accelerator,
    /// The CPU's own crypto or vector instructions, which user space can use too.
    Instructions,
    /// Software.
    Software,
}

/// How an accelerator signals that a request is complete, which decides what proves that it was
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// Interrupts of its own, visible in /proc/interrupts.
    OwnInterrupt,
    /// Interrupts of another device, named here.
    Through(&'static str),
    /// The CPU polls: no interrupt proves that it was used.
    Polled,
}

/// One row of the tables; the comment above a row names chips and boards. A `|` separates values;
/// in a pattern, `*` matches any text.
#[derive(Debug)]
pub struct Family {
    /// Short name.
    pub id: &'static str,
    /// The kind of computing unit that a driver uses.
    pub nature: Nature,
    /// Patterns of driver names.
    pub names: &'static str,
    /// Kernel modules, spelled as in /sys/module.
    pub modules: &'static str,
    /// `bus/driver` as in /sys/bus/BUS/drivers/DRIVER, of the device drivers behind it.
    pub bound: &'static str,
    /// How it signals completion.
    pub completion: Completion,
    /// Patterns of the action names in /proc/interrupts, where these are not the device's name.
    pub irqs: &'static str,
    /// The engine's name for output.
    pub chip: &'static str,
    /// `compatible` strings of its device-tree nodes.
    pub compatible: &'static [&'static str],
    /// PCI vendor and device numbers.
    pub pci: &'static [(u16, u16)],
    /// Boards and chips that have it.
    pub boards: &'static [Board],
}

impl Family {
    /// An accelerator's row without content.
    pub(crate) const ROW: Self = Self {
        id: "",
        nature: Nature::Accelerator,
        names: "",
        modules: "",
        bound: "",
        completion: Completion::OwnInterrupt,
        irqs: "",
        chip: "",
        compatible: &[],
        pci: &[],
        boards: &[],
    };
}

/// A board or chip with an accelerator: a part of its [`Family`].
#[derive(Debug)]
pub struct Board {
    /// Texts that occur in the device tree's root `compatible`, the model, the DMI product or the
    /// CPU's name.
    pub(crate) words: &'static [&'static str],
    pub(crate) name: &'static str,
}

/// A board or chip without an engine, or with one for which Linux has no driver.
pub(crate) struct BoardWithoutDriver {
    /// As in [`Board`].
    pub(crate) words: &'static [&'static str],
    pub(crate) name: &'static str,
    /// A remark for the user.
    pub(crate) remark: &'static str,
}
