//! `OSSL_PARAM`: reading and setting parameters as defined in OSSL_PARAM(3) and OSSL_PARAM_int(3).

use std::ffi::{CStr, c_char, c_uint, c_void};

/// `OSSL_PARAM_UNMODIFIED`: the return size of a parameter that has not been set.
const UNMODIFIED: usize = usize::MAX;

/// Names of the parameters that outboard uses (core_names.h).
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
    /// `OSSL_CIPHER_PARAM_TLS_VERSION`: the protocol version as on the wire (0x0303); an unsigned
    /// value that libssl passes as a signed integer
    pub const TLS_VERSION: &CStr = c"tls-version";
    /// `OSSL_CIPHER_PARAM_TLS_MAC_SIZE`: bytes, size_t
    pub const TLS_MAC_SIZE: &CStr = c"tls-mac-size";
    /// `OSSL_CIPHER_PARAM_TLS_MAC`: octet pointer
    pub const TLS_MAC: &CStr = c"tls-mac";
    /// `OSSL_CIPHER_PARAM_AEAD_TAG`, octet string
    pub const AEAD_TAG: &CStr = c"tag";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_AAD`: the 13 bytes of additional data of a TLS 1.2 record,
    /// octet string
    pub const AEAD_TLS1_AAD: &CStr = c"tlsaad";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED`: the fixed part of the IV, octet string
    pub const AEAD_TLS1_IV_FIXED: &CStr = c"tlsivfixed";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN`: generates the next IV and returns its last bytes,
    /// octet string
    pub const AEAD_TLS1_GET_IV_GEN: &CStr = c"tlsivgen";
    /// `OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV`: the explicit part of the IV of a received record,
    /// octet string
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
    /// `OSSL_MAC_PARAM_DIGEST`: name of a digest, UTF-8 string
    pub const MAC_DIGEST: &CStr = c"digest";
    /// `OSSL_MAC_PARAM_PROPERTIES`: property query for the digest, UTF-8 string
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
    /// `OSSL_PROV_PARAM_CORE_VERSION`: version of the OpenSSL library, UTF-8 pointer
    pub const CORE_VERSION: &CStr = c"openssl-version";
    /// `OSSL_PROV_PARAM_CORE_PROV_NAME`: the name under which this provider was loaded, UTF-8
    /// pointer
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
    /// A [`ParamType`], stored as a number because the value comes from the caller.
    pub data_type: c_uint,
    /// Pointer to the value or to its buffer; null requests only the size.
    pub data: *mut c_void,
    /// Size of the buffer at `data`, in bytes.
    pub data_size: usize,
    /// Size of the value in bytes, set by the function that sets the value.
    pub return_size: usize,
}

// SAFETY: shared only in constant tables that describe parameters: names and types, no data.
unsafe impl Sync for Param {}

impl Param {
    /// A row of a table that lists gettable or settable parameters.
    pub const fn describe(key: &'static CStr, data_type: ParamType, size: usize) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: data_type as c_uint,
            data: std::ptr::null_mut(),
            data_size: size,
            return_size: UNMODIFIED,
        }
    }

    /// A request for a pointer to a string, which is stored in `slot`.
    pub fn construct_utf8_ptr(key: &CStr, slot: &mut *const c_char) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Utf8Ptr as c_uint,
            data: std::ptr::from_mut(slot).cast(),
            data_size: 0,
            return_size: UNMODIFIED,
        }
    }

    /// A request for a pointer to bytes, which is stored in `slot`.
    pub fn construct_octet_ptr(key: &CStr, slot: &mut *const u8) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::OctetPtr as c_uint,
            data: std::ptr::from_mut(slot).cast(),
            data_size: 0,
            return_size: UNMODIFIED,
        }
    }

    /// An unsigned value to set. `value` must outlive the use of the parameter.
    pub fn construct_uint(key: &CStr, value: &mut c_uint) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Unsigned as c_uint,
            data: std::ptr::from_mut(value).cast(),
            data_size: size_of::<c_uint>(),
            return_size: UNMODIFIED,
        }
    }

    /// Bytes to set, or a buffer to fill. `bytes` must outlive the use of the parameter.
    pub fn construct_octet_string(key: &CStr, bytes: &mut [u8]) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::OctetString as c_uint,
            data: bytes.as_mut_ptr().cast(),
            data_size: bytes.len(),
            return_size: UNMODIFIED,
        }
    }

    /// A string to set.
    pub fn construct_utf8_string(key: &CStr, text: &'static CStr) -> Param {
        Param {
            key: key.as_ptr(),
            data_type: ParamType::Utf8String as c_uint,
            data: text.as_ptr().cast_mut().cast(),
            data_size: text.count_bytes(),
            return_size: UNMODIFIED,
        }
    }

    /// A size to set. `value` must outlive the use of the parameter.
    pub fn construct_size_t(key: &CStr, value: &mut usize) -> Param {
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

/// Index of the row with the name `key`.
///
/// # Safety
/// `params` is null or an array that ends with a null key.
unsafe fn position(params: *const Param, key: &CStr) -> Option<usize> {
    if params.is_null() {
        return None;
    }
    for index in 0.. {
        // SAFETY: the caller guarantees that each row up to the one with a null key is readable.
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

/// The parameter with the name `key`, like OSSL_PARAM_locate_const(3).
///
/// # Safety
/// `params` is null or an array that ends with a null key, readable for `'a`.
pub unsafe fn locate<'a>(params: *const Param, key: &CStr) -> Option<&'a Param> {
    // SAFETY: the caller gives the same guarantee; the row at that index was read.
    unsafe { position(params, key).map(|index| &*params.add(index)) }
}

/// The parameter with the name `key`, to be set, like OSSL_PARAM_locate(3).
///
/// # Safety
/// As for [`locate`]; the array is writable for `'a` and no other reference to it exists.
pub unsafe fn locate_mut<'a>(params: *mut Param, key: &CStr) -> Option<&'a mut Param> {
    // SAFETY: the caller gives the same guarantee; the row at that index was read.
    unsafe { position(params, key).map(|index| &mut *params.add(index)) }
}

/// For each of several names the first parameter with it, and the number of those, in one pass.
///
/// # Safety
/// As for [`locate`].
pub unsafe fn locate_each<'a, const N: usize>(
    mut params: *const Param,
    keys: [&CStr; N],
) -> [(Option<&'a Param>, usize); N] {
    let mut found = [(None, 0); N];
    if params.is_null() {
        return found;
    }
    // SAFETY: the caller guarantees that each row up to the one with a null key is readable, and a
    // key is a NUL-terminated string.
    unsafe {
        while !(*params).key.is_null() {
            let name = CStr::from_ptr((*params).key);
            if let Some(place) = keys.iter().position(|key| name == *key) {
                let (first, count) = &mut found[place];
                first.get_or_insert(&*params);
                *count += 1;
            }
            params = params.add(1);
        }
    }
    found
}

/// Value of an integer parameter of 4 or 8 bytes, signed or unsigned. `None` if it is negative or
/// has another type or size.
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
    // SAFETY: the caller guarantees `data_size` bytes; an integer's buffer need not be aligned.
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

/// Sets an integer, like OSSL_PARAM_set_uint(3) and OSSL_PARAM_set_size_t(3). Returns false if the
/// caller's buffer is not an integer of 4 or 8 bytes that can represent `value`.
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
    // SAFETY: the caller guarantees `data_size` bytes.
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

/// Sets bytes, as a copy or as a pointer to `value`, depending on the type of `param`. Returns
/// false if the type is neither or the buffer is too small.
///
/// # Safety
/// `data` points to `data_size` writable bytes (an octet pointer: to a pointer), or is null. For an
/// octet pointer `value` must live as long as the context that the caller queries.
pub unsafe fn set_octets(param: &mut Param, value: &[u8]) -> bool {
    if param.data_type == ParamType::OctetPtr as c_uint {
        // SAFETY: the caller gives the same guarantee.
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
    // SAFETY: `data_size` is at least `value.len()`; the caller's buffer does not overlap the
    // context.
    unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), param.data.cast::<u8>(), value.len()) };
    true
}

/// Sets an octet pointer or UTF-8 pointer parameter, like OSSL_PARAM_set_octet_ptr(3). Returns
/// false if `param` has another type.
///
/// # Safety
/// `data` is null or points to a pointer; `at` outlives the context that the caller queries.
pub unsafe fn set_pointer(param: &mut Param, at: *const u8, len: usize) -> bool {
    if param.data_type != ParamType::OctetPtr as c_uint && param.data_type != ParamType::Utf8Ptr as c_uint {
        return false;
    }
    param.return_size = len;
    if !param.data.is_null() {
        // SAFETY: the type defines that `data` points to a pointer.
        unsafe { param.data.cast::<*const u8>().write(at) };
    }
    true
}
