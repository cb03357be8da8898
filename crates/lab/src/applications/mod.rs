//! Benchmarks of unmodified applications: a job done by OpenSSL and by outboard, or by each kernel
//! driver.

mod by_driver;
mod cable;
mod certificate;
mod common;
mod configurations;
mod disk;
mod file;
mod https;
mod iperf3;
mod ipsec;
mod measure;
mod openvpn;
mod peer;
mod server_process;
mod ssh;
mod tool;
mod tools;

use crate::documents::bench::Bench;
use anyhow::{Context as _, Result};
use clap::Subcommand;
use outboard_measure::kernel_users::cleaner::Cleaner;

/// Instead of requests, what an application does.
#[derive(Subcommand)]
pub enum Application {
    File(file::Options),
    Https(https::Options),
    Ssh(ssh::Options),
    Openvpn(openvpn::Options),
    Disk(disk::Options),
    Ipsec(ipsec::Options),
}

impl Application {
    pub fn measure(&self) -> Result<Bench> {
        match self {
            Application::File(options) => file::run(options),
            Application::Https(options) => https::run(options),
            Application::Ssh(options) => ssh::run(options),
            Application::Openvpn(options) => openvpn::run(options),
            Application::Disk(options) => disk::run(options),
            Application::Ipsec(options) => ipsec::run(options),
        }
    }

    pub fn is_json(&self) -> bool {
        match self {
            Application::File(options) => options.common.json,
            Application::Https(options) => options.common.json,
            Application::Ssh(options) => options.common.json,
            Application::Openvpn(options) => options.common.json,
            Application::Disk(options) => options.json,
            Application::Ipsec(options) => options.json,
        }
    }
}

fn start_cleaner(benchmark: &str) -> Result<Cleaner> {
    Cleaner::start(&["bench", "clean-up"]).with_context(|| format!("outboard bench {benchmark}"))
}
