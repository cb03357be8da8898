use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The name under which the program was started, without its directory: of a script the script's
/// (getauxval(3), AT_EXECFN). It needs no /proc.
pub(crate) fn name() -> Option<&'static OsStr> {
    // SAFETY: it takes a number and returns a number.
    let address = unsafe { libc::getauxval(libc::AT_EXECFN) };
    let text = std::ptr::with_exposed_provenance::<c_char>(usize::try_from(address).ok()?);
    if text.is_null() {
        return None;
    }
    // SAFETY: the kernel placed this string, which ends with a zero byte, above the environment on
    // the stack of the process, where it stays.
    let path = unsafe { CStr::from_ptr(text) };
    Path::new(OsStr::from_bytes(path.to_bytes())).file_name()
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_the_name_of_the_executable() {
        let executable = std::env::current_exe().unwrap();
        assert_eq!(super::name(), executable.file_name());
    }
}
