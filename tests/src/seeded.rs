//! Configurations in which OpenSSL is seeded from the hardware random number generator.

use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::command::run;
use crate::evp::{self, LibraryContext, Random};
use crate::hwrng::{Feed, missing};
use crate::module::module;
use crate::skip::skip;
use crate::world::{outboard_section, write_text};

/// The source's name.
pub const SOURCE: &str = "OUTBOARD-HWRNG";

/// A configuration with the device as seed source.
pub struct Seeded {
    /// The folder of its files.
    pub folder: TempDir,
    /// Its openssl.cnf.
    pub config: PathBuf,
}

impl Seeded {
    /// `None`, and a reported skip, where a part is missing.
    pub fn new(test: &str, settings: &[(&str, &str)]) -> Option<Seeded> {
        Seeded::with(test, settings, &format!("seed = {SOURCE}"))
    }

    /// As `new`, with these lines in the random section.
    pub fn with(test: &str, settings: &[(&str, &str)], random: &str) -> Option<Seeded> {
        let module = module().and_then(|module| missing().map_or(Ok(module), Err));
        let module = module.map_err(|missing| skip(test, missing)).ok()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = folder.path().join("openssl.cnf");
        write_text(
            &config,
            "default = default_section\noutboard = outboard_section\n",
            &outboard_section(&module, settings, true),
            &format!("random = random_section\n\n[random_section]\n{random}\n"),
        );
        Some(Seeded { folder, config })
    }

    /// A library context with this configuration.
    pub fn load(&self) -> LibraryContext {
        evp::clear();
        let context = LibraryContext::new();
        assert!(context.load_config(&self.config), "{}", evp::text());
        evp::clear();
        context
    }

    /// The source, not instantiated, in a separate library context.
    pub fn source(&self) -> Result<(LibraryContext, Random), String> {
        let context = self.load();
        let source = Random::new(&context, SOURCE, "provider=outboard").ok_or_else(evp::text)?;
        Ok((context, source))
    }

    /// A device that the test provides.
    pub fn feed(&self) -> Feed {
        Feed::new(self.folder.path())
    }

    /// `openssl rand`, for 32 bytes in hexadecimal digits.
    pub fn openssl_rand(&self, openssl: &Path) -> Output {
        run(openssl, &self.config, &["rand", "-hex", "32"])
    }
}

/// `wanted`, or an error with what was found.
pub fn check(wanted: bool, found: impl FnOnce() -> String) -> Result<(), String> {
    if wanted { Ok(()) } else { Err(found()) }
}
