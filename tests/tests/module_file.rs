//! The provider's file: its dependencies and its size.

use std::fs;
use std::path::PathBuf;

use outboard_tests::elf::{is_stripped, needed_libraries};
use outboard_tests::module::module;
use outboard_tests::skip::skip;

fn read(test: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = module().map_err(|missing| skip(test, missing)).ok()?;
    let file = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some((path, file))
}

#[test]
fn the_module_does_not_depend_on_libcrypto() {
    let Some((path, file)) = read("the_module_does_not_depend_on_libcrypto") else { return };
    let needed = needed_libraries(&file).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    assert!(
        needed.iter().any(|library| library.starts_with("libc.so")),
        "the list is that of a module: {needed:?}"
    );
    assert!(
        !needed.iter().any(|library| library.contains("crypto") || library.contains("ssl")),
        "{needed:?}"
    );
}

#[test]
fn the_released_module_is_smaller_than_900_kilobytes() {
    let test = "the_released_module_is_smaller_than_900_kilobytes";
    let Some((path, file)) = read(test) else { return };
    if !is_stripped(&file).unwrap_or_else(|problem| panic!("{}: {problem}", path.display())) {
        return skip(test, format!("a stripped module ({} is a debug build)", path.display()));
    }
    // The code is larger than that of x86-64, and no such machine has little flash memory.
    if cfg!(any(target_arch = "s390x", target_arch = "x86", target_arch = "powerpc64")) {
        return skip(test, "a processor of small machines");
    }
    assert!(file.len() < 900_000, "{}: {} bytes", path.display(), file.len());
}
