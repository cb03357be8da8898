//! Relative relocations in the packed form of the gABI (DT_RELR), where the C library that this is built for reads it:
//! 45 KB of the module less, and less to do each time a process loads it.

use std::env;
use std::process::Command;

/// The first glibc that reads them.
const FROM: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    // As with symbol versions, what is built beside one C library runs with that one and newer ones; of another machine's
    // C library nothing is known here.
    let native = variable("HOST") == variable("TARGET") && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if native && glibc().is_some_and(|version| version >= FROM) {
        println!("cargo::rustc-link-arg-cdylib=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of this machine's glibc, of getconf(1).
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
