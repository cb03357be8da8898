//! `outboard bench strongswan`: connections of IKE between two network namespaces, without and with
//! outboard.

mod charon;
mod figures;
mod proposal;
mod verdict;
mod vici;

use crate::documents::bench::Bench;
use anyhow::Result;
use clap::Args;
use outboard_console::progress;
use outboard_measure::stop;

use self::charon::{Charon, Ends};
use self::figures::Tally;
use self::proposal::Proposal;
use super::certificate::{self, Certificate};
use super::common::Common;
use super::configurations::{OpensslConfiguration, WorkFolder};
use super::measure::{ApplicationJob, measure};
use super::server_process::LOCALHOST;
use super::start_cleaner;

const ALL_HARDWARE: &str = "OpenSSL with outboard, THRESHOLDS = ALL:1";

/// Connections before anything is timed.
const WARM_UP: u32 = 2;

/// Measure connections of IKE to strongSwan, as OpenSSL is and with outboard.
///
/// Two charons, each in a network namespace of its own, are joined by a pair of veth; the system's network and strongSwan are neither used
/// nor changed. The answering ones, the servers, differ only in their openssl.cnf. Connections of IKEv2 with a certificate on P-256 and one
/// child are set up and ended, one after another, in runs that are interleaved. Latency is the time until a connection is up. User and
/// system time are the server's; the initiators use OpenSSL alone, on the same CPUs.
///
/// A connection has a few encrypted messages of some hundred bytes, so expect no gain. ESP is the kernel's: see `outboard bench ipsec`.
/// Needs root, charon-systemd, ip and openssl. All namespaces and keys are removed at the end, also after a failure.
#[derive(Args)]
pub struct Options {
    /// A proposal for IKE by strongSwan's name; may be repeated [default: one for each cipher that the provider offers, else
    /// aes128-sha256-x25519]
    #[arg(long = "proposal", value_name = "NAME")]
    proposals: Vec<Proposal>,
    /// Connections in each run
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10000))]
    connections: u32,
    /// A third server with THRESHOLDS = ALL:1: all requests of two blocks and more go to the accelerator
    #[arg(long)]
    all_hardware: bool,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(options: &Options) -> Result<Bench> {
    options.common.run(|bench| {
        let cleaner = start_cleaner("strongswan")?;
        let outcome = all(options, bench);
        // The namespaces, with their associations, have ended.
        drop(cleaner);
        outcome
    })
}

fn all(options: &Options, bench: &mut Bench) -> Result<()> {
    let module = options.common.module()?;
    let work = WorkFolder::new()?;
    let charon = Charon::find(&work)?;
    let mut configurations =
        vec![OpensslConfiguration::plain(&work), OpensslConfiguration::with_outboard(&work, &module)?];
    if options.all_hardware {
        let keys = [("THRESHOLDS", "ALL:1")];
        configurations.push(OpensslConfiguration::with(ALL_HARDWARE, &work, &module, &keys)?);
    }
    let proposals = match &options.proposals[..] {
        [] => proposal::usual(|cipher| configurations[1].driver(cipher).is_some()),
        named => named.to_vec(),
    };
    let certificate = certificate::make(&work.file(""), certificate::Kind::Ec, LOCALHOST, &work.plain())?;
    let mut contestants = Vec::new();
    for (index, configuration) in configurations.iter().enumerate() {
        progress(&format!("strongSwan: starting charon, {}", configuration.contestant));
        let folder = work.folder(&format!("strongswan-{index}"))?;
        contestants.push(charon.start(&work, &folder, configuration)?);
    }
    let version = contestants[0].version()?;
    bench.notes.push(
        "user, system and server CPU time are the server's; the initiator works on the same CPUs".into(),
    );
    for proposal in &proposals {
        if bench.interrupted || stop::asked() {
            bench.interrupted = true;
            break;
        }
        let job = ApplicationJob {
            name: format!("connections to strongSwan {version}"),
            cipher: proposal.name.clone(),
            bytes: 0,
            at_once: 1,
            time: options.common.time / proposals.len() as u32,
        };
        one(bench, job, (proposal, &certificate, options.connections), &configurations, &mut contestants)?;
    }
    Ok(())
}

fn one(
    bench: &mut Bench,
    job: ApplicationJob,
    (proposal, certificate, connections): (&Proposal, &Certificate, u32),
    configurations: &[OpensslConfiguration],
    contestants: &mut [Ends],
) -> Result<()> {
    let mut bytes = 0;
    for (ends, configuration) in contestants.iter_mut().zip(configurations) {
        progress(&format!("{}, {}: {}, first connections", job.name, job.cipher, configuration.contestant));
        bytes = ends.prepare(proposal, certificate, WARM_UP)? * u64::from(connections);
    }
    let sides = configurations.iter().map(|configuration| configuration.side(Some(proposal.cipher)));
    let sides = sides.collect::<Result<Vec<_>>>()?;
    let mut tallies: Vec<Tally> = configurations.iter().map(|_| Tally::default()).collect();
    let measured = measure(bench, ApplicationJob { bytes, ..job }, sides, &mut |side| {
        let counts = || configurations[side].counts(proposal.cipher);
        let before = counts();
        let (spent, latencies) = contestants[side].connect(connections)?;
        tallies[side].add(spent, &latencies, before.zip(counts()));
        Ok(spent)
    });
    measured?;
    let Some(application) = bench.applications.last_mut() else { return Ok(()) };
    for (run, tally) in application.runs.iter_mut().zip(&tallies) {
        tally.complete(run, bytes, u64::from(connections));
    }
    bench.notes.extend(verdict::of(application));
    Ok(())
}
