//! Reads the settings of a systemd unit that decide what a drop-in must contain, systemd.exec(5).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::openwrt;
use super::record::AddedFile;
use super::shown::Shown;
use super::tree::Tree;

pub(super) const DROP_IN: &str = "50-outboard.conf";

const RUNTIME_PREFIX: &str = "outboard-";

/// Directories of units, the one that takes precedence first, systemd.unit(5).
const DIRECTORIES: [&str; 5] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) openssl_conf: Option<String>,
    /// What overrides the OPENSSL_CONF of outboard's drop-in: an EnvironmentFile, a later drop-in,
    /// or the file that unsets the variable.
    pub(super) overridden_by: Option<PathBuf>,
    /// The files of its environment, which override `Environment=`.
    pub(super) environment_files: Vec<PathBuf>,
    /// The file that unsets OPENSSL_CONF last of all.
    pub(super) unset_by: Option<PathBuf>,
    /// It may use only the devices that it lists.
    pub(super) restricts_devices: bool,
    pub(super) has_private_devices: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Unit(Unit),
    /// An alias of another unit, whose drop-ins apply.
    Alias,
    Masked,
}

#[must_use]
pub fn changed_units(files: &[AddedFile]) -> Vec<String> {
    let unit = |file: &AddedFile| {
        let directory = file.path.parent().filter(|_| file.path.ends_with(DROP_IN))?;
        let is_of_units = directory.parent() == Some(Path::new(DIRECTORIES[0]));
        Some(directory.file_name()?.to_str().filter(|_| is_of_units)?.strip_suffix(".d")?.to_owned())
    };
    files.iter().filter_map(unit).collect()
}

/// The units of drop-ins, each with the OPENSSL_CONF that its drop-in sets.
#[must_use]
pub fn openssl_conf_of_units(files: &[AddedFile]) -> Vec<(String, String)> {
    let drop_ins = files.iter().filter(|file| file.path.ends_with(DROP_IN));
    let one = |file: &AddedFile| {
        let unit = changed_units(std::slice::from_ref(file)).pop()?;
        let mut lines = file.text.lines();
        Some((unit, lines.find_map(|line| line.strip_prefix("Environment=OPENSSL_CONF="))?.to_owned()))
    };
    drop_ins.filter_map(one).collect()
}

/// The directory in which the processes of a unit share their counters. `None` for templates: an
/// openssl.cnf cannot name the instance.
pub(super) fn runtime_directory(unit: &str) -> Option<PathBuf> {
    (!unit.contains("@.")).then(|| PathBuf::from(format!("/run/{RUNTIME_PREFIX}{unit}")))
}

fn is_unit(name: &str) -> bool {
    name.ends_with(".service")
}

/// The units that have such a directory at present, and on OpenWrt the programs that are counted.
#[must_use]
pub fn counted_units(tree: &Tree) -> Vec<String> {
    let names = tree.names(Path::new("/run")).into_iter();
    let units = names.filter_map(|name| Some(name.strip_prefix(RUNTIME_PREFIX)?.to_owned()));
    units.filter(|unit| is_unit(unit)).chain(openwrt::programs_with_counters(tree)).collect()
}

/// The file in which the processes of a unit, or on OpenWrt of a program, share their counters;
/// `name` is its name in the directory of a unit. `None` for templates.
#[must_use]
pub fn counters_file(unit: &str, name: &str) -> Option<PathBuf> {
    match is_unit(unit) {
        true => Some(runtime_directory(unit)?.join(name)),
        false => Some(openwrt::counters_of_program(unit)),
    }
}

/// Stands for the value of OPENSSL_CONF in outboard's drop-in.
const OURS: &str = "\n";

/// Reads a unit with its drop-ins; `None` if it is not installed. What systemd says of the unit
/// decides, where it runs and has read the unit's present files.
pub(super) fn read(tree: &Tree, name: &str, shown: Option<&str>) -> std::io::Result<Option<Found>> {
    match shown.map(Shown::parse) {
        Some(shown) if !shown.is_outdated => shown.read(tree, name),
        _ => read_files(tree, name),
    }
}

fn read_files(tree: &Tree, name: &str) -> std::io::Result<Option<Found>> {
    let files = DIRECTORIES.map(|directory| Path::new(directory).join(name));
    let Some(file) = files.iter().find(|file| tree.exists(file)) else { return Ok(None) };
    if let Some(target) = tree.link_target(file) {
        let is_masked = target == Path::new("/dev/null");
        return Ok(Some(if is_masked { Found::Masked } else { Found::Alias }));
    }
    if tree.read(file)?.unwrap_or_default().trim().is_empty() {
        return Ok(Some(Found::Masked));
    }
    // A name hides the same name in the directories that follow, and those for all services come
    // after those of the unit.
    let mut drop_ins = BTreeMap::new();
    for kind in ["service.d".to_owned(), format!("{name}.d")] {
        for directory in DIRECTORIES.iter().rev().map(|d| Path::new(d).join(&kind)) {
            for conf in tree.names(&directory).into_iter().filter(|conf| conf.ends_with(".conf")) {
                drop_ins.insert(conf.clone(), directory.join(conf));
            }
        }
    }
    let mut unit = Unit::default();
    unit.read_all(tree, file, drop_ins.values())?;
    unit.overrides(tree);
    Ok(Some(Found::Unit(unit)))
}

/// The files that a path with wildcards in its name stands for, glob(7).
fn matching(tree: &Tree, path: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(pattern)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    if !pattern.contains(['*', '?', '[']) {
        return vec![path.to_owned()];
    }
    let names = tree.names(directory).into_iter();
    names.filter(|name| matches(pattern, name)).map(|name| directory.join(name)).collect()
}

/// Whether a name matches a pattern. A bracket expression matches any character here: a file that is
/// read too many costs a refusal with its name, one too few an effect that is missing.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match (rest.next(), name.chars().next()) {
        (None, first) => first.is_none(),
        (Some('*'), first) => {
            let rest = rest.as_str();
            matches(rest, name) || first.is_some_and(|c| matches(pattern, &name[c.len_utf8()..]))
        }
        (Some('['), Some(c)) if rest.as_str().contains(']') => {
            let after = rest.as_str().split_once(']').map_or("", |(_, after)| after);
            matches(after, &name[c.len_utf8()..])
        }
        (Some(wanted), Some(c)) if wanted == '?' || wanted == c => {
            matches(rest.as_str(), &name[c.len_utf8()..])
        }
        _ => false,
    }
}

impl Unit {
    /// Reads the unit's file and its drop-ins, in the order in which systemd applies them.
    pub(super) fn read_all<'a>(
        &mut self,
        tree: &Tree,
        file: &Path,
        drop_ins: impl IntoIterator<Item = &'a PathBuf>,
    ) -> std::io::Result<()> {
        self.add(&tree.read(file)?.unwrap_or_default(), file);
        let mut own = None;
        for path in drop_ins {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name == DROP_IN {
                continue;
            }
            // As if outboard's drop-in were there.
            if name > DROP_IN && own.is_none() {
                own = Some(self.openssl_conf.replace(OURS.to_owned()));
            }
            self.add(&tree.read(path)?.unwrap_or_default(), path);
            if own.is_some() && self.openssl_conf.as_deref() != Some(OURS) {
                self.overridden_by = Some(path.clone());
                self.openssl_conf = Some(OURS.to_owned());
            }
        }
        if let Some(own) = own {
            self.openssl_conf = own;
        }
        Ok(())
    }

    /// Sets what overrides outboard's drop-in, by the files of the environment and by the file that
    /// unsets the variable.
    pub(super) fn overrides(&mut self, tree: &Tree) {
        for path in std::mem::take(&mut self.environment_files) {
            // systemd.exec(5): a file that is marked with - may be missing. Specifiers are left out
            // here.
            for path in matching(tree, &path) {
                let text = tree.read(&path).ok().flatten().unwrap_or_default();
                if text.lines().any(|line| line.trim_start().starts_with("OPENSSL_CONF=")) {
                    self.overridden_by = Some(path);
                }
            }
        }
        if self.unset_by.is_some() {
            self.overridden_by = self.unset_by.take();
        }
    }

    fn add(&mut self, text: &str, file: &Path) {
        let mut section = String::new();
        let joined = text.replace("\\\n", " ");
        for line in joined.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                name.clone_into(&mut section);
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| section == "Service") else { continue };
            let (key, value) = (key.trim(), value.trim());
            match key {
                "Environment" if value.is_empty() => self.openssl_conf = None,
                "Environment" => self.openssl_conf = openssl_conf(value).or(self.openssl_conf.take()),
                "EnvironmentFile" if value.is_empty() => self.environment_files.clear(),
                "EnvironmentFile" => self.environment_files.push(value.trim_start_matches('-').into()),
                "UnsetEnvironment" if value.is_empty() => self.unset_by = None,
                "UnsetEnvironment" if unsets(value) => self.unset_by = Some(file.to_owned()),
                "PrivateDevices" => self.has_private_devices = is_yes(value),
                "DevicePolicy" => self.restricts_devices = value != "auto" && !value.is_empty(),
                "DeviceAllow" => self.restricts_devices |= !value.is_empty(),
                // It implies DeviceAllow=char-rtc.
                "ProtectClock" => self.restricts_devices |= is_yes(value),
                _ => {}
            }
        }
    }
}

pub(super) fn openssl_conf(value: &str) -> Option<String> {
    let words = words(value);
    words.iter().rev().find_map(|word| word.strip_prefix("OPENSSL_CONF=")).map(str::to_owned)
}

pub(super) fn unsets(value: &str) -> bool {
    words(value).iter().any(|word| word == "OPENSSL_CONF" || word.starts_with("OPENSSL_CONF="))
}

pub(super) fn is_yes(value: &str) -> bool {
    ["1", "yes", "y", "true", "t", "on"].contains(&value.to_ascii_lowercase().as_str())
}

/// The words of a value, with quotes removed, systemd.syntax(7).
pub(super) fn words(value: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.extend(characters.next()),
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            (c, None) if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (c, _) => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Unit {
        let mut unit = Unit::default();
        unit.add(text, Path::new("/unit"));
        unit
    }

    #[test]
    fn the_settings_that_decide_the_drop_in_are_read() {
        let text = "[Unit]\nEnvironment=OPENSSL_CONF=/no\n[Service]\n# Environment=OPENSSL_CONF=/no\n\
            Environment=A=1 \"OPENSSL_CONF=/etc/a b.cnf\" \\\n  B=2\nEnvironmentFile=-/etc/default/x\n\
            PrivateDevices=yes\nDeviceAllow=/dev/null rw\n";
        let unit = unit(text);
        assert_eq!(unit.openssl_conf.as_deref(), Some("/etc/a b.cnf"));
        assert!(unit.has_private_devices && unit.restricts_devices);
        assert_eq!(unit.environment_files, [PathBuf::from("/etc/default/x")]);
    }

    #[test]
    fn names_match_patterns() {
        for (pattern, name) in
            [("*", "x"), ("a*c", "abbc"), ("a*c", "ac"), ("?.conf", "x.conf"), ("[ab]c", "bc")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a*c", "ab"), ("?", ""), ("x", "xy"), ("[ab]c", "c")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn an_empty_assignment_resets() {
        let unit = unit(
            "[Service]\nEnvironment=OPENSSL_CONF=/a\nEnvironmentFile=/b\nEnvironment=\nEnvironmentFile=\n\
             UnsetEnvironment=OPENSSL_CONF\nUnsetEnvironment=\nPrivateDevices=1\nPrivateDevices=no\n",
        );
        assert_eq!(unit, Unit::default());
    }
}
