//! The crates as the documents list them, and what the core may depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Programs of the core: what a router installs.
const CORE: [&str; 2] = ["cli", "provider"];
/// The crates of the laboratory.
const LABORATORY: [&str; 2] = ["entropy", "lab"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The dependencies of each crate without those of its tests: of the workspace without "outboard-".
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let section = manifest.split_once("\n[dependencies]\n").map_or("", |(_, rest)| rest);
        let section = section.split("\n[").next().unwrap();
        let name = |line: &str| line.split(['.', ' ', '=']).next().unwrap().to_owned();
        let names = section.lines().map(name).filter(|name| !name.is_empty() && !name.starts_with('#'));
        all.insert(folder.file_name().unwrap().to_str().unwrap().to_owned(), names.collect());
    }
    assert!(all.len() > 10 && all["cli"].contains("outboard-catalog"), "{all:?}");
    all
}

/// The crates of the workspace in a set of dependencies, by the names of their directories.
fn own(dependencies: &BTreeSet<String>) -> BTreeSet<String> {
    dependencies.iter().filter_map(|name| name.strip_prefix("outboard-")).map(str::to_owned).collect()
}

/// The cells of the rows of the first table after a heading.
fn rows(file: &str, heading: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(repository().join(file)).unwrap();
    let (_, text) = text.split_once(heading).unwrap_or_else(|| panic!("{file} has no {heading}"));
    let lines = text.lines().skip_while(|line| !line.starts_with("|--")).skip(1);
    let row = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.take_while(|line| line.starts_with('|')).map(row).collect()
}

fn list(cell: &str) -> BTreeSet<String> {
    let names = cell.split(',').map(|name| name.trim().trim_matches('`').to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn nothing_in_the_core_depends_on_the_laboratory() {
    let all = dependencies();
    let mut reached: BTreeSet<String> = BTreeSet::new();
    let mut pending: Vec<String> = CORE.map(str::to_owned).to_vec();
    while let Some(name) = pending.pop() {
        if reached.insert(name.clone()) {
            pending.extend(own(&all[&name]));
        }
    }
    let left: Vec<&str> = all.keys().map(String::as_str).filter(|name| !reached.contains(*name)).collect();
    assert_eq!(left, LABORATORY);
}

#[test]
fn the_map_has_each_crate_with_its_dependencies_below_it() {
    let all = dependencies();
    let rows = rows("ARCHITECTURE.md", "## Components");
    let order: Vec<String> = rows.iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    assert_eq!(order.iter().cloned().collect::<BTreeSet<_>>(), all.keys().cloned().collect(), "the crates");
    for (at, row) in rows.iter().enumerate() {
        let (name, below) = (&order[at], list(&row[1]));
        assert_eq!(below, own(&all[name]), "the dependencies of {name}");
        let above: Vec<&String> = below.iter().filter(|other| !order[at..].contains(other)).collect();
        assert!(above.is_empty(), "{name} depends on crates above it: {above:?}");
    }
}

#[test]
fn each_external_dependency_is_listed_with_the_crates_that_use_it() {
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, dependencies) in dependencies() {
        for other in dependencies.into_iter().filter(|other| !other.starts_with("outboard-")) {
            used.entry(other).or_default().insert(name.clone());
        }
    }
    // What is no crate of crates/: tests, models, fuzzers and benchmarks.
    let others = ["tests", "models", "fuzz", "benchmarks"];
    let mut listed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows("docs/dependencies.md", "# Dependencies") {
        let users: BTreeSet<String> =
            list(&row[1]).into_iter().filter(|name| !others.contains(&name.as_str())).collect();
        if !users.is_empty() {
            listed.extend(list(&row[0]).into_iter().map(|name| (name, users.clone())));
        }
    }
    assert_eq!(listed, used);
}
