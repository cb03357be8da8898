//! Locates the configuration and the modules of the system's OpenSSL.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Locations of openssl.cnf for systems without the `openssl` command: Debian, OpenWrt, Alpine and
/// Arch; Fedora; local builds.
pub const USUAL_FILES: [&str; 3] =
    ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/usr/local/ssl/openssl.cnf"];

/// The directories that the `openssl` command reports; the command under test may use another
/// library.
pub struct OpenSsl {
    directory: Option<PathBuf>,
    modules: Option<PathBuf>,
}

pub enum Configuration {
    File(PathBuf),
    None,
    /// OPENSSL_CONF names a file that OpenSSL cannot use; OpenSSL continues without it.
    Unusable(PathBuf, std::io::Error),
}

impl OpenSsl {
    pub fn find() -> Self {
        let text = Command::new("openssl")
            .args(["version", "-d", "-m"])
            // Empty: no configuration, so that the command runs even if the configuration is
            // broken.
            .env("OPENSSL_CONF", "")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default();
        let after = |word: &str| {
            let line = text.lines().find_map(|l| l.strip_prefix(word))?;
            Some(PathBuf::from(line.trim().trim_matches('"'))).filter(|p| p.is_absolute())
        };
        Self { directory: after("OPENSSLDIR:"), modules: after("MODULESDIR:") }
    }

    pub fn modules(&self) -> Option<PathBuf> {
        std::env::var_os("OPENSSL_MODULES").map(PathBuf::from).or_else(|| self.modules.clone())
    }

    /// Returns the file of [`configuration`](Self::configuration), and a note for the user.
    pub fn file(&self) -> (Option<PathBuf>, Option<String>) {
        match self.configuration() {
            Configuration::File(path) => (Some(path), None),
            Configuration::None => (None, None),
            Configuration::Unusable(path, cause) => {
                (None, Some(format!("OPENSSL_CONF = {} is left out: {cause}", path.display())))
            }
        }
    }

    /// Returns the system's openssl.cnf, whatever OPENSSL_CONF names.
    pub fn own_file(&self) -> Option<PathBuf> {
        let own = self.directory.as_ref().map(|d| d.join("openssl.cnf"));
        let files: Vec<PathBuf> = match own {
            Some(file) => vec![file],
            None => USUAL_FILES.map(PathBuf::from).to_vec(),
        };
        files.into_iter().find(|f| readable(f))
    }

    /// Returns the configuration that a program without outboard would load.
    pub fn configuration(&self) -> Configuration {
        if let Some(named) = std::env::var_os("OPENSSL_CONF") {
            if named.is_empty() {
                return Configuration::None;
            }
            let path = std::path::absolute(&named).unwrap_or_else(|_| named.into());
            return match std::fs::File::open(&path) {
                Ok(_) => Configuration::File(path),
                Err(cause) => Configuration::Unusable(path, cause),
            };
        }
        self.own_file().map_or(Configuration::None, Configuration::File)
    }
}

fn readable(path: &Path) -> bool {
    path.is_file() && std::fs::File::open(path).is_ok()
}
