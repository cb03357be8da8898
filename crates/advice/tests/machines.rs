//! What outboard advises on recorded machines, against what each choice costs there. benchmarks/advice
//! makes the recordings: `NAME.tuned` is the policy file of `outboard tune`, `NAME.measured` has the
//! figures of another program, those by the policy too.

use std::fs;
use std::path::Path;
use std::process::Command;

use outboard_advice::{CHACHA20, ServiceFacts, entrants};
use outboard_documents::LONGEST_WALL_TIME;
use outboard_documents::decision::Entrant;
use outboard_policy::{CipherFigure, Tuned};
use outboard_services::negotiation::Negotiation;

/// What an advice may be worse than another choice, beyond the spread of both.
const MARGIN: f64 = 0.1;

/// What tune cannot tell of CPU time, as a share of the wall time: five samples of 30 ms, by ticks of
/// 10 ms.
const OF_TICKS: f64 = 0.05;

/// In place of a driver: what a process does by the policy of tune.
const POLICY: &str = "policy";

const SERVICES: [(&str, u32); 3] = [("nginx", 16384), ("sshd", 32768), ("openvpn", 1500)];

struct Machine {
    name: String,
    tuned: Tuned,
    measured: Vec<CipherFigure>,
}

fn machines() -> Vec<Machine> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines");
    let read = |path: &Path| {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Tuned::parse(text).unwrap_or_else(|line| panic!("{}:{line} is not understood", path.display()))
    };
    let mut all: Vec<Machine> = fs::read_dir(&directory)
        .expect("recordings")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tuned"))
        .map(|path| Machine {
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            tuned: read(&path),
            measured: read(&path.with_extension("measured")).figures(),
        })
        .collect();
    assert!(all.len() >= 20, "{} recordings", all.len());
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// One choice: a cipher, in software or with the accelerator.
struct Cost {
    name: String,
    /// Per MB, in any unit.
    time: f64,
    cpu: f64,
    spread: f64,
}

impl Cost {
    fn of_figure(one: &CipherFigure) -> Self {
        let cpu = one.cpu_ms_per_megabyte.expect("the recordings have the CPU time");
        let name = format!("{} by {}", one.name, one.driver.as_deref().unwrap_or("software"));
        Self { name, time: 1000.0 / one.megabytes_per_second, cpu, spread: one.spread }
    }

    fn of_entrant(one: &Entrant) -> Self {
        let cpu = one.cpu_ms_per_megabyte.expect("the recordings have the CPU time");
        let name = format!("{} {:?} by {:?}", one.suite, one.mac, one.driver);
        Self { name, time: 1000.0 / one.megabytes_per_second, cpu, spread: one.spread }
    }

    fn text(&self) -> String {
        format!("{} ({:.1} and {:.1} ms per MB)", self.name, self.time, self.cpu)
    }

    /// The factor by which a difference counts.
    fn margin(&self, other: &Self) -> f64 {
        1.0 + MARGIN + self.spread + other.spread
    }
}

/// A choice that is better than the advised one by more than the margin, by tune's goal `balanced`: the
/// product of time and CPU time, with a limit on the time.
fn better<'a>(advised: &Cost, all: &'a [Cost]) -> Option<&'a Cost> {
    let fastest = all.iter().min_by(|a, b| a.time.total_cmp(&b.time))?;
    if advised.time > fastest.time * LONGEST_WALL_TIME * advised.margin(fastest) {
        return Some(fastest);
    }
    all.iter().filter(|one| one.time <= fastest.time * LONGEST_WALL_TIME).find(|one| {
        let (margin, cpu) = (one.margin(advised), one.cpu + OF_TICKS * one.time);
        one.time * cpu * margin * margin < advised.time * advised.cpu
    })
}

/// The advice for each service that another choice beats.
fn wrong_suites(machine: &Machine) -> Vec<String> {
    let mut wrong = Vec::new();
    let tuned = machine.tuned.figures();
    // MACs are computed in software on both sides.
    let macs = tuned.iter().filter(|one| one.name.starts_with("UMAC") || one.name.starts_with("HMAC"));
    let measured: Vec<CipherFigure> = machine.measured.iter().chain(macs).cloned().collect();
    for (service, bytes) in SERVICES {
        let of = |figures: &[CipherFigure]| {
            let offered = Negotiation::of(service).expect("a service").by_default();
            ServiceFacts {
                name: service.to_owned(),
                bytes: Some(bytes),
                entrants: entrants(&offered, bytes, figures),
                offered: Some(offered),
                ..ServiceFacts::default()
            }
        };
        let facts = of(&tuned);
        let advised = facts.best().expect("an advice");
        let entrants = of(&measured).entrants;
        // The policy is in force for each suite of AES.
        let is_of_aes = |one: &&Entrant| one.driver.as_deref() == Some(POLICY);
        let is_advised = |one: &&Entrant| (&one.suite, &one.mac) == (&advised.suite, &advised.mac);
        let mut its = entrants.iter().filter(is_advised);
        let its = its.clone().find(is_of_aes).or_else(|| its.next());
        let its = its.unwrap_or_else(|| panic!("{advised:?} was not measured"));
        let its = Cost::of_entrant(its);
        let all: Vec<Cost> = entrants.iter().filter(|one| !one.is_legacy).map(Cost::of_entrant).collect();
        wrong.extend(
            better(&its, &all).map(|better| format!("{service}: {}, but {}", its.text(), better.text())),
        );
    }
    wrong
}

/// The sizes at which the policy gives a cipher to the worse side.
fn wrong_thresholds(machine: &Machine) -> Vec<String> {
    let mut wrong = Vec::new();
    for one in machine.measured.iter().filter(|one| one.driver.is_none() && one.name != CHACHA20) {
        let same = |other: &&CipherFigure| (other.bytes, &other.name) == (one.bytes, &one.name);
        let all: Vec<&CipherFigure> = machine.measured.iter().filter(same).collect();
        let its = all.iter().find(|other| other.driver.as_deref() == Some(POLICY)).expect("what it does");
        let its = Cost::of_figure(its);
        let costs: Vec<Cost> = all.into_iter().map(Cost::of_figure).collect();
        let found = better(&its, &costs);
        wrong.extend(
            found.map(|better| format!("{} bytes: {}, but {}", one.bytes, its.text(), better.text())),
        );
    }
    wrong
}

fn all_wrong(wrong: fn(&Machine) -> Vec<String>) -> Vec<String> {
    let of = |machine: Machine| {
        wrong(&machine).into_iter().map(|what| format!("{}: {what}", machine.name)).collect::<Vec<_>>()
    };
    machines().into_iter().flat_map(of).collect()
}

#[test]
fn no_other_cipher_beats_the_one_that_is_advised() {
    let wrong = all_wrong(wrong_suites);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_request_is_given_to_the_worse_side() {
    let wrong = all_wrong(wrong_thresholds);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn wrong_advice_is_found() {
    // A side of a tenth of its speed, at ten times the CPU time.
    let slowed = |is_accelerated: bool| {
        let mut machines = machines();
        for one in machines.iter_mut().flat_map(|machine| &mut machine.measured) {
            if one.driver.is_some() == is_accelerated {
                one.megabytes_per_second /= 10.0;
                one.cpu_ms_per_megabyte = one.cpu_ms_per_megabyte.map(|cpu| cpu * 10.0);
            }
        }
        machines
    };
    assert!(slowed(true).iter().any(|machine| !wrong_thresholds(machine).is_empty()));
    assert!(slowed(false).iter().any(|machine| !wrong_suites(machine).is_empty()));
}

/// An owner's bundle is one more machine of the list: its engine gets the speed that tune measured.
#[test]
fn the_speed_of_an_engine_is_found_in_what_tune_measured() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (benchmark, recordings) = (here.join("../../benchmarks/advice"), here.join("tests/machines"));
    let list = fs::read_to_string(benchmark.join("machines")).expect("the list of machines");
    let mut compared = 0;
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        let [name, _, _, _, request_ns, bandwidth] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let tuned = recordings.join(format!("{name}.tuned"));
        let output = Command::new(benchmark.join("profile")).arg(tuned).output().expect("it starts");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let found = String::from_utf8(output.stdout).expect("numbers");
        let number = |text: &str| text.trim().parse::<f64>().expect("a number");
        let (found_ns, found_bandwidth) = found.split_once(' ').expect("two numbers");
        // What the CPU does for a request while the engine has it is estimated: 30 us are 3750 to 7500
        // instructions of these machines.
        let off = |found: &str, real: &str| (number(found) - number(real)).abs();
        let most = (0.1 * number(request_ns)).max(30_000.0);
        assert!(off(found_ns, request_ns) <= most, "{name}: {found}, {request_ns} ns");
        let most = 0.5 * number(bandwidth);
        assert!(off(found_bandwidth, bandwidth) <= most, "{name}: {found}, {bandwidth} MB/s");
        compared += 1;
    }
    assert!(compared >= 20, "{compared} machines");
}
