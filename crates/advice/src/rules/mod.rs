//! The table of rules: what keeps an accelerator from being used well, or makes cryptography slow or
//! wrong.

mod access;
mod cpu;
mod drivers;
mod openssl;
mod random;
mod table;

use outboard_documents::status::Problem;

pub use self::table::RULES;
use crate::facts::Facts;

/// One rule. Two rules of one id are two cases of one problem: the first one explains it.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which `outboard explain` accepts.
    pub id: &'static str,
    /// Whether it is only worth knowing.
    pub is_note: bool,
    /// Where it fires: an entry for each occurrence.
    pub when: fn(&Facts) -> Vec<Because>,
    /// The problem in one sentence.
    pub phrase: &'static str,
    pub next: &'static str,
    /// What the problem is, in a few words.
    pub title: &'static str,
    /// What it means, how it can be checked, and what helps.
    pub explanation: &'static str,
}

/// Why a rule fires.
#[derive(Debug)]
pub struct Because {
    /// What replaces `{0}`, `{1}`, ... in the phrase and the next step.
    values: Vec<String>,
    /// A line of a file, or what was read where.
    evidence: String,
}

impl Because {
    fn new<const N: usize>(values: [&str; N], evidence: impl Into<String>) -> Self {
        Self { values: values.map(str::to_owned).to_vec(), evidence: evidence.into() }
    }

    fn fill(&self, text: &str) -> String {
        let numbered = self.values.iter().enumerate();
        numbered.fold(text.to_owned(), |text, (at, value)| text.replace(&format!("{{{at}}}"), value))
    }
}

/// What the rules find.
#[must_use]
pub fn problems(facts: &Facts) -> Vec<Problem> {
    let of_rule = |rule: &Rule| {
        let found = (rule.when)(facts).into_iter();
        let problem = |because: Because| Problem {
            id: rule.id.to_owned(),
            is_note: rule.is_note,
            text: because.fill(rule.phrase),
            next: because.fill(rule.next),
            evidence: because.evidence,
        };
        found.map(problem).collect::<Vec<_>>()
    };
    RULES.iter().flat_map(of_rule).collect()
}

/// The rules that are explained, one for each id.
pub fn explained() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|rule| !rule.explanation.is_empty())
}

/// The rule of an id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Rule> {
    explained().find(|rule| rule.id == id)
}
