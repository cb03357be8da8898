//! An OpenSSL with the provider configured in it, and the interfaces to drivers that this machine
//! has.

use std::fs;
use std::path::{Path, PathBuf};

use outboard_counters::{Counts, Decision, Table};
use tempfile::TempDir;

use crate::evp::{self, Cipher, Digest, Hmac, LibraryContext};
use crate::machine;
use crate::module::module;
use crate::skip::skip;
use crate::tuning::POLICY;

/// The provider's name, in configurations and in property queries.
pub const OUTBOARD: &str = "outboard";

/// Settings of a world without THRESHOLDS where there is no policy, so that drivers are used although
/// nothing was measured.
const UNMEASURED: [(&str, &str); 2] = [("THRESHOLDS", "ALL:4096"), ("KEY_BYTES", "65537")];

/// The ciphers that the provider offers for the accelerator of the test machines.
pub const CIPHERS: [&str; 3] = ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"];

/// The other ciphers that it can offer.
pub const OTHER_CIPHERS: [&str; 9] = [
    "AES-128-CTR",
    "AES-192-CTR",
    "AES-256-CTR",
    "AES-128-ECB",
    "AES-192-ECB",
    "AES-256-ECB",
    "AES-128-XTS",
    "AES-256-XTS",
    "DES-EDE3-CBC",
];

/// The AEADs that it can offer.
pub const AEADS: [&str; 6] =
    ["AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "AES-128-CCM", "AES-192-CCM", "AES-256-CCM"];

/// The drivers that the provider may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverChoice {
    /// An accelerator.
    Accelerator,
    /// Software drivers of the kernel, separated by commas: the same code in the provider, on
    /// machines without an accelerator.
    KernelSoftware(String),
    /// Drivers of the simulated accelerator, separated by commas.
    Simulated(String),
    /// None: the provider offers no algorithm, so OpenSSL's own ciphers are used.
    Nothing,
}

impl DriverChoice {
    /// The kinds of drivers that this machine can reach; reports a skip for each that it cannot.
    fn reachable(test: &str) -> Vec<DriverChoice> {
        let accelerator = machine::reachable_accelerator().map(|_| DriverChoice::Accelerator);
        let software = machine::reachable_software_driver().map(DriverChoice::KernelSoftware);
        let choices = [accelerator, software];
        choices.into_iter().filter_map(|choice| choice.map_err(|missing| skip(test, missing)).ok()).collect()
    }

    fn settings(&self) -> Vec<(&str, &str)> {
        match self {
            DriverChoice::KernelSoftware(driver) => vec![("USE_SOFTDRIVERS", "1"), ("DRIVERS", driver)],
            DriverChoice::Simulated(drivers) => vec![("USE_SOFTDRIVERS", "0"), ("DRIVERS", drivers)],
            DriverChoice::Accelerator | DriverChoice::Nothing => vec![("USE_SOFTDRIVERS", "0")],
        }
    }
}

/// Which provider's section comes first in openssl.cnf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// default, outboard.
    DefaultFirst,
    /// outboard, default.
    OutboardFirst,
}

/// A library context with the provider active in it.
pub struct World {
    /// The configured drivers.
    pub driver_choice: DriverChoice,
    /// The context.
    pub context: LibraryContext,
    /// The provider's section of the configuration.
    pub section: String,
    counters: Table,
    folder: TempDir,
}

impl World {
    /// A world with these settings; `Err` has the error queue if the provider does not load.
    pub fn new(choice: DriverChoice, settings: &[(&str, &str)], order: Order) -> Result<World, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
        let path = folder.path().join("counters");
        let counters = Table::create(&path).map_err(|error| error.to_string())?;
        let path = path.to_str().ok_or("a temporary folder with a plain name")?.to_owned();
        let mut all = choice.settings();
        all.push(("COUNTERS", &path));
        if !Path::new(POLICY).exists() && !settings.iter().any(|(key, _)| *key == "THRESHOLDS") {
            all.extend(UNMEASURED);
        }
        for &(key, value) in settings {
            all.retain(|&(other, _)| other != key);
            all.push((key, value));
        }
        let config = folder.path().join("openssl.cnf");
        let section = outboard_section(&module()?, &all, true);
        write_config(&config, &section, order);

        evp::clear();
        let context = LibraryContext::new();
        let loaded = context.load_config(&config);
        if !loaded || !context.has_provider(OUTBOARD) {
            return Err(format!("the provider did not load:\n{}", evp::text()));
        }
        evp::clear();
        Ok(World { driver_choice: choice, context, section, counters, folder })
    }

    /// The provider's cipher; without drivers, the cipher of an application that prefers the
    /// provider.
    #[track_caller]
    pub fn hard(&self, algorithm: &str) -> Cipher {
        let query = if self.driver_choice == DriverChoice::Nothing {
            "?provider=outboard"
        } else {
            "provider=outboard"
        };
        Cipher::fetch(&self.context, algorithm, query).unwrap_or_else(|| {
            panic!("{:?}: no {algorithm} of {query}:\n{}", self.driver_choice, evp::text())
        })
    }

    /// The provider's cipher, if it offers it.
    pub fn hard_if_offered(&self, algorithm: &str) -> Option<Cipher> {
        let cipher = Cipher::fetch(&self.context, algorithm, "provider=outboard");
        evp::clear();
        cipher
    }

    /// OpenSSL's own cipher.
    #[track_caller]
    pub fn soft(&self, algorithm: &str) -> Cipher {
        Cipher::fetch(&self.context, algorithm, "provider=default")
            .unwrap_or_else(|| panic!("no {algorithm} of the default provider's:\n{}", evp::text()))
    }

    /// The provider's digest, if it offers it.
    pub fn hard_digest(&self, algorithm: &str) -> Option<Digest> {
        let digest = Digest::fetch(&self.context, algorithm, "provider=outboard");
        evp::clear();
        digest
    }

    /// OpenSSL's own digest.
    #[track_caller]
    pub fn soft_digest(&self, algorithm: &str) -> Digest {
        Digest::fetch(&self.context, algorithm, "provider=default")
            .unwrap_or_else(|| panic!("no {algorithm} of the default provider's:\n{}", evp::text()))
    }

    /// The provider's HMAC, if it offers it.
    pub fn hard_hmac(&self) -> Option<Hmac> {
        let hmac = Hmac::fetch(&self.context, "provider=outboard");
        evp::clear();
        hmac
    }

    /// OpenSSL's own HMAC.
    #[track_caller]
    pub fn soft_hmac(&self) -> Hmac {
        Hmac::fetch(&self.context, "provider=default")
            .unwrap_or_else(|| panic!("no HMAC of the default provider's:\n{}", evp::text()))
    }

    /// The counters of this world, summed over all ciphers; commands with its configuration are
    /// included.
    pub fn counts(&self) -> Counts {
        self.counters.snapshot().into_iter().fold(Counts::default(), |sum, (_, counts)| sum + counts)
    }

    /// The counters of one cipher.
    pub fn counts_of(&self, algorithm: &str) -> Counts {
        let all = self.counters.snapshot().into_iter();
        all.filter(|(name, _)| name == algorithm).fold(Counts::default(), |sum, (_, counts)| sum + counts)
    }

    /// The decisions of the provider about algorithms.
    pub fn decisions(&self) -> Vec<(String, Decision)> {
        self.counters.decisions()
    }

    /// Asserts that a driver processed requests and that none failed.
    #[track_caller]
    pub fn assert_driver_used(&self) {
        if self.driver_choice == DriverChoice::Nothing {
            return;
        }
        let counts = self.counts();
        let notes = self.counters.notes();
        assert!(
            counts.hw_requests > 0,
            "{:?}: nothing went to the driver: {counts:?} {notes:?}",
            self.driver_choice
        );
        assert!(
            counts.failures == 0 && counts.mismatches == 0,
            "{:?}: the driver failed: {counts:?} {notes:?}",
            self.driver_choice
        );
    }

    /// The configuration, for commands that use the same provider.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("openssl.cnf")
    }

    /// The world's folder, for other files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// A world for each kind of driver that this machine can reach, or none when the module is missing:
/// for tests of the hardware.
#[track_caller]
pub fn worlds_with_drivers(test: &str, settings: &[(&str, &str)]) -> Vec<World> {
    if let Err(missing) = module() {
        skip(test, missing);
        return Vec::new();
    }
    let make = |choice: DriverChoice| {
        World::new(choice.clone(), settings, Order::DefaultFirst)
            .unwrap_or_else(|error| panic!("{choice:?}: {error}"))
    };
    DriverChoice::reachable(test).into_iter().map(make).collect()
}

/// As `worlds_with_drivers`; without a driver, a world that uses OpenSSL's own ciphers: for tests
/// that compare bytes.
#[track_caller]
pub fn worlds(test: &str, settings: &[(&str, &str)]) -> Vec<World> {
    let mut worlds = worlds_with_drivers(test, settings);
    if worlds.is_empty() && module().is_ok() {
        let world = World::new(DriverChoice::Nothing, settings, Order::DefaultFirst);
        worlds.push(world.unwrap_or_else(|error| panic!("without a driver: {error}")));
    }
    worlds
}

/// A world with a software driver of the kernel for every cipher; `None` where AF_ALG does not
/// reach all of them, or the module is missing.
#[track_caller]
pub fn world_of_every_cipher(test: &str, settings: &[(&str, &str)]) -> Option<World> {
    let drivers = module().and_then(|_| machine::reachable_software_drivers());
    let drivers = drivers.map_err(|missing| skip(test, missing)).ok()?;
    let world = World::new(DriverChoice::KernelSoftware(drivers.join(",")), settings, Order::DefaultFirst);
    Some(world.unwrap_or_else(|error| panic!("{error}")))
}

/// The accelerator's world, for tests of the hardware itself.
#[track_caller]
pub fn accelerator_world(test: &str, settings: &[(&str, &str)]) -> Option<World> {
    let missing = module().and(machine::reachable_accelerator()).err();
    if let Some(missing) = missing {
        skip(test, missing);
        return None;
    }
    let world = World::new(DriverChoice::Accelerator, settings, Order::DefaultFirst);
    Some(world.unwrap_or_else(|error| panic!("{error}")))
}

/// A provider's section of openssl.cnf.
pub fn outboard_section(module: &Path, settings: &[(&str, &str)], activate: bool) -> String {
    let mut section = format!("module = {}\n", module.display());
    if activate {
        section.push_str("activate = 1\n");
    }
    for (key, value) in settings {
        section.push_str(&format!("{key} = {value}\n"));
    }
    section
}

/// Writes an openssl.cnf with the default provider and outboard, which is preferred.
pub fn write_config(path: &Path, outboard: &str, order: Order) {
    let providers = match order {
        Order::DefaultFirst => "default = default_section\noutboard = outboard_section\n",
        Order::OutboardFirst => "outboard = outboard_section\ndefault = default_section\n",
    };
    write_text(path, providers, outboard, "");
}

/// Writes an openssl.cnf from its parts.
pub fn write_text(path: &Path, providers: &str, outboard: &str, more: &str) {
    let text = format!(
        "openssl_conf = openssl_section\n\n[openssl_section]\nproviders = providers_section\n\
         alg_section = algorithms_section\n{more}\n[providers_section]\n{providers}\n\
         [default_section]\nactivate = 1\n\n[outboard_section]\n{outboard}\n\
         [algorithms_section]\ndefault_properties = ?provider=outboard\n"
    );
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
