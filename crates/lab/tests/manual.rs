//! The manual page has every option of every command.

mod both;

use std::process::Command;

const PAGE: &str = include_str!("../../../docs/man/outboard.1");

fn help(command: &[&str]) -> String {
    let output = Command::new(both::outboard()).args(command).arg("--help").output();
    let output = output.expect("the command runs");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The names of the commands in a help text.
fn commands(help: &str) -> Vec<&str> {
    let lists = ["Commands:\n", "Laboratory (package outboard-lab):\n"];
    let lists = lists.into_iter().filter_map(|start| help.split_once(start)?.1.split("\n\n").next());
    // The lines of a description that follow are indented further.
    let lines = lists.flat_map(str::lines);
    let entries = lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = entries.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help" && !name.starts_with('-')).collect()
}

/// The long options in a help text, without `--`.
fn options(help: &str) -> Vec<&str> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.filter_map(|line| {
        let long = line.strip_prefix("--").or_else(|| Some(line.split_once(", --")?.1))?;
        long.split(|c: char| !c.is_ascii_lowercase() && c != '-').next()
    });
    names.filter(|name| !["", "help", "version"].contains(name)).collect()
}

/// The section of a command, or that of the command above it.
fn section(command: &[&str]) -> &'static str {
    let find = |name: String| PAGE.split_once(&format!("\n.Ss {name}\n")).map(|(_, rest)| rest);
    let rest = find(command.join(" ")).or_else(|| find(command[0].to_owned()));
    let rest = rest.unwrap_or_else(|| panic!("the page has no section {command:?}"));
    let end = ["\n.Ss ", "\n.Sh "].iter().filter_map(|next| rest.find(next)).min();
    &rest[..end.unwrap_or(rest.len())]
}

/// The lines of a command in the synopsis.
fn synopsis(command: &[&str]) -> String {
    let start = format!("\n.Cm {}\n", command.join(" "));
    let (_, page) = PAGE.split_once("\n.Sh SYNOPSIS").expect("a synopsis");
    let (synopsis, _) = page.split_once("\n.Sh ").expect("an end");
    let forms = synopsis.split("\n.Nm").filter(|form| form.starts_with(&start) || form.contains(&start));
    forms.collect()
}

#[test]
fn each_option_is_in_the_synopsis_and_in_the_section_of_its_command() {
    let top = help(&[]);
    let mut pending: Vec<Vec<String>> = commands(&top).iter().map(|name| vec![(*name).to_owned()]).collect();
    let (mut missing, mut count) = (Vec::new(), 0);
    while let Some(command) = pending.pop() {
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let text = help(&command);
        for name in commands(&text) {
            pending.push(command.iter().chain([&name]).map(|part| (*part).to_owned()).collect());
        }
        let (described, short) = (section(&command), synopsis(&command));
        // Some have the options of prove, and say so.
        let of_prove = if described.contains("options of\n.Cm prove")
            || described.contains("options are those of\n.Cm prove")
        {
            section(&["prove"])
        } else {
            ""
        };
        for option in options(&text) {
            count += 1;
            let flag = format!("Fl -{option}");
            let has = |text: &str| {
                text.split(&flag)
                    .skip(1)
                    .any(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '-'))
            };
            if !has(described) && !has(of_prove) {
                missing.push(format!("section {command:?}: --{option}"));
            }
            if !has(&short) && of_prove.is_empty() {
                missing.push(format!("synopsis {command:?}: --{option}"));
            }
        }
    }
    assert!(count > 100, "{count} options were found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
