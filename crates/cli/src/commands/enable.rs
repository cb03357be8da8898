//! `outboard enable`: adds the files with which a service uses outboard.

pub mod document;
pub mod kernel_user;
pub mod list;
pub mod restart;
pub mod service_facts;
pub mod text;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use outboard_advice::{ServiceFacts, details, note};
use outboard_console::{advice, answer, ended, say};
use outboard_documents::Goal;
use outboard_drivers::reach::KernelUser;
use outboard_openssl_conf::{installation, installation::OpenSsl, provider_file};
use outboard_services::enable::{self, Application, Applied, Inputs, Plan, Record, State, Step, Tree};

use self::restart::Flags;
use super::tune::GoalName;
use crate::etc::Changing;
use crate::running_services::{procd, systemctl};
use crate::signals;

/// Make a service use the accelerator
///
/// Adds an openssl.cnf in /etc/outboard that includes the service's present one, and a systemd drop-in that sets
/// OPENSSL_CONF; on OpenWrt files in /etc/outboard/programs.d that name the programs. No file of another package is
/// changed, and `outboard disable` removes them, byte for byte. No service is restarted without --restart: the commands
/// for that are printed.
///
/// The service is refused where OpenSSL with the new configuration does not use the provider, no accelerator can be
/// reached, `outboard tune` did not measure, or software wins for its requests: also where ChaCha20 in software needs
/// less time and less CPU time than all suites of the service that the accelerator serves. --aes-required omits that
/// last comparison, and the record of the service keeps the reason.
///
/// With --restart the running units are restarted and verified: the provider is mapped in their processes, clients
/// (curl, ssh) still reach the ports that they reached before, and their requests changed the counters and the
/// interrupts of an accelerator. If a step fails, the change is undone and the service restarted as it was.
///
/// For kTLS, IPsec and encrypted disks (ktls, ipsec, disk) the kernel selects a driver by its priority. For ipsec and
/// disk some seconds of a tunnel between two network namespaces, or of a disk in memory, compare the accelerator with
/// the kernel's software and with ChaCha20-Poly1305 or Adiantum; for ktls the policy decides. The driver that wins is
/// preferred as by `outboard prefer`, and the selection is verified.
///
/// Exit code 1 when a service was refused or could not be enabled; those named before it stay enabled.
#[derive(Args)]
pub struct Options {
    /// Services: openssl (the whole system), nginx, apache, sshd, ssh, openvpn, strongswan, and in the kernel ktls, ipsec, disk
    #[arg(value_name = "SERVICE", required_unless_present_any = ["units", "list"], conflicts_with = "list")]
    services: Vec<String>,
    /// A systemd service by the name of its unit, or on OpenWrt of its init script; may be repeated
    #[arg(long = "unit", value_name = "NAME", conflicts_with = "list")]
    units: Vec<String>,
    /// Show the services, which are installed and which are enabled
    #[arg(long)]
    list: bool,
    /// Print JSON: with --list the schema outboard-services/1, with --restart outboard-restart/1, else outboard-enable/1
    #[arg(long)]
    json: bool,
    /// With --json: print each step as a line (schema outboard-progress/1), and the document as the last line
    #[arg(long, requires = "json", conflicts_with = "list")]
    progress: bool,
    /// Restart the service's running units and verify them; undo the change if that fails
    #[arg(long, conflicts_with_all = ["list", "dry_run", "root"])]
    restart: bool,
    /// Show what would be written, and whether the accelerator wins; change nothing. Refuses what would be refused
    #[arg(long)]
    dry_run: bool,
    /// Refuse unless `outboard tune` measured for this goal
    #[arg(long, value_enum, conflicts_with = "list")]
    goal: Option<GoalName>,
    /// Enable it even if software wins or nothing was measured
    #[arg(long, conflicts_with = "list")]
    force: bool,
    /// Enable it even if another cipher that the service offers is faster in software: AES is required (FIPS, peers, disks that exist)
    #[arg(long, conflicts_with = "list")]
    aes_required: bool,
    /// Replace or remove files of outboard's that were edited; each is kept as FILE.outboard-old
    #[arg(long, conflicts_with = "list")]
    overwrite: bool,
    #[command(flatten)]
    place: Place,
    /// The provider's file instead of the installed one; with --root a path within it
    #[arg(long, value_name = "PATH", conflicts_with = "list")]
    module: Option<PathBuf>,
}

#[derive(Args)]
pub struct Place {
    /// Change the system below this directory, such as an image; enabling requires --force, since nothing can be measured
    #[arg(long, value_name = "DIRECTORY", value_parser = directory)]
    root: Option<PathBuf>,
}

fn directory(text: &str) -> Result<PathBuf, String> {
    let path = std::path::absolute(text).map_err(|error| error.to_string())?;
    if path.is_dir() { Ok(path) } else { Err("there is no such directory".to_owned()) }
}

impl Place {
    pub fn tree(&self) -> Tree {
        Tree::at(self.root.as_deref().unwrap_or(Path::new("/")))
    }

    /// Prevents other changes, and the end of this process by a signal, until the result is dropped.
    /// Removes what an interrupted change has left.
    pub fn lock(&self) -> Result<Changing> {
        lock(&self.tree())
    }

    /// The lock, unless another process holds it.
    pub fn try_lock(tree: &Tree) -> io::Result<Option<Changing>> {
        match tree.exists(Path::new(DIRECTORY)) {
            true => Changing::try_begin(tree, Path::new(DIRECTORY)),
            false => Ok(None),
        }
    }

    /// Removes what an interrupted change has left, and reports it. The caller holds the lock.
    fn clean(tree: &Tree) -> Result<()> {
        let staged = Record::staged(tree);
        Record::remove_staged(tree).context(DIRECTORY)?;
        for service in staged {
            say(&format!("outboard: {service}: removed the new record of a change that was interrupted"));
        }
        Ok(())
    }
}

/// The reason in the record, where nothing was measured.
const AES_REQUIRED: &str = "--aes-required was given";

/// The directory of the lock and of the records.
pub const DIRECTORY: &str = "/etc/outboard";

/// Waits until no other process changes this system, and prevents other changes.
pub fn lock(tree: &Tree) -> Result<Changing> {
    let directory = Path::new(DIRECTORY);
    let changing = Changing::begin(tree, directory).map_err(|error| {
        let directory = tree.path(directory);
        anyhow!("{} cannot be changed: {error}; {}", directory.display(), advice(&error, None))
    })?;
    Place::clean(tree)?;
    Ok(changing)
}

/// A service as named on the command line.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    name: &'a str,
    is_unit: bool,
}

/// Joins services and units, in this order.
pub fn named<'a>(services: &'a [String], units: &'a [String]) -> impl Iterator<Item = Named<'a>> {
    let service = |name: &'a String| Named { name, is_unit: false };
    let unit = |name: &'a String| Named { name, is_unit: true };
    services.iter().map(service).chain(units.iter().map(unit))
}

impl<'a> Named<'a> {
    pub fn of_record(key: &'a str) -> Self {
        Self { name: key, is_unit: key.ends_with(".service") }
    }

    pub fn is_unit(&self) -> bool {
        self.is_unit
    }

    /// The name in records and messages.
    pub fn key(&self) -> String {
        match self.is_unit && !self.name.ends_with(".service") {
            true => format!("{}.service", self.name),
            false => self.name.to_owned(),
        }
    }

    pub fn arguments(&self) -> String {
        if self.is_unit { format!("--unit {}", self.name) } else { self.name.to_owned() }
    }

    /// An error if the name can have no record. A record's file has the name in its own.
    pub fn checked(&self) -> Result<()> {
        let is_known =
            Application::by_name(self.name).is_some() || enable::driver_of_key(self.name).is_some();
        if !self.is_unit && !is_known {
            bail!("{} is not a service that outboard supports (outboard enable --list)", self.name);
        }
        if self.name.is_empty() || self.name.contains('/') {
            bail!("{:?} is not the name of a unit", self.name);
        }
        Ok(())
    }
}

pub fn run(options: &Options) -> ExitCode {
    if options.progress {
        outboard_documents::print_steps();
    }
    let result = match options.list {
        true => list::list(&options.place.tree(), options.json),
        false => named(&options.services, &options.units)
            .try_for_each(|service| enable(options, service).with_context(|| service.key())),
    };
    ended("enable", result)
}

fn enable(options: &Options, service: Named) -> Result<()> {
    if let Some(user) = KernelUser::by_name(service.name).filter(|_| !service.is_unit) {
        return kernel_user::enable(options, user);
    }
    let tree = options.place.tree();
    let inputs = inputs(options, &tree, service)?;
    let mut plan = enable::plan(&tree, service.name, service.is_unit, &inputs)?;
    let enabled = Record::read(&tree, &plan.service).ok().flatten();
    plan.aes_required = enabled.and_then(|record| record.aes_required);
    let is_kept = plan.aes_required.is_some();
    if options.aes_required && !is_kept {
        plan.aes_required = Some(AES_REQUIRED.to_owned());
    }
    // Files that would be refused need no measurement.
    enable::steps_to_enable(&tree, &plan, options.overwrite)?;
    let found = match options.place.root {
        Some(_) if !options.force => {
            bail!("whether the accelerator wins cannot be determined for another system: add --force")
        }
        Some(_) => None,
        None => Some(suitable(options, &tree, &plan, &inputs)?),
    };
    plan.offered = found.as_ref().and_then(|facts| facts.offered.clone());
    let decision = found.as_ref().map(ServiceFacts::decide);
    plan.notes.extend(decision.as_ref().and_then(note));
    if let Some(reason) = found.as_ref().and_then(ServiceFacts::loss).filter(|_| !is_kept) {
        plan.aes_required = plan.aes_required.map(|_| reason);
    }
    let steps = enable::steps_to_enable(&tree, &plan, options.overwrite)?;
    let files = document::files(&tree, &plan, &steps)?;
    if options.dry_run && options.json {
        return document::print(&plan, false, files, decision);
    }
    if options.dry_run {
        return Ok(answer(&text::changes(&tree, &plan, &steps)?)?);
    }
    // The steps are planned again under the lock.
    let lock = options.place.lock()?;
    if let Some(found) = found.filter(|_| options.restart) {
        let flags = Flags { force: options.force, overwrite: options.overwrite, json: options.json };
        return restart::enable(&tree, &plan, &inputs.module, &found, flags);
    }
    let applied = enable::enable(&tree, &plan, options.overwrite)?;
    let state = match Record::read(&tree, &plan.service) {
        Ok(Some(record)) => enable::state(&tree, &record)?,
        _ => State::Incomplete,
    };
    drop(lock);
    if options.json {
        document::print(&plan, true, files, decision)?;
        return signals::check();
    }
    let kept = text::kept(steps.iter().filter_map(|step| match step {
        Step::Keep(path) => Some(path.as_path()),
        _ => None,
    }));
    let done = text::done(&plan, applied == Applied::Unchanged, options.place.root.is_some());
    let note = if state == State::Unverified {
        format!("{}: {}\n", plan.service, list::UNVERIFIED)
    } else {
        String::new()
    };
    answer(&(done + &kept + &note))?;
    signals::check()
}

fn inputs(options: &Options, tree: &Tree, service: Named) -> Result<Inputs> {
    if options.place.root.is_none() {
        let openssl = OpenSsl::find();
        let module = provider_file::find(options.module.as_deref(), &openssl)?;
        return inputs_here(tree, service, &openssl, module);
    }
    let installed = [
        "/usr/lib/outboard/outboard.so",
        "/usr/local/lib/outboard/outboard.so",
        "/usr/lib/ossl-modules/outboard.so",
    ]
    .map(PathBuf::from);
    let module = options.module.clone().or_else(|| installed.into_iter().find(|path| tree.exists(path)));
    let Some(module) = module.filter(|path| path.is_absolute()) else {
        bail!("the provider is not installed there: give its absolute path within the directory by --module");
    };
    let files = installation::USUAL_FILES.map(PathBuf::from);
    let openssl_cnf = files.into_iter().find(|path| tree.exists(path));
    Ok(Inputs { openssl_cnf, module, programs: Vec::new(), units: BTreeMap::new() })
}

/// What is found on the running system for a service.
pub fn inputs_here(tree: &Tree, service: Named, openssl: &OpenSsl, module: PathBuf) -> Result<Inputs> {
    let programs = match service.is_unit && enable::is_openwrt(tree) {
        true => procd::programs(service.name)?,
        false => Vec::new(),
    };
    let units = systemctl::shown(enable::planned_units(service.name, service.is_unit))?;
    Ok(Inputs { openssl_cnf: openssl.own_file(), module, programs, units })
}

/// Loads OpenSSL with the planned configuration, and has the facts decide.
fn suitable(options: &Options, tree: &Tree, plan: &Plan, inputs: &Inputs) -> Result<ServiceFacts> {
    let mut facts = service_facts::examine(tree, plan, inputs, options.goal.map(Goal::from))?;
    if plan.aes_required.is_none() && !options.force {
        service_facts::complete(&mut facts, &inputs.module)?;
    }
    let refusal = facts.refusal();
    if options.dry_run || (refusal.is_some() && !options.force) {
        say(&text::suitability(&facts));
    }
    match refusal {
        Some(why) if !options.force => bail!("{why}"),
        Some(_) => say(&format!("outboard enable: {}", details(&facts.decide()).trim_end())),
        None => {}
    }
    Ok(facts)
}
