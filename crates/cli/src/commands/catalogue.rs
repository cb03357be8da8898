//! `outboard catalogue`: prints what outboard knows about accelerators and their drivers.

mod entry;
mod text;

use std::process::ExitCode;

use clap::Args;
use outboard_catalog::families::{Family, all};
use outboard_catalog::search::search;
use outboard_console as console;
use serde::Serialize;

use self::entry::Entry;

/// Show what is known about accelerators by chip, board, driver or module.
///
/// The machine is not read. Up to three matching entries are printed in full, more as a table.
///
/// Exit code 1 when no entry matches.
#[derive(Args)]
pub struct Options {
    /// A chip, board, vendor, driver, module, package, kernel option, or a device id such as 13a3:0020
    name: Option<String>,

    /// Print JSON (schema outboard-catalogue/1)
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Catalogue {
    schema: &'static str,
    entries: Vec<Entry>,
}

pub fn run(options: &Options) -> ExitCode {
    console::ended("catalogue", print(options))
}

fn print(options: &Options) -> anyhow::Result<()> {
    let found: Vec<&Family> = options.name.as_deref().map_or_else(|| all().collect(), search);
    if let (Some(name), true) = (&options.name, found.is_empty()) {
        anyhow::bail!("no entry matches \"{name}\": outboard catalogue lists all entries");
    }
    let output = if options.json {
        let entries = found.into_iter().map(Entry::new).collect();
        let catalogue = Catalogue { schema: "outboard-catalogue/1", entries };
        outboard_documents::pretty(&catalogue)?
    } else {
        text::format(&found)
    };
    Ok(console::answer(&output)?)
}
