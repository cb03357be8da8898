//! The path of the provider under test.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::evp;

/// Names the module when it is in none of the usual places.
const OVERRIDE: &str = "OUTBOARD_MODULE";

/// The provider's file: named by OUTBOARD_MODULE, built next to this executable, or installed.
pub fn module() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(OVERRIDE).map(PathBuf::from) {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(format!("{OVERRIDE} names {}, which is no file", path.display()))
        };
    }
    newest_built().or_else(installed).ok_or_else(|| {
        format!("the provider module (build it: cargo build --release -p outboard-provider, or name it in {OVERRIDE})")
    })
}

/// `target/{release,debug}/liboutboard_provider.so`, whichever is newer, seen from
/// `target/*/deps/this-executable`.
fn newest_built() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let age =
        |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    executable
        .ancestors()
        .skip(1)
        .take(3)
        .flat_map(|folder| ["", "release", "debug"].map(|profile| folder.join(profile)))
        .flat_map(|folder| ["outboard.so", "liboutboard_provider.so"].map(|name| folder.join(name)))
        .filter(|path| path.is_file())
        .max_by_key(age)
}

fn installed() -> Option<PathBuf> {
    evp::modules_dir().map(|folder| folder.join("outboard.so")).filter(|path| path.is_file())
}
