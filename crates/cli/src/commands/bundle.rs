//! `outboard bundle`: packs what `outboard status` reads, for a diagnosis on another machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use outboard_console::{answer, ended, say};
use outboard_inventory::bundle::{Files, Item, Recording, TRIAL, pack, scrub};

use crate::output::Output;

const NAME: &str = "outboard-bundle.tar.xz";

/// Pack what outboard status reads into an archive, for status --from elsewhere.
///
/// The content is listed first. Secrets, serial numbers, MAC and IP addresses are removed. The
/// archive has less than 1 MB.
#[derive(Args)]
pub struct Options {
    /// The archive to write; - for standard output
    #[arg(long, short, value_name = "FILE", default_value = NAME)]
    output: PathBuf,
    /// Only list what the archive would contain
    #[arg(long)]
    list: bool,
    /// Add the files of this directory: what the trial of the kit found
    #[arg(long, value_name = "DIR")]
    trial: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub fn run(options: &Options) -> ExitCode {
    ended("bundle", bundle(options))
}

fn bundle(options: &Options) -> Result<()> {
    let output = (!options.list).then(|| destination(options)).transpose()?;
    let recording = Recording::default();
    // Only what is read counts; the verdict is made on the machine that opens the bundle.
    if let Err(error) = outboard_inventory::collect(&recording.root()) {
        say(&format!("outboard bundle: {error}"));
    }
    let mut found = recording.files();
    if let Some(directory) = &options.trial {
        add_trial(&mut found, directory).with_context(|| format!("--trial {}", directory.display()))?;
    }
    let files = scrub(&found);
    let listed = list(&files);
    let Some(output) = output else { return Ok(answer(&listed)?) };
    if output.is_stdout() {
        say(listed.trim_end());
    } else {
        answer(&listed)?;
    }
    let packed = pack(&files).context("the archive cannot be made")?;
    for path in &packed.left_out {
        say(&format!("outboard bundle: {path} is left out, since the archive would have more than 1 MB"));
    }
    output.write(&packed.bytes)?;
    if output.file().is_none() {
        return Ok(());
    }
    let (name, size) = (options.output.display(), packed.bytes.len().div_ceil(1000));
    Ok(answer(&format!("\nWrote {name} ({size} kB). Read it anywhere: outboard status --from {name}\n"))?)
}

fn add_trial(files: &mut Files, directory: &Path) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name();
        let bytes = fs::read(directory.join(&name))?;
        files.add(&format!("{TRIAL}/{}", name.to_string_lossy()), Item::File(bytes));
    }
    Ok(())
}

fn destination(options: &Options) -> Result<Output> {
    let output = Output::new("--output", &options.output)?.private();
    if options.force { Ok(output) } else { output.keeping_existing() }
}

/// The files with their sizes; a name alone stands for a file or directory that only has to exist.
fn list(files: &Files) -> String {
    let mut text = String::from("The bundle contains, with secrets, serial numbers and addresses removed:\n");
    for (path, item) in files.iter() {
        match item {
            Item::File(bytes) => text.push_str(&format!("  {:>8}  /{path}\n", bytes.len())),
            Item::Name | Item::Directory => text.push_str(&format!("      name  /{path}\n")),
        }
    }
    text
}
