//! Compiles uci and jshn from the sources of uci and libubox that the crate libuci-sys contains.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The file after the crate's directory in cargo's list of manifests.
const MANIFEST: &str = "/libuci-sys-1.0.5/Cargo.toml\"";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    let (sources, out) = (sources(), PathBuf::from(variable("OUT_DIR")));
    let files = |directory: &str, names: &str| -> Vec<PathBuf> {
        names.split(' ').map(|name| sources.join(directory).join(name).with_extension("c")).collect()
    };
    // The debugging options of uci.
    fs::write(out.join("uci_config.h"), "").expect("a file");
    let mut uci = files("uci", "cli libuci file util delta parse blob");
    uci.extend(files("libubox", "blob blobmsg utils"));
    compile("uci", &uci, &sources, &["-DUCI_PREFIX=\"\""]);
    let mut jshn = files("libubox", "jshn blob blobmsg blobmsg_json utils avl avl-cmp");
    // Debian's, with the archive in place of the shared library, which a test machine may lack.
    jshn.push("-l:libjson-c.a".into());
    compile("jshn", &jshn, &sources, &["-DJSONC", "-I/usr/include/json-c"]);
    for script in ["uci/sh/uci.sh", "libubox/sh/jshn.sh"] {
        let script = sources.join(script);
        fs::copy(&script, out.join(script.file_name().expect("a name"))).expect("a copy");
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// The directory of the crate libuci-sys, which cargo downloads for this.
fn sources() -> PathBuf {
    let output = Command::new(variable("CARGO"))
        .args(["metadata", "--locked", "--format-version=1", "--features=sources", "--filter-platform"])
        .arg(variable("TARGET"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let before = text.split_once(MANIFEST).map(|(before, _)| before);
    let path = before.and_then(|before| before.rsplit_once('"')).map(|(_, path)| path);
    let path = path.unwrap_or_else(|| panic!("no {MANIFEST}: {}", String::from_utf8_lossy(&output.stderr)));
    Path::new(path).join(&MANIFEST[1..MANIFEST.len() - "/Cargo.toml\"".len()])
}

fn compile(program: &str, files: &[PathBuf], sources: &Path, arguments: &[&str]) {
    let out = PathBuf::from(variable("OUT_DIR"));
    // Not libubox itself, whose assert.h is not the C library's.
    let include = [sources, &sources.join("uci"), &out].map(|path| format!("-I{}", path.display()));
    let status = Command::new("cc")
        .args(["-Os", "-std=gnu99", "-w", "-s"])
        .args(include)
        .args(arguments)
        .args(files)
        .arg("-o")
        .arg(out.join(program))
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{program} needs a C compiler and libjson-c-dev");
}
