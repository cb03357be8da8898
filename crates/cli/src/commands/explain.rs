//! `outboard explain`: what a problem of `outboard status` means, and the answers to questions.

mod questions;

use std::process::ExitCode;

use clap::Args;
use outboard_advice::rules::{self, Rule};
use outboard_catalog::search::search;
use outboard_console::{answer, ended, wrapped};

use questions::Question;

/// Width of the output in columns.
const WIDTH: usize = 80;

/// Explain a problem that outboard status names, or answer a question; list both.
#[derive(Args)]
pub struct Options {
    /// The problem or question, such as slow-aes or wireguard
    #[arg(value_name = "NAME", value_parser = known)]
    topic: Option<Topic>,
}

#[derive(Debug, Clone)]
enum Topic {
    Problem(&'static Rule),
    Question(Box<Question>),
}

fn known(name: &str) -> Result<Topic, String> {
    let question = || questions::all().into_iter().find(|question| question.name == name);
    rules::by_id(name)
        .map(Topic::Problem)
        .or_else(|| question().map(|question| Topic::Question(Box::new(question))))
        .ok_or_else(|| match search(name).is_empty() {
            true => "there is no such problem or question; outboard explain lists them".into(),
            false => format!("that is hardware: outboard catalogue {name:?} shows what is known about it"),
        })
}

pub fn run(options: &Options) -> ExitCode {
    let text = match &options.topic {
        Some(Topic::Problem(rule)) => explained(rule.id, rule.title, &rule.explanation),
        Some(Topic::Question(question)) => explained(&question.name, &question.title, &question.answer),
        None => list(),
    };
    ended("explain", answer(&text).map_err(Into::into))
}

fn list() -> String {
    let line = |name: &str, title: &str| format!("  {name:<31} {title}\n");
    let problems: String = rules::RULES.iter().map(|rule| line(rule.id, rule.title)).collect();
    let questions: String = questions::all().iter().map(|one| line(&one.name, &one.title)).collect();
    format!("Problems that outboard status names:\n{problems}\nQuestions:\n{questions}")
}

fn explained(name: &str, title: &str, text: &str) -> String {
    let mut out = wrapped(&format!("{name}: {title}"), WIDTH, 0);
    for paragraph in text.split("\n\n") {
        out.push('\n');
        out.push_str(&wrapped(paragraph, WIDTH, 0));
    }
    if text.contains("docs/") {
        out.push_str("\nPages of docs/ are in outboard's source.\n");
    }
    out
}
