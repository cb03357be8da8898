//! The counters of enabled services.

use std::fmt;

use outboard_counters::{COUNTERS_NAME, Table};
use outboard_drivers::root::Root;
use outboard_services::enable::{Tree, counted_units, counters_file};

/// The counters of a unit at one moment.
pub struct ServiceSample {
    /// The systemd unit; on OpenWrt the program.
    pub unit: String,
    /// A copy of its counters; the reason if there are none.
    pub counters: Result<Table, String>,
}

impl ServiceSample {
    /// The units that have a counters file or a directory for one, and the programs of OpenWrt that
    /// have one.
    #[must_use]
    pub fn all(root: &Root) -> Vec<Self> {
        counted_units(&Tree::at(root.path())).iter().map(|unit| Self::read(root, unit)).collect()
    }

    #[must_use]
    pub fn read(root: &Root, unit: &str) -> Self {
        let counters = match counters_file(unit, COUNTERS_NAME) {
            None => Err("the instances of a template are not counted".to_owned()),
            Some(path) => Table::read(&Tree::at(root.path()).path(&path)).map_err(|why| why.to_string()),
        };
        Self { unit: unit.to_owned(), counters }
    }
}

impl fmt::Debug for ServiceSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counters.as_ref().map(Table::snapshot);
        f.debug_struct("ServiceSample").field("unit", &self.unit).field("counters", &counts).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_counters_of_services_are_found_and_damaged_ones_are_explained() {
        let tree = tempfile::tempdir().unwrap();
        let directory = |unit: &str| {
            let path = tree.path().join(format!("run/outboard-{unit}"));
            fs::create_dir_all(&path).unwrap();
            path
        };
        let table = Table::open_in(&directory("nginx.service"), COUNTERS_NAME.as_ref()).unwrap();
        table.row("AES-128-CBC").unwrap().add_hw(1, 16384);
        fs::write(directory("bad.service").join(COUNTERS_NAME), "no table").unwrap();
        directory("new.service");
        directory("something");
        let programs = tree.path().join("var/run/outboard");
        fs::create_dir_all(&programs).unwrap();
        let program = Table::open_in(&programs, "openvpn".as_ref()).unwrap();
        let root = Root::saved(tree.path()).unwrap();
        let all = ServiceSample::all(&root);
        assert_eq!(
            all.iter().map(|s| s.unit.as_str()).collect::<Vec<_>>(),
            ["bad.service", "new.service", "nginx.service", "openvpn"]
        );
        assert!(all[0].counters.is_err() && all[1].counters.is_err());
        assert_eq!(all[2].counters.as_ref().unwrap().snapshot(), table.snapshot());
        assert_eq!(all[3].counters.as_ref().unwrap().attached(), program.attached());
        assert!(ServiceSample::read(&root, "a@.service").counters.is_err());
    }
}
