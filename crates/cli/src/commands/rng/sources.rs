//! `outboard rng`: lists the sources of random numbers, the daemons that feed the kernel, and
//! problems.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use outboard_console as console;
use outboard_documents::status::{Hwrng, RandomSources};
use outboard_drivers::root::Root;
use outboard_inventory::hwrng;
use outboard_inventory::openssl::{Pending, Question};
use serde::Serialize;

use super::seed_source::{SEED_SOURCE, SeedSourceAnswer, seed_text};

/// The time limit for `openssl`, which takes seconds on a busy router.
const TIME_LIMIT: Duration = Duration::from_secs(10);

const DAEMONS: [&str; 4] = ["rngd", "haveged", "jitterentropy-r", "jitterentropy-rngd"];

#[derive(Serialize)]
struct SourcesAnswer {
    schema: &'static str,
    kernel: Option<String>,
    /// `null` if the kernel has no support for hardware random number generators.
    hwrng: Option<Hwrng>,
    instructions: Vec<&'static str>,
    tpm: bool,
    daemons: Vec<String>,
    /// The entropy that the kernel counts in its pool, in bits.
    entropy_available: Option<u32>,
    openssl: OpenSslRandom,
    /// The provider's seed source in one process; `null` unless the configuration names it.
    seed_source: Option<SeedSourceAnswer>,
    problems: Vec<String>,
}

#[derive(Default, Serialize)]
struct OpenSslRandom {
    version: Option<String>,
    /// The primary generator and its provider: `CTR-DRBG @ default`; `null` if OpenSSL has none.
    generator: Option<String>,
    /// The sources that the configuration names; `null` for the operating system's.
    configured: Option<RandomSources>,
}

impl OpenSslRandom {
    fn read(root: &Root) -> OpenSslRandom {
        let question = Question::ask(root);
        let instances = Pending::start("openssl", &["list", "-random-instances"]);
        let openssl = question.answer(root);
        let instances = instances.and_then(|pending| pending.finish(TIME_LIMIT)).unwrap_or_default();
        OpenSslRandom { version: openssl.version, generator: primary(&instances), configured: openssl.random }
    }

    fn seed(&self) -> Option<&str> {
        self.configured.as_ref()?.seed.as_deref()
    }

    fn text(&self) -> String {
        let Some(version) = &self.version else { return "no openssl command".to_owned() };
        let generator = self.generator.as_deref().unwrap_or("no generator (openssl list -random-instances)");
        let seed = match (self.seed(), &self.configured) {
            (Some(seed), Some(configured)) => format!("{seed}, configured in {}", configured.file),
            _ => "the operating system".to_owned(),
        };
        format!("{version}: {generator}, seeded by {seed}")
    }
}

/// The first line after `primary:` of `openssl list -random-instances`.
fn primary(instances: &str) -> Option<String> {
    let mut lines = instances.lines().skip_while(|line| *line != "primary:").skip(1);
    lines.next().filter(|line| line.contains('@')).map(|line| line.trim().to_owned())
}

pub fn show(json: bool) -> Result<ExitCode> {
    let root = Root::live();
    let kernel = root.text("proc/sys/kernel/osrelease");
    let cpu = root.text("proc/cpuinfo").unwrap_or_default();
    let openssl = OpenSslRandom::read(&root);
    let is_configured = openssl.seed() == Some(SEED_SOURCE);
    let (seed_source, failure) = match is_configured.then(SeedSourceAnswer::read).transpose() {
        Ok(source) => (source, None),
        Err(error) => (None, Some(format!("{SEED_SOURCE} cannot be tried: {error:#}"))),
    };
    let mut answer = SourcesAnswer {
        schema: "outboard-rng/1",
        hwrng: hwrng::read(&root),
        instructions: instructions(&cpu),
        tpm: Path::new("/sys/class/tpm/tpm0").exists(),
        daemons: daemons(),
        entropy_available: root.text("proc/sys/kernel/random/entropy_avail").and_then(|t| t.parse().ok()),
        openssl,
        seed_source,
        problems: Vec::new(),
        kernel,
    };
    answer.problems = problems(&answer);
    answer.problems.extend(failure);
    console::answer(&if json { outboard_documents::pretty(&answer)? } else { text(&answer) })?;
    Ok(if answer.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the instructions that /proc/cpuinfo lists: flags on x86, Features on ARM.
fn instructions(cpuinfo: &str) -> Vec<&'static str> {
    let flags = cpuinfo.lines().filter(|line| line.starts_with("flags") || line.starts_with("Features"));
    let words: Vec<&str> = flags.take(1).flat_map(str::split_ascii_whitespace).collect();
    let named = [("rdrand", "RDRAND"), ("rdseed", "RDSEED"), ("rng", "RNDR")];
    named.into_iter().filter(|(flag, _)| words.contains(flag)).map(|(_, name)| name).collect()
}

fn daemons() -> Vec<String> {
    let mut found: Vec<String> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| DAEMONS.contains(&name.as_str()))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Since Linux 5.18 the kernel reads the generator in use by itself, from its registration on.
fn feeds_itself(kernel: Option<&str>) -> bool {
    let mut numbers = kernel.unwrap_or_default().split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (5, 18),
        _ => false,
    }
}

fn problems(answer: &SourcesAnswer) -> Vec<String> {
    let mut problems = Vec::new();
    let mut add = |text: String| problems.push(text);
    match &answer.hwrng {
        None => {
            add("The kernel has no support for hardware random number generators (CONFIG_HW_RANDOM)."
                .to_owned())
        }
        Some(hwrng) if hwrng.available.is_empty() => {
            if answer.instructions.is_empty() {
                add("There is neither a generator nor a processor instruction: the kernel collects from interrupts and jitter \
                     alone. Load the driver of the chip's generator, if it has one."
                    .to_owned());
            }
        }
        Some(Hwrng { current: None, available, .. }) => add(format!(
            "No generator is in use, and {} could be: outboard rng select {}",
            available.join(", "),
            available[0]
        )),
        Some(Hwrng { current: Some(name), quality: Some(0), .. }) => add(format!(
            "The kernel credits no entropy for {name} (quality 0): outboard rng assess estimates it, and outboard rng quality sets it."
        )),
        Some(_) => {}
    }
    let is_in_use = answer.hwrng.as_ref().is_some_and(|hwrng| hwrng.current.is_some());
    if answer.openssl.seed() == Some(SEED_SOURCE) && !is_in_use {
        problems.push(format!(
            "OpenSSL is configured to take seeds from {SEED_SOURCE}, and no generator is in use: OpenSSL before 4.0 uses seeds of the \
             operating system instead, and later versions fail to generate random numbers. Select a generator, or remove the line `seed` from {}.",
            answer.openssl.configured.as_ref().map_or("openssl.cnf", |configured| configured.file.as_str())
        ));
    } else {
        problems.extend(answer.seed_source.as_ref().and_then(SeedSourceAnswer::problem));
    }
    problems
}

fn text(answer: &SourcesAnswer) -> String {
    let or_none = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let (current, available, quality) = match &answer.hwrng {
        None => ("none".to_owned(), "none".to_owned(), None),
        Some(hwrng) => (
            hwrng.current.clone().unwrap_or_else(|| "none".to_owned()),
            or_none(hwrng.available.clone()),
            hwrng.quality,
        ),
    };
    let kernel = answer.kernel.as_deref();
    let fed = if feeds_itself(kernel) {
        "the kernel reads the generator in use by itself; rngd is rarely needed"
    } else {
        "before Linux 5.18 a generator without a quality needs rngd to feed the kernel"
    };
    let mut text = format!(
        "  /dev/hwrng      {current}\n  available       {available}\n  quality         {}\n  instructions    {}\n  \
           TPM             {}\n  daemons         {}\n  kernel's pool   {} bits\n  kernel          {} ({fed})\n  OpenSSL         {}\n",
        quality.map_or_else(
            || "not known".to_owned(),
            |quality| format!("{quality} of 1024 bits are credited as entropy")
        ),
        or_none(answer.instructions.iter().map(|&name| name.to_owned()).collect()),
        if answer.tpm { "yes" } else { "no" },
        or_none(answer.daemons.clone()),
        answer.entropy_available.map_or_else(|| "unknown".to_owned(), |bits| bits.to_string()),
        kernel.unwrap_or("unknown"),
        answer.openssl.text(),
    );
    if let Some(source) = &answer.seed_source {
        text += &format!("  {SEED_SOURCE}  {}, for one process\n", seed_text(&source.counts));
    }
    for problem in &answer.problems {
        text += &format!("\nPROBLEM: {problem}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_whole_words_of_the_flags() {
        assert_eq!(instructions("model: rng\nflags\t\t: fpu rdrand aes rdseed\n"), ["RDRAND", "RDSEED"]);
        assert_eq!(instructions("Features\t: fp asimd rng bti\n"), ["RNDR"]);
        assert!(instructions("flags : rdrandx\n").is_empty());
    }

    #[test]
    fn the_primary_generator_is_named_with_its_provider() {
        let text = "primary:\n  CTR-DRBG @ default\n  state = ready\npublic:\n  HASH-DRBG @ other\n";
        assert_eq!(primary(text).as_deref(), Some("CTR-DRBG @ default"));
        assert_eq!((primary(""), primary("primary:\n  not instantiated\n")), (None, None));
    }

    #[test]
    fn a_configured_seed_source_without_a_generator_is_a_problem() {
        let configured = |seed: &str| RandomSources {
            file: "/etc/ssl/openssl.cnf".to_owned(),
            generator: None,
            seed: Some(seed.to_owned()),
        };
        let openssl = |seed| OpenSslRandom {
            version: Some("3.5.4".to_owned()),
            generator: Some("CTR-DRBG @ default".to_owned()),
            configured: Some(configured(seed)),
        };
        let answer = |seed, current: Option<&str>| SourcesAnswer {
            schema: "outboard-rng/1",
            kernel: None,
            hwrng: Some(Hwrng {
                current: current.map(str::to_owned),
                available: vec!["chip".to_owned()],
                quality: Some(1024),
            }),
            instructions: Vec::new(),
            tpm: false,
            daemons: Vec::new(),
            entropy_available: None,
            openssl: openssl(seed),
            seed_source: None,
            problems: Vec::new(),
        };
        let is_named = |answer: &SourcesAnswer| {
            problems(answer).iter().any(|one| one.contains("no generator is in use: OpenSSL"))
        };
        assert!(is_named(&answer(SEED_SOURCE, None)));
        assert!(!is_named(&answer(SEED_SOURCE, Some("chip"))) && !is_named(&answer("JITTER", None)));
        assert!(text(&answer(SEED_SOURCE, Some("chip"))).contains(
            "OpenSSL         3.5.4: CTR-DRBG @ default, seeded by OUTBOARD-HWRNG, configured in /etc/ssl/openssl.cnf"
        ));
    }

    #[test]
    fn kernels_feed_themselves_since_5_18() {
        for (release, itself) in
            [("5.17.3", false), ("5.18.0-1", true), ("6.1.0", true), ("4.19", false), ("odd", false)]
        {
            assert_eq!(feeds_itself(Some(release)), itself, "{release}");
        }
    }
}
