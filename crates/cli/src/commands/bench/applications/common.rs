//! What all are told that measure OpenSSL as it is and with outboard.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use outboard_measure::noise;
use outboard_report::bench::Bench;

use super::super::run::new;
use super::file::openssl_version;
use super::measure::conclude;
use crate::console::duration;
use crate::enabled::{module, system::OpenSsl};

#[derive(Args)]
pub struct Common {
    /// How long, about, all together: 60s, 5m; each is run five times at least
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub time: Duration,
    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
    /// Print JSON (schema outboard-bench/1)
    #[arg(long)]
    json: bool,
}

impl Common {
    /// Measures, and shows what there is then.
    pub fn run(&self, all: impl FnOnce(&mut Bench) -> Result<()>) -> Result<ExitCode> {
        let mut bench = new(openssl_version()?, noise::warnings());
        let outcome = all(&mut bench);
        conclude(bench, outcome, self.json)
    }

    /// The provider's file.
    pub fn module(&self) -> Result<PathBuf> {
        module::find(self.module.as_deref(), &OpenSsl::find())
    }
}
