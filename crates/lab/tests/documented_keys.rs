//! docs/status.md against the JSON of every fixture and every pasted output: each key is documented
//! in the row of its field, and each documented key exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use outboard_documents::json;
use outboard_documents::status::Status;
use outboard_drivers::root::Root;
use outboard_inventory::{collect, collect_from};
use outboard_lab::pasted::recognise;
use serde_json::Value;

/// Fields whose keys come from files that no fixture has: a policy, and the findings of `outboard
/// check`. Their unit tests name the keys.
const NOT_IN_FIXTURES: [&str; 3] = ["policy", "checked", "choices"];

/// Documented words of other fields that no fixture shows: values, keys of a measured policy, and
/// keys of an openssl.cnf that offloads digests, names random sources or lacks `default`.
const NOT_SHOWN: [&str; 12] = [
    "none",
    "integrity",
    "confidentiality",
    "coprocessor",
    "firmware",
    "start",
    "to",
    "section",
    "value",
    "is_without_default",
    "generator",
    "seed",
];

/// The words in backquotes of each row of the first table, by field.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/status.md");
    let text = fs::read_to_string(manual).expect("docs/status.md");
    let table = text.lines().skip_while(|line| *line != "| field | content |").skip(2);
    let words = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    table
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let mut words = words(line).into_iter();
            (words.next().expect("a field"), words.collect())
        })
        .collect()
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

fn of_text(path: &Path) -> Status {
    let pasted = recognise(&fs::read_to_string(path).expect("a text"));
    let tree = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in &pasted.files {
        let file = tree.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
    collect_from(&Root::saved(tree.path()).expect("a tree"), Some(pasted.text)).expect("a status")
}

/// The keys and the texts below a value.
#[derive(Default)]
struct Emitted {
    keys: BTreeSet<String>,
    texts: BTreeSet<String>,
}

impl Emitted {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                self.keys.insert(key.clone());
                self.add(value);
            }),
            Value::Array(elements) => elements.iter().for_each(|element| self.add(element)),
            Value::String(text) => drop(self.texts.insert(text.clone())),
            _ => {}
        }
    }
}

fn emitted() -> BTreeMap<String, Emitted> {
    let trees = files("../inventory/tests/fixtures").into_iter().map(|path| {
        let root = Root::saved(&path).expect("a tree");
        collect(&root).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let mut fields: BTreeMap<String, Emitted> = BTreeMap::new();
    for status in trees.chain(files("tests/pasted").iter().map(|path| of_text(path))) {
        let Value::Object(members) = serde_json::from_str(&json(&status).expect("JSON")).expect("JSON")
        else {
            panic!("no object")
        };
        members.iter().for_each(|(field, value)| fields.entry(field.clone()).or_default().add(value));
    }
    fields
}

#[test]
fn every_key_of_the_json_is_documented_and_every_documented_key_exists() {
    let (documented, emitted) = (documented(), emitted());
    assert!(documented.keys().eq(emitted.keys()), "{:?}", (documented.keys(), emitted.keys()));
    let is_key = |word: &&String| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    for (field, Emitted { keys, texts }) in &emitted {
        let words = &documented[field];
        let missing: Vec<_> = keys.difference(words).collect();
        assert!(missing.is_empty(), "docs/status.md, {field}: no {missing:?}");
        if NOT_IN_FIXTURES.contains(&field.as_str()) {
            continue;
        }
        let others = words.difference(keys).filter(is_key);
        let unknown: Vec<_> =
            others.filter(|word| !texts.contains(*word) && !NOT_SHOWN.contains(&word.as_str())).collect();
        assert!(unknown.is_empty(), "docs/status.md, {field}: the JSON has no {unknown:?}");
    }
}
