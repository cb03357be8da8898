//! `outboard rng select` and `outboard rng quality`: set the generator that the kernel uses, and
//! the entropy that it credits.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use outboard_console as console;
use outboard_documents::status::Hwrng;
use outboard_drivers::root::Root;
use outboard_inventory::hwrng;

use super::boot_rule::{self, BootRule};
use crate::signals::SignalGuard;

pub const AUTO: &str = "auto";

const SYSFS: &str = "/sys/class/misc/hw_random";

/// Choose the generator behind /dev/hwrng, now and after each boot.
///
/// For the next boot it is written to /etc/udev/rules.d/60-outboard-rng.rules, which udev applies when the generator appears; --now
/// leaves that out. `auto` returns the choice to the kernel, which takes the one of the best quality, and removes the file.
#[derive(Args)]
pub struct Options {
    /// A name that outboard rng lists, or auto
    name: String,
    /// Do not keep it for the next boot
    #[arg(long)]
    now: bool,
}

/// Set the entropy that the kernel credits, in bits per 1024 bits.
///
/// It holds until the next boot. A generator that the kernel chose may be replaced by one with more credit; one that was selected is
/// kept, unless its credit is 0.
#[derive(Args)]
pub struct QualityOptions {
    /// Bits of entropy per 1024 bits: what outboard rng assess advises
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1024))]
    quality: u32,
}

fn current() -> Result<Hwrng> {
    hwrng::read(&Root::live()).ok_or_else(|| {
        anyhow!("this kernel has no support for hardware random number generators (CONFIG_HW_RANDOM)")
    })
}

pub fn select(options: &Options) -> Result<ExitCode> {
    let after = choose(&options.name, !options.now)?;
    let words = if options.now || options.name == AUTO { "" } else { ", now and after each boot" };
    console::answer(&format!("/dev/hwrng is {}{words}.\n", after.current.as_deref().unwrap_or("none")))?;
    Ok(ExitCode::SUCCESS)
}

/// Has the kernel use a generator, also after each boot if `is_kept`, or returns the choice to the
/// kernel. Returns what is in use then.
pub fn choose(name: &str, is_kept: bool) -> Result<Hwrng> {
    let before = current()?;
    let is_auto = name == AUTO;
    if !is_auto && !before.available.iter().any(|one| one == name) {
        bail!("{name} is not available: choose one of {}, or auto", or_none(&before.available));
    }
    let kept = if is_auto || !is_kept { None } else { Some(BootRule::new(name)?) };
    let _guard = SignalGuard::hold();
    let was_selected = is_selected();
    let after = switch(if is_auto { "" } else { name }).and_then(|after| {
        match kept {
            Some(rule) => rule.store()?,
            None if is_auto => boot_rule::remove()?,
            None => {}
        }
        Ok(after)
    });
    after.or_else(|error| {
        let earlier = before.current.filter(|_| was_selected).unwrap_or_default();
        write("rng_current", &earlier)
            .with_context(|| format!("{error:#}; the selection before it could not be restored"))?;
        Err(error)
    })
}

/// Has the kernel use a generator, or the one of the best quality.
fn switch(name: &str) -> Result<Hwrng> {
    write("rng_current", name)?;
    let after = current()?;
    if !name.is_empty() && after.current.as_deref() != Some(name) {
        let used = after.current.as_deref().unwrap_or("none");
        bail!("the kernel did not select {name}: it uses {used}; see dmesg");
    }
    Ok(after)
}

fn is_selected() -> bool {
    Root::live().text(&format!("{}/rng_selected", &SYSFS[1..])).as_deref() == Some("1")
}

pub fn set_quality(options: &QualityOptions) -> Result<ExitCode> {
    let Some(generator) = current()?.current else {
        bail!("no generator is in use, so there is none to credit: outboard rng shows what is there");
    };
    let was_selected = is_selected();
    let quality = options.quality;
    write("rng_quality", &quality.to_string())?;
    // A new quality makes the kernel choose the best generator, also in place of a selected one.
    let mut now = current()?;
    // It also resets the selection when the generator in use is the best one.
    if was_selected {
        write("rng_current", &generator)?;
        now = current()?;
    }
    let in_use = now.current.as_deref().unwrap_or("none");
    let text = match now.quality {
        Some(found) if in_use == generator && found != quality && was_selected => bail!(
            "the kernel credits {found} of 1024 bits of {generator}: it keeps no credit of {quality} for a selected generator while \
             another one has more; outboard rng select auto leaves the choice to it"
        ),
        Some(found) if in_use == generator && found != quality => {
            bail!("the kernel did not set the quality {quality}: rng_quality is {found}; see dmesg")
        }
        found if in_use != generator => format!(
            "The kernel credits {quality} of 1024 bits of {generator}, and uses {in_use} now, which has more ({}).\n",
            found.map_or_else(|| "unknown".to_owned(), |found| found.to_string())
        ),
        _ => format!("The kernel credits {quality} of 1024 bits of {generator}.\n"),
    };
    console::answer(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn write(file: &str, value: &str) -> Result<()> {
    let path = Path::new(SYSFS).join(file);
    fs::write(&path, format!("{value}\n")).map_err(|error| explained(&path, &error))
}

pub(super) fn explained(path: &Path, error: &io::Error) -> anyhow::Error {
    let advice = match error.raw_os_error() {
        Some(libc::ENOENT) => "this kernel has no such attribute".to_owned(),
        Some(libc::EIO) if path.ends_with("rng_quality") => "this kernel cannot change it".to_owned(),
        _ => console::advice(error, Some("change only what is in use now: --now")),
    };
    anyhow!("{}: {error}; {advice}", path.display())
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none (there are no generators)".to_owned() } else { names.join(", ") }
}
