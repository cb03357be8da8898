//! What is added for a service: a data structure that `--dry-run` prints, `enable` applies and
//! `disable` undoes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use outboard_openssl_conf::compose::{self, OutboardSection, compose_from};

use super::applications::{ANY, Application, Requests, SSH_CLIENT, SYSTEM};
use super::openwrt;
use super::record::{AddedFile, DIRECTORY, Record};
use super::tree::Tree;
use super::unit::{self, DROP_IN, Found, Unit};
use crate::negotiation::Offered;

#[derive(Clone, Debug)]
pub struct Inputs {
    pub openssl_cnf: Option<PathBuf>,
    pub module: PathBuf,
    /// On OpenWrt the programs that procd runs for the init script of `--unit`.
    pub programs: Vec<PathBuf>,
    /// By name, what systemd says of the [`planned_units`]: the output of `systemctl show` with
    /// [`UNIT_PROPERTIES`](super::UNIT_PROPERTIES). Of units that are missing here, files are read.
    pub units: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its name, in the record and in messages.
    pub service: String,
    /// The files to add; see [`Record::files`](super::Record::files) for the order.
    pub files: Vec<AddedFile>,
    /// What the user must know.
    pub notes: Vec<String>,
    /// Commands that make running processes use the files.
    pub next: Vec<String>,
    pub requests: Requests,
    /// The configuration that the service had, if it had one; of several units the first one's.
    pub existing: Option<PathBuf>,
    /// The service is to be restarted, and is not known to work with the files until then.
    pub unverified: bool,
    /// The user requires AES: what another cipher would gain, for the record.
    pub aes_required: Option<String>,
    /// The suites that its configuration offers, for the record.
    pub offered: Option<Offered>,
}

#[derive(Debug, thiserror::Error)]
pub enum Unplannable {
    #[error(
        "{0} is not a service that outboard supports (outboard enable --list); for another unit or init script: --unit {0}"
    )]
    Unknown(String),
    #[error(
        "{0} is not the name of a systemd service: letters, digits and : _ . @ -, such as myserver.service"
    )]
    Name(String),
    #[error("{0} is a user within the kernel, which has no unit and no openssl.cnf")]
    InKernel(String),
    #[error("{service} is not installed: there is no unit {units}; {advice}")]
    NotInstalled { service: String, units: String, advice: &'static str },
    #[error("{0} is masked: systemctl unmask {0}")]
    Masked(String),
    #[error("{0} is a link to another unit: give the name of that unit")]
    Alias(String),
    /// An environment file or a later drop-in decides OPENSSL_CONF.
    #[error("{unit}: {} sets or unsets OPENSSL_CONF, which overrides outboard's drop-in: remove that line first", file.display())]
    Overridden { unit: String, file: PathBuf },
    #[error("procd runs no program for /etc/init.d/{0}: start it first, then repeat this")]
    NoProgram(String),
    #[error("{0} is missing: install the package libopenssl-outboard, which has it")]
    NotConfigured(&'static str),
    #[error(
        "the provider is switched off in /etc/config/openssl: uci set openssl.outboard=provider && uci set \
         openssl.outboard.enabled=1 && uci commit openssl && /etc/init.d/openssl reload"
    )]
    SwitchedOff,
    #[error("{0} has PrivateDevices=yes, which hides /dev/outboard: set PrivateDevices=no for it first")]
    PrivateDevices(String),
    #[error(transparent)]
    Configuration(#[from] compose::Error),
    #[error("{0}")]
    Prevented(String),
    #[error("{}: {cause}; make it readable, or run this as root", path.display())]
    Unreadable { path: PathBuf, cause: std::io::Error },
}

/// Plans the changes for a service by its name in [`APPLICATIONS`](super::APPLICATIONS), or, if
/// `is_unit` is set, for a systemd unit.
/// Errors: [`Unplannable`].
pub fn plan(tree: &Tree, name: &str, is_unit: bool, inputs: &Inputs) -> Result<Plan, Unplannable> {
    if openwrt::is_openwrt(tree) {
        return openwrt::plan(tree, name, is_unit, inputs);
    }
    if is_unit {
        let unit = unit_name(name)?;
        return of_units(tree, &unit, &[&unit], ANY, inputs);
    }
    let application = Application::by_name(name).ok_or_else(|| Unplannable::Unknown(name.to_owned()))?;
    match name {
        SYSTEM => of_system(tree, inputs),
        SSH_CLIENT => of_ssh(tree, inputs),
        _ if application.units.is_empty() => Err(Unplannable::InKernel(name.to_owned())),
        _ => of_units(tree, name, application.units, application.requests, inputs),
    }
}

#[must_use]
pub fn planned_units(name: &str, is_unit: bool) -> Vec<String> {
    match Application::by_name(name).filter(|_| !is_unit) {
        Some(application) => application.units.iter().map(|unit| (*unit).to_owned()).collect(),
        None => unit_name(name).into_iter().collect(),
    }
}

pub(super) fn unit_name(name: &str) -> Result<String, Unplannable> {
    let unit = if name.ends_with(".service") { name.to_owned() } else { format!("{name}.service") };
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b":_.@-".contains(&b);
    if !unit.bytes().all(is_plain) || unit.starts_with(['.', '-']) || unit == ".service" {
        return Err(Unplannable::Name(name.to_owned()));
    }
    Ok(unit)
}

fn of_units(
    tree: &Tree,
    service: &str,
    names: &[&str],
    requests: Requests,
    inputs: &Inputs,
) -> Result<Plan, Unplannable> {
    let mut plan = Plan::new(service, requests);
    let (mut drop_ins, mut aliases) = (Vec::new(), Vec::new());
    for name in names {
        let read = unit::read(tree, name, inputs.units.get(*name).map(String::as_str));
        match read.map_err(|cause| Unplannable::Unreadable { path: PathBuf::from(name), cause })? {
            None => {}
            Some(Found::Alias) => aliases.push(*name),
            Some(Found::Masked) if names.len() == 1 => return Err(Unplannable::Masked((*name).to_owned())),
            Some(Found::Masked) => plan.notes.push(format!("{name} is masked and is left out")),
            Some(Found::Unit(unit)) => {
                if let Some(file) = unit.overridden_by {
                    return Err(Unplannable::Overridden { unit: (*name).to_owned(), file });
                }
                if unit.has_private_devices {
                    return Err(Unplannable::PrivateDevices((*name).to_owned()));
                }
                let own = unit.openssl_conf.as_ref().map(PathBuf::from);
                let existing = if own.is_some() { own } else { inputs.openssl_cnf.clone() };
                let counters = unit::runtime_directory(name);
                let configuration =
                    plan.configuration(tree, name, existing.as_deref(), counters.as_deref(), inputs)?;
                drop_ins.push(AddedFile {
                    path: Path::new("/etc/systemd/system").join(format!("{name}.d")).join(DROP_IN),
                    mode: 0o644,
                    text: drop_in(service, name, &configuration, &unit, has_group(tree)),
                });
                plan.next.push(restart(name));
            }
        }
    }
    if drop_ins.is_empty() {
        return Err(match aliases.first() {
            Some(alias) => Unplannable::Alias((*alias).to_owned()),
            None => Unplannable::NotInstalled {
                service: service.to_owned(),
                units: names.join(", "),
                // A service that was named by its unit is called as that.
                advice: match names.contains(&service) {
                    true => "systemctl list-unit-files lists the names",
                    false => "for a unit with another name: --unit NAME",
                },
            },
        });
    }
    plan.load_module(tree);
    plan.files.extend(drop_ins);
    plan.next.insert(0, "systemctl daemon-reload".to_owned());
    Ok(plan)
}

/// Instances of a template are restarted if they run.
fn restart(unit: &str) -> String {
    match unit.split_once("@.") {
        Some((name, suffix)) => format!("systemctl try-restart '{name}@*.{suffix}'"),
        None => format!("systemctl restart {unit}"),
    }
}

fn drop_in(service: &str, name: &str, configuration: &Path, unit: &Unit, has_group: bool) -> String {
    let mut text = format!(
        "{}[Unit]\nAfter=outboard-restore.service\n\n[Service]\nEnvironment=OPENSSL_CONF={}\n",
        header(service),
        configuration.display()
    );
    if has_group {
        text.push_str("SupplementaryGroups=outboard\n");
    }
    // Made by systemd for the user of the service, also where the rest of the system is read-only
    // for it. Without RuntimeDirectoryMode=, which would change other directories of the unit.
    if let Some(directory) = unit::runtime_directory(name).as_deref().and_then(Path::file_name) {
        text.push_str(&format!("RuntimeDirectory={}\n", directory.to_string_lossy()));
    }
    // Where no device is listed, DeviceAllow= would take all others away (DevicePolicy=auto).
    if unit.restricts_devices {
        text.push_str("DeviceAllow=/dev/outboard rw\n");
    }
    text
}

/// systemd does not start a unit with a group that does not exist.
fn has_group(tree: &Tree) -> bool {
    let groups = tree.read(Path::new("/etc/group")).ok().flatten().unwrap_or_default();
    groups.lines().any(|line| line.starts_with("outboard:"))
}

fn of_system(tree: &Tree, inputs: &Inputs) -> Result<Plan, Unplannable> {
    let mut plan = Plan::new(SYSTEM, ANY);
    let configuration = plan.configuration(tree, SYSTEM, inputs.openssl_cnf.as_deref(), None, inputs)?;
    plan.load_module(tree);
    let (header, file) = (header(SYSTEM), configuration.display());
    let mut add = |path: &str, text: String| {
        plan.files.push(AddedFile { path: path.into(), mode: 0o644, text });
    };
    add(
        "/etc/systemd/system.conf.d/50-outboard.conf",
        format!("{header}[Manager]\nDefaultEnvironment=OPENSSL_CONF={file}\n"),
    );
    add("/etc/environment.d/50-outboard.conf", format!("{header}OPENSSL_CONF={file}\n"));
    add(
        "/etc/profile.d/outboard.sh",
        format!("{header}[ -n \"${{OPENSSL_CONF+set}}\" ] || export OPENSSL_CONF={file}\n"),
    );
    plan.notes.push(
        "programs that set OPENSSL_CONF, and setuid programs, keep their configuration; a service whose user may not \
         open /dev/outboard stays in software: enable it by its name too"
            .to_owned(),
    );
    plan.next = vec![
        "systemctl daemon-reexec; then restart the services".to_owned(),
        "log in again: shells that run keep their environment".to_owned(),
    ];
    Ok(plan)
}

fn of_ssh(tree: &Tree, inputs: &Inputs) -> Result<Plan, Unplannable> {
    let client = "/usr/bin/ssh";
    if !tree.exists(Path::new(client)) {
        return Err(Unplannable::NotInstalled {
            service: SSH_CLIENT.to_owned(),
            units: client.to_owned(),
            advice: "install the package of OpenSSH's client",
        });
    }
    let requests = Application::by_name(SSH_CLIENT).map_or(ANY, |ssh| ssh.requests);
    let mut plan = Plan::new(SSH_CLIENT, requests);
    let configuration = plan.configuration(tree, SSH_CLIENT, inputs.openssl_cnf.as_deref(), None, inputs)?;
    plan.load_module(tree);
    plan.files.push(AddedFile {
        path: "/usr/local/bin/ssh".into(),
        mode: 0o755,
        text: format!(
            "#!/bin/sh\n{}[ -n \"${{OPENSSL_CONF+set}}\" ] || export OPENSSL_CONF={}\nexec {client} \"$@\"\n",
            header(SSH_CLIENT),
            configuration.display()
        ),
    });
    plan.notes.push(
        "scp and sftp start /usr/bin/ssh by its path: give them -S /usr/local/bin/ssh; sshfs, git and rsync find the new one"
            .to_owned(),
    );
    plan.next.push("hash -r    # in shells that run".to_owned());
    Ok(plan)
}

fn header(service: &str) -> String {
    let arguments = if Application::by_name(service).is_some() {
        service.to_owned()
    } else {
        format!("--unit {service}")
    };
    format!("# Written by `outboard enable {arguments}`; `outboard disable {arguments}` removes it.\n")
}

impl Plan {
    /// The plan that a record was made from, without notes and further commands.
    #[must_use]
    pub fn of_record(record: &Record) -> Self {
        let requests = Application::by_name(&record.service).map_or(ANY, |known| known.requests);
        let Record { unverified, aes_required, offered, .. } = record.clone();
        Self {
            files: record.files.clone(),
            unverified,
            aes_required,
            offered,
            ..Self::new(&record.service, requests)
        }
    }

    pub(super) fn new(service: &str, requests: Requests) -> Self {
        Self {
            service: service.to_owned(),
            files: Vec::new(),
            notes: Vec::new(),
            next: Vec::new(),
            requests,
            existing: None,
            unverified: false,
            aes_required: None,
            offered: None,
        }
    }

    /// Adds an openssl.cnf that includes the existing one and names a directory for counters.
    /// Returns its path.
    fn configuration(
        &mut self,
        tree: &Tree,
        name: &str,
        existing: Option<&Path>,
        counters: Option<&Path>,
        inputs: &Inputs,
    ) -> Result<PathBuf, Unplannable> {
        // The slash: a directory, docs/provider.md.
        let counters = counters.map(|path| ("COUNTERS".to_owned(), format!("{}/", path.display())));
        let section = OutboardSection { module: inputs.module.clone(), keys: counters.into_iter().collect() };
        // The environment of the service is not known here.
        let composed = compose_from(tree, existing, &section, &|_| None)?;
        if let Some(why) = composed.prevented.first() {
            return Err(Unplannable::Prevented(why.clone()));
        }
        self.notes.extend(composed.notes);
        if self.files.is_empty() {
            self.existing = existing.map(Path::to_owned);
        }
        let path = Path::new(DIRECTORY).join(format!("{name}.cnf"));
        self.files.push(AddedFile { path: path.clone(), mode: 0o644, text: composed.text });
        Ok(path)
    }

    /// Has the module loaded at boot, unless that is arranged already.
    fn load_module(&mut self, tree: &Tree) {
        let ours = Path::new("/etc/modules-load.d/outboard.conf");
        let directories = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"];
        let names = |text: String| text.lines().any(|line| line.trim() == "outboard");
        let is_arranged = directories.iter().map(|d| Path::new(d).join("modules-load.d")).any(|directory| {
            let files = tree.names(&directory).into_iter().map(|name| directory.join(name));
            let others = files.filter(|path| path != ours && path.extension().is_some_and(|e| e == "conf"));
            others.filter_map(|path| tree.read(&path).ok().flatten()).any(names)
        });
        if !is_arranged {
            let text = "# Written by `outboard enable`; `outboard disable` of the last service removes it.\noutboard\n";
            self.files.push(AddedFile { path: ours.into(), mode: 0o644, text: text.to_owned() });
        }
    }
}
