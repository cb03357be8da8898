//! Each command of docs/platforms and docs/openwrt.md: the subcommand and its options exist, and so do
//! the drivers, modules, packages, test machines and themes that are named. The themes of the models run
//! the commands (tests/src/modelled/page.rs).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use outboard_catalog::families::{Family, all, values};
use outboard_catalog::search::search;

/// What the pages type that is not outboard's, and is not checked here: on a PC, and in QEMU.
const OTHERS: [&str; 6] = ["tar", "echo", "scripts/feeds", "make", "qemu-system-x86_64", "head"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<(String, String)> {
    let docs = repository().join("docs");
    let platforms = fs::read_dir(docs.join("platforms")).expect("the pages");
    let paths = platforms.map(|entry| entry.expect("a page").path()).chain([docs.join("openwrt.md")]);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page");
        (path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned(), text)
    };
    paths.map(read).collect()
}

/// The indented commands with their comments. A line may continue after `\`, and within quotes.
fn commands(page: &str) -> Vec<(String, &str)> {
    let mut found: Vec<(String, &str)> = Vec::new();
    let mut is_open = false;
    for line in page.lines().filter_map(|line| line.strip_prefix("    ")) {
        let (text, comment) = line.split_once(" #").unwrap_or((line, ""));
        match found.last_mut().filter(|_| is_open) {
            Some((last, _)) => *last = format!("{} {}", last.trim_end_matches('\\').trim_end(), text.trim()),
            None => found.push((text.trim().to_owned(), comment.trim())),
        }
        let last = &found.last().expect("a line").0;
        is_open = last.ends_with('\\') || last.matches('\'').count() % 2 == 1;
    }
    found
}

/// The words of a command; quotes are single ones.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let split = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    split.filter(|word| word != "sudo").collect()
}

fn module(name: &str) -> &'static Family {
    let is_its = |family: &&Family| values(family.modules).any(|one| one == name);
    all().find(is_its).unwrap_or_else(|| panic!("no driver of the catalogue is in the module {name}"))
}

fn outboard(words: &[String], line: &str) {
    let parsed = outboard_lab::arguments().try_get_matches_from(words);
    parsed.unwrap_or_else(|error| panic!("{line}: {error}"));
    let names = words.iter().skip(2).take_while(|word| *word != "--");
    if ["allow", "check", "prefer"].contains(&words[1].as_str()) {
        for driver in names.filter(|word| !word.starts_with('-')) {
            assert!(!search(driver).is_empty(), "{line}: no driver {driver}");
        }
    }
}

fn package(name: &str, line: &str) {
    let feed = repository().join("packaging/openwrt/feed/outboard/Makefile");
    let is_ours = fs::read_to_string(feed).expect("the feed").contains(name);
    assert!(is_ours || all().any(|family| values(family.openwrt).any(|one| one == name)), "{line}: {name}");
}

fn check(command: &str, comment: &str) {
    for one in command.split("&&").flat_map(|part| part.split(';')) {
        let words = words(one);
        let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let packages = || rest.iter().skip(1).filter(|word| !word.starts_with(['-', '/']));
        match words.first().map(String::as_str) {
            Some("outboard") => outboard(&words, one),
            // Where a kernel of Debian's lacks the driver, the line says which one has it.
            Some("modprobe") => {
                assert!(!module(rest[0]).debian.is_empty() || !comment.is_empty(), "{one}: which kernel?");
            }
            Some("rmmod") => assert!(!module(rest[0]).modules.is_empty()),
            Some("apk" | "opkg") => packages().for_each(|name| package(name, one)),
            Some(other) => assert!(OTHERS.contains(&other), "{one}: is it right? Then add it to OTHERS"),
            None => {}
        }
    }
}

#[test]
fn each_command_of_the_pages_exists_with_its_options_drivers_and_packages() {
    for (page, text) in pages() {
        for (command, comment) in commands(&text) {
            let Some((machine, inner)) = command.split_once(" -- ").filter(|_| command.starts_with("vm/run"))
            else {
                check(&command, comment);
                continue;
            };
            let machine = words(machine);
            let leg = repository().join("vm/legs").join(&machine[1]);
            assert!(leg.exists(), "{page}: {command}: no test machine {}", machine[1]);
            match inner.strip_prefix("sh -c ") {
                Some(quoted) => check(quoted.trim_matches('\''), ""),
                None => check(inner, ""),
            }
        }
    }
}

#[test]
fn each_command_within_a_sentence_exists_with_its_options() {
    for (page, text) in pages() {
        let text = text.replace('\n', " ");
        for quoted in text.split('`').skip(1).step_by(2).filter(|text| text.starts_with("outboard ")) {
            let words = words(quoted);
            let mut command = outboard_lab::arguments();
            command.build();
            let mut below = &command;
            for word in words.iter().skip(1) {
                if let Some(option) = word.strip_prefix("--") {
                    let mut all = below.get_arguments().filter_map(clap::Arg::get_long);
                    assert!(all.any(|name| name == option), "{page}: {quoted}: no option {word}");
                } else if let Some(found) = below.find_subcommand(word) {
                    below = found;
                }
            }
            assert!(below.get_name() != "outboard", "{page}: {quoted}");
            if let ["outboard", "catalogue", name] = words.iter().map(String::as_str).collect::<Vec<_>>()[..]
            {
                assert!(!search(name).is_empty(), "{page}: no entry {name}");
            }
        }
    }
}

#[test]
fn each_theme_that_the_pages_name_exists() {
    let legs = fs::read_to_string(repository().join("tests/legs.toml")).expect("the themes");
    let themes: BTreeSet<&str> =
        legs.lines().filter_map(|line| line.strip_prefix("[themes.")?.strip_suffix(']')).collect();
    for (page, text) in pages() {
        for name in text.split('`').skip(1).step_by(2).filter(|text| text.starts_with("model_")) {
            let is_it = |theme: &&&str| theme.starts_with(name.trim_end_matches('*'));
            assert!(themes.iter().find(is_it).is_some(), "{page}: no theme {name}");
        }
    }
}
