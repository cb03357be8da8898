//! OpenWrt: what is added for a service that procd runs.
//!
//! An init script of OpenWrt has no place for the environment that another package needs, so there
//! is no OPENSSL_CONF for a single service. The package libopenssl-outboard adds a section to
//! OpenSSL's configuration, which all programs load, with the key PROGRAMS (docs/provider.md): the
//! provider offers its algorithms only to programs that have a file in [`PROGRAMS`]. These files
//! are what `enable` adds.

use std::path::{Path, PathBuf};

use outboard_policy::EVERY_PROGRAM;

use super::applications::{ANY, Application, SYSTEM};
use super::plan::{Inputs, Plan, Unplannable, unit_name};
use super::record::AddedFile;
use super::tree::Tree;

const PROGRAMS: &str = "/etc/outboard/programs.d";
const SECTION: &str = "/etc/ssl/modules.cnf.d/outboard.cnf";
/// The providers that /etc/config/openssl enables, from /etc/init.d/openssl.
const PROVIDERS: &str = "/var/etc/ssl/providers.cnf";

/// The processes of each of these programs share a counters file with its name in this directory, by
/// the section's key COUNTERS. /etc/init.d/outboard makes the directory; it is root's.
const COUNTERS: &str = "/var/run/outboard";

/// The same for every service, since services can share a program.
const TEXT: &str = "# The program of this name uses outboard: outboard enable and disable\n";

/// Whether a system is OpenWrt: procd starts init scripts by rc.common.
#[must_use]
pub fn is_openwrt(tree: &Tree) -> bool {
    ["/sbin/procd", "/etc/rc.common"].iter().all(|path| tree.exists(Path::new(path)))
}

/// The init script of `--unit`, whose name in the record ends as that of a systemd unit.
#[must_use]
pub fn init_script_name(unit: &str) -> &str {
    unit.strip_suffix(".service").unwrap_or(unit)
}

/// The installed init scripts that run a service, by its name in the record.
#[must_use]
pub fn init_scripts(tree: &Tree, service: &str) -> Vec<String> {
    let names: Vec<&str> = match Application::by_name(service) {
        Some(known) => known.init_scripts.to_vec(),
        None => vec![init_script_name(service)],
    };
    let is_installed = |name: &&str| tree.exists(&Path::new("/etc/init.d").join(name));
    names.into_iter().filter(is_installed).map(str::to_owned).collect()
}

/// The programs that files add, which are counted. What the file for every program adds is not.
#[must_use]
pub fn counted_programs<'f>(files: impl IntoIterator<Item = &'f AddedFile>) -> Vec<String> {
    let own = files.into_iter().filter(|file| file.path.parent() == Some(Path::new(PROGRAMS)));
    let names = own.filter_map(|file| file.path.file_name()?.to_str()).filter(|name| *name != EVERY_PROGRAM);
    names.map(str::to_owned).collect()
}

pub(super) fn counters_of_program(name: &str) -> PathBuf {
    Path::new(COUNTERS).join(name)
}

pub(super) fn programs_with_counters(tree: &Tree) -> Vec<String> {
    tree.names(Path::new(COUNTERS))
}

/// Plans the changes for a service, or if `is_unit` is set for an init script.
pub(super) fn plan(tree: &Tree, name: &str, is_unit: bool, inputs: &Inputs) -> Result<Plan, Unplannable> {
    let mut plan = match is_unit {
        true => of_init_script(tree, name, inputs)?,
        false => of_application(tree, name)?,
    };
    check_configuration(tree)?;
    plan.existing.clone_from(&inputs.openssl_cnf);
    load_module(tree, &mut plan);
    Ok(plan)
}

fn of_init_script(tree: &Tree, name: &str, inputs: &Inputs) -> Result<Plan, Unplannable> {
    let unit = unit_name(name)?;
    let mut plan = Plan::new(&unit, ANY);
    let scripts = init_scripts(tree, &unit);
    let Some(script) = scripts.first() else {
        let units = format!("/etc/init.d/{}", init_script_name(&unit));
        let advice = "ls /etc/init.d lists the names";
        return Err(Unplannable::NotInstalled { service: name.to_owned(), units, advice });
    };
    let programs = inputs.programs.iter().filter_map(|path| path.file_name()?.to_str());
    // A program of that name would enable all.
    let programs = programs.filter(|name| *name != EVERY_PROGRAM);
    plan.files = programs.map(program).collect();
    if plan.files.is_empty() {
        return Err(Unplannable::NoProgram(script.clone()));
    }
    plan.next.push(format!("/etc/init.d/{script} restart"));
    Ok(plan)
}

fn of_application(tree: &Tree, name: &str) -> Result<Plan, Unplannable> {
    let application = Application::by_name(name).ok_or_else(|| Unplannable::Unknown(name.to_owned()))?;
    if application.programs.is_empty() {
        return Err(Unplannable::InKernel(name.to_owned()));
    }
    let mut plan = Plan::new(name, application.requests);
    plan.files = application.programs.iter().copied().map(program).collect();
    let scripts = init_scripts(tree, name);
    plan.next = scripts.iter().map(|script| format!("/etc/init.d/{script} restart")).collect();
    let expected: Vec<String> = match application.init_scripts {
        [] => application.programs.iter().map(|program| format!("/usr/bin/{program}")).collect(),
        some => some.iter().map(|script| format!("/etc/init.d/{script}")).collect(),
    };
    if name == SYSTEM {
        let note = "a service whose user may not open /dev/outboard stays in software";
        plan.notes.push(note.to_owned());
        plan.next.push("restart the services".to_owned());
    } else if !expected.iter().any(|path| tree.exists(Path::new(path))) {
        return Err(Unplannable::NotInstalled {
            service: name.to_owned(),
            units: expected.join(", "),
            advice: "for an init script with another name: --unit NAME",
        });
    }
    Ok(plan)
}

fn program(name: &str) -> AddedFile {
    AddedFile { path: Path::new(PROGRAMS).join(name), mode: 0o644, text: TEXT.to_owned() }
}

/// An error unless OpenSSL's configuration activates the provider for the programs of the
/// directory. Below another root the file that is made at boot may be missing.
fn check_configuration(tree: &Tree) -> Result<(), Unplannable> {
    let read = |path: &str| {
        let read = tree.read(Path::new(path));
        read.map_err(|cause| Unplannable::Unreadable { path: PathBuf::from(path), cause })
    };
    let is_key = |line: &str, wanted: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == wanted);
    let section = read(SECTION)?.unwrap_or_default();
    if !section.lines().any(|line| is_key(line, "PROGRAMS")) {
        return Err(Unplannable::NotConfigured(SECTION));
    }
    match read(PROVIDERS)? {
        None if tree.is_running_system() => Err(Unplannable::SwitchedOff),
        Some(text) if !text.lines().any(|line| is_key(line, "outboard")) => Err(Unplannable::SwitchedOff),
        _ => Ok(()),
    }
}

/// Has the module loaded at boot, unless that is arranged already.
fn load_module(tree: &Tree, plan: &mut Plan) {
    let (directory, ours) = (Path::new("/etc/modules.d"), Path::new("/etc/modules.d/60-outboard-enabled"));
    // A line has a module and its parameters.
    let loads = |text: String| text.lines().any(|line| line.split_whitespace().next() == Some("outboard"));
    let others = tree.names(directory).into_iter().map(|name| directory.join(name));
    let texts = others.filter(|path| path != ours).filter_map(|path| tree.read(&path).ok().flatten());
    if !texts.into_iter().any(loads) {
        // First: the files of the programs take effect.
        let text = "outboard\n".to_owned();
        plan.files.insert(0, AddedFile { path: ours.to_owned(), mode: 0o644, text });
    }
}
