//! Each command has a manual page, whose sections NAME, SYNOPSIS, DESCRIPTION, OPTIONS and EXIT STATUS
//! are those of its arguments. The other sections are written by hand. After a change of arguments:
//!
//!     MANUAL=write cargo test -p outboard-lab --test manual

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::{Arg, Command};
use outboard::laboratory::COMMANDS;

/// The order of the sections in a page.
const SECTIONS: [&str; 12] = [
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "NOTES",
    "COMMANDS",
    "OPTIONS",
    "ENVIRONMENT",
    "FILES",
    "EXIT STATUS",
    "EXAMPLES",
    "SEE ALSO",
    "CAVEATS",
];

/// The pages of `docs/man` that describe no command of their own.
const OTHERS: [&str; 1] = ["lab/outboard-lab.1"];

/// A command by its words, such as `rng`, `test`; the first command is `outboard` itself.
type Words = Vec<String>;

/// All commands that help shows.
fn commands() -> BTreeMap<Words, Command> {
    let mut all = BTreeMap::new();
    let mut top = outboard_lab::arguments().disable_help_subcommand(true);
    top.build();
    let mut pending = vec![(Words::new(), top)];
    while let Some((words, command)) = pending.pop() {
        for below in command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help") {
            pending.push(([&words[..], &[below.get_name().to_owned()]].concat(), below.clone()));
        }
        all.insert(words, command);
    }
    all
}

fn page_name(words: &[String]) -> String {
    [&["outboard".to_owned()], words].concat().join("-")
}

fn file(words: &[String]) -> String {
    let is_lab = COMMANDS
        .iter()
        .any(|(command, _)| words.len() >= command.len() && words.iter().zip(*command).all(|(a, b)| a == b));
    format!("{}{}.1", if is_lab { "lab/" } else { "" }, page_name(words))
}

/// The options that are described in the page of a command above, each with the commands that have it.
struct Shared(BTreeMap<(String, String), Vec<Words>>);

impl Shared {
    fn of(commands: &BTreeMap<Words, Command>) -> Shared {
        let mut all: BTreeMap<_, Vec<Words>> = BTreeMap::new();
        for (words, command) in commands {
            for option in options(command).filter(|option| option.get_long().is_some()) {
                all.entry((head(option), help(option))).or_default().push(words.clone());
            }
        }
        Shared(all.into_iter().filter(|(_, users)| users.len() > 2).collect())
    }

    /// The command whose page describes a shared option.
    fn home(&self, option: &Arg) -> Option<&[String]> {
        self.0.get(&(head(option), help(option))).map(|users| above(users))
    }

    /// The options that the page of this command describes for others.
    fn at(&self, words: &[String]) -> impl Iterator<Item = &(String, String)> {
        self.0.iter().filter(move |(_, users)| above(users) == words).map(|(option, _)| option)
    }
}

/// The nearest command above these.
fn above(users: &[Words]) -> &[String] {
    let is_above = |words: &&[String]| users.iter().all(|user| user.starts_with(words));
    (0..=users[0].len()).rev().map(|count| &users[0][..count]).find(is_above).unwrap_or_default()
}

fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()))
}

/// The words of an option or argument after `.It`.
fn head(option: &Arg) -> String {
    let names: Vec<String> =
        option.get_value_names().unwrap_or_default().iter().map(|name| escaped(name)).collect();
    let short = option.get_short().map(|short| format!("Fl {short} , "));
    let long = option.get_long().map(|long| format!("Fl -{long}"));
    let values = match option.get_num_args() {
        Some(count) if count.takes_values() => {
            let more = if option.get_long().is_none() && count.max_values() > 1 { " ..." } else { "" };
            Some(format!("Ar {}{more}", names.join(" ")))
        }
        _ => None,
    };
    let words = [long, values].into_iter().flatten().collect::<Vec<_>>().join(" ");
    format!("{}{words}", short.unwrap_or_default())
}

/// What an option means, with its values and its default.
fn help(option: &Arg) -> String {
    let mut text = option.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> =
        option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let takes_value = option.get_num_args().is_some_and(|count| count.takes_values());
    if takes_value && !values.is_empty() {
        let _ = write!(text, " [{}]", values.join(", "));
    }
    let defaults: Vec<String> =
        option.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if takes_value && !defaults.is_empty() {
        let _ = write!(text, " [default: {}]", defaults.join(","));
    }
    lines(&text)
}

/// Text for mdoc(7), a sentence on each line.
fn lines(text: &str) -> String {
    let text = escaped(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    text.replace(". ", ".\n") + "\n"
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace("--", "\\-\\-").replace('±', "\\(+-");
    let parts = text.split('`').enumerate();
    parts
        .map(|(place, part)| if place % 2 == 1 { format!("\\fB{part}\\fR") } else { part.to_owned() })
        .collect()
}

/// The sections of a page that follow from the arguments.
fn generated(
    words: &[String],
    all: &BTreeMap<Words, Command>,
    shared: &Shared,
) -> BTreeMap<&'static str, String> {
    let mut command = all[words].clone();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let about = about.trim_end_matches('.');
    let (first, rest) = about.split_at(about.chars().next().map_or(0, char::len_utf8));
    let name = format!(".Nm {}\n.Nd {}{}\n", page_name(words), first.to_lowercase(), escaped(rest));
    let usage = command.render_usage().to_string();
    let mut synopsis = String::new();
    for line in usage.trim_start_matches("Usage:").lines().map(str::trim) {
        let _ = writeln!(synopsis, ".Nm\n{}", escaped(line.trim_start_matches("outboard").trim_start()));
    }
    let synopsis = synopsis.replace(".Nm\n", ".Nm outboard\n");
    let mut sections = BTreeMap::from([("NAME", name), ("SYNOPSIS", synopsis)]);

    let long = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let is_exit = |text: &&str| text.starts_with("Exit code") || text.starts_with("The exit code");
    let (exit, description): (Vec<&str>, Vec<&str>) = long.split("\n\n").skip(1).partition(is_exit);
    let paragraphs = |texts: Vec<&str>| texts.into_iter().map(lines).collect::<Vec<_>>().join(".Pp\n");
    for (section, texts) in [("DESCRIPTION", description), ("EXIT STATUS", exit)] {
        if !texts.is_empty() {
            sections.insert(section, paragraphs(texts));
        }
    }

    let own = options(&command).filter(|option| shared.home(option).is_none_or(|home| home == words));
    let own: Vec<_> = own.map(|option| (head(option), help(option))).collect();
    let of_others = shared.at(words).filter(|option| !own.contains(option)).cloned().collect();
    let mut text = list(own);
    let of_others: String = list(of_others);
    if !of_others.is_empty() {
        let _ = write!(text, ".Pp\nSeveral of the commands have these:\n{of_others}");
    }
    let mut elsewhere: BTreeMap<&[String], Vec<String>> = BTreeMap::new();
    for option in options(&command) {
        if let Some(home) = shared.home(option).filter(|home| *home != words) {
            let name = format!("-{}", option.get_long().unwrap_or_default());
            elsewhere.entry(home).or_default().push(name);
        }
    }
    for (home, names) in elsewhere {
        let _ = write!(text, ".Pp\n.Xr {} 1\ndescribes\n.Fl {} .\n", page_name(home), names.join(" , "));
    }
    if !text.is_empty() {
        sections.insert("OPTIONS", text.trim_start_matches(".Pp\n").to_owned());
    }

    let below = command.get_subcommands().filter_map(|below| {
        let words = [words, &[below.get_name().to_owned()]].concat();
        let about = all.get(&words)?.get_about().map(ToString::to_string).unwrap_or_default();
        Some((format!("Xr {} 1", page_name(&words)), lines(about.trim_end_matches('.'))))
    });
    let below = list(below.collect());
    if !below.is_empty() {
        sections.insert("COMMANDS", below);
    }
    sections
}

fn list(items: Vec<(String, String)>) -> String {
    let items: String = items
        .iter()
        .map(|(head, text)| {
            format!(
                ".It {head}
{text}"
            )
        })
        .collect();
    if items.is_empty() {
        items
    } else {
        format!(
            ".Bl -tag -width Ds
{items}.El
"
        )
    }
}

/// The lines above the first section, and the sections of a page.
fn read(page: &str) -> (&str, BTreeMap<&str, String>) {
    let mut parts = page.split(".Sh ");
    let start = parts.next().unwrap_or_default();
    let sections =
        parts.filter_map(|part| part.split_once('\n')).map(|(title, body)| (title, body.to_owned()));
    (start, sections.collect())
}

fn joined(start: &str, sections: &BTreeMap<&str, String>) -> String {
    let known = SECTIONS.iter().filter_map(|title| Some(format!(".Sh {title}\n{}", sections.get(title)?)));
    start.to_owned() + &known.collect::<String>()
}

#[test]
fn each_command_has_a_page_with_its_arguments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/man");
    let all = commands();
    assert!(all.len() > 30, "{} commands were found", all.len());
    let shared = Shared::of(&all);
    let mut differences = Vec::new();
    for words in all.keys() {
        let path = folder.join(file(words));
        let name = page_name(words).to_uppercase();
        let empty =
            format!(".\\\" SPDX-License-Identifier: Apache-2.0\n.Dd November 28, 2026\n.Dt {name} 1\n.Os\n");
        let page = fs::read_to_string(&path).unwrap_or(empty);
        let (start, mut sections) = read(&page);
        let unknown: Vec<_> = sections.keys().filter(|title| !SECTIONS.contains(title)).collect();
        assert!(unknown.is_empty(), "{}: unknown sections {unknown:?}", path.display());
        let generated = generated(words, &all, &shared);
        for title in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "EXIT STATUS"] {
            if let Some(text) = generated.get(title) {
                if sections.insert(title, text.clone()).as_ref() != Some(text) {
                    differences.push(format!("{}: {title}", path.display()));
                }
            }
        }
        if env::var_os("MANUAL").is_some_and(|value| value == "write") {
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(&path, joined(start, &sections)).expect("a page");
            differences.clear();
        }
    }
    assert!(differences.is_empty(), "MANUAL=write writes these sections:\n{}", differences.join("\n"));
    let expected: BTreeSet<String> =
        all.keys().map(|words| file(words)).chain(OTHERS.map(str::to_owned)).collect();
    assert_eq!(pages(&folder), expected);
}

/// The pages in `docs/man`.
fn pages(folder: &Path) -> BTreeSet<String> {
    let below = |place: PathBuf| {
        fs::read_dir(place).expect("a directory").map(|entry| entry.expect("an entry").path())
    };
    let all = below(folder.to_owned()).chain(below(folder.join("lab"))).filter(|path| path.is_file());
    all.map(|path| path.strip_prefix(folder).expect("below").display().to_string()).collect()
}
