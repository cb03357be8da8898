//! Where this system's OpenSSL keeps its configuration and its modules.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where openssl.cnf is on systems without the `openssl` command: Debian, OpenWrt, Alpine, Arch; Fedora; own builds.
const USUAL_FILES: [&str; 3] =
    ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/usr/local/ssl/openssl.cnf"];

/// What the `openssl` command says about its library; the command that is proven may use another one.
pub struct OpenSsl {
    directory: Option<PathBuf>,
    modules: Option<PathBuf>,
}

/// The configuration in force before outboard.
pub enum Configuration {
    /// An absolute path to a file that is there.
    File(PathBuf),
    /// None, and nothing to say about that.
    None,
    /// OPENSSL_CONF names a file that OpenSSL cannot use: it goes on without.
    Unusable(PathBuf, std::io::Error),
}

impl OpenSsl {
    /// Asks `openssl version`.
    pub fn find() -> Self {
        let text = Command::new("openssl")
            .args(["version", "-d", "-m"])
            // Empty: no configuration, so that a broken one cannot keep it from answering.
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

    /// The directory that modules are loaded from.
    pub fn modules(&self) -> Option<PathBuf> {
        std::env::var_os("OPENSSL_MODULES").map(PathBuf::from).or_else(|| self.modules.clone())
    }

    /// The file of [`configuration`](Self::configuration), and what the user should know about it.
    pub fn file(&self) -> (Option<PathBuf>, Option<String>) {
        match self.configuration() {
            Configuration::File(path) => (Some(path), None),
            Configuration::None => (None, None),
            Configuration::Unusable(path, cause) => {
                (None, Some(format!("OPENSSL_CONF = {} is left out: {cause}", path.display())))
            }
        }
    }

    /// The configuration that a program without outboard would load.
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
        let own = self.directory.as_ref().map(|d| d.join("openssl.cnf"));
        let files: Vec<PathBuf> = match own {
            Some(file) => vec![file],
            None => USUAL_FILES.map(PathBuf::from).to_vec(),
        };
        files.into_iter().find(|f| readable(f)).map_or(Configuration::None, Configuration::File)
    }
}

fn readable(path: &Path) -> bool {
    path.is_file() && std::fs::File::open(path).is_ok()
}
