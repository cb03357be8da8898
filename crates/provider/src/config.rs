//! Reads the keys of this provider's section in openssl.cnf.

use std::ffi::{CString, OsStr};
use std::path::Path;

use outboard_catalog::shown::{is_name, quoted};
use outboard_counters::{COUNTERS_NAME, Error, Table};
use outboard_policy::{IN_SECTION, Policy, Programs};

use crate::core::{Core, Reason};
use crate::log::{Level, Log};
use crate::program;

const LOG_LEVEL: &str = "LOG_LEVEL";
/// Counters file, created by `outboard prove`; with a slash at its end the directory in which the
/// processes of a service share one. Empty for none.
const COUNTERS: &str = "COUNTERS";

pub(crate) struct Config {
    pub(crate) policy: Policy,
    pub(crate) log: Log,
    pub(crate) counters: Table,
}

impl Config {
    /// An invalid value puts an error on the queue with the key and the name of the provider, which
    /// identifies the section, and the provider is not loaded. Names of algorithms that outboard
    /// does not offer are skipped with a warning. No message contains the value.
    pub(crate) fn read(core: &Core) -> Option<Config> {
        let setting = |key: &str| core.setting(&CString::new(key).ok()?);
        let level: Option<Result<Level, _>> = setting(LOG_LEVEL).map(|value| value.parse());
        let mut log = Log::at_load();
        if let Some(Ok(level)) = level {
            log.level = level;
        }
        // First, so that errors in the other keys can be recorded there.
        let counters = match setting(COUNTERS).filter(|path| !path.is_empty()) {
            None => Table::private(),
            Some(path) if !path.starts_with('/') => {
                let path = quoted(&path);
                log.line(Level::Warn, format_args!("{COUNTERS}: {path} is not an absolute path"));
                Table::private()
            }
            Some(path) => open_counters(&path, setting("PROGRAMS")).unwrap_or_else(|(level, why)| {
                log.line(level, format_args!("{COUNTERS}: {why}; this process is not counted"));
                Table::private()
            }),
        };
        let described = |key: &str, why: &dyn std::fmt::Display| {
            let name = core.setting(outboard_abi::name::CORE_PROVIDER_NAME).unwrap_or_default();
            let name = if is_name(&name) { &name } else { "with another name" };
            let text = format!("{IN_SECTION} {name}: {key}: {why}");
            counters.note(&text);
            text
        };
        let refuse = |key: &str, why: &dyn std::fmt::Display| {
            core.raise(Reason::Configuration, &described(key, why));
        };

        let mut policy = Policy::default();
        for key in Policy::KEYS {
            if let Some(value) = setting(key) {
                let skipped = policy.set(key, &value).map_err(|why| refuse(key, &why)).ok()?;
                for why in skipped {
                    let text = described(key, &format_args!("skipped: {why}"));
                    log.line(Level::Warn, format_args!("{text}"));
                }
            }
        }
        if let Some(Err(why)) = level {
            refuse(LOG_LEVEL, &why);
            return None;
        }
        Some(Config { policy, log, counters })
    }
}

/// A service may start processes of other users, such as CGI programs, which have no access to its
/// directory: the message has the level Info. `programs`: where PROGRAMS names a directory, each
/// program with a file of its own there is counted by its name, and others are not.
fn open_counters(path: &str, programs: Option<String>) -> Result<Table, (Level, Error)> {
    let (path, programs) = (Path::new(path), programs.and_then(|value| value.parse().ok()));
    let programs: Programs = programs.unwrap_or_default();
    if !path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Table::open(path).map_err(|why| (Level::Warn, why));
    }
    let name =
        if programs.is_all() { Some(OsStr::new(COUNTERS_NAME)) } else { programs.listed(program::name()) };
    let open = |name| Table::open_in(path, name).map_err(|why| (Level::Info, why));
    name.map_or_else(|| Ok(Table::private()), open)
}
