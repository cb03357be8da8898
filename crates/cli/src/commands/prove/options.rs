//! The options of `outboard prove`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use crate::settings::Settings;

/// Runs a command with outboard enabled and reports what hardware did
///
/// The report goes to stderr after the command has ended. The exit code is the command's own; if that is 0, 125 when
/// outboard itself failed, when a result of a driver was wrong, when bytes were counted as done by hardware without an
/// interrupt of an accelerator, or when --require-hardware was not met; 126 or 127 when the command cannot be run; 128+N when signal N ended it.
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

    /// Run the command without the provider first, and report both times: it must be one that can run twice
    #[arg(long)]
    pub compare: bool,

    #[command(flatten)]
    pub settings: Settings,

    /// What the provider prints to the command's stderr
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,

    /// Fail unless hardware did at least this share of the bytes, proven by interrupts
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub require_hardware: Option<f64>,

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
    /// Returns the settings of the provider's section for these options.
    pub fn keys(&self) -> Vec<(String, String)> {
        let level = self.log_level.and_then(|level| Some(level.to_possible_value()?.get_name().to_owned()));
        let level = level.map(|level| ("LOG_LEVEL".to_owned(), level));
        self.settings.keys().into_iter().chain(level).collect()
    }
}

fn percent(value: &str) -> Result<f64, String> {
    let number = value.strip_suffix('%').unwrap_or(value).trim().parse::<f64>().ok();
    number.filter(|n| (0.0..=100.0).contains(n)).ok_or_else(|| "it is not a number from 0 to 100".to_owned())
}
