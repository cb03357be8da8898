//! The rules: what keeps an accelerator from being used well, or makes cryptography slow or wrong.
//! Their conditions are here and in the files below, their words in `texts.txt`.

mod access;
mod cpu;
mod drivers;
mod harm;
mod openssl;
mod random;

use std::sync::LazyLock;

use outboard_documents::status::Problem;

use crate::facts::Facts;

/// Where a case of a rule fires: an entry for each occurrence.
type When = fn(&Facts) -> Vec<Because>;

/// Whether a case is only worth knowing.
const NOTE: bool = true;
const PROBLEM: bool = false;

/// The cases of each rule, by its id.
static CASES: &[(&str, &[(bool, When)])] = &[
    ("ipsec-accelerator", &[(PROBLEM, harm::in_use), (PROBLEM, harm::if_used), (PROBLEM, harm::unmeasured)]),
    ("driver-does-not-answer", &[(PROBLEM, drivers::unanswered), (PROBLEM, drivers::stopped)]),
    ("wrong-results-when-checked", &[(PROBLEM, drivers::wrong)]),
    ("policy-not-in-force", &[(PROBLEM, drivers::policy_unused)]),
    ("device-without-driver", &[(PROBLEM, drivers::unbound)]),
    ("selftest-pending", &[(NOTE, drivers::selftest_pending)]),
    ("selftest-failed", &[(PROBLEM, drivers::selftest_failed)]),
    ("chip-without-driver", &[(PROBLEM, drivers::chip_without_driver)]),
    ("known-fault", &[(PROBLEM, drivers::rockchip2)]),
    ("32-bit-kernel", &[(PROBLEM, cpu::narrow_kernel_x86), (PROBLEM, cpu::narrow_kernel_other)]),
    ("padlock-unused", &[(PROBLEM, cpu::padlock_unused)]),
    ("slow-aes", &[(PROBLEM, cpu::slow_aes)]),
    ("accelerator-outranked", &[(NOTE, cpu::accelerator_outranked)]),
    ("dev-crypto-without-accelerator", &[(PROBLEM, access::dev_crypto_of_software)]),
    ("driver-not-allowed", &[(PROBLEM, access::not_allowed)]),
    ("tags-unchecked", &[(PROBLEM, access::tags_unchecked)]),
    ("accelerator-unreached", &[(NOTE, access::perhaps_unreached), (PROBLEM, access::unreached)]),
    ("locked-down", &[(NOTE, access::locked_down)]),
    ("no-permission", &[(PROBLEM, access::no_permission)]),
    ("af-alg-open", &[(PROBLEM, access::af_alg_opened), (NOTE, access::af_alg_of_all)]),
    ("engine-ignored", &[(PROBLEM, openssl::engine_ignored)]),
    ("engine-in-software", &[(PROBLEM, openssl::engine_of_software)]),
    ("engine-configured", &[(PROBLEM, openssl::engine_configured)]),
    ("no-default-provider", &[(PROBLEM, openssl::no_default_provider)]),
    ("digests-offloaded", &[(PROBLEM, openssl::digests_offloaded)]),
    ("other-tls-library", &[(NOTE, openssl::other_tls_library)]),
    ("padlock-engine-gone", &[(PROBLEM, openssl::padlock_engine_gone)]),
    ("hwrng-failing", &[(PROBLEM, random::failing)]),
    ("hwrng-unused", &[(PROBLEM, random::unused)]),
    ("hwrng-uncredited", &[(NOTE, random::uncredited)]),
];

static TEXTS: &str = include_str!("texts.txt");

/// A rule: a problem in one or more cases.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which `outboard explain` accepts.
    pub id: &'static str,
    /// What the problem is, in a few words.
    pub title: &'static str,
    /// What it means, how it can be checked, and what helps: paragraphs.
    pub explanation: String,
    pub cases: Vec<Case>,
}

#[derive(Debug)]
pub struct Case {
    pub is_note: bool,
    pub when: When,
    pub phrase: &'static str,
    pub next: &'static str,
}

/// All rules, in the order in which `outboard status` shows what they find.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let sections = TEXTS.split("\n## ").skip(1);
    sections.zip(CASES).filter_map(|(section, (id, cases))| rule(section, id, cases)).collect()
});

/// `None` if the section is not that of the rule.
fn rule(section: &'static str, id: &'static str, cases: &[(bool, When)]) -> Option<Rule> {
    let (title, rest) = section.strip_prefix(id)?.strip_prefix(": ")?.split_once("\n\n> ")?;
    let (texts, explanation) = rest.split_once("\n\n")?;
    let texts = texts.split("\n> ").filter_map(|text| text.split_once("\n- "));
    let case = |((is_note, when), (phrase, next)): (&(bool, When), _)| Case {
        is_note: *is_note,
        when: *when,
        phrase,
        next,
    };
    let cases = cases.iter().zip(texts).map(case).collect();
    let paragraphs = explanation.trim().split("\n\n").map(|lines| lines.replace('\n', " "));
    Some(Rule { id, title, explanation: paragraphs.collect::<Vec<_>>().join("\n\n"), cases })
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

#[must_use]
pub fn problems(facts: &Facts) -> Vec<Problem> {
    let cases = RULES.iter().flat_map(|rule| rule.cases.iter().map(move |case| (rule, case)));
    let found = cases.flat_map(|(rule, case)| (case.when)(facts).into_iter().map(move |it| (rule, case, it)));
    let problem = |(rule, case, because): (&Rule, &Case, Because)| Problem {
        id: rule.id.to_owned(),
        is_note: case.is_note,
        text: because.fill(case.phrase),
        next: because.fill(case.next),
        evidence: because.evidence,
    };
    found.map(problem).collect()
}

#[must_use]
pub fn by_id(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_has_its_words() {
        assert_eq!(RULES.len(), CASES.len());
        assert_eq!(TEXTS.split("\n## ").count(), CASES.len() + 1);
        for (rule, (id, cases)) in RULES.iter().zip(CASES) {
            assert_eq!((rule.id, rule.cases.len()), (*id, cases.len()));
            for case in &rule.cases {
                assert!(!case.phrase.ends_with('.') && !case.next.is_empty(), "{}", case.phrase);
            }
            assert!(rule.explanation.len() > 80, "{id}");
        }
    }
}
