//! The kernel module in user space (kmod/test/userland), for the fuzzer `module`. GCC has no counters
//! for libFuzzer, so `module` counts the calls of its coverage.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let to = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("module");
    let here = Path::new("../kmod/test/userland");
    let flags = ["-O1", "-fsanitize=undefined", "-fno-sanitize=alignment", "-fsanitize-undefined-trap-on-error"];
    let build = Command::new(here.join("build"))
        .args([to.as_path(), Path::new("-")])
        .args(flags)
        .args(["-fsanitize-coverage=trace-pc,trace-cmp", "-fPIC"])
        .status();
    assert!(build.is_ok_and(|status| status.success()), "the module could not be built");
    println!("cargo:rustc-link-search=native={}", to.display());
    println!("cargo:rustc-link-lib=static=module");
    println!("cargo:rerun-if-changed=../kmod");
}
