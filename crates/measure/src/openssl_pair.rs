//! An OpenSSL with the provider and one without, to compare what applications get.

use std::fs;
use std::path::{Path, PathBuf};

use crate::evp::{Context, Library};
use anyhow::{Context as _, Result};
use outboard_catalog::{Algorithm, kernel_name};
use outboard_counters::{Counts, Decision, Table};
use outboard_openssl_conf::compose::{OutboardSection, compose};
use tempfile::TempDir;

use crate::measuring::PREFIX;

/// Key stream of one context at most, in bytes: the default of LOOKAHEAD_WINDOW. So many bytes are
/// used untimed before each sample: the engine fills the window while others are measured, which no
/// busy stream can count on.
const WINDOW: usize = 512 << 10;

/// The number of requests of `bytes` bytes that use a window of key stream: at least one.
pub fn window_requests(bytes: usize) -> u32 {
    (WINDOW / bytes.max(1)).max(1) as u32
}

/// The smallest number of requests of `bytes` bytes in a sample. They use four windows of key stream,
/// so that one window which the engine computed untimed, or too late on a busy host, matters little.
pub fn sample_requests(bytes: usize) -> u32 {
    window_requests(bytes).saturating_mul(4)
}

/// Share of the bytes in percent that must find key stream for a figure of look-ahead. An engine that
/// is about as fast as software shares the work with it, which wins where one alone does not.
const TENTH: f64 = 10.0;

/// Returns the share of `bytes` bytes in percent that found key stream: `used` bytes.
pub fn ahead_percent(used: u64, bytes: u64) -> f64 {
    used as f64 / bytes.max(1) as f64 * 100.0
}

/// Returns why a figure is not one of look-ahead, if less than a tenth of the bytes found key stream.
pub fn too_little_ahead(percent: f64) -> Option<String> {
    (percent < TENTH).then(|| format!("only {percent:.0} % of the bytes found key stream"))
}

/// Returns the smallest request in bytes for which look-ahead of a cipher can win; `None` if it does
/// not support the cipher.
pub fn shortest_ahead(cipher: &str) -> Option<usize> {
    kernel_name(cipher).and_then(Algorithm::by_kernel_name)?.shortest_ahead()
}

/// Returns whether look-ahead supports a cipher.
pub fn has_key_stream(cipher: &str) -> bool {
    shortest_ahead(cipher).is_some()
}

pub struct OpensslPair {
    table: Table,
    library: Library,
    configuration: PathBuf,
    _folder: TempDir,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    pub driver: String,
    pub interface: String,
}

impl OpensslPair {
    /// Writes a configuration that sends every request that a driver supports to a driver,
    /// independent of the saved policy, and not by look-ahead.
    pub fn new(module: &Path, ciphers: &[&str]) -> Result<OpensslPair> {
        OpensslPair::with_keys(module, ciphers, &[("THRESHOLDS", "ALL:1"), ("LOOKAHEAD", "OFF")])
    }

    /// Writes a configuration with these keys, independent of the saved policy.
    pub fn with_keys(module: &Path, ciphers: &[&str], own: &[(&str, &str)]) -> Result<OpensslPair> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir();
        let folder =
            folder.context("no directory for a few small files; point TMPDIR to one with some space")?;
        let (counters, configuration) = (folder.path().join("counters"), folder.path().join("openssl.cnf"));
        let table = Table::create(&counters)?;
        let keys = [
            ("CIPHERS", ciphers.join(",")),
            ("POLICY", "NONE".to_owned()),
            // Disables the comparisons that are due by time, of which turns would have more than use
            // has, and the random ones.
            ("SHADOW_CHECKS", "0".to_owned()),
            ("COUNTERS", counters.to_string_lossy().into_owned()),
        ];
        let own = own.iter().map(|(key, value)| (*key, (*value).to_owned()));
        let keys = keys.into_iter().chain(own).map(|(key, value)| (key.to_owned(), value)).collect();
        let text = compose(None, &OutboardSection { module: module.to_owned(), keys }, &|_| None)?.text;
        fs::write(&configuration, text).with_context(|| {
            format!("{}: point TMPDIR to a disk with some space", configuration.display())
        })?;
        Ok(OpensslPair { table, library: Library::open()?, configuration, _folder: folder })
    }

    /// OpenSSL without outboard.
    pub fn software(&self) -> Result<Context<'_>> {
        Ok(Context::software(&self.library)?)
    }

    /// OpenSSL with outboard.
    pub fn hardware(&self) -> Result<Context<'_>> {
        Ok(Context::configured(&self.library, &self.configuration)?)
    }

    pub fn version(&self) -> String {
        self.library.version()
    }

    /// Returns the driver and the interface in use, after a cipher was fetched.
    pub fn in_use(&self) -> Option<InUse> {
        in_use(&self.table)
    }

    /// Returns the driver that computes key stream, after a cipher was fetched.
    pub fn key_stream(&self) -> Option<String> {
        self.table.decisions().into_iter().find_map(|(_, decision)| match decision {
            Decision::Offered { key_stream, .. } => key_stream.map(|source| source.driver),
            Decision::Left { .. } => None,
        })
    }

    pub fn notes(&self) -> Vec<String> {
        self.table.notes()
    }

    pub fn counts(&self, cipher: &str) -> Counts {
        let all = self.table.snapshot();
        all.into_iter().find(|(name, _)| name == cipher).map(|(_, counts)| counts).unwrap_or_default()
    }
}

/// Returns the driver and the interface that the provider chose, if it chose one.
pub fn in_use(table: &Table) -> Option<InUse> {
    table.decisions().into_iter().find_map(|(_, decision)| match decision {
        Decision::Offered { driver, interface, .. } => Some(InUse { driver, interface }),
        Decision::Left { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_ahead_supports_ctr_and_messages_of_gcm_that_are_long_enough() {
        let of = |cipher| (shortest_ahead(cipher), has_key_stream(cipher));
        assert_eq!(["AES-128-CTR", "AES-256-GCM"].map(of), [(Some(0), true), (Some(512), true)]);
        assert_eq!(["AES-128-CBC", "AES-128-CCM", "ChaCha20-Poly1305"].map(of), [(None, false); 3]);
    }
}
