//! The columns of the tables of driver families.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// A device separate from the CPU.
    Accelerator,
    /// The CPU's own crypto or vector instructions, which user space can use too.
    Instructions,
    Software,
}

crate::texts! { name:
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EngineKind {
        /// A unit inside the system on chip.
        SocEngine = "SoC engine",
        /// A chip of its own on the board.
        Coprocessor = "coprocessor",
        /// An add-on card, or a chip that is sold on one.
        Card = "card",
        CpuInstructions = "CPU instructions",
        /// Firmware or a hypervisor, reached by calls.
        Firmware = "firmware",
        /// A device of a virtual machine; the host computes.
        Paravirtual = "paravirtual",
        /// Code of the kernel without special instructions.
        Software = "software",
    }
}

/// A known limit or fault, and a public source for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub text: &'static str,
    /// An URL, or a path in Linux' source.
    pub source: &'static str,
}

/// What must not be passed to a driver over `/dev/outboard`. `outboard allow` writes it to the kernel
/// module with the driver's name, and the module enforces it. 0 or false: as for all drivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The longest request in bytes, a multiple of 128.
    pub length: u32,
    /// The most requests that the engine may have at the same time.
    pub requests: u32,
    /// A session encrypts or decrypts, and not both.
    pub one_direction: bool,
}

impl Bounds {
    /// Those of most drivers.
    pub const NONE: Bounds = Bounds { length: 0, requests: 0, one_direction: false };

    /// Reads [`words`](Self::words). Skips what it does not know: a newer module may write more.
    pub fn parse<'w>(words: impl Iterator<Item = &'w str>) -> Bounds {
        let mut bounds = Bounds::NONE;
        for word in words {
            match word.split_once('=') {
                Some(("length", number)) => bounds.length = number.parse().unwrap_or(0),
                Some(("requests", number)) => bounds.requests = number.parse().unwrap_or(0),
                _ => bounds.one_direction |= word == "one-direction",
            }
        }
        bounds
    }

    /// The words after a driver's name in the module's allow list, each with a space before it.
    pub fn words(self) -> String {
        let number = |name, value| if value == 0 { String::new() } else { format!(" {name}={value}") };
        let direction = if self.one_direction { " one-direction" } else { "" };
        number("length", self.length) + &number("requests", self.requests) + direction
    }
}

/// Published or estimated: those of the presets of the simulated accelerator (kmod/sim/model.c).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speed {
    /// The time of a request without that of its bytes.
    pub request_us: f64,
    pub mb_per_s: f64,
}

impl Speed {
    pub fn microseconds(self, bytes: usize) -> f64 {
        self.request_us + bytes as f64 / self.mb_per_s
    }
}

/// How an accelerator signals that a request is complete, which decides what proves that it was
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    OwnInterrupt,
    /// Interrupts of another device, named here.
    Through(&'static str),
    /// The CPU polls: no interrupt proves that it was used.
    Polled,
}

/// One row of the tables. A `|` separates values; in a pattern, `*` matches any text. Empty is: there
/// is none.
#[derive(Debug)]
pub struct Family {
    pub id: &'static str,
    pub vendor: &'static str,
    pub kind: EngineKind,
    /// Chips, boards and machines that have it.
    pub found_in: &'static str,
    /// The kernel's options for it, without `CONFIG_`; empty if it is not in mainline.
    pub options: &'static str,
    pub openwrt: &'static str,
    /// The architectures for which Debian's kernel has the driver (6.1 and 6.12).
    pub debian: &'static str,
    /// The driver of FreeBSD and pfSense for the same hardware.
    pub bsd: &'static str,
    pub acpi: &'static [&'static str],
    /// Main algorithms, by the kernel's names.
    pub algorithms: &'static str,
    /// Whether drivers compute some requests in software (flag NEED_FALLBACK).
    pub needs_fallback: bool,
    /// Whether the ciphers of its drivers have the flag ALLOCATES_MEMORY, with which dm-crypt leaves
    /// them out since Linux 5.10 (commit cd74693870fb); the flag exists since 5.9.
    pub allocates_memory: bool,
    /// Patterns of names of drivers that are known to be wrong: they are used over no interface.
    pub refused: &'static str,
    /// What must not be passed to its drivers.
    pub bounds: Bounds,
    /// Whether its drivers need what only the module of `/dev/outboard` keeps: they are used over no
    /// other interface, and not preferred for users within the kernel.
    pub is_module_only: bool,
    pub limits: &'static [Limit],
    /// What its drivers did to users within the kernel that got them by their priority: IPsec, OpenVPN's
    /// module, disks.
    pub harm: &'static [Limit],
    /// The time of a request, where a figure is known.
    pub speed: Option<Speed>,
    pub source: &'static str,
    pub nature: Nature,
    /// Patterns of driver names; empty if no driver registers with the kernel's crypto API.
    pub names: &'static str,
    /// Kernel modules, spelled as in /sys/module.
    pub modules: &'static str,
    /// `bus/driver` as in /sys/bus/BUS/drivers/DRIVER, of the device drivers behind it.
    pub bound: &'static str,
    pub completion: Completion,
    /// Patterns of the action names in /proc/interrupts, where these are not the device's name.
    pub irqs: &'static str,
    pub chip: &'static str,
    pub compatible: &'static [&'static str],
    pub pci: &'static [(u16, u16)],
    pub boards: &'static [Board],
}

impl Family {
    pub fn all_limits(&self) -> impl Iterator<Item = &'static Limit> + use<> {
        self.limits.iter().chain(self.harm)
    }

    pub(crate) const ROW: Self = Self {
        id: "",
        vendor: "",
        kind: EngineKind::SocEngine,
        found_in: "",
        options: "",
        openwrt: "",
        debian: "",
        bsd: "",
        acpi: &[],
        algorithms: "",
        needs_fallback: false,
        allocates_memory: false,
        refused: "",
        bounds: Bounds::NONE,
        is_module_only: false,
        limits: &[],
        harm: &[],
        speed: None,
        source: "",
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
    pub words: &'static [&'static str],
    pub name: &'static str,
}

/// A board or chip without an engine, or with one for which Linux has no driver.
pub(crate) struct BoardWithoutDriver {
    pub(crate) words: &'static [&'static str],
    pub(crate) name: &'static str,
    pub(crate) remark: &'static str,
}
