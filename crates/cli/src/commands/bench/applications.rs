//! Benchmarks of unmodified applications: a job done by OpenSSL and by outboard, or by each kernel
//! driver.

mod by_driver;
mod certificate;
mod chosen;
mod cleaner;
mod common;
mod configurations;
mod disk;
mod file;
mod hex;
mod https;
mod iperf3;
mod ipsec;
mod measure;
mod namespace;
mod openvpn;
mod peer;
mod server_process;
mod ssh;
mod tool;
mod tools;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Instead of requests, what an application does.
#[derive(Subcommand)]
pub enum Application {
    File(file::Options),
    Https(https::Options),
    Ssh(ssh::Options),
    Openvpn(openvpn::Options),
    Disk(disk::Options),
    Ipsec(ipsec::Options),
    /// What the command starts to tidy up after it
    #[command(hide = true)]
    Tidy,
}

impl Application {
    /// Runs the benchmark.
    pub fn run(&self) -> Result<ExitCode> {
        match self {
            Application::File(options) => file::run(options),
            Application::Https(options) => https::run(options),
            Application::Ssh(options) => ssh::run(options),
            Application::Openvpn(options) => openvpn::run(options),
            Application::Disk(options) => disk::run(options),
            Application::Ipsec(options) => ipsec::run(options),
            Application::Tidy => Ok(cleaner::serve()),
        }
    }
}
