//! The options of `outboard prove`, checked as the provider will check them.

use clap::{Args, ValueEnum};
use outboard_policy::Policy;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs a command with outboard enabled and reports what hardware did
///
/// The report goes to stderr after the command has ended. The exit code is the command's own; 125 when outboard itself
/// failed, when bytes were claimed for hardware without any interrupt of an accelerator, or when --require-hardware
/// was not met; 126 or 127 when the command cannot be run; 128+N when signal N ended it.
///
/// Servers must stay in the foreground (nginx -g 'daemon off;'): the proof ends with the command. Processes that the
/// command starts as another user are not counted, their children and those that change users after loading OpenSSL
/// are.
#[derive(Args, Debug)]
#[command(override_usage = "outboard prove [OPTIONS] -- COMMAND [ARG]...")]
pub struct Options {
    /// Write the proof as JSON (schema outboard-prove/1), to a file or to stdout (-)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<String>,

    /// Print no report, only what is wrong
    #[arg(long, short)]
    pub quiet: bool,

    /// Use only this kernel driver, by its exact name in /proc/crypto; may be repeated
    #[arg(long = "driver", value_name = "NAME", value_parser = |v: &str| checked("DRIVERS", v))]
    pub drivers: Vec<String>,

    /// The smallest request that goes to hardware: bytes for all, or ALGORITHM:BYTES,...
    #[arg(long, value_name = "BYTES|ALG:BYTES,...", value_parser = threshold)]
    pub threshold: Option<String>,

    /// Which ciphers may go to hardware: ALL, NONE or OpenSSL names separated by commas
    #[arg(long, value_name = "LIST", value_parser = |v: &str| checked("CIPHERS", v))]
    pub ciphers: Option<String>,

    /// Which digests may go to hardware: NONE unless given, ALL, or OpenSSL names separated by commas
    #[arg(long, value_name = "LIST", value_parser = |v: &str| checked("DIGESTS", v))]
    pub digests: Option<String>,

    /// Which drivers count as hardware: 0 known accelerators, 1 all drivers, 2 all but known software
    #[arg(long, value_name = "0|1|2", value_parser = |v: &str| checked("USE_SOFTDRIVERS", v))]
    pub soft_drivers: Option<String>,

    /// What the provider prints to the command's stderr
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,

    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    pub module: Option<PathBuf>,

    /// Fail unless hardware did at least this share of the bytes, proven by interrupts
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub require_hardware: Option<f64>,

    /// Leave the system's openssl.cnf, or the one that OPENSSL_CONF names, out
    #[arg(long)]
    pub no_system_config: bool,

    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// How much the provider says.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

impl Options {
    /// The keys of the provider's section that the options stand for.
    pub fn keys(&self) -> Vec<(String, String)> {
        let drivers = (!self.drivers.is_empty()).then(|| self.drivers.join(","));
        let level = self.log_level.and_then(|l| Some(l.to_possible_value()?.get_name().to_owned()));
        let all = [
            ("CIPHERS", self.ciphers.clone()),
            ("DIGESTS", self.digests.clone()),
            ("USE_SOFTDRIVERS", self.soft_drivers.clone()),
            ("DRIVERS", drivers),
            ("THRESHOLDS", self.threshold.clone()),
            ("LOG_LEVEL", level),
        ];
        all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

/// Lets the provider's own parser judge a value.
fn checked(key: &str, value: &str) -> Result<String, outboard_policy::Error> {
    Policy::default().set(key, value).map(|()| value.to_owned())
}

fn threshold(value: &str) -> Result<String, outboard_policy::Error> {
    let for_all = !value.contains([':', ',']);
    checked("THRESHOLDS", &if for_all { format!("ALL:{value}") } else { value.to_owned() })
}

fn percent(value: &str) -> Result<f64, String> {
    let number = value.strip_suffix('%').unwrap_or(value).trim().parse::<f64>().ok();
    number.filter(|n| (0.0..=100.0).contains(n)).ok_or_else(|| "it is not a number from 0 to 100".to_owned())
}
