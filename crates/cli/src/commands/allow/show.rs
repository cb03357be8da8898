//! `outboard allow --list`: prints the drivers that are allowed now and those that are saved.

use anyhow::{Result, anyhow, bail};
use outboard_console::aligned_list;
use outboard_drivers::allow_list::AllowedDriver;
use serde::Serialize;

use super::memory::Memory;
use super::{list, say, warn};

#[derive(Serialize)]
struct List {
    schema: &'static str,
    /// False: no driver is allowed now.
    module_loaded: bool,
    drivers: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    driver: String,
    /// The kernel's name of the algorithm; null until a driver of this name has been seen.
    algorithm: Option<String>,
    /// The module's number of the driver; null when the driver is not allowed now.
    number: Option<u16>,
    allowed: bool,
    saved: bool,
}

impl Entry {
    fn state(&self) -> &'static str {
        match (self.allowed, self.saved) {
            (true, true) => "allowed, saved",
            (true, false) => "allowed until the module is unloaded",
            (false, _) => "saved, not allowed now",
        }
    }
}

pub fn show(json: bool) -> Result<()> {
    let (memory, allowed) = (Memory::read()?, list::read_if_loaded()?);
    let (_, mistakes) = memory.drivers();
    mistakes.iter().for_each(|mistake| warn("allow", &anyhow!("{mistake}")));
    let list = List {
        schema: "outboard-allow/1",
        module_loaded: allowed.is_some(),
        drivers: merged(allowed.unwrap_or_default(), &memory),
    };
    if json {
        return say(outboard_documents::pretty(&list)?.trim_end());
    }
    if list.module_loaded {
        return say(&text(&list.drivers));
    }
    // Print the saved list before the error: the error states that none of these drivers is allowed
    // now.
    if !list.drivers.is_empty() {
        say(&text(&list.drivers))?;
    }
    bail!("no driver is allowed now: {}", list::not_loaded())
}

/// Merges both lists in order of preference: that of the module first, then that of the saved list.
fn merged(allowed: Vec<AllowedDriver>, memory: &Memory) -> Vec<Entry> {
    let mut entries: Vec<Entry> = allowed
        .into_iter()
        .map(|known| Entry {
            saved: memory.has(&known.driver),
            driver: known.driver,
            algorithm: known.algorithm,
            number: Some(known.number),
            allowed: true,
        })
        .collect();
    for known in memory.drivers().0 {
        if !entries.iter().any(|entry| entry.driver == known.driver) {
            let driver = known.driver;
            entries.push(Entry { driver, algorithm: None, number: None, allowed: false, saved: true });
        }
    }
    entries
}

fn text(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return "No driver is allowed: outboard status shows which there are, outboard allow DRIVER allows one.".to_owned();
    }
    let row = |entry: &Entry| {
        let algorithm = entry.algorithm.clone().unwrap_or_else(|| "-".to_owned());
        [entry.driver.clone(), algorithm, entry.state().to_owned()]
    };
    aligned_list(&entries.iter().map(row).collect::<Vec<_>>(), "").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use outboard_catalog::families::Bounds;

    use super::*;

    fn entries() -> Vec<Entry> {
        let memory = Memory::parse("gone-driver\nvirtio_crypto_aes_cbc\n");
        let allowed = |number, algorithm: Option<&str>, driver: &str| AllowedDriver {
            number,
            algorithm: algorithm.map(str::to_owned),
            driver: driver.to_owned(),
            bounds: Bounds::NONE,
        };
        merged(
            vec![allowed(2, Some("cbc(aes)"), "virtio_crypto_aes_cbc"), allowed(3, None, "mv-cbc-aes")],
            &memory,
        )
    }

    #[test]
    fn allowed_drivers_come_first_then_those_that_are_only_saved() {
        insta::assert_snapshot!(text(&entries()), @r"
        virtio_crypto_aes_cbc  cbc(aes)  allowed, saved
        mv-cbc-aes             -         allowed until the module is unloaded
        gone-driver            -         saved, not allowed now
        ");
    }

    #[test]
    fn json_says_the_same() {
        let list = List { schema: "outboard-allow/1", module_loaded: true, drivers: entries() };
        let value = serde_json::to_value(list).unwrap();
        let states: Vec<_> = value["drivers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| (entry["number"].as_u64(), entry["allowed"].as_bool(), entry["saved"].as_bool()))
            .collect();
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(states, [(Some(2), yes, yes), (Some(3), yes, no), (None, no, yes)]);
    }
}
