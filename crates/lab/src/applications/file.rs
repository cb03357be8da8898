//! `outboard bench file`: encrypts a file with `openssl enc`, without and with outboard.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::documents::bench::Bench;
use crate::requests::lists;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use outboard_accel::Algorithm;
use outboard_catalog::kernel_name;
use outboard_counters::Table;
use outboard_measure::evp::{SAMPLE_IV, sample_key};
use outboard_measure::kernel_users::keys::hex;
use outboard_measure::openssl_pair::in_use;
use outboard_measure::stop;
use outboard_openssl_conf::Scratch;

use super::common::Common;
use super::measure::{AS_IT_IS, ApplicationJob, HardwareClaim, MeasuredSide, UserSystemTime, WITH, measure};

/// The largest file that is made without --megabytes, in MiB.
const MOST_MEGABYTES: u32 = 64;
/// Runs that have to fit into the time: the comparison, which takes as long as two of them, and five
/// of each contestant.
const RUNS: f64 = 12.0;
/// Bytes that are compared at a time.
const CHUNK: u64 = 1 << 16;

/// Measure a file through `openssl enc`, as OpenSSL is and with outboard.
///
/// Both encrypt the same file, interleaved, and their results are compared first. With outboard, the policy of this machine applies,
/// as for any application. Throughput is by wall time; user and system time are the command's, CPU time is the whole system's.
#[derive(Args)]
pub struct Options {
    /// A cipher that openssl enc supports: CBC, CTR and ECB of AES, and DES-EDE3-CBC
    #[arg(long, value_name = "NAME", default_value = "AES-128-CBC", value_parser = cipher)]
    cipher: &'static str,
    /// Size of the file in MiB; it is created in TMPDIR [default: what fits into --for, at most 64]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096))]
    megabytes: Option<u32>,
    #[command(flatten)]
    pub common: Common,
}

fn cipher(name: &str) -> Result<&'static str> {
    let does = |cipher: &&str| ["CBC", "CTR", "ECB"].iter().any(|mode| cipher.ends_with(mode));
    match lists::names(name)?.0[..] {
        [cipher] if does(&cipher) => Ok(cipher),
        [cipher] => bail!("openssl enc does not do {cipher}: name a cipher of CBC, CTR or ECB"),
        _ => bail!("{name} means several: name one, such as AES-128-CBC"),
    }
}

struct FilePaths {
    /// The configuration without outboard, then the one with it.
    configurations: [PathBuf; 2],
    table: Rc<Table>,
    words: Vec<String>,
    bytes: u64,
    _scratch: Scratch,
}

pub fn run(options: &Options) -> Result<Bench> {
    options.common.run(|bench| all(options, bench))
}

fn all(options: &Options, bench: &mut Bench) -> Result<()> {
    let place = FilePaths::new(options, &options.common.module()?)?;
    let compared = place.compare();
    if stop::by_signal() {
        bail!("interrupted before anything was measured");
    }
    compared?;
    let driver = in_use(&place.table).map(|in_use| in_use.driver);
    let with = MeasuredSide::new(WITH, driver, HardwareClaim::Counted(Rc::clone(&place.table)))?;
    let sides = vec![MeasuredSide::new(AS_IT_IS, None, HardwareClaim::Software)?, with];
    let job = ApplicationJob {
        name: "openssl enc".to_owned(),
        cipher: options.cipher.to_owned(),
        bytes: place.bytes,
        at_once: 1,
        time: options.common.time,
    };
    measure(bench, job, sides, &mut |side| UserSystemTime::during(|| place.once(&place.configurations[side])))
}

impl FilePaths {
    fn new(options: &Options, module: &Path) -> Result<FilePaths> {
        let scratch = Scratch::new()?;
        let table = Rc::new(Table::create(&scratch.counters())?);
        scratch.configure(None, module.to_owned(), Vec::new())?;
        let configurations = [scratch.file("plain.cnf"), scratch.configuration()];
        let input = scratch.file("input");
        fs::write(&configurations[0], "")?;
        write_sample(&input, options.megabytes.unwrap_or(1))?;
        // The name of triple DES does not contain a number of bits.
        let bits = options.cipher.split('-').nth(1).and_then(|bits| bits.parse::<usize>().ok());
        let key = bits.map_or(24, |bits| bits / 8);
        let algorithm = kernel_name(options.cipher).and_then(Algorithm::by_kernel_name);
        let iv = algorithm.map_or(0, Algorithm::iv_len);
        let mut words =
            vec!["enc".to_owned(), "-e".to_owned(), format!("-{}", options.cipher.to_ascii_lowercase())];
        words.extend(["-K".to_owned(), hex(&sample_key(key)).as_str().to_owned()]);
        if iv > 0 {
            words.extend(["-iv".to_owned(), hex(&SAMPLE_IV[..iv]).as_str().to_owned()]);
        }
        words.extend(["-in".to_owned(), input.to_string_lossy().into_owned()]);
        let mut place = FilePaths { configurations, table, words, bytes: 0, _scratch: scratch };
        let megabytes = match options.megabytes {
            Some(megabytes) => megabytes,
            None => {
                let megabytes = fitting(place.time_of_one()?, options.common.time);
                write_sample(&input, megabytes)?;
                megabytes
            }
        };
        place.bytes = u64::from(megabytes) << 20;
        Ok(place)
    }

    /// The time of the slower contestant for the first MiB.
    fn time_of_one(&self) -> Result<Duration> {
        let mut slowest = Duration::ZERO;
        for configuration in &self.configurations {
            let start = Instant::now();
            self.once(configuration).map_err(anyhow::Error::msg)?;
            slowest = slowest.max(start.elapsed());
        }
        Ok(slowest)
    }

    fn enc(&self, configuration: &Path) -> Command {
        let mut command = Command::new("openssl");
        command.args(&self.words).env("OPENSSL_CONF", configuration).stdin(Stdio::null());
        command
    }

    fn once(&self, configuration: &Path) -> Result<(), String> {
        let mut command = self.enc(configuration);
        let done =
            command.args(["-out", "/dev/null"]).output().map_err(|error| format!("openssl: {error}"))?;
        let stderr = String::from_utf8_lossy(&done.stderr);
        if done.status.success() {
            Ok(())
        } else {
            Err(format!("openssl enc: {}: {}", done.status, stderr.trim()))
        }
    }

    /// Verifies that both outputs are equal before anything is timed. Both commands run at the same
    /// time, so that no output is stored.
    fn compare(&self) -> Result<()> {
        let start =
            |configuration| self.enc(configuration).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let [plain, with] = self.configurations.each_ref().map(|configuration| start(configuration));
        let (mut plain, mut with) = (plain?, with?);
        let outputs = plain.stdout.take().zip(with.stdout.take());
        let (mut left, mut right) = outputs.context("openssl has no output")?;
        let is_same = is_same(&mut left, &mut right)?;
        // Close both pipes, so that a command that still writes ends.
        drop((left, right));
        let (plain, with) = (plain.wait()?, with.wait()?);
        ensure!(
            is_same && plain.success() && with.success(),
            "openssl enc writes another file with outboard than without: do not use it, and see outboard check"
        );
        Ok(())
    }
}

/// The size of a file in MiB of which both contestants can be compared, and run five times each, in
/// `time`, if one MiB takes `one`.
fn fitting(one: Duration, time: Duration) -> u32 {
    if time.is_zero() {
        return MOST_MEGABYTES;
    }
    let fits = time.as_secs_f64() / (RUNS * one.as_secs_f64().max(1e-3));
    // A value beyond the limits saturates.
    (fits as u32).clamp(1, MOST_MEGABYTES)
}

/// Writes a file that does not compress well.
pub fn write_sample(file: &Path, megabytes: u32) -> Result<()> {
    let megabyte: Vec<u8> = (0..1_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let write = || -> io::Result<()> {
        let mut file = fs::File::create(file)?;
        (0..megabytes).try_for_each(|_| io::Write::write_all(&mut file, &megabyte))
    };
    write().with_context(|| {
        format!("{}: point TMPDIR to a disk with some space, or say --megabytes", file.display())
    })
}

pub fn is_same(left: &mut impl Read, right: &mut impl Read) -> io::Result<bool> {
    let [mut one, mut other] = [(); 2].map(|()| Vec::with_capacity(CHUNK as usize));
    loop {
        if stop::by_signal() {
            return Err(ErrorKind::Interrupted.into());
        }
        one.clear();
        other.clear();
        left.take(CHUNK).read_to_end(&mut one)?;
        right.take(CHUNK).read_to_end(&mut other)?;
        if one != other || one.is_empty() {
            return Ok(one == other);
        }
    }
}

pub fn openssl_version() -> Result<String> {
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
    fn the_file_is_as_large_as_the_time_permits() {
        let fits = |one: u64, time: u64| fitting(Duration::from_millis(one), Duration::from_secs(time));
        assert_eq!(fits(10, 20), 64);
        assert_eq!(fits(80, 6), 6);
        assert_eq!(fits(2000, 6), 1);
        assert_eq!(fits(2000, 0), 64);
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
}
