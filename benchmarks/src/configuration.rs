//! An openssl.cnf with the provider.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use outboard_openssl_conf::compose::{OutboardSection, compose};

/// Writes an openssl.cnf to `file` that activates the default provider and the provider in the file
/// `module`, with these keys in its section.
pub fn configure(file: &Path, module: &Path, keys: &[(&str, &str)]) -> Result<()> {
    let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let section = OutboardSection { module: module.to_owned(), keys };
    fs::write(file, compose(None, &section, &|_| None)?.text).with_context(|| file.display().to_string())
}
