//! `outboard bundle`: packs what `outboard status` reads, for a diagnosis on another machine.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use outboard_bundle::{Files, Item, Recording, pack, scrub};
use outboard_console::{answer, say};

/// The default name of the archive.
const NAME: &str = "outboard-bundle.tar.xz";

/// Pack what outboard status reads into one archive, for outboard status --from on another machine.
///
/// The content is listed first. Secrets, serial numbers, MAC and IP addresses are removed. The
/// archive has less than 2 MB.
#[derive(Args)]
pub struct Options {
    /// The archive to write; - for standard output
    #[arg(long, short, value_name = "FILE", default_value = NAME)]
    output: PathBuf,
    /// Only list what the archive would contain
    #[arg(long)]
    list: bool,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Runs `outboard bundle`.
pub fn run(options: &Options) -> ExitCode {
    match bundle(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("outboard bundle: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn bundle(options: &Options) -> Result<()> {
    let recording = Recording::default();
    // Only what is read counts; the verdict is made on the machine that opens the bundle.
    outboard_inventory::collect(&recording.root())?;
    let files = scrub(&recording.files());
    let listed = list(&files);
    if options.list {
        return Ok(answer(&listed)?);
    }
    let is_stdout = options.output.as_os_str() == "-";
    if is_stdout {
        io::stderr().write_all(listed.as_bytes())?;
    } else {
        answer(&listed)?;
    }
    let packed = pack(&files).context("the archive cannot be made")?;
    for path in &packed.left_out {
        say(&format!("outboard bundle: {path} is left out, since the archive would have more than 2 MB"));
    }
    if is_stdout {
        return Ok(io::stdout().write_all(&packed.bytes)?);
    }
    write(&options.output, &packed.bytes, options.force)?;
    let (name, size) = (options.output.display(), packed.bytes.len().div_ceil(1000));
    Ok(answer(&format!("\nWrote {name} ({size} kB). Read it anywhere: outboard status --from {name}\n"))?)
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

/// Writes the archive for its owner only, and leaves no part of it after an error.
fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<()> {
    let name = path.display();
    let mut open = OpenOptions::new();
    open.write(true).mode(0o600);
    if replace {
        open.create(true).truncate(true);
    } else {
        open.create_new(true);
    }
    let mut file = open.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => anyhow::anyhow!("{name} exists: give --force, or another --output"),
        _ => anyhow::anyhow!("{name}: {error}: give a writable --output, or - for standard output"),
    })?;
    if let Err(error) = file.write_all(bytes).and_then(|()| file.sync_all()) {
        // The error of the write is the one to report.
        let _ = std::fs::remove_file(path);
        return Err(error).with_context(|| format!("{name}: not written: is the disk full?"));
    }
    Ok(())
}
