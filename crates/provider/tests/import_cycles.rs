//! The files of the provider import each other in cycles of two files at most, so that each part can be read
//! and tested alone. `cargo test -p outboard-provider --test import_cycles -- --nocapture` prints the
//! cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The largest number of files that may import each other, directly or through others.
const MOST: usize = 2;

/// The path of a module below the crate, such as `["cipher", "stream"]`.
type Module = Vec<String>;

/// The source of each module without comments and tests.
fn read(folder: &Path, module: &Module, sources: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut inner = module.clone();
        if !["lib", "mod"].contains(&&*name) {
            inner.push(name);
        }
        if path.is_dir() {
            read(&path, &inner, sources);
        } else {
            let text = fs::read_to_string(&path).expect("a source file");
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
            let code = lines.collect::<Vec<_>>().join("\n");
            // The path of `pub(in PATH)` imports nothing.
            let mut parts = code.split("pub(in ");
            let first = parts.next().into_iter();
            sources
                .insert(inner, first.chain(parts.filter_map(|part| Some(part.split_once(')')?.1))).collect());
        }
    }
}

/// Names, `::`, and single other characters.
fn tokens(code: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut rest, mut tokens) = (code, Vec::new());
    while let Some(first) = rest.chars().next() {
        let len = if is_name(first) {
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let token;
        (token, rest) = rest.split_at(len);
        if !token.trim().is_empty() {
            tokens.push(token);
        }
    }
    tokens
}

/// All paths of a source, those in the braces of `use` included.
fn paths<'a>(tokens: &[&'a str]) -> Vec<Vec<&'a str>> {
    let (mut found, mut path, mut prefixes) = (Vec::new(), Vec::new(), Vec::<Vec<&str>>::new());
    let mut is_open = false;
    for (place, &token) in tokens.iter().enumerate() {
        let before = place.checked_sub(1).map_or("", |place| tokens[place]);
        match token {
            "::" => is_open = true,
            "{" if before == "::" => prefixes.push(std::mem::take(&mut path)),
            "{" if !prefixes.is_empty() => prefixes.push(Vec::new()),
            _ if token.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                if !is_open || path.is_empty() {
                    found.push(std::mem::take(&mut path));
                    path = prefixes.last().cloned().unwrap_or_default();
                }
                path.push(token);
                is_open = false;
            }
            _ => {
                found.push(std::mem::take(&mut path));
                is_open = false;
                if token == "}" {
                    prefixes.pop();
                }
            }
        }
    }
    found.push(path);
    found.retain(|path| path.len() > 1);
    found
}

/// The module that a path in `module` leads to.
fn target(module: &Module, path: &[&str], all: &BTreeMap<Module, String>) -> Option<Module> {
    let ups = path.iter().take_while(|name| **name == "super").count();
    let (mut at, mut rest) = match path[0] {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (module.clone(), &path[1..]),
        "super" => (module[..module.len().checked_sub(ups)?].to_vec(), &path[ups..]),
        _ => (module.clone(), path),
    };
    let is_local = !["crate", "self", "super"].contains(&path[0]);
    while let Some((name, after)) = rest.split_first() {
        let inner = [&at[..], &[(*name).to_owned()]].concat();
        if !all.contains_key(&inner) {
            break;
        }
        (at, rest) = (inner, after);
    }
    (!is_local || at != *module).then_some(at).filter(|at| at != module)
}

fn reachable<'g>(graph: &'g BTreeMap<Module, BTreeSet<Module>>, from: &'g Module) -> BTreeSet<&'g Module> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(graph[module].iter().filter(|next| graph.contains_key(*next) && seen.insert(*next)));
    }
    seen
}

#[test]
fn no_more_than_two_files_import_each_other() {
    let mut sources = BTreeMap::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &Vec::new(), &mut sources);
    let imports = |(module, code): (&Module, &String)| {
        let targets = paths(&tokens(code)).into_iter().filter_map(|path| target(module, &path, &sources));
        (module.clone(), targets.collect())
    };
    let graph: BTreeMap<Module, BTreeSet<Module>> = sources.iter().map(imports).collect();
    assert!(graph.len() > 50 && graph[&vec!["entry".to_owned()]].len() > 10, "{graph:?}");
    let reach: BTreeMap<_, _> = graph.keys().map(|module| (module, reachable(&graph, module))).collect();
    let cycle = |module| -> BTreeSet<String> {
        let others = reach[module].iter().filter(|other| reach[**other].contains(module));
        others.map(|other| other.join("/")).collect()
    };
    let cycles: BTreeSet<_> = graph.keys().map(cycle).filter(|cycle| !cycle.is_empty()).collect();
    cycles.iter().for_each(|cycle| println!("{} files import each other: {cycle:?}", cycle.len()));
    assert!(cycles.iter().all(|cycle| cycle.len() <= MOST), "{cycles:?}");
}

#[test]
fn paths_are_found_in_trees_of_use_and_in_code() {
    let code = "use crate::a::{self, b::C, d::{E, f}}; fn g(x: super::h::I) { i::j::<K>(x); let y = z; }";
    let found: Vec<String> = paths(&tokens(code)).iter().map(|path| path.join(".")).collect();
    let expected = ["crate.a.self", "crate.a.b.C", "crate.a.d.E", "crate.a.d.f", "super.h.I", "i.j"];
    assert_eq!(found, expected);
}
