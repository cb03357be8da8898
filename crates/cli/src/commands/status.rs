//! `outboard status`: shows the crypto hardware of this machine and the interfaces that reach it.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use outboard_console::{answer, answer_styled, say};
use outboard_drivers::root::Root;
use outboard_report::Style;

/// Show whether programs reach an accelerator on this machine, what reaches it, and what keeps it
/// from being used.
///
/// Nothing is changed and no network connection is opened. Exit code 1 when the kernel's list of
/// drivers cannot be read, or nothing is recognised in what --from names.
#[derive(Args)]
pub struct Options {
    /// Print JSON (schema outboard-status/1)
    #[arg(long)]
    json: bool,
    /// Read a bundle, a copied tree, or pasted text (- for standard input) instead of this machine
    #[arg(long, value_name = "BUNDLE|DIR|FILE|-")]
    from: Option<PathBuf>,
    /// Show everything: reasons, evidence, notes, and every driver with the verdict on it
    #[arg(long, short)]
    verbose: bool,
    /// Show for each driver of an accelerator which consumers get it on this kernel, and why
    #[arg(long, conflicts_with_all = ["verbose", "json"])]
    reach: bool,
}

/// Runs `outboard status`.
pub fn run(options: &Options) -> ExitCode {
    match report(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard status: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn report(options: &Options) -> anyhow::Result<()> {
    let status = match &options.from {
        None => outboard_inventory::collect(&Root::live())?,
        Some(path) => {
            let source = outboard_bundle::open(path)?;
            outboard_inventory::collect_from(&source.root, source.pasted)?
        }
    };
    for warning in &status.warnings {
        say(&format!("outboard status: warning: {warning}"));
    }
    if options.json {
        answer(&outboard_documents::pretty(&status)?)?;
    } else {
        let is_terminal = io::stdout().is_terminal();
        let color = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        // 0: the terminal does not report its size, such as a serial line.
        let columns = size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        let render = match (options.verbose, options.reach) {
            (true, _) => outboard_report::verbose,
            (_, true) => outboard_report::reach,
            _ => outboard_report::status,
        };
        let text = render(&status, Style { color, columns });
        if color { answer_styled(&text)? } else { answer(&text)? }
    }
    Ok(())
}
