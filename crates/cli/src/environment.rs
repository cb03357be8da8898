//! The environment of the programs that root's command starts.
//!
//! sudo(8) and su(1) may keep variables of the calling user, and PATH may have the working directory
//! in it. So a command of root finds programs in the system's directories only, and passes on only
//! what these programs need.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::OnceLock;

/// Where programs are found.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Variables that stay: where files and the terminal are, colours, the language, the agent for `--peer`, and
/// what outboard and OpenSSL read themselves.
const KEPT: [&str; 11] = [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "NO_COLOR",
    "TMPDIR",
    "TZ",
    "LANG",
    "COLUMNS",
    "SSH_AUTH_SOCK",
];
const KEPT_PREFIXES: [&str; 5] = ["LC_", "OPENSSL_", "OUTBOARD_", "RUST_", "SSL_CERT_"];

/// The environment that root's command was started with.
static CALLERS: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

/// Cleans the environment if this process is root's. Called before the first thread is started.
pub fn clean() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let all: Vec<_> = env::vars_os().collect();
    for (name, _) in all.iter().filter(|(name, _)| !is_kept(name)) {
        // SAFETY: this process has one thread.
        unsafe { env::remove_var(name) };
    }
    // SAFETY: as above.
    unsafe { env::set_var("PATH", PATH) };
    CALLERS.get_or_init(|| all);
}

/// Gives the user's own command the environment that this one was started with.
pub fn restore(command: &mut Command) {
    if let Some(all) = CALLERS.get() {
        command.env_clear().envs(all.iter().map(|(name, value)| (name, value)));
    }
}

fn is_kept(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_change_started_programs_are_removed() {
        for name in ["LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "BASH_ENV", "ENV", "IFS", "CURL_HOME"] {
            assert!(!is_kept(OsStr::new(name)), "{name}");
        }
        for name in ["HOME", "TERM", "LC_ALL", "OPENSSL_CONF", "OUTBOARD_MODULE"] {
            assert!(is_kept(OsStr::new(name)), "{name}");
        }
        assert!(env::split_paths(PATH).all(|directory| directory.is_absolute()));
    }
}
