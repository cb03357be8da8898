//! `OSSL_PARAM`: reading and answering parameters as OSSL_PARAM(3) and OSSL_PARAM_int(3) say.

use std::ffi::{CStr, c_char, c_uint, c_void};

/// `OSSL_PARAM_UNMODIFIED`: the return size of a parameter that nobody has answered.
const UNMODIFIED: usize = usize::MAX;

/// The names of the parameters that outboard knows (core_names.h).
pub mod name {
    use std::ffi::CStr;

    /// `OSSL_CIPHER_PARAM_PADDING`, unsigned
    pub const PADDING: &CStr = c"padding";
    /// `OSSL_CIPHER_PARAM_NUM`, unsigned
    pub const NUM: &CStr = c"num";
    /// `OSSL_CIPHER_PARAM_IV`: the IV of the last initialisation, octet string or pointer
    pub const IV: &CStr = c"iv";
    /// `OSSL_CIPHER_PARAM_UPDATED_IV`: the running IV, octet string or pointer
    pub const UPDATED_IV: &CStr = c"updated-iv";
    /// `OSSL_CIPHER_PARAM_TLS_VERSION`: the version on the wire (0x0303), unsigned, sent as signed
    pub const TLS_VERSION: &CStr = c"tls-version";
    /// `OSSL_CIPHER_PARAM_TLS_MAC_SIZE`: bytes, size_t
    pub const TLS_MAC_SIZE: &CStr = c"tls-mac-size";
    /// `OSSL_CIPHER_PARAM_TLS_MAC`: octet pointer
    pub const TLS_MAC: &CStr = c"tls-mac";
    /// `OSSL_CIPHER_PARAM_AEAD_TAG`, octet string
    pub const AEAD_TAG: &CStr = c"tag";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_AAD`: the 13 bytes before a record of TLS 1.2, octet string
    pub const AEAD_TLS1_AAD: &CStr = c"tlsaad";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED`: the part of the IV that stays, octet string
    pub const AEAD_TLS1_IV_FIXED: &CStr = c"tlsivfixed";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN`: takes the next IV and gives its end, octet string
    pub const AEAD_TLS1_GET_IV_GEN: &CStr = c"tlsivgen";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV`: the part of the IV that a record brings, octet string
    pub const AEAD_TLS1_SET_IV_INV: &CStr = c"tlsivinv";
    /// `OSSL_CIPHER_PARAM_MODE`, unsigned
    pub const MODE: &CStr = c"mode";
    /// `OSSL_CIPHER_PARAM_KEYLEN`: bytes, size_t
    pub const KEYLEN: &CStr = c"keylen";
    /// `OSSL_CIPHER_PARAM_IVLEN`: bytes, size_t
    pub const IVLEN: &CStr = c"ivlen";
    /// `OSSL_CIPHER_PARAM_BLOCK_SIZE`: bytes, size_t
    pub const BLOCK_SIZE: &CStr = c"blocksize";
    /// `OSSL_CIPHER_PARAM_AEAD`, signed
    pub const AEAD: &CStr = c"aead";
    /// `OSSL_CIPHER_PARAM_CUSTOM_IV`, signed
    pub const CUSTOM_IV: &CStr = c"custom-iv";
    /// `OSSL_CIPHER_PARAM_CTS`, signed
    pub const CTS: &CStr = c"cts";
    /// `OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK`, signed
    pub const TLS1_MULTIBLOCK: &CStr = c"tls-multi";
    /// `OSSL_CIPHER_PARAM_HAS_RAND_KEY`, signed
    pub const HAS_RAND_KEY: &CStr = c"has-randkey";
    /// `OSSL_DIGEST_PARAM_SIZE`: bytes, size_t
    pub const DIGEST_SIZE: &CStr = c"size";
    /// `OSSL_DIGEST_PARAM_BLOCK_SIZE`: bytes, size_t
    pub const DIGEST_BLOCK_SIZE: &CStr = c"blocksize";
    /// `OSSL_DIGEST_PARAM_XOF`, signed
    pub const DIGEST_XOF: &CStr = c"xof";
    /// `OSSL_DIGEST_PARAM_ALGID_ABSENT`, signed
    pub const DIGEST_ALGID_ABSENT: &CStr = c"algid-absent";
    /// `OSSL_MAC_PARAM_DIGEST`: a digest's name, UTF-8 string
    pub const MAC_DIGEST: &CStr = c"digest";
    /// `OSSL_MAC_PARAM_PROPERTIES`: which implementations of the digest, UTF-8 string
    pub const MAC_PROPERTIES: &CStr = c"properties";
    /// `OSSL_MAC_PARAM_KEY`: octet string
    pub const MAC_KEY: &CStr = c"key";
    /// `OSSL_RAND_PARAM_STATE`, signed
    pub const RAND_STATE: &CStr = c"state";
    /// `OSSL_RAND_PARAM_STRENGTH`: bits, unsigned
    pub const RAND_STRENGTH: &CStr = c"strength";
    /// `OSSL_RAND_PARAM_MAX_REQUEST`: bytes, size_t
    pub const RAND_MAX_REQUEST: &CStr = c"max_request";
    /// `OSSL_PROV_PARAM_NAME`, UTF-8 pointer
    pub const PROVIDER_NAME: &CStr = c"name";
    /// `OSSL_PROV_PARAM_VERSION`, UTF-8 pointer
    pub const PROVIDER_VERSION: &CStr = c"version";
    /// `OSSL_PROV_PARAM_BUILDINFO`, UTF-8 pointer
    pub const PROVIDER_BUILDINFO: &CStr = c"buildinfo";
    /// `OSSL_PROV_PARAM_STATUS`, unsigned
    pub const PROVIDER_STATUS: &CStr = c"status";
    /// `OSSL_PROV_PARAM_CORE_VERSION`: OpenSSL's own version, UTF-8 pointer
    pub const CORE_VERSION: &CStr = c"openssl-version";
    /// `OSSL_PROV_PARAM_CORE_PROV_NAME`: the name under which we were loaded, UTF-8 pointer
    pub const CORE_PROVIDER_NAME: &CStr = c"provider-name";
}

/// `data_type` of `OSSL_PARAM`.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamType {
    /// `OSSL_PARAM_INTEGER`: native signed integer of any size
    Integer = 1,
    /// `OSSL_PARAM_UNSIGNED_INTEGER`: native unsigned integer of any size
    Unsigned = 2,
    /// `OSSL_PARAM_UTF8_STRING`: text in the caller's buffer
    Utf8String = 4,
    /// `OSSL_PARAM_OCTET_STRING`: bytes in the caller's buffer
    OctetString = 5,
    /// `OSSL_PARAM_UTF8_PTR`: a pointer to text that lives elsewhere
    Utf8Ptr = 6,
    /// `OSSL_PARAM_OCTET_PTR`: a pointer to bytes that live elsewhere
    OctetPtr = 7,
}

/// `OSSL_PARAM` (struct ossl_param_st).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Param {
    /// NUL-terminated name; null ends an array.
    pub key: *const c_char,
    /// A [`ParamType`], kept as a number since it comes from outside.
    pub data_type: c_uint,
    /// The value, or where to put it; null asks for the size only.
    pub data: *mut c_void,
    /// Bytes at `data`.
    pub data_size: usize,
    /// Bytes that the answer took or would take.
    pub return_size: usize,
}

// SAFETY: used in constant tables that describe parameters: names and types, no data.
unsafe impl Sync for Param {}

impl Param {
    /// A row of a table that only describes what can be got or set.
    pub const fn describe(key: &'static CStr, data_type: ParamType, size: usize) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: data_type as c_uint,
            data: std::ptr::null_mut(),
            data_size: size,
            return_size: UNMODIFIED,
        }
    }

    /// A request for a pointer to text, to be answered at `slot`.
    pub fn ask_utf8(key: &CStr, slot: &mut *const c_char) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Utf8Ptr as c_uint,
            data: std::ptr::from_mut(slot).cast(),
            data_size: 0,
            return_size: UNMODIFIED,
        }
    }

    /// A request for a pointer to bytes, to be answered at `slot`.
    pub fn ask_octets(key: &CStr, slot: &mut *const u8) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::OctetPtr as c_uint,
            data: std::ptr::from_mut(slot).cast(),
            data_size: 0,
            return_size: UNMODIFIED,
        }
    }

    /// An unsigned value to be handed over; `value` must outlive the use of the parameter.
    pub fn give_unsigned(key: &CStr, value: &mut c_uint) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Unsigned as c_uint,
            data: std::ptr::from_mut(value).cast(),
            data_size: size_of::<c_uint>(),
            return_size: UNMODIFIED,
        }
    }

    /// Bytes to be handed over, or room for them to be filled; it must outlive the use of the parameter.
    pub fn octets(key: &CStr, bytes: &mut [u8]) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::OctetString as c_uint,
            data: bytes.as_mut_ptr().cast(),
            data_size: bytes.len(),
            return_size: UNMODIFIED,
        }
    }

    /// Text to be handed over.
    pub fn utf8(key: &CStr, text: &'static CStr) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Utf8String as c_uint,
            data: text.as_ptr().cast_mut().cast(),
            data_size: text.count_bytes(),
            return_size: UNMODIFIED,
        }
    }

    /// A size to be handed over; `value` must outlive the use of the parameter.
    pub fn give_size(key: &CStr, value: &mut usize) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Unsigned as c_uint,
            data: std::ptr::from_mut(value).cast(),
            data_size: size_of::<usize>(),
            return_size: UNMODIFIED,
        }
    }
}

/// The row that ends an array (`OSSL_PARAM_END`).
pub const fn end() -> Param {
    Param { key: std::ptr::null(), data_type: 0, data: std::ptr::null_mut(), data_size: 0, return_size: 0 }
}

/// How many rows before the one called `key`.
///
/// # Safety
/// `params` is null or an array that ends with a null key.
unsafe fn position(params: *const Param, key: &CStr) -> Option<usize> {
    if params.is_null() {
        return None;
    }
    for index in 0.. {
        // SAFETY: the caller vouches for each row up to the one with a null key.
        let name = unsafe { (*params.add(index)).key };
        if name.is_null() {
            break;
        }
        // SAFETY: a key is a NUL-terminated string.
        if unsafe { CStr::from_ptr(name) } == key {
            return Some(index);
        }
    }
    None
}

/// The parameter called `key`, like OSSL_PARAM_locate_const(3).
///
/// # Safety
/// `params` is null or an array that ends with a null key, readable for `'a`.
pub unsafe fn locate<'a>(params: *const Param, key: &CStr) -> Option<&'a Param> {
    // SAFETY: the caller's promise is the same; the row at that position was read.
    unsafe { position(params, key).map(|index| &*params.add(index)) }
}

/// The parameter called `key`, to be answered, like OSSL_PARAM_locate(3).
///
/// # Safety
/// As for [`locate`]; the array is writable for `'a` and nobody else holds a reference to it.
pub unsafe fn locate_mut<'a>(params: *mut Param, key: &CStr) -> Option<&'a mut Param> {
    // SAFETY: the caller's promise is the same; the row at that position was read.
    unsafe { position(params, key).map(|index| &mut *params.add(index)) }
}

/// How many parameters are called `key`.
///
/// # Safety
/// As for [`locate`].
pub unsafe fn count(mut params: *const Param, key: &CStr) -> usize {
    let mut found = 0;
    // SAFETY: the caller vouches for each row up to the one with a null key.
    while let Some(place) = unsafe { position(params, key) } {
        found += 1;
        // SAFETY: as above; a row was there, so the next one is or ends the array.
        params = unsafe { params.add(place + 1) };
    }
    found
}

/// The value of an integer parameter of 4 or 8 bytes, signed or not, if it is not negative.
///
/// # Safety
/// `data` points to `data_size` readable bytes, or is null.
pub unsafe fn get_u64(param: &Param) -> Option<u64> {
    if param.data.is_null() {
        return None;
    }
    let signed = match param.data_type {
        t if t == ParamType::Integer as c_uint => true,
        t if t == ParamType::Unsigned as c_uint => false,
        _ => return None,
    };
    // SAFETY: the caller vouches for `data_size` bytes; an integer's buffer need not be aligned.
    unsafe {
        match (param.data_size, signed) {
            (4, false) => Some(param.data.cast::<u32>().read_unaligned().into()),
            (8, false) => Some(param.data.cast::<u64>().read_unaligned()),
            (4, true) => param.data.cast::<i32>().read_unaligned().try_into().ok(),
            (8, true) => param.data.cast::<i64>().read_unaligned().try_into().ok(),
            _ => None,
        }
    }
}

/// Answers with a number, like OSSL_PARAM_set_uint(3) and OSSL_PARAM_set_size_t(3). False if the caller's buffer
/// is not a 4 or 8 byte integer that can hold it.
///
/// # Safety
/// `data` points to `data_size` writable bytes, or is null.
pub unsafe fn set_unsigned(param: &mut Param, value: u64) -> bool {
    let signed = match param.data_type {
        t if t == ParamType::Integer as c_uint => true,
        t if t == ParamType::Unsigned as c_uint => false,
        _ => return false,
    };
    if param.data.is_null() {
        param.return_size = size_of::<u64>();
        return true;
    }
    // SAFETY: the caller vouches for `data_size` bytes.
    let fits = unsafe {
        match (param.data_size, signed) {
            (4, false) => u32::try_from(value).map(|v| param.data.cast::<u32>().write_unaligned(v)).is_ok(),
            (4, true) => i32::try_from(value).map(|v| param.data.cast::<i32>().write_unaligned(v)).is_ok(),
            (8, false) => {
                param.data.cast::<u64>().write_unaligned(value);
                true
            }
            (8, true) => i64::try_from(value).map(|v| param.data.cast::<i64>().write_unaligned(v)).is_ok(),
            _ => false,
        }
    };
    if fits {
        param.return_size = param.data_size;
    }
    fits
}

/// Answers with bytes, as a copy or as a pointer to `value`, whichever was asked for.
///
/// # Safety
/// `data` points to `data_size` writable bytes (an octet pointer: to a pointer), or is null; for an
/// octet pointer `value` must live as long as the context that answers.
pub unsafe fn set_octets(param: &mut Param, value: &[u8]) -> bool {
    if param.data_type == ParamType::OctetPtr as c_uint {
        // SAFETY: the caller's promise is the same.
        return unsafe { set_pointer(param, value.as_ptr(), value.len()) };
    }
    if param.data_type != ParamType::OctetString as c_uint {
        return false;
    }
    param.return_size = value.len();
    if param.data.is_null() {
        return true;
    }
    if param.data_size < value.len() {
        return false;
    }
    // SAFETY: room for `value.len()` bytes was checked; the caller's buffer is not our context.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), param.data.cast::<u8>(), value.len()) };
    true
}

/// Answers an octet or UTF-8 pointer parameter, like OSSL_PARAM_set_octet_ptr(3).
///
/// # Safety
/// `data` is null or points to a pointer; `at` outlives the context that answers.
pub unsafe fn set_pointer(param: &mut Param, at: *const u8, len: usize) -> bool {
    if param.data_type != ParamType::OctetPtr as c_uint && param.data_type != ParamType::Utf8Ptr as c_uint {
        return false;
    }
    param.return_size = len;
    if !param.data.is_null() {
        // SAFETY: the type says that `data` holds a pointer.
        unsafe { param.data.cast::<*const u8>().write(at) };
    }
    true
}
