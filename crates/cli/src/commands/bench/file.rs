//! `outboard bench file`: a file through `openssl enc`, as OpenSSL is and with outboard.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use outboard_accel::Algorithm;
use outboard_counters::{Counts, Table};
use outboard_measure::evp::{SAMPLE_IV, sample_key};
use outboard_measure::figure::{Figure, rounded};
use outboard_measure::noise::{self, Vigil, Yardstick};
use outboard_measure::stop;
use outboard_measure::turns::{Error, Series, Stopwatch};
use outboard_report::bench::{Application, Evidence, Run};

use super::cell::{evidence_of, figure_of};
use super::run::new;
use super::{finish, lists};
use crate::commands::NO_INTERRUPT;
use crate::console::{duration, progress};
use crate::enabled::{Scratch, module, system::OpenSsl};
use crate::lab::{in_use, kernel_name};

/// Bytes that are compared at a time.
const CHUNK: u64 = 1 << 16;

/// Runs of each at least, and at most.
const ROUNDS: (usize, usize) = (5, 25);

/// Measure a file through `openssl enc`, as OpenSSL is and with outboard.
///
/// Both encrypt the same file in turns, and their results are compared first. With outboard means: as an application gets it, by the
/// policy of this machine. Throughput is by wall time; user and system time are the command's own, CPU time is that of the whole system.
#[derive(Args)]
pub struct Options {
    /// What openssl enc can do: CBC, CTR and ECB of AES, and DES-EDE3-CBC
    #[arg(long, value_name = "NAME", default_value = "AES-128-CBC", value_parser = cipher)]
    cipher: &'static str,
    /// How large the file is, in MiB; it lies in TMPDIR
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    megabytes: u32,
    /// How long, about: 20s, 2m; each is run five times at least
    #[arg(long = "for", value_name = "TIME", default_value = "20s", value_parser = duration)]
    time: Duration,
    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
    /// Print JSON (schema outboard-bench/1)
    #[arg(long)]
    json: bool,
}

/// One that openssl enc does.
fn cipher(name: &str) -> Result<&'static str> {
    let does = |cipher: &&str| ["CBC", "CTR", "ECB"].iter().any(|mode| cipher.ends_with(mode));
    match lists::ciphers(name)?.0[..] {
        [cipher] if does(&cipher) => Ok(cipher),
        [cipher] => bail!("openssl enc does not do {cipher}: name a cipher of CBC, CTR or ECB"),
        _ => bail!("{name} means several: name one, such as AES-128-CBC"),
    }
}

/// What both work on.
struct Place {
    /// As OpenSSL is, and with outboard.
    configurations: [PathBuf; 2],
    table: Table,
    words: Vec<String>,
    bytes: u64,
    _scratch: Scratch,
}

/// One of both.
#[derive(Default)]
struct Side {
    series: Option<Series>,
    user: f64,
    system: f64,
}

const AS_IT_IS: &str = "OpenSSL";
const WITH: &str = "OpenSSL with outboard";

/// Measures.
pub fn run(options: &Options) -> Result<ExitCode> {
    let mut bench = new(openssl_version()?, noise::warnings());
    let module = module::find(options.module.as_deref(), &OpenSsl::find())?;
    let place = Place::new(options, &module)?;
    place.compare()?;
    let driver = in_use(&place.table).map(|way| way.driver);
    let interrupts = |error: io::Error| anyhow!("/proc/interrupts: {error}");
    let mut watch = Stopwatch::new().map_err(interrupts)?;
    if let Some(name) = &driver {
        watch = watch.of(name).map_err(interrupts)?;
    }
    let before = place.hardware();
    let (vigil, mut yardstick) = (Vigil::begin(), Yardstick::default());
    let mut sides = [Side::default(), Side::default()];
    let (start, mut rounds) = (Instant::now(), 0);
    while rounds < ROUNDS.0 || (rounds < ROUNDS.1 && start.elapsed() < options.time) {
        yardstick.lay();
        let left = options.time.saturating_sub(start.elapsed()).as_secs();
        progress(&format!("openssl enc, {}: run {}, about {left} s left", options.cipher, rounds + 1));
        match place.round(&watch, &mut sides) {
            Ok(()) => rounds += 1,
            Err(Error::Stopped) => {
                bench.interrupted = true;
                break;
            }
            Err(error) => return Err(anyhow!("{error}")),
        }
    }
    progress("");
    bench.warnings.extend(yardstick.warning().into_iter().chain(vigil.warnings()));
    let done = place.hardware();
    let by_hardware = done.hw_bytes.saturating_sub(before.hw_bytes);
    if by_hardware == 0 {
        let why = place.table.notes().into_iter().next();
        let why =
            why.unwrap_or_else(|| "its requests of 4 KiB are below the threshold of the policy".to_owned());
        bench.notes.push(format!("outboard gave nothing to hardware: {why}"));
    }
    let [plain, with] = sides;
    let mut runs: Vec<Run> = plain.run(AS_IT_IS, place.bytes).into_iter().collect();
    if let Some(mut run) = with.run(WITH, place.bytes) {
        let asked = run.figure.samples * place.bytes;
        let series = with.series.as_ref().filter(|_| by_hardware > 0);
        run.hardware_percent = Some(rounded(by_hardware.min(asked) as f64 / asked.max(1) as f64 * 100.0));
        run.evidence =
            series.map(|series| evidence_of(watch.interrupts().evidence(series.interrupts, series.lost)));
        run.fault = (run.evidence == Some(Evidence::Contradicted)).then(|| NO_INTERRUPT.to_owned());
        runs.push(run);
    }
    let name = "openssl enc".to_owned();
    bench.applications.push(Application {
        name,
        cipher: options.cipher.to_owned(),
        bytes: place.bytes,
        driver,
        runs,
    });
    finish(&bench, options.json, false)
}

impl Place {
    fn new(options: &Options, module: &Path) -> Result<Place> {
        let scratch = Scratch::new()?;
        let table = Table::create(&scratch.counters())?;
        scratch.configure(None, module.to_owned(), Vec::new())?;
        let configurations = [scratch.file("plain.cnf"), scratch.configuration()];
        let input = scratch.file("input");
        let bytes = u64::from(options.megabytes) << 20;
        let file: Vec<u8> = (0..1_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let write = || -> io::Result<()> {
            let mut input = fs::File::create(&input)?;
            (0..options.megabytes).try_for_each(|_| io::Write::write_all(&mut input, &file))?;
            fs::write(&configurations[0], "")
        };
        write().with_context(|| {
            format!("{}: point TMPDIR to a disk with some space, or say --megabytes", input.display())
        })?;
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        // Triple DES has no number of bits in its name.
        let bits = options.cipher.split('-').nth(1).and_then(|bits| bits.parse::<usize>().ok());
        let key = bits.map_or(24, |bits| bits / 8);
        let algorithm = kernel_name(options.cipher).and_then(|name| Algorithm::by_kernel_name(&name));
        let iv = algorithm.map_or(0, Algorithm::iv_len);
        let mut words =
            vec!["enc".to_owned(), "-e".to_owned(), format!("-{}", options.cipher.to_ascii_lowercase())];
        words.extend(["-K".to_owned(), hex(&sample_key(key))]);
        if iv > 0 {
            words.extend(["-iv".to_owned(), hex(&SAMPLE_IV[..iv])]);
        }
        words.extend(["-in".to_owned(), input.to_string_lossy().into_owned()]);
        Ok(Place { configurations, table, words, bytes, _scratch: scratch })
    }

    /// The command, with one of the configurations.
    fn enc(&self, configuration: &Path) -> Command {
        let mut command = Command::new("openssl");
        command.args(&self.words).env("OPENSSL_CONF", configuration).stdin(Stdio::null());
        command
    }

    /// Runs it once.
    fn once(&self, configuration: &Path) -> Result<(), String> {
        let mut command = self.enc(configuration);
        let done =
            command.args(["-out", "/dev/null"]).output().map_err(|error| format!("openssl: {error}"))?;
        let said = String::from_utf8_lossy(&done.stderr);
        if done.status.success() {
            Ok(())
        } else {
            Err(format!("openssl enc: {}: {}", done.status, said.trim()))
        }
    }

    /// A speed of wrong bytes is none. Both write at the same time, so that no disk has to hold it.
    fn compare(&self) -> Result<()> {
        for configuration in &self.configurations {
            self.once(configuration).map_err(anyhow::Error::msg)?;
        }
        let start =
            |configuration| self.enc(configuration).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let [plain, with] = self.configurations.each_ref().map(|configuration| start(configuration));
        let (mut plain, mut with) = (plain?, with?);
        let outputs = plain.stdout.take().zip(with.stdout.take());
        let (mut left, mut right) = outputs.context("openssl has no output")?;
        let is_same = is_same(&mut left, &mut right)?;
        // Whoever still writes has nobody to write to.
        drop((left, right));
        let (plain, with) = (plain.wait()?, with.wait()?);
        ensure!(
            is_same && plain.success() && with.success(),
            "openssl enc writes another file with outboard than without: do not use it, and see outboard check"
        );
        Ok(())
    }

    /// Each of both once.
    fn round(&self, watch: &Stopwatch, sides: &mut [Side; 2]) -> Result<(), Error<String>> {
        for (side, configuration) in sides.iter_mut().zip(&self.configurations) {
            let (user, system) = spent_by_children();
            let mut once = |_| self.once(configuration);
            let sample = watch.turns(&mut [&mut once], &[1], 1);
            let after = spent_by_children();
            if stop::asked() {
                // The command heard it too.
                return Err(Error::Stopped);
            }
            for later in sample? {
                match &mut side.series {
                    Some(series) => series.extend(later),
                    none => *none = Some(later),
                }
            }
            side.user += after.0 - user;
            side.system += after.1 - system;
        }
        Ok(())
    }

    fn hardware(&self) -> Counts {
        self.table.snapshot().into_iter().fold(Counts::default(), |sum, (_, counts)| sum + counts)
    }
}

impl Side {
    fn run(&self, who: &str, bytes: u64) -> Option<Run> {
        let series = self.series.as_ref()?;
        let wall: f64 = series.wall.iter().sum();
        let percent = |seconds: f64| rounded(seconds / wall * 100.0);
        Some(Run {
            who: who.to_owned(),
            figure: figure_of(&Figure::of(series, bytes as usize)),
            user_percent: percent(self.user),
            system_percent: percent(self.system),
            hardware_percent: None,
            evidence: None,
            fault: None,
        })
    }
}

/// Whether both say the same until their end.
fn is_same(left: &mut impl Read, right: &mut impl Read) -> io::Result<bool> {
    let [mut one, mut other] = [(); 2].map(|()| Vec::with_capacity(CHUNK as usize));
    loop {
        one.clear();
        other.clear();
        left.take(CHUNK).read_to_end(&mut one)?;
        right.take(CHUNK).read_to_end(&mut other)?;
        if one != other || one.is_empty() {
            return Ok(one == other);
        }
    }
}

/// User and system time of the commands that have ended, in seconds.
fn spent_by_children() -> (f64, f64) {
    // SAFETY: plain data, written by the call.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

fn openssl_version() -> Result<String> {
    let answer = Command::new("openssl").arg("version").env("OPENSSL_CONF", "").stdin(Stdio::null()).output();
    match answer {
        Ok(answer) => {
            Ok(String::from_utf8_lossy(&answer.stdout).lines().next().unwrap_or_default().to_owned())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("there is no openssl command: install the package openssl (on OpenWrt openssl-util)")
        }
        Err(error) => bail!("openssl cannot be run: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_openssl_enc_does_is_taken() {
        assert_eq!(cipher("aes-256-ctr").unwrap(), "AES-256-CTR");
        for (name, says) in [
            ("AES-128-GCM", "openssl enc does not do AES-128-GCM"),
            ("cbc(aes)", "several"),
            ("rot13", "AES-128-CBC"),
        ] {
            let error = cipher(name).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn outputs_are_compared_to_their_ends() {
        let text = vec![7; 200_000];
        let mut other = text.clone();
        other[199_999] = 8;
        for (right, same) in [(&text[..], true), (&text[1..], false), (&other, false), (&[], false)] {
            assert_eq!(is_same(&mut &text[..], &mut { right }).unwrap(), same);
        }
        assert!(is_same(&mut io::empty(), &mut io::empty()).unwrap());
    }

    #[test]
    fn shares_of_time_are_of_wall_time() {
        let series = Series { wall: vec![1.0, 3.0], cpu: Some(2.0), requests: 2, ..Series::default() };
        let side = Side { series: Some(series), user: 1.0, system: 0.5 };
        let run = side.run("x", 10_000_000).unwrap();
        assert_eq!((run.user_percent, run.system_percent), (25.0, 12.5));
        assert_eq!((run.figure.megabytes_per_second, run.figure.cpu_ms_per_megabyte), (5.0, Some(100.0)));
        assert!(Side::default().run("x", 1).is_none());
    }
}
