//! What a process gets from the provider's seed source: the counters of one `openssl rand`, which is
//! started with the configuration of this machine.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use outboard_counters::{SeedCounts, Table};
use outboard_documents::prove::SeedWork;
use outboard_inventory::openssl::Pending;
use outboard_openssl_conf::{Scratch, installation::OpenSsl, provider_file};
use serde::Serialize;

pub const SEED_SOURCE: &str = "OUTBOARD-HWRNG";

/// The time limit of the process. The source reads a device for at most ten seconds for each seed.
const TIME_LIMIT: Duration = Duration::from_secs(40);

#[derive(Debug, Serialize)]
pub struct SeedSourceAnswer {
    pub has_random_numbers: bool,
    #[serde(flatten)]
    pub counts: SeedWork,
    pub notes: Vec<String>,
}

pub fn seed_work(counts: SeedCounts) -> SeedWork {
    let SeedCounts { seeds, bytes, health_failures, failures, unavailable } = counts;
    SeedWork { seeds, bytes, health_failures, failures, unavailable }
}

/// Returns the counters as a clause; those of failures only when there are any.
pub fn seed_text(work: &SeedWork) -> String {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let plural = if work.seeds == 1 { "" } else { "s" };
    let mut text = format!("{} bytes in {} seed{plural}", work.bytes, work.seeds);
    if work.health_failures > 0 {
        text += &format!(", health tests failed {}", times(work.health_failures));
    }
    if work.failures > 0 {
        text += &format!(", no bytes {}", times(work.failures));
    }
    if work.unavailable > 0 {
        text += &format!(", not available {}", times(work.unavailable));
    }
    text
}

impl SeedSourceAnswer {
    pub fn read() -> Result<SeedSourceAnswer> {
        let openssl = OpenSsl::find();
        let module = provider_file::find(None, &openssl)?;
        let scratch = Scratch::new()?;
        let table = Table::create(&scratch.counters())?;
        let (file, _) = openssl.file();
        scratch.configure(file.as_deref(), module, Vec::new())?;
        let mut command = Command::new("openssl");
        command.args(["rand", "-hex", "16"]).env("OPENSSL_CONF", scratch.configuration());
        let process = Pending::spawn(&mut command).context("the openssl command cannot be started")?;
        let has_random_numbers = process.finish(TIME_LIMIT).is_some();
        Ok(SeedSourceAnswer {
            has_random_numbers,
            counts: seed_work(table.seed().counts()),
            notes: table.notes().into_iter().filter(|note| note.starts_with(SEED_SOURCE)).collect(),
        })
    }

    pub fn problem(&self) -> Option<String> {
        let counts = &self.counts;
        if counts.seeds > 0 && counts.health_failures + counts.failures + counts.unavailable == 0 {
            return None;
        }
        let cause =
            self.notes.first().map_or("the provider was not used, or reported nothing", String::as_str);
        let consequence = if !self.has_random_numbers {
            "The process has no random numbers."
        } else if counts.seeds == 0 {
            "The process uses seeds of the operating system, as OpenSSL before 4.0 does."
        } else {
            "The process has random numbers."
        };
        Some(format!("A process of this user gets no seed of {SEED_SOURCE}: {cause}. {consequence}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(counts: SeedCounts, has_random_numbers: bool) -> SeedSourceAnswer {
        let notes = vec![format!("{SEED_SOURCE}: a reason")];
        SeedSourceAnswer { has_random_numbers, counts: seed_work(counts), notes }
    }

    #[test]
    fn a_source_that_delivers_is_no_problem() {
        let good = answer(SeedCounts { seeds: 1, bytes: 192, ..SeedCounts::default() }, true);
        assert_eq!(good.problem(), None);
        assert_eq!(seed_text(&good.counts), "192 bytes in 1 seed");
    }

    #[test]
    fn failures_are_a_problem_with_cause_and_consequence() {
        let unhealthy =
            answer(SeedCounts { health_failures: 1, failures: 2, ..SeedCounts::default() }, false);
        let problem = unhealthy.problem().expect("a problem");
        assert!(problem.contains("a reason") && problem.ends_with("no random numbers."), "{problem}");
        assert_eq!(
            seed_text(&unhealthy.counts),
            "0 bytes in 0 seeds, health tests failed once, no bytes 2 times"
        );
        let absent = answer(SeedCounts { unavailable: 1, ..SeedCounts::default() }, true);
        assert!(absent.problem().expect("a problem").contains("seeds of the operating system"));
    }
}
