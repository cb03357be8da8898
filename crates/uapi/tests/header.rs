//! Compares the Rust definitions with the C header: every structure and number, for 64-bit and
//! 32-bit programs.
//!
//! The Rust values are written as assertions in C, which the compiler checks. Nothing has to be
//! linked or run, so any compiler that finds the kernel's headers works.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use outboard_uapi as uapi;

const HEADER: &str = "linux/outboard.h";

fn includes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kmod/include/uapi")
}

fn claim(text: &mut String, what: &str, is: impl std::fmt::Display) {
    writeln!(text, "_Static_assert({what} == {is}, \"{what}: Rust has {is}\");").expect("a string");
}

/// One structure. Without padding, its size is the sum of its fields, so a missing field is
/// detected.
macro_rules! layout {
    ($text:ident, $rust:ty, $value:expr, $c:literal, $($field:ident)*) => {
        claim($text, concat!("sizeof(struct ", $c, ")"), size_of::<$rust>());
        let value: $rust = $value;
        let mut known = 0;
        $(
            // `in` is a keyword in Rust, so two fields have longer names there.
            let in_c = match stringify!($field) { "input" => "in", "output" => "out", same => same };
            let (offset, size) = (std::mem::offset_of!($rust, $field), size_of_val(&value.$field));
            claim($text, &format!("__builtin_offsetof(struct {}, {in_c})", $c), offset);
            claim($text, &format!("sizeof(((struct {} *)0)->{in_c})", $c), size);
            known += size;
        )*
        assert_eq!(known, size_of::<$rust>(), "a field of {} is not compared", $c);
    };
}

fn layouts(text: &mut String) {
    layout!(text, uapi::Arena, uapi::Arena::default(), "outboard_arena",
        magic version arena slots slots_offset data_offset data_size align max_length max_aad reserved);
    layout!(text, uapi::Slot, uapi::Slot::EMPTY, "outboard_slot",
        session op input output length aad aad_length reserved iv cookie status reserved2 digest);
    layout!(text, uapi::Submit, uapi::Submit::default(), "outboard_submit", op flags arena first count);
    layout!(text, uapi::SessionRecord, uapi::SessionRecord::default(), "outboard_session",
        op flags session algorithm driver key_size tag_size reserved);
    let name = [0; uapi::NAME_SIZE];
    let on_trial = uapi::Try { op: uapi::TRY, flags: 0, max_length: 0, max_requests: 0, reserved: 0, name };
    layout!(text, uapi::Try, on_trial, "outboard_try", op flags max_length max_requests reserved name);
    claim(text, "_Alignof(struct outboard_slot)", align_of::<uapi::Slot>());
}

macro_rules! numbers {
    ($text:ident, $($name:ident)*) => {{
        $(claim($text, concat!("OUTBOARD_", stringify!($name)), uapi::$name);)*
        BTreeSet::from([$(concat!("OUTBOARD_", stringify!($name))),*])
    }};
}

fn numbers(text: &mut String) -> BTreeSet<&'static str> {
    numbers!(text, MAGIC VERSION DEFAULT_SLOTS MAX_SLOTS
        ENCRYPT DECRYPT DIGEST
        IN_FLIGHT IV_SIZE DIGEST_SIZE MAX_TAG
        SUBMIT AWAIT NOTIFY SESSION_NEW SESSION_FREE TRY NAME_SIZE ONE_DIRECTION WAIT MAX_KEY
        CBC_AES CTR_AES ECB_AES XTS_AES CBC_DES3 GCM_AES CCM_AES
        SHA1 SHA224 SHA256 SHA384 SHA512
        HMAC_SHA1 HMAC_SHA224 HMAC_SHA256 HMAC_SHA384 HMAC_SHA512)
}

/// All Rust definitions, as a C program.
fn claims() -> String {
    let mut text = format!("#include <{HEADER}>\n");
    layouts(&mut text);
    numbers(&mut text);
    text
}

/// Compiles a text. Returns `None`, and prints a line that says so, if the compiler is not
/// installed.
fn compile(test: &str, compiler: &str, arguments: &[&str], text: &str) -> Option<Output> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(if compiler == "c++" { "claims.cc" } else { "claims.c" });
    fs::write(&file, text).expect("a file in a folder of our own");
    let output = Command::new(compiler)
        .args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror"])
        .args(arguments)
        .arg("-I")
        .arg(includes())
        .arg(&file)
        .output();
    if output.is_err() {
        println!("SKIP: {test}: {compiler}");
    }
    output.ok()
}

fn multiarch_includes() -> String {
    let output = Command::new("cc").arg("-print-multiarch").output();
    let name = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    format!("/usr/include/{}", name.unwrap_or_default())
}

#[track_caller]
fn assert_compiles(test: &str, compiler: &str, arguments: &[&str], text: &str) {
    if let Some(output) = compile(test, compiler, arguments, text) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler} {arguments:?}:\n{stderr}");
    }
}

#[test]
fn the_header_says_the_same_to_a_64_bit_program() {
    let test = "the_header_says_the_same_to_a_64_bit_program";
    assert_compiles(test, "cc", &["-std=c11"], &claims());
}

#[test]
fn the_header_says_the_same_to_a_32_bit_program() {
    let test = "the_header_says_the_same_to_a_32_bit_program";
    // The kernel's headers of one architecture serve programs of both widths. Debian installs them
    // in a folder that the compiler does not search with -m32.
    let folder = multiarch_includes();
    let arguments = ["-std=c11", "-m32", "-isystem", &folder];
    match compile(test, "cc", &arguments, "#include <linux/types.h>\n") {
        Some(output) if output.status.success() => assert_compiles(test, "cc", &arguments, &claims()),
        Some(_) => println!("SKIP: {test}: a compiler and headers for 32-bit programs"),
        None => {}
    }
}

#[test]
fn the_header_compiles_alone_as_c_and_as_cpp() {
    let test = "the_header_compiles_alone_as_c_and_as_cpp";
    // Included twice, to test the include guard.
    let text = format!("#include <{HEADER}>\n#include <{HEADER}>\nextern int nothing;\n");
    for standard in ["-std=c90", "-std=c99", "-std=c17"] {
        assert_compiles(test, "cc", &[standard, "-pedantic"], &text);
    }
    for standard in ["-std=c++98", "-std=c++17"] {
        assert_compiles(test, "c++", &[standard, "-pedantic"], &text);
    }
}

#[test]
fn a_wrong_number_would_be_noticed() {
    let mut text = claims();
    claim(&mut text, "OUTBOARD_CBC_AES", uapi::CBC_AES + 1);
    if let Some(output) = compile("a_wrong_number_would_be_noticed", "cc", &["-std=c11"], &text) {
        assert!(!output.status.success());
    }
}

#[test]
fn no_number_of_the_header_is_missing_here() {
    let text = fs::read_to_string(includes().join(HEADER)).expect("the header");
    let defined: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_whitespace().next())
        .filter(|name| name.starts_with("OUTBOARD_"))
        .collect();
    assert_eq!(numbers(&mut String::new()), defined);
}
