//! Reads tests/legs.toml for the scripts that run the tests.

use std::io::Read;
use std::process::ExitCode;

use outboard_lanes::LegsFile;

const USAGE: &str = "usage:
legs FILE list LANE                  LEG CPU, a line for each leg (LANE: fast or all)
legs FILE boots LANE LEG             BOOT THEME..., a line for each boot of that leg
legs FILE check LANE LEG BOOT <LOG   what is wrong with the log of a boot; exit code 1: something is";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("legs: {problem}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [path, command @ ..] = words.as_slice() else { return Err(USAGE.to_owned()) };
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let file = LegsFile::parse(&text).map_err(|problem| format!("{path}: {problem}"))?;
    match command {
        ["list", lane] => file.legs(lane.parse()?).for_each(|(leg, cpu)| println!("{leg} {cpu}")),
        ["boots", lane, leg] => {
            for (boot, themes) in file.boots(lane.parse()?, leg) {
                println!("{boot} {}", themes.join(" "));
            }
        }
        ["check", lane, leg, boot] => {
            let mut log = Vec::new();
            std::io::stdin().read_to_end(&mut log).map_err(|error| format!("the log: {error}"))?;
            let problems = file.problems(lane.parse()?, leg, boot, &String::from_utf8_lossy(&log));
            for problem in &problems {
                println!("tests/legs.toml, {leg}: {problem}");
            }
            return Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        _ => return Err(USAGE.to_owned()),
    }
    Ok(ExitCode::SUCCESS)
}
