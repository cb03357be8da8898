//! The counters and limits of the kernel module, docs/uapi.md.

use outboard_drivers::root::Root;
use outboard_uapi::SYSFS;

/// Parameters of the module that are numbers of bytes.
const LIMITS_IN_BYTES: [&str; 1] = ["max_bytes"];
/// Parameters of the module that are numbers of objects.
const LIMITS: [&str; 2] = ["max_sessions", "max_requests"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleSample {
    pub files: Option<u64>,
    pub arenas: Option<u64>,
    pub arena_bytes: Option<u64>,
    pub sessions: Option<u64>,
    /// Requests that exist now, those that wait for a driver included.
    pub requests: Option<u64>,
    /// Completions of requests that had ended already.
    pub doubles: Option<u64>,
    pub limits_in_bytes: Vec<(&'static str, u64)>,
    pub limits: Vec<(&'static str, u64)>,
    pub drivers: Vec<DriverSample>,
}

/// The work of a driver for the module since it was allowed. Only root may read most of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriverSample {
    pub name: String,
    /// The kernel's name of its algorithm; `None` until the driver was used.
    pub algorithm: Option<String>,
    pub requests: Option<u64>,
    pub bytes: Option<u64>,
    pub errors: Option<u64>,
    /// Requests that were late for their waiter.
    pub timeouts: Option<u64>,
    pub in_flight: Option<u64>,
}

impl ModuleSample {
    #[must_use]
    pub fn read(root: &Root) -> Option<Self> {
        let directory = SYSFS.trim_start_matches('/');
        if !root.exists(directory) {
            return None;
        }
        let object = |name: &str| number(root, &format!("{directory}/{name}"));
        let parameter = |name: &&'static str| {
            Some((*name, number(root, &format!("sys/module/outboard/parameters/{name}"))?))
        };
        let names = root.list(&format!("{directory}/drivers"));
        Some(Self {
            files: object("files"),
            arenas: object("arenas"),
            arena_bytes: object("arena_bytes"),
            sessions: object("sessions"),
            requests: object("requests"),
            doubles: object("doubles"),
            limits_in_bytes: LIMITS_IN_BYTES.iter().filter_map(parameter).collect(),
            limits: LIMITS.iter().filter_map(parameter).collect(),
            drivers: names
                .iter()
                .filter(|entry| entry.is_link_or_dir)
                .map(|entry| DriverSample::read(root, &entry.name))
                .collect(),
        })
    }
}

impl DriverSample {
    fn read(root: &Root, name: &str) -> Self {
        let directory = format!("{}/drivers/{name}", SYSFS.trim_start_matches('/'));
        let count = |file: &str| number(root, &format!("{directory}/{file}"));
        Self {
            name: name.to_owned(),
            algorithm: root.text(&format!("{directory}/algorithm")).filter(|text| text != "-"),
            requests: count("requests"),
            bytes: count("bytes"),
            errors: count("errors"),
            timeouts: count("timeouts"),
            in_flight: count("in_flight"),
        }
    }
}

/// A number of a file. `None` if the file is missing, may not be read, or has no number.
fn number(root: &Root, file: &str) -> Option<u64> {
    root.text(file)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn counters_are_read_and_what_is_no_number_is_left_out() {
        let tree = tempfile::tempdir().unwrap();
        let write = |file: &str, bytes: &[u8]| {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        let root = Root::saved(tree.path()).unwrap();
        assert_eq!(ModuleSample::read(&root), None);
        for (file, text) in [
            ("files", "2\n"),
            ("arenas", "x\n"),
            ("arena_bytes", "1048576\n"),
            ("sessions", "-1\n"),
            ("requests", "99999999999999999999999\n"),
            ("drivers/sim-cbc-aes/requests", "5\n"),
            ("drivers/sim-cbc-aes/bytes", "81920\n"),
            ("drivers/sim-cbc-aes/algorithm", "cbc(aes)\n"),
            ("drivers/unseen/algorithm", "-\n"),
        ] {
            write(&format!("sys/class/misc/outboard/{file}"), text.as_bytes());
        }
        write("sys/class/misc/outboard/doubles", b"\xff\xfe");
        write("sys/module/outboard/parameters/max_bytes", b"4096\n");
        let module = ModuleSample::read(&root).unwrap();
        assert_eq!((module.files, module.arena_bytes), (Some(2), Some(1 << 20)));
        assert_eq!(
            (module.arenas, module.sessions, module.requests, module.doubles),
            (None, None, None, None)
        );
        assert_eq!(module.limits_in_bytes, [("max_bytes", 4096)]);
        let [sim, unseen] = &module.drivers[..] else { panic!("{:?}", module.drivers) };
        assert_eq!((sim.requests, sim.bytes, sim.errors), (Some(5), Some(81920), None));
        assert_eq!(sim.algorithm.as_deref(), Some("cbc(aes)"));
        assert_eq!((unseen.name.as_str(), unseen.algorithm.as_deref()), ("unseen", None));
    }
}
