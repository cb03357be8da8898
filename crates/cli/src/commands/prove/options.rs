//! The options of `outboard prove`.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::settings::Settings;
use outboard_console::duration;

/// Options that configure the provider of a command; a service has its configuration.
const NOT_FOR_SERVICES: [&str; 10] = [
    "command",
    "compare",
    "log_level",
    "drivers",
    "threshold",
    "ciphers",
    "digests",
    "soft_drivers",
    "module",
    "no_system_config",
];

/// Run a command, or observe a service, and report what hardware processed
///
/// The report goes to stderr after the command has ended.
///
/// The exit code is the command's own; if that is 0, 125 when
/// outboard itself failed, when a result of a driver was wrong, when bytes were counted as done by hardware without an
/// interrupt of an accelerator, or when --require-hardware was not met; 126 or 127 when the command cannot be run; 128+N when signal N ended it. With --service or --unit it is 0 or 125.
///
/// Servers must stay in the foreground (nginx -g 'daemon off;'): the proof ends with the command. Processes that the
/// command starts as another user are not counted, their children and those that change users after loading OpenSSL
/// are.
///
/// --service observes a service that `outboard enable` changed, while it runs: nothing is restarted.
#[derive(Args, Debug)]
#[command(
    override_usage = "outboard prove [OPTIONS] -- COMMAND [ARG]...\n       outboard prove --service NAME [--for TIME]"
)]
pub struct Options {
    /// Write the proof as JSON (schema outboard-prove/1), to a file or to stdout (-)
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<String>,

    /// With --json: print each step as a line to stdout (schema outboard-progress/1), and the document as one line
    #[arg(long, requires = "json")]
    pub progress: bool,

    /// Print no report, only what is wrong
    #[arg(long, short)]
    pub quiet: bool,

    /// Every note, not only the first two
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Observe this service, as `outboard enable --list` names it, instead of a command
    #[arg(long, value_name = "NAME", conflicts_with_all = NOT_FOR_SERVICES)]
    pub service: Option<String>,

    /// Observe this systemd unit, or on OpenWrt this init script
    #[arg(long, value_name = "NAME", conflicts_with = "service", conflicts_with_all = NOT_FOR_SERVICES)]
    pub unit: Option<String>,

    /// How long: 90s, 10m; ^C ends it earlier
    #[arg(long = "for", value_name = "TIME", value_parser = duration, default_value = "30s", conflicts_with = "command")]
    pub time: Duration,

    /// Run the command without the provider first, and report both times. The command must be repeatable
    #[arg(long)]
    pub compare: bool,

    #[command(flatten)]
    pub settings: Settings,

    /// What the provider prints to the command's stderr
    #[arg(long, value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,

    /// Fail unless hardware processed at least this share of the bytes, proven by interrupts
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub require_hardware: Option<f64>,

    /// The command and its arguments
    #[arg(last = true, required_unless_present_any = ["service", "unit"], value_name = "COMMAND")]
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
