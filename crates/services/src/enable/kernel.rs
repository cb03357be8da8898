//! Files for users within the kernel: the drivers that are preferred, in a directory that
//! `outboard prefer --restore` reads at boot, and the modules that are loaded at boot.

use std::io;
use std::path::{Path, PathBuf};

use super::applications::ANY;
use super::plan::Plan;
use super::record::AddedFile;
use super::tree::{KEPT, STAGED, Tree};

/// Directory of the files with preferred drivers.
pub const PREFERENCES: &str = "/etc/outboard/prefer.d";

/// What `outboard prefer DRIVER` has in its record in front of the driver's name.
const PREFIX: &str = "prefer:";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreferredDriver {
    pub name: String,
    /// The priority that the driver has by itself, which is restored.
    pub own_priority: i32,
    /// Software is preferred to it.
    pub is_last: bool,
}

/// Ends the line of a driver that is to be selected last.
const LAST: &str = " last";

#[must_use]
pub fn preference_key(driver: &str) -> String {
    format!("{PREFIX}{driver}")
}

#[must_use]
pub fn driver_of_key(key: &str) -> Option<&str> {
    key.strip_prefix(PREFIX)
}

/// Plans the files of a user within the kernel (`ktls`, `ipsec`, `disk`) or of a preferred driver
/// ([`preference_key`]).
#[must_use]
pub fn plan_kernel(service: &str, modules: &[String], preferred: &[PreferredDriver]) -> Plan {
    let mut plan = Plan::new(service, ANY);
    let name = service.replace(':', "-");
    let (write, remove) = match driver_of_key(service) {
        Some(name) => {
            let option = if preferred.iter().any(|one| one.is_last) { "--software " } else { "" };
            (format!("prefer {option}{name}"), format!("prefer {name} --undo"))
        }
        None => (format!("enable {service}"), format!("disable {service}")),
    };
    let header = format!("# Written by `outboard {write}`; `outboard {remove}` removes it.\n");
    let lines = |lines: Vec<String>| lines.into_iter().map(|line| line + "\n").collect::<String>();
    if !modules.is_empty() {
        plan.files.push(AddedFile {
            path: PathBuf::from(format!("/etc/modules-load.d/outboard-{name}.conf")),
            mode: 0o644,
            text: header.clone() + &lines(modules.to_vec()),
        });
    }
    let line = |one: &PreferredDriver| {
        format!("{} {}{}", one.name, one.own_priority, if one.is_last { LAST } else { "" })
    };
    let drivers = preferred.iter().map(line).collect();
    plan.files.push(AddedFile {
        path: Path::new(PREFERENCES).join(name),
        mode: 0o644,
        text: header
            + "# Drivers that the kernel is to select, or to select last, each with the priority that it has by itself.\n"
            + &lines(drivers),
    });
    plan
}

#[must_use]
pub fn preferred_of<'a>(files: impl IntoIterator<Item = &'a AddedFile>) -> Vec<PreferredDriver> {
    let ours = files.into_iter().filter(|file| file.path.starts_with(PREFERENCES));
    ours.flat_map(|file| preferences(&file.text)).collect()
}

/// All preferred drivers of a system, with the names of their files.
/// Errors: if a file cannot be read.
pub fn all_preferred(tree: &Tree) -> io::Result<Vec<(String, PreferredDriver)>> {
    let directory = Path::new(PREFERENCES);
    let mut all = Vec::new();
    // Staged and kept files have a suffix after a dot; names of drivers may have dots too.
    let is_in_force = |name: &String| !name.ends_with(STAGED) && !name.ends_with(KEPT);
    for name in tree.names(directory).into_iter().filter(is_in_force) {
        let text = tree.read(&directory.join(&name))?.unwrap_or_default();
        all.extend(preferences(&text).into_iter().map(|driver| (name.clone(), driver)));
    }
    Ok(all)
}

/// The drivers in a file of [`PREFERENCES`].
#[must_use]
pub fn preferences(text: &str) -> Vec<PreferredDriver> {
    let driver = |line: &str| {
        let whole = line.trim();
        let line = whole.strip_suffix(LAST);
        let (name, priority) = line.unwrap_or(whole).rsplit_once(' ')?;
        let (name, own_priority) = (name.trim().to_owned(), priority.parse().ok()?);
        Some(PreferredDriver { name, own_priority, is_last: line.is_some() })
    };
    text.lines().filter(|line| !line.starts_with('#')).filter_map(driver).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_the_drivers_that_are_read_back() {
        let drivers = [("sim-xts-aes", 300), ("cbc(aes-eip93)", -1)].map(|(name, own_priority)| {
            PreferredDriver { name: name.to_owned(), own_priority, is_last: name.contains('(') }
        });
        let plan = plan_kernel("disk", &["sim".to_owned()], &drivers);
        let paths: Vec<_> = plan.files.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["/etc/modules-load.d/outboard-disk.conf", "/etc/outboard/prefer.d/disk"]);
        assert_eq!(preferred_of(&plan.files), drivers);
        assert!(plan.files[0].text.ends_with("`outboard disable disk` removes it.\nsim\n"));
        let one = plan_kernel(&preference_key("sim-xts-aes"), &[], &drivers[..1]);
        assert_eq!(one.files.len(), 1);
        assert!(one.files[0].path.ends_with("prefer-sim-xts-aes"));
        assert!(one.files[0].text.contains("`outboard prefer sim-xts-aes --undo` removes it."));
    }

    #[test]
    fn lines_that_are_not_understood_are_skipped() {
        assert_eq!(preferences("# a 1\n\nengine\nengine x\n  engine  7 \n")[..].len(), 1);
        assert_eq!(driver_of_key("prefer:a:b"), Some("a:b"));
        assert_eq!(driver_of_key("disk"), None);
    }

    #[test]
    fn the_files_of_a_system_are_read_and_staged_ones_are_not() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(&PREFERENCES[1..]);
        std::fs::create_dir_all(&directory).unwrap();
        for (name, text) in [
            ("disk", "a 1\n"),
            ("ipsec", "b 2\nc 3\n"),
            ("new.outboard-new", "d 4\n"),
            ("x.outboard-old", "e 5\n"),
        ] {
            std::fs::write(directory.join(name), text).unwrap();
        }
        let all = all_preferred(&Tree::at(root.path())).unwrap();
        let names: Vec<_> = all.iter().map(|(file, driver)| (file.as_str(), driver.name.as_str())).collect();
        assert_eq!(names, [("disk", "a"), ("ipsec", "b"), ("ipsec", "c")]);
    }
}
