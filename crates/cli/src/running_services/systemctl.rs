//! systemctl(1) of the running system.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use outboard_services::enable::{UNIT_PROPERTIES, shown_name};

/// Whether systemd is the init system, sd_booted(3).
pub fn is_booted() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// What systemd says of units, by their names; nothing where it does not run.
pub fn shown(units: Vec<String>) -> Result<BTreeMap<String, String>> {
    if !is_booted() {
        return Ok(BTreeMap::new());
    }
    let show = |unit: String| {
        let text = systemctl(&["show", "--property", UNIT_PROPERTIES, "--", &shown_name(&unit)])?;
        Ok((unit, text))
    };
    units.into_iter().map(show).collect()
}

pub fn running(units: &[String]) -> Result<Vec<String>> {
    let patterns: Vec<String> = units.iter().map(|unit| unit.replace("@.", "@*.")).collect();
    let mut arguments =
        vec!["list-units", "--plain", "--no-legend", "--full", "--type=service", "--state=active,reloading"];
    arguments.extend(patterns.iter().map(String::as_str));
    let text = systemctl(&arguments)?;
    let names = text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    let mut found = Vec::new();
    for name in names {
        if property(&name, "StandardInput")? != "socket" {
            found.push(name);
        }
    }
    Ok(found)
}

/// Has systemd read all unit files.
pub fn daemon_reload() -> Result<()> {
    systemctl(&["daemon-reload"]).map(drop)
}

/// Restarts units and waits until they have started.
pub fn restart(units: &[String]) -> Result<()> {
    // systemd refuses to start a unit that failed several times in a few seconds, also the one that
    // is correct again.
    let with = |verb: &'static str| -> Vec<&str> {
        [verb].into_iter().chain(units.iter().map(String::as_str)).collect()
    };
    systemctl(&with("reset-failed"))?;
    systemctl(&with("restart")).map(drop)
}

pub fn is_active(unit: &str) -> Result<bool> {
    Ok(property(unit, "ActiveState")? == "active")
}

/// CPU time of a unit since it started, in nanoseconds; `None` if systemd does not measure it.
pub fn cpu_nanoseconds(unit: &str) -> Option<u64> {
    // The largest number means unknown in the interface of systemd.
    property(unit, "CPUUsageNSec").ok()?.parse().ok().filter(|time| *time < u64::MAX)
}

pub fn processes(unit: &str) -> Result<Vec<u32>> {
    let group = property(unit, "ControlGroup")?;
    if group.is_empty() {
        return Ok(Vec::new());
    }
    // The second one: cgroup v1.
    let roots =
        ["/sys/fs/cgroup", "/sys/fs/cgroup/systemd"].map(|root| PathBuf::from(format!("{root}{group}")));
    let mut found = Vec::new();
    if let Some(root) = roots.iter().find(|path| path.is_dir()) {
        collect(root, &mut found);
    }
    Ok(found)
}

fn collect(group: &Path, found: &mut Vec<u32>) {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    found.extend(text.lines().filter_map(|line| line.parse::<u32>().ok()));
    for entry in fs::read_dir(group).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), found);
        }
    }
}

/// The last lines that a unit logged; empty if the journal cannot be read.
pub fn last_messages(unit: &str) -> String {
    let mut journal = Command::new("journalctl");
    journal.args(["--quiet", "--no-pager", "--output=cat", "--lines=4", "--unit", unit]);
    let output = journal.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().map(|line| format!("\n    {line}")).collect()
}

/// An error if systemd gives the processes of a unit another OPENSSL_CONF: it has read all drop-ins,
/// also those of generators and of other directories.
pub fn check_openssl_conf(unit: &str, wanted: &str) -> Result<()> {
    let shown = systemctl(&["show", "--property=Environment,UnsetEnvironment", "--", unit])?;
    match overridden(&shown, wanted) {
        Some(why) => bail!("{unit}: {why}: systemctl cat {unit} shows where"),
        None => Ok(()),
    }
}

/// What keeps a unit from OPENSSL_CONF with this value, by the output of `systemctl show`.
fn overridden(shown: &str, wanted: &str) -> Option<String> {
    let value = |name: &str| {
        let line = shown.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_default().split(' ').map(|word| word.trim_matches('"'))
    };
    let is_ours = |word: &str| word == "OPENSSL_CONF" || word == format!("OPENSSL_CONF={wanted}");
    if value("UnsetEnvironment").any(is_ours) {
        return Some("UnsetEnvironment= removes OPENSSL_CONF".to_owned());
    }
    match value("Environment").filter_map(|word| word.strip_prefix("OPENSSL_CONF=")).next_back() {
        Some(found) if found == wanted => None,
        Some(other) => Some(format!("OPENSSL_CONF is {other} and not {wanted}, by a later drop-in")),
        None => Some(format!("OPENSSL_CONF is not set to {wanted}: another file resets the environment")),
    }
}

fn property(unit: &str, name: &str) -> Result<String> {
    Ok(systemctl(&["show", "--value", "--property", name, "--", unit])?.trim().to_owned())
}

fn systemctl(arguments: &[&str]) -> Result<String> {
    let mut command = Command::new("systemctl");
    command.args(["--no-pager", "--no-ask-password"]).args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
    let output = command.output().context("systemctl cannot be run")?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("systemctl {}: {}", arguments.join(" "), text.lines().next().unwrap_or("failed"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_in_force_decides() {
        let why = |shown: &str| overridden(shown, "/o.cnf").unwrap_or_default();
        assert_eq!(why("Environment=A=1 OPENSSL_CONF=/o.cnf\nUnsetEnvironment=\n"), "");
        assert_eq!(why("UnsetEnvironment=HOME\nEnvironment=OPENSSL_CONF=/x \"OPENSSL_CONF=/o.cnf\"\n"), "");
        for (shown, part) in [
            ("Environment=OPENSSL_CONF=/o.cnf\nUnsetEnvironment=A OPENSSL_CONF\n", "UnsetEnvironment="),
            ("Environment=OPENSSL_CONF=/o.cnf\nUnsetEnvironment=OPENSSL_CONF=/o.cnf\n", "UnsetEnvironment="),
            ("Environment=OPENSSL_CONF=/o.cnf OPENSSL_CONF=/x\n", "is /x and not /o.cnf"),
            ("Environment=\n", "another file resets"),
        ] {
            assert!(why(shown).contains(part), "{shown}: {}", why(shown));
        }
    }
}
