//! Removes from a bundle what identifies a machine or its users. What is removed of a configuration
//! and of a text, `outboard_documents::secrets` decides.

use std::path::Path;

use crate::openssl::recorded_configuration;
use outboard_documents::secrets::{self, Configured};
use outboard_drivers::root::{ANSWERS, Root};

use crate::bundle::files::{Files, Item};

/// Beginnings of files with lists of names and numbers, which may look like addresses: drivers,
/// versions, device ids, the note that identifies a build; and documents without such.
const LISTS: [&str; 11] = [
    "proc/crypto",
    "proc/sys/kernel/osrelease",
    "lib/modules/",
    "usr/lib/modules/",
    "outboard/crypto-flags",
    "etc/outboard/checked",
    "etc/outboard/policy",
    "sys/module/",
    "trial/check.json",
    "trial/tune.json",
    "trial/prove.json",
];
/// Beginnings of other files that are not configurations of OpenSSL.
const TEXTS: [&str; 6] = ["proc/", "sys/", "dev/", "outboard/", "trial/", "etc/os-release"];

/// Scrubs all files of the running system; variables are those of its environment.
pub fn scrub(files: &Files) -> Files {
    scrub_with(files, &|name| std::env::var(name).ok())
}

fn scrub_with(files: &Files, variables: &dyn Fn(&str) -> Option<String>) -> Files {
    let root = Root::of_files(Path::new("/"), Box::new(files.clone()));
    let mut configured = secrets::configuration(recorded_configuration(&root, variables).as_ref());
    let mut scrubbed = Files::default();
    for (path, item) in files.iter() {
        let (path, item) = match item {
            _ if is_kernel_configuration(path) => (path.to_owned(), Item::Name),
            item if LISTS.iter().any(|start| path.starts_with(start)) => (path.to_owned(), item.clone()),
            Item::File(bytes) if TEXTS.iter().any(|start| path.starts_with(start)) => {
                (path.to_owned(), Item::File(text(path, bytes, &mut configured)))
            }
            item if TEXTS.iter().any(|start| path.starts_with(start)) => (path.to_owned(), item.clone()),
            Item::File(bytes) => (configured.path(path), configuration(path, bytes, &configured)),
            item => (configured.path(path), item.clone()),
        };
        scrubbed.add(&path, item);
    }
    scrubbed
}

/// Its options are kept as an answer: it has the command line of the kernel, and names of keys.
fn is_kernel_configuration(path: &str) -> bool {
    path == "proc/config.gz" || path.starts_with("boot/") || path.ends_with("/config")
}

fn text(path: &str, bytes: &[u8], configured: &mut Configured) -> Vec<u8> {
    let answer = path.strip_prefix(ANSWERS).and_then(|path| path.strip_prefix('/'));
    match (path, answer) {
        ("proc/version", _) => builder(bytes),
        (_, Some("kernel-options")) => bytes.to_vec(),
        (_, Some("openssl-providers")) => providers(bytes),
        (_, Some("openssl-conf")) => configured.path(&String::from_utf8_lossy(bytes)).into_bytes(),
        _ => secrets::text(bytes),
    }
}

/// The output of `openssl list -providers`: names are indented by two, their properties by four.
fn providers(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let line = |line: &str| match line.strip_prefix("  ").filter(|name| !name.starts_with(' ')) {
        Some(shown) => format!("  {}\n", secrets::name(shown.trim())),
        None => format!("{line}\n"),
    };
    secrets::text(text.lines().map(line).collect::<String>().as_bytes())
}

/// A file of the configuration; of any other file only the name.
fn configuration(path: &str, bytes: &[u8], configured: &Configured) -> Item {
    let named = [format!("/{path}"), path.to_owned()];
    named.iter().find_map(|name| configured.file(Path::new(name), bytes)).map_or(Item::Name, Item::File)
}

/// /proc/version names the user and the host of the build: `(user@host)`.
fn builder(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let parts = text.split_once('(').and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    match parts {
        Some((before, (who, after))) if who.contains('@') => format!("{before}(REMOVED){after}").into_bytes(),
        _ => bytes.to_vec(),
    }
}

#[cfg(test)]
#[path = "scrub_tests.rs"]
mod tests;
