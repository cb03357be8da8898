//! Finds the provider's file.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::installation::OpenSsl;

/// Returns the path of the provider: the requested one, else the installed one, else the one built
/// next to this program.
pub fn find(asked: Option<&Path>, openssl: &OpenSsl) -> Result<PathBuf> {
    if let Some(path) = asked {
        if !path.is_file() {
            bail!("--module {}: there is no such file; give the path of outboard.so", path.display());
        }
        return Ok(std::path::absolute(path)?);
    }
    let own_dir = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let places: Vec<PathBuf> = [
        openssl.modules().map(|dir| dir.join("outboard.so")),
        own_dir.as_ref().map(|dir| dir.join("../lib/outboard/outboard.so")),
        own_dir.as_ref().map(|dir| dir.join("liboutboard_provider.so")),
    ]
    .into_iter()
    .flatten()
    .collect();
    match places.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.canonicalize()?),
        None => {
            let looked: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
            bail!(
                "the provider is in none of these places: {}; outboard setup names the command that installs it; or give --module PATH",
                looked.join(", ")
            )
        }
    }
}
