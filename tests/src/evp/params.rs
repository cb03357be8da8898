//! OSSL_PARAM arrays, as far as the tests need them.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

const INTEGER: c_uint = 1;
const UNSIGNED_INTEGER: c_uint = 2;
const UTF8_STRING: c_uint = 4;
const OCTET_STRING: c_uint = 5;
const OCTET_PTR: c_uint = 7;
const UNMODIFIED: usize = usize::MAX;

/// `OSSL_PARAM` of openssl/core.h.
#[repr(C)]
pub struct OsslParam {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    pub return_size: usize,
}

impl OsslParam {
    pub fn end() -> OsslParam {
        OsslParam { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 }
    }

    pub fn int(key: &'static CStr, value: &mut c_int) -> OsslParam {
        OsslParam::new(key, INTEGER, ptr::from_mut(value).cast(), size_of::<c_int>())
    }

    pub fn uint(key: &'static CStr, value: &mut c_uint) -> OsslParam {
        OsslParam::new(key, UNSIGNED_INTEGER, ptr::from_mut(value).cast(), size_of::<c_uint>())
    }

    pub fn size(key: &'static CStr, value: &mut usize) -> OsslParam {
        OsslParam::new(key, UNSIGNED_INTEGER, ptr::from_mut(value).cast(), size_of::<usize>())
    }

    pub fn octets(key: &'static CStr, bytes: &mut [u8]) -> OsslParam {
        OsslParam::new(key, OCTET_STRING, bytes.as_mut_ptr().cast(), bytes.len())
    }

    /// A string, which is only read.
    pub fn text(key: &'static CStr, text: &CStr) -> OsslParam {
        OsslParam::new(key, UTF8_STRING, text.as_ptr().cast_mut().cast(), text.count_bytes())
    }

    /// Requests a pointer to `length` bytes.
    pub fn octet_ptr(key: &'static CStr, place: &mut *const u8, length: usize) -> OsslParam {
        OsslParam::new(key, OCTET_PTR, ptr::from_mut(place).cast(), length)
    }

    /// The names in an array.
    ///
    /// # Safety
    /// `at` is null or a terminated array.
    pub unsafe fn names(mut at: *const OsslParam) -> Vec<String> {
        let mut names = Vec::new();
        // SAFETY: the caller guarantees valid rows up to the one without a name; names are C
        // strings.
        unsafe {
            while !at.is_null() && !(*at).key.is_null() {
                names.push(CStr::from_ptr((*at).key).to_string_lossy().into_owned());
                at = at.add(1);
            }
        }
        names
    }

    fn new(key: &'static CStr, data_type: c_uint, data: *mut c_void, data_size: usize) -> OsslParam {
        OsslParam { key: key.as_ptr(), data_type, data, data_size, return_size: UNMODIFIED }
    }
}

/// The parameters that libssl sets before records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsRecords {
    /// The version on the wire: 0x0303 is TLS 1.2. libssl passes it as a signed int.
    pub version: c_int,
    /// The length of the MAC at the end of a record, 0 with encrypt-then-MAC.
    pub mac_size: usize,
}
