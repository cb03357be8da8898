//! `outboard tune`: measures the request size from which hardware wins, and writes the provider's
//! policy.

mod kernel_users;
mod policy_file;
mod services;
mod text;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use outboard_catalog::CIPHER_NAMES;
use outboard_console as console;
use outboard_console::{INTERRUPTED, exit_code, progress};
use outboard_documents::Goal;
use outboard_documents::tune::Tune;
use outboard_drivers::judge::Verdict;
use outboard_drivers::root::Root;
use outboard_drivers::survey;
use outboard_measure::Measuring;
use outboard_measure::machine;
use outboard_measure::noise::{self, DisturbanceMonitor};
use outboard_measure::openssl_pair::has_key_stream;
use outboard_measure::stop;
use outboard_openssl_conf::{installation::OpenSsl, provider_file};
use outboard_policy::{Algorithms, POLICY_FILE};

use super::allow::list;
use crate::etc::Replacement;
use crate::signals;

/// Measure from which request size on the accelerator wins, and write the policy.
///
/// Each cipher is measured as applications use it, with the provider and without it, interleaved, in both directions,
/// at sizes around the point where the accelerator begins to win; of CTR and GCM look-ahead too. The provider follows
/// the result, /etc/outboard/policy, as long as kernel, CPU and driver are the same. A cipher for which software always
/// wins is not offered.
///
/// Of users within the kernel that are in use (IPsec, ovpn, MACsec, dm-crypt) root measures the selected driver, and
/// software; `outboard prefer` changes what they get.
///
/// At the end the suites that each service offers are compared: with the accelerator, AES in software, and
/// ChaCha20-Poly1305; for SSH with its MACs. For each service the decision is printed, as by `outboard setup`, and the
/// policy keeps the figures for `outboard enable`, `ciphers --service` and `status`.
///
/// Takes a few seconds for each cipher. Use a quiet machine. ^C writes nothing and shows the measurements so far.
#[derive(Args)]
pub struct Options {
    /// The criterion: less wall time, less CPU time of the whole system, or the smaller product of both
    #[arg(long, value_enum, default_value_t)]
    goal: GoalName,
    /// Only these ciphers: OpenSSL names separated by commas; the policy then contains no other cipher
    #[arg(long, value_name = "LIST", default_value = "ALL", value_parser = ciphers)]
    ciphers: Algorithms,
    /// Write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON (schema outboard-tune/1)
    #[arg(long)]
    json: bool,
    /// With --json: print each step as a line (schema outboard-progress/1), and after each cipher the document so far; the last line
    /// is the result
    #[arg(long, requires = "json")]
    progress: bool,
    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
}

/// [`Goal`] for the command line.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum GoalName {
    Throughput,
    Cpu,
    #[default]
    Balanced,
}

impl GoalName {
    pub fn name(self) -> &'static str {
        Goal::from(self).name()
    }
}

impl From<GoalName> for Goal {
    fn from(name: GoalName) -> Goal {
        match name {
            GoalName::Throughput => Goal::Throughput,
            GoalName::Cpu => Goal::Cpu,
            GoalName::Balanced => Goal::Balanced,
        }
    }
}

pub fn run(options: &Options) -> ExitCode {
    exit_code("tune", tune(options))
}

fn tune(options: &Options) -> Result<ExitCode> {
    stop::listen();
    if options.progress {
        outboard_documents::print_steps();
    }
    let module = provider_file::find(options.module.as_deref(), &OpenSsl::find())?;
    let ciphers: Vec<&str> = CIPHER_NAMES.into_iter().filter(|name| options.ciphers.has(name)).collect();
    let (mut shown, mut shown_ahead) = (0, 0);
    let wanted = Wanted {
        goal: options.goal.into(),
        ciphers: &ciphers,
        module: &module,
        is_written: !options.dry_run,
    };
    let mut answer = wanted.begin();
    let ended = measure(&wanted, &mut answer, &mut |answer| {
        if !options.json {
            progress("");
            let new = &answer.ciphers[shown..];
            shown = answer.ciphers.len();
            let _ = console::answer(&text::ciphers(new));
            let new = &answer.lookahead[shown_ahead..];
            shown_ahead = answer.lookahead.len();
            let _ = console::answer(&text::all_lookahead(new));
        } else if options.progress {
            let _ = outboard_documents::json(answer).map(|line| console::answer(&line));
        }
    });
    // The document says too why nothing was measured.
    if options.json {
        console::answer(&outboard_documents::json(&answer)?)?;
    }
    ended?;
    if !options.json {
        console::answer(&text::end(&answer))?;
    }
    Ok(if answer.interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Parses a list of ciphers by OpenSSL's names.
fn ciphers(list: &str) -> Result<Algorithms, String> {
    list.parse().map_err(|why: outboard_policy::Error| why.on_command_line())
}

pub struct Wanted<'a> {
    pub goal: Goal,
    pub ciphers: &'a [&'a str],
    pub module: &'a Path,
    pub is_written: bool,
}

impl Wanted<'_> {
    /// The document of a measurement that has not begun.
    pub fn begin(&self) -> Tune {
        Tune::new(self.goal, machine::here(), noise::warnings())
    }
}

/// Measures, and writes the policy. Calls `each` after each cipher. A measurement that was interrupted
/// is not an error, and writes nothing.
/// Errors: if there is nothing to measure, `answer` has the reason too.
pub fn measure(wanted: &Wanted, answer: &mut Tune, each: &mut dyn FnMut(&Tune)) -> Result<()> {
    // Check first that the policy file can be written, before minutes of measuring. The lock is
    // released at once, so that no other process waits during the measurement.
    if wanted.is_written {
        drop(Replacement::open(Path::new(POLICY_FILE), explained)?);
        signals::check()?;
    }
    let measuring = Measuring::begin()?;
    let vigil = DisturbanceMonitor::begin();
    let ended = crate::tuning::all(wanted.module, wanted.ciphers, answer, each);
    progress("");
    answer.warnings.extend(vigil.warnings());
    drop(measuring);
    let of_kernel = kernel_users::measure(answer);
    if let Err(error) = ended {
        if !answer.interrupted {
            return Err(error);
        }
    } else if answer.ciphers.is_empty() && answer.lookahead.is_empty() && of_kernel.is_empty() {
        if let Some(driver) = missing_key_stream(wanted.ciphers)? {
            let ciphers = wanted.ciphers.join(", ");
            answer.reasons = vec![format!(
                "look-ahead, which serves {ciphers}, needs the driver of ecb(aes): outboard allow {driver}"
            )];
        }
        if answer.reasons.is_empty() {
            answer.reasons.push(format!("OpenSSL cannot load {}", wanted.module.display()));
        }
        bail!("there is nothing to measure: {}", text::reasons(&answer.reasons));
    } else {
        let mut figures = services::compare(wanted.module, wanted.ciphers, answer)?;
        figures.extend(of_kernel);
        if wanted.is_written && !answer.interrupted {
            Replacement::open(Path::new(POLICY_FILE), explained)?
                .store(&policy_file::text(answer, &figures))?;
            answer.written = Some(POLICY_FILE.to_owned());
        }
    }
    Ok(())
}

/// The accelerator's driver of ECB that is not allowed, if these ciphers can use its key stream.
fn missing_key_stream(ciphers: &[&str]) -> Result<Option<String>> {
    let Some(allowed) = list::read_if_loaded()?.filter(|_| ciphers.iter().all(|one| has_key_stream(one)))
    else {
        return Ok(None);
    };
    let survey = survey(&Root::live())?;
    let of_ecb = survey.drivers.iter().filter(|one| {
        one.driver.algorithm == "ecb(aes)"
            && one.judgement.verdict == Verdict::Accelerator
            && one.driver.is_usable()
    });
    let names: Vec<&str> = of_ecb.map(|one| one.driver.name.as_str()).collect();
    let is_allowed = names.iter().any(|name| allowed.iter().any(|entry| entry.driver == *name));
    Ok(names.first().filter(|_| !is_allowed).map(|name| (*name).to_owned()))
}

pub fn remove_policy() -> Result<()> {
    Replacement::open(Path::new(POLICY_FILE), explained)?.remove()
}

fn explained(path: &Path, error: &io::Error) -> anyhow::Error {
    let advice = console::advice(error, Some("measure with --dry-run"));
    anyhow::anyhow!("{}: {error}; {advice}", path.display())
}
