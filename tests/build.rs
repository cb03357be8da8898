//! Exports `write` from the helper that makes submissions fail, so that the provider, a shared
//! object in its process, calls it in place of libc's (ld.so(8), symbol resolution order).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bin=failing-submissions=-Wl,--export-dynamic-symbol=write");
}
