//! The reach matrix: each driver of an accelerator, each hardware random number generator, and the
//! consumers that get it on this kernel.

use std::cmp::Reverse;

use outboard_catalog::Algorithm;
use outboard_documents::status::{Hwrng, Kernel, MatrixCell, MatrixRow, Node};
use outboard_drivers::allow_list::{self, AllowedDriver};
use outboard_drivers::find::{Judged, Survey};
use outboard_drivers::judge::Verdict;
use outboard_drivers::kernel::Release;
use outboard_drivers::padlock::is_padlock;
use outboard_drivers::reach::{
    Consumer, Probe, ProgramInterface, ReachFacts, Reachable, Route, RouteDecision, TagCheck, af_alg_type,
    contenders, decide, matrix_row, probe_af_alg,
};
use outboard_drivers::root::Root;
use outboard_policy::Findings;

use crate::checked;

const PROBES: &str = "af-alg";

pub(crate) struct Surroundings<'a> {
    root: &'a Root,
    release: Option<Release>,
    is_locked_down: bool,
    dev_outboard: Option<bool>,
    dev_crypto: Option<bool>,
    allowed: Option<Vec<AllowedDriver>>,
    findings: Option<&'a Findings>,
    probes: Vec<(String, Probe)>,
    /// Read after the probes, because the sysctl exists only while the module af_alg is loaded.
    pub(crate) af_alg_restrict: Option<u32>,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn read(
        root: &'a Root,
        kernel: &Kernel,
        nodes: &[Node],
        findings: Option<&'a Findings>,
        drivers: &[Judged],
    ) -> Self {
        let node = |path: &str| nodes.iter().find(|node| node.path == path).and_then(Node::reach);
        let probes = probes(root, drivers);
        Self {
            root,
            release: kernel.release.as_deref().and_then(Release::parse),
            is_locked_down: kernel.is_locked_down(),
            dev_outboard: node("/dev/outboard"),
            dev_crypto: node("/dev/crypto"),
            allowed: allow_list::read(root).ok(),
            findings,
            probes,
            af_alg_restrict: root.text("proc/sys/crypto/af_alg_restrict").and_then(|text| text.parse().ok()),
        }
    }

    pub(crate) fn facts_of(&self, driver: &str) -> ReachFacts {
        let findings = self.findings;
        ReachFacts {
            release: self.release.clone(),
            is_locked_down: self.is_locked_down,
            af_alg_restrict: self.af_alg_restrict,
            probe: self.probes.iter().find(|(name, _)| name == driver).map(|(_, probe)| *probe),
            dev_crypto: self.dev_crypto,
            dev_outboard: self.dev_outboard,
            allowed: self.allowed.clone(),
            tags: findings.map_or(TagCheck::Missing, |found| checked::tags_of(self.root, found, driver)),
            found_wrong: findings.and_then(|found| checked::fault_of(self.root, found, driver)),
        }
    }
}

/// Binds an AF_ALG socket to each accelerator's driver on the running system; nothing is computed.
fn probes(root: &Root, drivers: &[Judged]) -> Vec<(String, Probe)> {
    let probe = |j: &Judged| {
        let salg_type = af_alg_type(&j.driver.kind)?;
        Some((j.driver.name.clone(), probe_af_alg(salg_type, &j.driver.name)))
    };
    let targets = || drivers.iter().filter(|j| is_accelerator(j) && j.driver.is_usable());
    if !root.is_live() {
        let kept = root.answer(PROBES, || None).unwrap_or_default();
        let line = |line: &str| {
            let (name, result) = line.rsplit_once('|')?;
            Some((name.to_owned(), Probe::from_text(result)?))
        };
        return kept.lines().filter_map(line).collect();
    }
    let found: Vec<(String, Probe)> = targets().filter_map(probe).collect();
    let line = |(name, probe): &(String, Probe)| format!("{name}|{}\n", probe.to_text());
    root.answer(PROBES, || Some(found.iter().map(line).collect()));
    found
}

pub(crate) fn accelerators(survey: &Survey) -> impl Iterator<Item = &Judged> {
    survey.for_programs().filter(|j| is_accelerator(j))
}

fn is_accelerator(j: &Judged) -> bool {
    j.judgement.verdict == Verdict::Accelerator
}

/// The accelerators' drivers in the order in which the provider tries them, with their rows of `matrix`.
pub(crate) fn preferred_first<'a>(
    survey: &'a Survey,
    matrix: &'a [MatrixRow],
) -> Vec<(&'a Judged, &'a MatrixRow)> {
    let mut all: Vec<_> = accelerators(survey).zip(matrix).collect();
    all.sort_by_key(|(j, _)| (!is_padlock(&j.driver.name), Reverse(j.driver.priority)));
    all
}

/// The driver of ECB mode that the provider uses, if it computes key stream in advance: only those that
/// are reached through /dev/outboard or by instructions do.
pub(crate) fn key_stream_driver<'a>(
    order: &[(&'a Judged, &MatrixRow)],
    survey: &Survey,
    around: &Surroundings,
) -> Option<&'a str> {
    let contenders = contenders(&survey.drivers);
    let mut of_ecb =
        order.iter().map(|(j, _)| j).filter(|j| j.driver.algorithm == Algorithm::EcbAes.kernel_name());
    let (driver, route) = of_ecb.find_map(|j| {
        let routes = decide(j, &contenders, &around.facts_of(&j.driver.name));
        let is_used =
            |route: &&RouteDecision| route.route.is_for_programs() && route.reachable == Reachable::Yes;
        Some((j.driver.name.as_str(), routes.iter().find(is_used)?.route))
    })?;
    let suitable = [ProgramInterface::DevOutboard, ProgramInterface::Instructions].map(Route::Program);
    suitable.contains(&route).then_some(driver)
}

pub(crate) fn matrix(survey: &Survey, around: &Surroundings, hwrng: Option<&Hwrng>) -> Vec<MatrixRow> {
    let contenders = contenders(&survey.drivers);
    let row = |j: &Judged| {
        let cells = matrix_row(j, &contenders, &around.facts_of(&j.driver.name));
        let cells = cells.into_iter().map(|cell| MatrixCell {
            consumer: cell.consumer,
            answer: cell.reachable,
            why: cell.why,
        });
        MatrixRow {
            driver: j.driver.name.clone(),
            algorithm: j.driver.algorithm.clone(),
            consumers: cells.collect(),
        }
    };
    let generators =
        hwrng.into_iter().flat_map(|hwrng| hwrng.available.iter().map(|name| generator(hwrng, name)));
    accelerators(survey).map(row).chain(generators).collect()
}

fn generator(hwrng: &Hwrng, name: &str) -> MatrixRow {
    let (answer, why) = match &hwrng.current {
        Some(current) if current == name => (Reachable::Yes, "rng_current names it".to_owned()),
        Some(current) => (Reachable::No, format!("rng_current is {current}: outboard rng select {name}")),
        None => (Reachable::No, format!("none is selected: outboard rng select {name}")),
    };
    let cell = MatrixCell { consumer: Consumer::Hwrng, answer, why };
    MatrixRow { driver: name.to_owned(), algorithm: "random numbers".into(), consumers: vec![cell] }
}
