//! The advice as its views show it. docs/problems.md is made of the table of rules; after a change:
//!
//!     MANUAL=write cargo test -p outboard-lab --test advice

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use outboard_advice::rules::{Case, RULES};
use outboard_advice::{CipherFacts, DriverTask, Facts, PolicyState, ServiceFacts, details, words};
use outboard_documents::Goal;
use outboard_documents::decision::{Decision, Entrant, ServiceDecision};
use outboard_documents::status::{Policy, Status};
use outboard_drivers::root::Root;
use outboard_inventory::text::{Style, verbose};
use outboard_services::enable::APPLICATIONS;
use outboard_services::negotiation::Negotiation;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Text of a page that is made of the table of rules.
fn is_written(page: &str, from: &str, to: &str, made: &str) {
    let path = repository().join(page);
    let text = fs::read_to_string(&path).expect(page);
    let (before, rest) = text.split_once(from).unwrap_or_else(|| panic!("{page} has no {from:?}"));
    let after = rest.find(to).map_or("", |at| &rest[at..]);
    let new = format!("{before}{from}{made}{after}");
    if env::var("MANUAL").is_ok_and(|value| value == "write") {
        fs::write(&path, &new).expect(page);
    }
    assert!(new == text || env::var("MANUAL").is_ok(), "{page} is not what MANUAL=write makes");
}

#[test]
fn the_page_of_problems_is_the_table_of_rules() {
    let rows: String = RULES.iter().map(|rule| format!("| `{}` | {} |\n", rule.id, rule.title)).collect();
    is_written("docs/problems.md", "| id | what it is |\n|---|---|\n", "\n\n", &rows);
}

/// The commands of outboard in a next step.
fn commands(next: &str) -> Vec<String> {
    let quoted = next.split('`').skip(1).step_by(2).map(str::to_owned);
    let whole = (!next.contains('`')).then(|| next.trim_start_matches("on that machine: ").to_owned());
    quoted.chain(whole).filter(|line| line.starts_with("outboard ")).collect()
}

#[track_caller]
fn parses(next: &str) -> usize {
    // To build the tables of arguments takes longer than all that the test compares.
    thread_local!(static PARSED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) });
    let commands = commands(next);
    for line in commands.iter().filter(|line| PARSED.with(|seen| seen.borrow_mut().insert((*line).clone()))) {
        let arguments = line.split_whitespace();
        let parsed = outboard_lab::arguments().try_get_matches_from(arguments);
        assert!(
            parsed.is_ok(),
            "{line}: {}",
            parsed.err().map(|error| error.to_string()).unwrap_or_default()
        );
    }
    commands.len()
}

#[test]
fn the_next_step_of_each_rule_parses() {
    let next = |case: &Case| case.next.replace("{0}", "driver");
    let cases = || RULES.iter().flat_map(|rule| &rule.cases);
    let found: usize = cases().map(|case| parses(&next(case))).sum();
    assert!(found >= 15, "{found}");
    for case in cases() {
        let unquoted: String = next(case).split('`').step_by(2).collect();
        let is_command = |word: &str| outboard_lab::arguments().find_subcommand(word).is_some();
        let mut words = unquoted.split("outboard ").skip(1).filter_map(|rest| rest.split(' ').next());
        // "outboard prefer another driver" and "outboard rng select" are no whole commands.
        assert!(words.all(|word| !is_command(word) || ["prefer", "rng"].contains(&word)), "{}", case.next);
    }
}

fn sources(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => sources(&path, all),
            Some("rs") => all.push((path.clone(), fs::read_to_string(&path).expect("a source"))),
            _ => {}
        }
    }
}

/// A string of several lines is one text.
fn joined(source: &str) -> String {
    source.split('\\').map(str::trim_start).collect()
}

#[test]
fn what_a_rule_says_stands_in_the_crate_of_the_advice_only() {
    let mut all = Vec::new();
    for entry in fs::read_dir(repository().join("crates")).expect("crates") {
        let path = entry.expect("an entry").path();
        if !path.ends_with("advice") {
            sources(&path.join("src"), &mut all);
        }
    }
    assert!(all.len() > 300, "{}", all.len());
    let all: Vec<(PathBuf, String)> = all.into_iter().map(|(path, text)| (path, joined(&text))).collect();
    for case in RULES.iter().flat_map(|rule| &rule.cases) {
        for part in [case.phrase, case.next].into_iter().flat_map(|text| text.split(['{', '}'])) {
            let twice = all.iter().find(|(_, text)| part.len() > 35 && text.contains(part));
            assert!(twice.is_none(), "{part:?} stands in {:?}", twice.map(|(path, _)| path));
        }
    }
}

/// Numbers without a pattern (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn is(&mut self) -> bool {
        self.below(2) == 0
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }

    fn cipher(&mut self, name: &str) -> CipherFacts {
        let driver = (self.below(4) > 0).then(|| self.of(&["eng-a", "eng-b"]).to_owned());
        CipherFacts {
            cipher: name.to_owned(),
            from: self.of(&[None, Some(64), Some(1024), Some(65536)]),
            is_measured: self.below(4) > 0,
            why: "no driver".to_owned(),
            awaits_measurement: driver.is_none() && self.below(4) == 0,
            only_encrypts: false,
            task: self.of(&[DriverTask::Direct, DriverTask::Ahead { direct_from: None }]),
            driver,
        }
    }

    fn service(&mut self) -> ServiceFacts {
        let known = self.of(&APPLICATIONS);
        let offered = Negotiation::of(known.name).map(Negotiation::by_default).filter(|_| self.below(8) > 0);
        let suites = offered.iter().flat_map(|offered| offered.suites.clone());
        let entrants = suites.flat_map(|suite| {
            let drivers: &[Option<&str>] =
                if suite.cipher.is_some() { &[None, Some("eng-a")] } else { &[None] };
            let of_driver = |driver: &Option<&str>| Entrant {
                suite: suite.name.clone(),
                mac: None,
                cipher: suite.cipher.unwrap_or(outboard_advice::CHACHA20).to_owned(),
                driver: driver.map(str::to_owned),
                megabytes_per_second: 1.0,
                spread: 0.0,
                cpu_ms_per_megabyte: None,
                is_legacy: suite.is_legacy(),
            };
            drivers.iter().map(of_driver).collect::<Vec<_>>()
        });
        let mut entrants: Vec<Entrant> = entrants.collect();
        entrants.retain(|_| self.below(4) > 0);
        for one in &mut entrants {
            one.megabytes_per_second = 1.0 + self.below(400) as f64 / 4.0;
            one.spread = self.below(40) as f64 / 100.0;
            one.cpu_ms_per_megabyte = self.is().then(|| self.below(400) as f64 / 4.0);
        }
        let states = [
            PolicyState::Absent,
            PolicyState::InForce,
            PolicyState::InForce,
            PolicyState::InForce,
            PolicyState::Unfit("stale".to_owned()),
            PolicyState::OtherGoal("cpu".to_owned()),
        ];
        ServiceFacts {
            name: known.name.to_owned(),
            bytes: known.requests.bytes,
            ciphers: known.requests.ciphers.iter().map(|name| self.cipher(name)).collect(),
            offered,
            entrants,
            policy: self.of(&states),
            goal: self.of(&[Goal::Throughput, Goal::Cpu, Goal::Balanced]),
            is_enabled: self.is(),
            is_aes_required: self.below(4) == 0,
            obstacle: (self.below(16) == 0).then(|| "it is masked".to_owned()),
        }
    }

    fn facts(&mut self, machines: &[Facts]) -> Facts {
        let mut facts = self.of(machines);
        let count = self.below(5);
        facts.services = (0..count).map(|_| self.service()).collect();
        facts.stopped =
            facts.status.drivers.iter().take(self.below(2) as usize).map(|it| it.name.clone()).collect();
        facts.status.saved_tree = facts.status.saved_tree.filter(|_| self.is());
        let problem = self.is().then(|| "kernel 6.1.0".to_owned());
        let policy = Policy {
            path: "/etc/outboard/policy".to_owned(),
            made: None,
            goal: None,
            in_force: problem.is_none(),
            problem,
        };
        facts.status.policy = self.is().then_some(policy);
        for flag in &mut facts.status.drivers {
            if self.below(16) == 0 {
                flag.selftest = outboard_drivers::proc_crypto::Selftest::Unknown;
            }
        }
        (facts.system.is_openwrt, facts.system.is_packaged) = (self.is(), self.is());
        facts
    }
}

/// Recorded machines, with everything that is found and nothing that is concluded.
fn machines() -> Vec<Facts> {
    let recorded = repository().join("crates/inventory/tests/fixtures");
    let paths = fs::read_dir(recorded).expect("recordings").map(|entry| entry.expect("an entry").path());
    let facts = paths.filter_map(|path| outboard_inventory::facts(&Root::saved(&path).ok()?, None).ok());
    let facts: Vec<Facts> = facts.filter(|facts| facts.status.drivers.len() < 400).collect();
    assert!(facts.len() >= 20, "{}", facts.len());
    facts
}

/// One decision and one next step for each service, whichever command shows it.
fn agree(facts: &ServiceFacts, decided: &ServiceDecision) {
    assert_eq!(facts.decide(), *decided, "{facts:?}");
    let kept: ServiceFacts = serde_json::from_str(&serde_json::to_string(facts).unwrap()).unwrap();
    assert_eq!(kept.decide().decision, decided.decision, "{facts:?}");
    // enable
    let refusal = facts.refusal();
    assert_eq!(refusal.is_some(), decided.refused, "{facts:?}");
    assert!(refusal.is_none_or(|text| text.starts_with(&decided.why)), "{facts:?}");
    let is_use = matches!(decided.decision, Decision::Use { .. });
    assert!(!(is_use && decided.refused), "{facts:?}");
    let next = decided.next.as_deref().unwrap_or_default();
    assert_eq!(next.starts_with("outboard enable"), is_use && !decided.enabled, "{next}: {facts:?}");
    assert!(!next.starts_with("outboard disable") || decided.enabled && decided.refused, "{next}: {facts:?}");
    // A cipher without a driver, and one that software wins, is no reason to use the accelerator.
    assert!(!is_use || facts.ciphers.iter().any(|one| one.is_measured && one.is_served(facts.bytes)));
    // ciphers --service
    let is_by_driver = |one: &outboard_advice::SuiteServed| one.driver.is_some() == one.reason.is_none();
    assert!(facts.suites().iter().all(is_by_driver), "{facts:?}");
    // setup and tune
    let text = details(decided);
    assert!(text.starts_with(&format!("{}: {}: ", decided.service, words(&decided.decision))), "{text}");
    let row = format!("{:<12}  {:<40}  {next}", decided.service, words(&decided.decision));
    assert!(row.len() <= 100, "{row}");
    parses(next);
}

fn of_status(status: &Status, is_whole: bool) {
    let verdict = status.verdict.as_ref().expect("a verdict");
    let next = verdict.next.as_deref().unwrap_or_default();
    parses(next);
    status.problems.iter().for_each(|problem| _ = parses(&problem.next));
    for word in ["enable", "disable", "prove"] {
        if next.contains(&format!("outboard {word} ")) {
            let its =
                status.decisions.iter().any(|one| one.next.as_ref().is_some_and(|it| next.ends_with(&**it)));
            assert!(its, "{next}: {:?}", status.decisions);
        }
    }
    if !is_whole {
        return;
    }
    let style = Style { color: false, columns: None };
    let unwrapped = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = unwrapped(outboard_inventory::text::status(status, style));
    assert!(shown.contains(&unwrapped(next.to_owned())), "{next}: {shown}");
    let text = unwrapped(verbose(status, style));
    for one in status.decisions.iter().filter(|_| !status.accelerators.is_empty()) {
        let decision = unwrapped(format!("{}: {}", words(&one.decision), one.why));
        assert!(text.contains(&decision), "{decision}: {text}");
    }
}

#[test]
fn all_views_of_ten_thousand_machines_agree_and_each_next_step_parses() {
    let machines = machines();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut kinds = [0_u32; 4];
    for number in 0..10_000 {
        let facts = random.facts(&machines);
        let services = facts.services.clone();
        let status = facts.advise();
        for (facts, decided) in services.iter().zip(&status.decisions) {
            kinds[match decided.decision {
                Decision::Use { .. } => 0,
                Decision::Prefer { .. } => 1,
                Decision::Leave => 2,
                Decision::Unknown => 3,
            }] += 1;
            agree(facts, decided);
        }
        of_status(&status, number % 100 == 0);
    }
    assert!(kinds.iter().all(|count| *count > 500), "{kinds:?}");
}
