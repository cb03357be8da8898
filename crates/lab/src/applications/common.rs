//! Common options and sequence of the benchmarks that compare OpenSSL without and with outboard.

use std::path::PathBuf;
use std::time::Duration;

use crate::documents::bench::Bench;
use crate::requests::run::empty_document;
use anyhow::Result;
use clap::Args;
use outboard_console::duration;
use outboard_measure::{noise, stop};
use outboard_openssl_conf::{installation::OpenSsl, provider_file};

use super::file::openssl_version;
use super::measure::conclude;

#[derive(Args)]
pub struct Common {
    /// Limit of the time for all together: 60s, 5m; what does not fit is left out. 0: no limit, and five runs of each
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub time: Duration,
    /// The provider's file instead of the installed one
    #[arg(long, value_name = "PATH")]
    module: Option<PathBuf>,
    /// Print JSON (schema outboard-bench/1)
    #[arg(long)]
    pub json: bool,
}

impl Common {
    pub fn run(&self, all: impl FnOnce(&mut Bench) -> Result<()>) -> Result<Bench> {
        stop::limit(self.time);
        let mut bench = empty_document(openssl_version()?, noise::warnings());
        let outcome = all(&mut bench);
        conclude(bench, outcome)
    }

    pub fn module(&self) -> Result<PathBuf> {
        provider_file::find(self.module.as_deref(), &OpenSsl::find())
    }
}
