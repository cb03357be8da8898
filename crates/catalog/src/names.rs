//! Lists of names as OpenSSL's default provider writes them.

use std::ffi::CStr;

/// The first of the names in a list such as `AES-128-CBC:AES128`.
pub(crate) const fn first_name(names: &'static CStr) -> &'static str {
    let names = names.to_bytes();
    let mut end = 0;
    while end < names.len() && names[end] != b':' {
        end += 1;
    }
    match std::str::from_utf8(names.split_at(end).0) {
        Ok(name) => name,
        Err(_) => panic!("a name is not UTF-8"),
    }
}
