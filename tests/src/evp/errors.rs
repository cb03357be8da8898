//! OpenSSL's error queue of the calling thread, as text.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::library::library;

/// One entry of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The reason's text: "bad decrypt". None when the library that raised it has no text for it.
    pub reason: Option<String>,
    /// The data of the entry: names and values.
    pub data: String,
    /// The source file that raised it; `outboard` for errors of the provider.
    pub file: String,
    /// The whole line, as `openssl` prints it.
    pub line: String,
}

/// Empties the queue and returns what was in it, oldest first.
pub fn drain() -> Vec<Entry> {
    let library = library();
    let mut entries = Vec::new();
    loop {
        let (mut file, mut function, mut data) = (ptr::null(), ptr::null(), ptr::null());
        let (mut line, mut flags): (c_int, c_int) = (0, 0);
        // SAFETY: all five are places for one value each.
        let code = unsafe {
            (library.ERR_get_error_all)(&mut file, &mut line, &mut function, &mut data, &mut flags)
        };
        if code == 0 {
            return entries;
        }
        let mut buffer = [0 as c_char; 256];
        // SAFETY: the length is the buffer's.
        unsafe { (library.ERR_error_string_n)(code, buffer.as_mut_ptr(), buffer.len()) };
        // SAFETY: libcrypto returns a static string or NULL.
        let reason = string(unsafe { (library.ERR_reason_error_string)(code) });
        let data = string(data).unwrap_or_default();
        let file = string(file).unwrap_or_default();
        let line = format!("{}:{data}", string(buffer.as_ptr()).unwrap_or_default());
        entries.push(Entry { reason, data, file, line });
    }
}

/// Empties the queue.
pub fn clear() {
    // SAFETY: the function has no parameters.
    unsafe { (library().ERR_clear_error)() }
}

/// Empties the queue and returns its entries as lines.
pub fn text() -> String {
    drain().iter().map(|entry| entry.line.as_str()).collect::<Vec<_>>().join("\n")
}

fn string(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: if libcrypto does not return NULL, it returns a C string that lives until the
    // thread's next call.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
