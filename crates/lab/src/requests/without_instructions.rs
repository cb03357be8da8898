//! OpenSSL without the CPU's cryptographic instructions. libcrypto detects them once, when it is
//! loaded, so a separate process is needed. The protocol is lines of text: the reply to `run 100`
//! is the seconds of all requests together, that to `time 100` the seconds of each request.

use std::ffi::OsStr;
use std::io::{BufRead, Write};
use std::process::{ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use outboard_accel::Direction;
use outboard_measure::clock::Clock;
use outboard_measure::evp::{Context, Library};
use outboard_measure::stop;

use super::process::{PipedChild, bench_command, clock, cycles};
use super::software::Software;
use super::worker::Worker;

/// The environment variable that disables these instructions in libcrypto, by CPU architecture:
/// OPENSSL_ia32cap(3) and crypto/*cap.c of OpenSSL.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
fn hidden() -> Option<(&'static str, &'static str)> {
    // Disables AES-NI and PCLMULQDQ of CPUID leaf 1, and SHA, VAES and VPCLMULQDQ of leaf 7.
    Some(("OPENSSL_ia32cap", "~0x200000200000000:~0x60020000000"))
}

#[cfg(target_arch = "aarch64")]
fn hidden() -> Option<(&'static str, &'static str)> {
    // Only NEON, which every such CPU has.
    Some(("OPENSSL_armcap", "1"))
}

#[cfg(target_arch = "arm")]
fn hidden() -> Option<(&'static str, &'static str)> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Some(("OPENSSL_armcap", if cpuinfo.split_whitespace().any(|word| word == "neon") { "1" } else { "0" }))
}

#[cfg(target_arch = "riscv64")]
fn hidden() -> Option<(&'static str, &'static str)> {
    Some(("OPENSSL_riscvcap", "rv64gc"))
}

#[cfg(target_arch = "s390x")]
fn hidden() -> Option<(&'static str, &'static str)> {
    // The first generation of 64-bit CPUs has no cryptographic instructions (OPENSSL_s390xcap(3)).
    Some(("OPENSSL_s390xcap", "z900"))
}

#[cfg(target_arch = "powerpc64")]
fn hidden() -> Option<(&'static str, &'static str)> {
    // AltiVec, floating point and the time base (include/crypto/ppc_arch.h): no instructions of POWER8.
    Some(("OPENSSL_ppccap", "0x2a"))
}

#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "x86",
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "riscv64",
    target_arch = "s390x",
    target_arch = "powerpc64"
)))]
fn hidden() -> Option<(&'static str, &'static str)> {
    None
}

/// Fails if the instructions cannot be disabled on this architecture.
pub fn check() -> Result<()> {
    if hidden().is_none() {
        bail!(
            "--no-cpu-instructions: nothing is known that hides such instructions from OpenSSL on {}: leave it out",
            std::env::consts::ARCH
        );
    }
    Ok(())
}

const WAYS: [(Option<Direction>, &str); 3] =
    [(Some(Direction::Encrypt), "encrypt"), (Some(Direction::Decrypt), "decrypt"), (None, "-")];

/// The child process; it ends when this value is dropped.
pub struct WithoutInstructions(PipedChild);

impl WithoutInstructions {
    pub fn start(
        name: &str,
        direction: Option<Direction>,
        bytes: usize,
        clock: Clock,
    ) -> Result<WithoutInstructions, String> {
        let direction = WAYS.iter().find(|(known, _)| *known == direction).map_or("-", |(_, word)| word);
        let words = ["--worker", name, direction, &bytes.to_string(), &cycles(clock)];
        let mut command = bench_command(&words).map_err(|error| failed(&error))?;
        if let Some((name, value)) = hidden() {
            command.env(name, OsStr::new(value));
        }
        let child = PipedChild::start(command.stderr(Stdio::null())).map_err(|error| failed(&error))?;
        let mut plain = WithoutInstructions(child);
        plain.ask("run", 1).map(|_| plain)
    }

    fn ask(&mut self, what: &str, batches: u32) -> Result<String, String> {
        let asked = match &mut self.0.to {
            Some(to) => writeln!(to, "{what} {batches}").and_then(|()| to.flush()),
            None => Ok(()),
        };
        let mut line = String::new();
        asked.and_then(|()| self.0.from.read_line(&mut line)).map_err(|error| failed(&error))?;
        match line.trim_end().split_once(' ') {
            Some(("done", rest)) => Ok(rest.to_owned()),
            Some(("failed", why)) => Err(why.to_owned()),
            _ => Err(failed(&"it ended")),
        }
    }
}

fn failed(why: &dyn std::fmt::Display) -> String {
    format!("the process without the CPU's instructions failed: {why}")
}

impl Worker for WithoutInstructions {
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
        let line = self.ask("run", batches)?;
        line.parse().map(Some).map_err(|_| failed(&line))
    }

    fn timed(&mut self, batches: u32, _: Clock) -> Result<Vec<f64>, String> {
        let line = self.ask("time", batches)?;
        let seconds = line.split_whitespace().map(|word| word.parse().map_err(|_| failed(&word)));
        seconds.collect()
    }
}

/// Runs as the child process until standard input ends.
pub fn serve(words: &[String]) -> ExitCode {
    // Only the parent process handles ^C.
    stop::listen();
    match served(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("failed {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn served(words: &[String]) -> Result<()> {
    let [name, direction, bytes, cycles] = words else { bail!("four words") };
    let clock = clock(cycles);
    let library = Library::open()?;
    let context = Context::software(&library)?;
    let software = Software::find(&context, name).context("OpenSSL has no such cipher, digest or HMAC")?;
    let direction = WAYS.iter().find(|(_, word)| word == direction).and_then(|(known, _)| *known);
    let mut worker = software.worker(direction, bytes.parse()?)?;
    let mut line = String::new();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    while input.read_line(&mut line)? > 0 {
        let (what, batches) = line.trim_end().split_once(' ').context("two words")?;
        let batches = batches.parse()?;
        if what == "time" {
            let seconds = worker.timed(batches, clock).map_err(anyhow::Error::msg)?;
            let seconds: Vec<String> = seconds.iter().map(f64::to_string).collect();
            writeln!(output, "done {}", seconds.join(" "))?;
        } else {
            let start = clock.now();
            worker.run(batches).map_err(anyhow::Error::msg)?;
            writeln!(output, "done {}", clock.since(start))?;
        }
        output.flush()?;
        line.clear();
    }
    Ok(())
}
