//! The contestants: OpenSSL, and each driver over each interface that reaches it.

use crate::documents::bench::{Contestant, ContestantKind};
use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use outboard_accel::af_alg::AfAlg;
use outboard_accel::primitive::Primitive;
use outboard_accel::{
    Accelerator, Algorithm, Error, HashAlgorithm, HashSession, reach_hash_over, reach_over,
};
use outboard_drivers::find::{Judged, Survey};
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::ProgramInterface;
use outboard_drivers::root::Root;
use outboard_drivers::survey;
use outboard_measure::interrupts::Interrupts;

use super::driver_interface::{DriverInterface, Probe};
use super::{lists, plan};

/// An interface to drivers, for the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Interface {
    /// The module's own interface
    #[value(name = "/dev/outboard", alias = "outboard")]
    Outboard,
    /// That of cryptodev-linux
    #[value(name = "/dev/crypto", alias = "cryptodev")]
    Cryptodev,
    /// The kernel's sockets
    #[value(name = "AF_ALG", alias = "af_alg", alias = "afalg")]
    AfAlg,
    /// VIA PadLock
    #[value(name = "CPU instructions", alias = "instructions")]
    Instructions,
}

impl Interface {
    pub fn named(name: &str) -> Option<Interface> {
        Interface::from_str(name, false).ok()
    }

    pub fn reach(self, driver: &str, algorithm: Algorithm) -> Result<Box<dyn Accelerator>, Error> {
        reach_over(self.of_program(), driver, algorithm)
    }

    pub fn reach_hash(
        self,
        driver: &str,
        algorithm: HashAlgorithm,
    ) -> Result<Box<dyn Accelerator<dyn HashSession>>, Error> {
        reach_hash_over(self.of_program(), driver, algorithm)
    }

    fn of_program(self) -> ProgramInterface {
        match self {
            Interface::Outboard => ProgramInterface::DevOutboard,
            Interface::Cryptodev => ProgramInterface::DevCrypto,
            Interface::AfAlg => ProgramInterface::AfAlg,
            Interface::Instructions => ProgramInterface::Instructions,
        }
    }
}

const OPENSSL: &str = "OpenSSL";

const WITHOUT: &str = "OpenSSL without CPU instructions";

pub fn software_contestant(kind: ContestantKind) -> Contestant {
    let name = if kind == ContestantKind::OpensslWithout { WITHOUT } else { OPENSSL };
    Contestant { name: name.to_owned(), kind, driver: None, interface: None }
}

pub struct DriverBackend {
    pub contestant: Contestant,
    pub interrupts: Interrupts,
}

impl DriverBackend {
    /// Returns whether interrupts must confirm that hardware did the work.
    pub fn is_hardware(&self) -> bool {
        matches!(self.contestant.kind, ContestantKind::Accelerator | ContestantKind::Lookahead)
    }
}

pub struct ContestantFilter<'a> {
    /// Exact driver names; empty: all accelerators and some software.
    pub drivers: &'a [String],
    pub interfaces: &'a [Interface],
}

/// Fails for named drivers that are missing or implement nothing that is measured.
pub fn check(named: &[String], found: &Survey, primitives: &[Primitive]) -> Result<()> {
    for name in named {
        let Some(judged) = found.for_programs().find(|judged| judged.driver.name == *name) else {
            bail!("/proc/crypto lists no driver {name}: outboard status --verbose shows all");
        };
        let does = &judged.driver.algorithm;
        if lists::named(does).is_empty() {
            let known = plan::kernel_names().collect::<Vec<_>>().join(", ");
            bail!("driver {name} does {does}, which outboard bench does not measure: name one of {known}");
        }
        if !primitives.iter().any(|primitive| primitive.kernel_name() == does) {
            bail!("driver {name} does {does}, and other algorithms were named: name {does}, or none");
        }
    }
    Ok(())
}

/// Fails for named drivers that no interface reaches.
pub fn check_reached<'a>(
    named: &[String],
    backends: impl Iterator<Item = &'a DriverBackend> + Clone,
    notes: &[String],
) -> Result<()> {
    let is_reached =
        |name: &String| backends.clone().any(|backend| backend.contestant.driver.as_ref() == Some(name));
    match named.iter().find(|name| !is_reached(name)) {
        Some(name) => bail!("no interface reaches driver {name}: {}", notes.join("; ")),
        None => Ok(()),
    }
}

/// Returns all interfaces to the drivers of a cipher, a digest or an HMAC, each with a probe that
/// reports which requests fit; the probe holds a key. Drivers that are not reached are listed in
/// `notes`.
pub fn backends(
    primitive: Primitive,
    key: &[u8],
    wanted: &ContestantFilter<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<(DriverBackend, Probe)>> {
    if wanted.drivers.is_empty() {
        make_software(primitive);
    }
    let found = survey(&Root::live())?;
    let mut backends = Vec::new();
    for judged in drivers(&found, primitive.kernel_name(), wanted.drivers) {
        let name = &judged.driver.name;
        let kind = match judged.judgement.verdict {
            Verdict::Accelerator | Verdict::Unknown => ContestantKind::Accelerator,
            _ => ContestantKind::KernelSoftware,
        };
        for &interface in Interface::value_variants() {
            let leads_there = ProgramInterface::preferred_first(name).contains(&interface.of_program());
            if !leads_there || (!wanted.interfaces.is_empty() && !wanted.interfaces.contains(&interface)) {
                continue;
            }
            let down = DriverInterface::reach(interface, name, primitive);
            match down.and_then(|down| Ok((down.probe(key)?, down.interface()))) {
                Ok((probe, interface)) => {
                    let interface = interface.to_owned();
                    let contestant = Contestant {
                        name: format!("{name} over {interface}"),
                        kind,
                        driver: Some(name.clone()),
                        interface: Some(interface),
                    };
                    let interrupts = Interrupts::of(name);
                    let interrupts = interrupts.map_err(|error| anyhow!("/proc/interrupts: {error}"))?;
                    backends.push((DriverBackend { contestant, interrupts }, probe));
                }
                // Software need not be allowed to /dev/outboard.
                Err(_) if kind == ContestantKind::KernelSoftware && interface != Interface::AfAlg => {}
                Err(error) if kind == ContestantKind::KernelSoftware => note(notes, not_led(name, &error)),
                Err(error) => note(notes, format!("not measured: {error}")),
            }
        }
    }
    Ok(backends)
}

/// Omits the advice on how to make an accelerator available, which does not apply to software.
fn not_led(name: &str, error: &Error) -> String {
    match error {
        Error::Unreachable { source, .. } => {
            format!(
                "the kernel's own {name} was not measured: AF_ALG does not lead there on this kernel ({source})"
            )
        }
        other => format!("the kernel's own {name} was not measured: {other}"),
    }
}

/// Adds a note unless it is present.
pub fn note(notes: &mut Vec<String>, text: String) {
    if !notes.contains(&text) {
        notes.push(text);
    }
}

/// Returns the named drivers; otherwise all accelerators, and the best software driver with CPU
/// instructions and without.
fn drivers<'a>(found: &'a Survey, algorithm: &str, named: &[String]) -> Vec<&'a Judged> {
    let of_algorithm = || {
        let all = found.for_programs();
        all.filter(|one| one.driver.algorithm == algorithm && one.driver.is_usable())
    };
    if !named.is_empty() {
        return of_algorithm().filter(|one| named.contains(&one.driver.name)).collect();
    }
    let best = |is_meant: &dyn Fn(&Judged) -> bool| {
        of_algorithm().filter(|one| is_meant(one)).max_by_key(|one| one.driver.priority)
    };
    let with_instructions = best(&|one| one.judgement.verdict == Verdict::CpuInstructions);
    let plain = best(&|one| is_plain(one, found));
    let accelerators = of_algorithm().filter(|one| one.judgement.verdict == Verdict::Accelerator);
    accelerators.chain(with_instructions).chain(plain).collect()
}

/// Returns whether a driver uses no CPU instructions: generic code, or a mode around generic code,
/// such as `cbc(aes-generic)` or `xts(ecb(aes-generic))`.
fn is_plain(one: &Judged, found: &Survey) -> bool {
    let inside = |name: &str| found.drivers.iter().find(|other| other.driver.name == *name);
    match one.judgement.verdict {
        Verdict::Software => true,
        Verdict::Wrapper => {
            let inner = one.inner();
            !inner.is_empty()
                && inner.iter().all(|name| inside(name).is_some_and(|other| is_plain(other, found)))
        }
        _ => false,
    }
}

/// Requests generic drivers by name: the kernel instantiates the mode of a cipher, or loads the
/// module of a digest or HMAC, only then. The names changed with Linux 7.
fn make_software(primitive: Primitive) {
    for library in ["generic", "lib"] {
        let is_there = match primitive {
            Primitive::Cipher(algorithm) => {
                let name = algorithm.kernel_name().trim_end_matches(')');
                let Some((mode, cipher)) = name.split_once('(') else { return };
                let cipher = format!("{cipher}-{library}");
                let name =
                    if mode == "xts" { format!("xts(ecb({cipher}))") } else { format!("{mode}({cipher})") };
                AfAlg::reach(&name, algorithm).is_ok()
            }
            Primitive::Hash(algorithm) => {
                let digest = HashAlgorithm { hmac: false, ..algorithm }.kernel_name();
                let name = match (algorithm.hmac, library) {
                    (false, _) => format!("{digest}-{library}"),
                    (true, "lib") => format!("hmac-{digest}-lib"),
                    (true, _) => format!("hmac({digest}-{library})"),
                };
                AfAlg::reach_hash(&name, algorithm).is_ok()
            }
        };
        if is_there {
            return;
        }
    }
}
