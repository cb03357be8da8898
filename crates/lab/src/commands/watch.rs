//! `outboard watch`: a live view of accelerators and the processes that use them.

mod screen;
mod tables;
mod view;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use crate::monitor::{Sample, rates};
use anyhow::{Result, bail};
use clap::Args;
use outboard_drivers::root::Root;
use outboard_measure::stop;

use outboard_console::{INTERRUPTED, answer, exit_code, interval};

/// Show live what accelerators do, and for which processes
///
/// For each allowed driver requests and bytes per second, requests in flight and errors; for each device interrupts per second;
/// the CPU time of softirqs and interrupt threads; the processes with the provider, and of enabled services the share of the bytes
/// that hardware processed and the key stream computed ahead. Without root, what only root may read is shown as -.
///
/// Keys: q or ^C ends it. It needs a terminal of 80 columns and 24 lines; --once prints one interval and needs none.
///
/// Exit code 1 when there is no terminal, or it fails; 130 when ^C ended --once.
#[derive(Args)]
pub struct Options {
    /// Time between two samples: 2s, 1m
    #[arg(long, value_name = "TIME", value_parser = interval, default_value = "1s")]
    interval: Duration,
    /// Print what happened in one interval, and end
    #[arg(long)]
    once: bool,
    /// Print JSON (schema outboard-watch/1)
    #[arg(long, requires = "once")]
    json: bool,
}

pub fn run(options: &Options) -> ExitCode {
    let result = if options.once { once(options) } else { live(options) };
    exit_code("watch", result)
}

fn once(options: &Options) -> Result<ExitCode> {
    stop::listen();
    let root = Root::live();
    let before = Sample::take(&root);
    while before.at.elapsed() < options.interval {
        if stop::asked() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        let left = options.interval.saturating_sub(before.at.elapsed());
        thread::sleep(left.min(Duration::from_millis(100)));
    }
    let watch = rates(&before, &Sample::take(&root));
    let text = if options.json { outboard_documents::json(&watch)? } else { tables::text(&watch) };
    answer(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn live(options: &Options) -> Result<ExitCode> {
    if !(std::io::stdout().is_terminal() && std::io::stdin().is_terminal()) {
        bail!("this is no terminal: outboard watch --once, or --once --json for programs");
    }
    // SIGTERM must not leave the terminal in raw mode.
    stop::listen();
    screen::show(options.interval)?;
    Ok(ExitCode::SUCCESS)
}
