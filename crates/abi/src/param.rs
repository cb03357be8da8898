//! `OSSL_PARAM`: reading and setting parameters as defined in OSSL_PARAM(3) and OSSL_PARAM_int(3).

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr::{from_mut, null, null_mut};

/// `OSSL_PARAM_UNMODIFIED`: the return size of a parameter that has not been set.
const UNMODIFIED: usize = usize::MAX;

macro_rules! names {
    ($($name:ident = $text:literal, $documentation:literal;)*) => {
        /// Names of the parameters that outboard uses (core_names.h).
        pub mod name {
            use std::ffi::CStr;

            $(#[doc = $documentation] pub const $name: &CStr = $text;)*
        }
    };
}

#[rustfmt::skip]
names! {
    PADDING = c"padding", "OSSL_CIPHER_PARAM_PADDING, unsigned";
    NUM = c"num", "OSSL_CIPHER_PARAM_NUM, unsigned";
    IV = c"iv", "OSSL_CIPHER_PARAM_IV: of the last initialisation, octet string or pointer";
    UPDATED_IV = c"updated-iv", "OSSL_CIPHER_PARAM_UPDATED_IV: the running IV, octet string or pointer";
    TLS_VERSION = c"tls-version", "OSSL_CIPHER_PARAM_TLS_VERSION: as on the wire; unsigned, signed from libssl";
    TLS_MAC_SIZE = c"tls-mac-size", "OSSL_CIPHER_PARAM_TLS_MAC_SIZE: bytes, size_t";
    TLS_MAC = c"tls-mac", "OSSL_CIPHER_PARAM_TLS_MAC: octet pointer";
    AEAD_TAG = c"tag", "OSSL_CIPHER_PARAM_AEAD_TAG, octet string";
    AEAD_TLS1_AAD = c"tlsaad", "OSSL_CIPHER_PARAM_AEAD_TLS1_AAD: of a TLS 1.2 record, 13 octets";
    AEAD_TLS1_IV_FIXED = c"tlsivfixed", "OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED: of the IV, octet string";
    AEAD_TLS1_GET_IV_GEN = c"tlsivgen", "OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN: the end of the next IV, octet string";
    AEAD_TLS1_SET_IV_INV = c"tlsivinv", "OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV: of a received record, octet string";
    MODE = c"mode", "OSSL_CIPHER_PARAM_MODE, unsigned";
    KEYLEN = c"keylen", "OSSL_CIPHER_PARAM_KEYLEN: bytes, size_t";
    IVLEN = c"ivlen", "OSSL_CIPHER_PARAM_IVLEN: bytes, size_t";
    BLOCK_SIZE = c"blocksize", "OSSL_CIPHER_PARAM_BLOCK_SIZE: bytes, size_t";
    AEAD = c"aead", "OSSL_CIPHER_PARAM_AEAD, signed";
    CUSTOM_IV = c"custom-iv", "OSSL_CIPHER_PARAM_CUSTOM_IV, signed";
    CTS = c"cts", "OSSL_CIPHER_PARAM_CTS, signed";
    TLS1_MULTIBLOCK = c"tls-multi", "OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, signed";
    HAS_RAND_KEY = c"has-randkey", "OSSL_CIPHER_PARAM_HAS_RAND_KEY, signed";
    DIGEST_SIZE = c"size", "OSSL_DIGEST_PARAM_SIZE: bytes, size_t";
    DIGEST_BLOCK_SIZE = c"blocksize", "OSSL_DIGEST_PARAM_BLOCK_SIZE: bytes, size_t";
    DIGEST_XOF = c"xof", "OSSL_DIGEST_PARAM_XOF, signed";
    DIGEST_ALGID_ABSENT = c"algid-absent", "OSSL_DIGEST_PARAM_ALGID_ABSENT, signed";
    MAC_DIGEST = c"digest", "OSSL_MAC_PARAM_DIGEST: name of a digest, UTF-8 string";
    MAC_PROPERTIES = c"properties", "OSSL_MAC_PARAM_PROPERTIES: a query for the digest, UTF-8 string";
    MAC_KEY = c"key", "OSSL_MAC_PARAM_KEY: octet string";
    RAND_STATE = c"state", "OSSL_RAND_PARAM_STATE, signed";
    RAND_STRENGTH = c"strength", "OSSL_RAND_PARAM_STRENGTH: bits, unsigned";
    RAND_MAX_REQUEST = c"max_request", "OSSL_RAND_PARAM_MAX_REQUEST: bytes, size_t";
    PROVIDER_NAME = c"name", "OSSL_PROV_PARAM_NAME, UTF-8 pointer";
    PROVIDER_VERSION = c"version", "OSSL_PROV_PARAM_VERSION, UTF-8 pointer";
    PROVIDER_BUILDINFO = c"buildinfo", "OSSL_PROV_PARAM_BUILDINFO, UTF-8 pointer";
    PROVIDER_STATUS = c"status", "OSSL_PROV_PARAM_STATUS, unsigned";
    CORE_VERSION = c"openssl-version", "OSSL_PROV_PARAM_CORE_VERSION: that of OpenSSL, UTF-8 pointer";
    CORE_PROVIDER_NAME = c"provider-name", "OSSL_PROV_PARAM_CORE_PROV_NAME: the name of this provider, UTF-8 pointer";
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
    const fn new(key: *const c_char, data_type: ParamType, data: *mut c_void, data_size: usize) -> Param {
        Param { key, data_type: data_type as c_uint, data, data_size, return_size: UNMODIFIED }
    }

    /// A row of a table that lists gettable or settable parameters.
    pub const fn describe(key: &'static CStr, data_type: ParamType, size: usize) -> Param {
        Param::new(key.as_ptr(), data_type, null_mut(), size)
    }

    /// A request for a pointer to a string, which is stored in `slot`.
    pub fn construct_utf8_ptr(key: &CStr, slot: &mut *const c_char) -> Param {
        Param::new(key.as_ptr(), ParamType::Utf8Ptr, from_mut(slot).cast(), 0)
    }

    /// A request for a pointer to bytes, which is stored in `slot`.
    pub fn construct_octet_ptr(key: &CStr, slot: &mut *const u8) -> Param {
        Param::new(key.as_ptr(), ParamType::OctetPtr, from_mut(slot).cast(), 0)
    }

    /// An unsigned value to set. `value` must outlive the use of the parameter.
    pub fn construct_uint(key: &CStr, value: &mut c_uint) -> Param {
        Param::new(key.as_ptr(), ParamType::Unsigned, from_mut(value).cast(), size_of::<c_uint>())
    }

    /// Bytes to set, or a buffer to fill. `bytes` must outlive the use of the parameter.
    pub fn construct_octet_string(key: &CStr, bytes: &mut [u8]) -> Param {
        Param::new(key.as_ptr(), ParamType::OctetString, bytes.as_mut_ptr().cast(), bytes.len())
    }

    /// A string to set.
    pub fn construct_utf8_string(key: &CStr, text: &'static CStr) -> Param {
        let at = text.as_ptr().cast_mut().cast();
        Param::new(key.as_ptr(), ParamType::Utf8String, at, text.count_bytes())
    }

    /// A size to set. `value` must outlive the use of the parameter.
    pub fn construct_size_t(key: &CStr, value: &mut usize) -> Param {
        Param::new(key.as_ptr(), ParamType::Unsigned, from_mut(value).cast(), size_of::<usize>())
    }

    fn is_a(&self, data_type: ParamType) -> bool {
        self.data_type == data_type as c_uint
    }

    /// Whether it is a signed integer; `None` if it is no integer.
    fn is_signed(&self) -> Option<bool> {
        let is_signed = self.is_a(ParamType::Integer);
        (is_signed || self.is_a(ParamType::Unsigned)).then_some(is_signed)
    }
}

/// The row that ends an array (`OSSL_PARAM_END`).
pub const fn end() -> Param {
    Param { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 }
}

/// The parameters that a caller passes, or null.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Params<'a> {
    at: *const Param,
    rows: PhantomData<&'a [Param]>,
}

impl<'a> Params<'a> {
    /// # Safety
    /// `at` is null or an array that ends with a null key. For `'a` it is readable, with the name and
    /// the data of each row, and nothing else writes them.
    #[inline]
    pub unsafe fn new(at: *const Param) -> Params<'a> {
        Params { at, rows: PhantomData }
    }

    /// The array, or null.
    #[inline]
    pub fn as_ptr(self) -> *const Param {
        self.at
    }

    /// The rows before the one with a null key.
    pub fn rows(self) -> impl Iterator<Item = Value<'a>> {
        let mut at = self.at;
        std::iter::from_fn(move || {
            // SAFETY: guaranteed by the caller of `new`: this is null, or not behind the last row.
            let row = unsafe { at.as_ref() }.filter(|row| !row.key.is_null())?;
            // SAFETY: as above: the last row has a null key, so this is not the last one.
            at = unsafe { at.add(1) };
            Some(Value(row))
        })
    }

    /// The parameter with the name `key`, like OSSL_PARAM_locate_const(3).
    pub fn get(self, key: &CStr) -> Option<Value<'a>> {
        self.rows().find(|row| row.key() == key)
    }

    /// For each of several names the first parameter with it, and the number of those, in one pass.
    pub fn get_each<const N: usize>(self, keys: [&CStr; N]) -> [(Option<Value<'a>>, usize); N] {
        let mut found = [(None, 0); N];
        for row in self.rows() {
            let name = row.key();
            if let Some(place) = keys.iter().position(|key| name == *key) {
                let (first, count) = &mut found[place];
                first.get_or_insert(row);
                *count += 1;
            }
        }
        found
    }

    /// Whether the parameters are the one with this name and nothing else.
    #[inline]
    pub fn is_alone(self, name: &CStr) -> bool {
        if self.at.is_null() {
            return false;
        }
        // SAFETY: guaranteed by the caller of `new`: a row that is not the end row is followed by
        // another one, and its key is a string. No byte after its end is read.
        unsafe {
            let key = (*self.at).key.cast::<u8>();
            let name = name.to_bytes_with_nul();
            !key.is_null()
                && name.iter().enumerate().all(|(index, byte)| key.add(index).read() == *byte)
                && (*self.at.add(1)).key.is_null()
        }
    }
}

/// A parameter that a caller passes.
#[derive(Clone, Copy)]
pub struct Value<'a>(&'a Param);

impl<'a> Value<'a> {
    /// The name.
    pub fn key(self) -> &'a CStr {
        // SAFETY: guaranteed by the caller of `Params::new`; the row is not the last one.
        unsafe { CStr::from_ptr(self.0.key) }
    }

    /// The row, to be passed on.
    pub fn row(self) -> Param {
        *self.0
    }

    /// Whether it has this type.
    pub fn is_a(self, data_type: ParamType) -> bool {
        self.0.is_a(data_type)
    }

    /// The size of the value in bytes.
    pub fn size(self) -> usize {
        self.0.data_size
    }

    /// An integer of 4 or 8 bytes, signed or unsigned. `None` if it is negative or has another type
    /// or size.
    pub fn as_u64(self) -> Option<u64> {
        let Param { data, data_size, .. } = *self.0;
        let signed = self.0.is_signed().filter(|_| !data.is_null())?;
        // SAFETY: guaranteed by the caller of `Params::new`; an integer need not be aligned.
        unsafe {
            match (data_size, signed) {
                (4, false) => Some(data.cast::<u32>().read_unaligned().into()),
                (8, false) => Some(data.cast::<u64>().read_unaligned()),
                (4, true) => data.cast::<i32>().read_unaligned().try_into().ok(),
                (8, true) => data.cast::<i64>().read_unaligned().try_into().ok(),
                _ => None,
            }
        }
    }

    /// The bytes of a string of this type. `None` if it has another type or a null pointer.
    pub fn bytes(self, data_type: ParamType) -> Option<&'a [u8]> {
        let Param { data, data_size, .. } = *self.0;
        let is_usual = self.0.is_a(data_type) && !data.is_null();
        // SAFETY: guaranteed by the caller of `Params::new`.
        is_usual.then(|| unsafe { std::slice::from_raw_parts(data.cast(), data_size) })
    }
}

/// The parameters that a caller requests, or null.
pub struct Requested<'a> {
    at: *mut Param,
    rows: PhantomData<&'a mut [Param]>,
}

impl Requested<'_> {
    /// # Safety
    /// `at` is null or an array that ends with a null key. For `'a` it is readable and writable, with
    /// the buffer of each row, and nothing else refers to them.
    #[inline]
    pub unsafe fn new(at: *mut Param) -> Self {
        Requested { at, rows: PhantomData }
    }

    /// The array, or null.
    pub fn as_mut_ptr(&mut self) -> *mut Param {
        self.at
    }

    /// Whether a parameter with the name `key` is requested.
    pub fn has(&self, key: &CStr) -> bool {
        self.params().get(key).is_some()
    }

    /// The size of the buffer if an octet string with this name is all that is requested.
    pub fn size_of_only(&self, key: &CStr) -> Option<usize> {
        let first = self.params().rows().next().filter(|_| self.params().is_alone(key))?;
        first.bytes(ParamType::OctetString).map(<[u8]>::len)
    }

    fn params(&self) -> Params<'_> {
        // SAFETY: guaranteed by the caller of `new`; nothing is written while it is borrowed.
        unsafe { Params::new(self.at) }
    }

    /// The parameter with the name `key`, like OSSL_PARAM_locate(3).
    fn row(&mut self, key: &CStr) -> Option<&mut Param> {
        // A single row needs no search.
        let is_alone = self.params().is_alone(key);
        let place = if is_alone { 0 } else { self.params().rows().position(|row| row.key() == key)? };
        // SAFETY: guaranteed by the caller of `new`; the row was read.
        Some(unsafe { &mut *self.at.add(place) })
    }

    /// Sets an integer if it is requested, like OSSL_PARAM_set_uint(3) and OSSL_PARAM_set_size_t(3).
    /// Returns false if the buffer is not an integer of 4 or 8 bytes that can represent `value`.
    pub fn set_unsigned(&mut self, key: &CStr, value: u64) -> bool {
        let Some(row) = self.row(key) else { return true };
        let Some(signed) = row.is_signed() else { return false };
        if row.data.is_null() {
            row.return_size = size_of::<u64>();
            return true;
        }
        let data = row.data;
        // SAFETY: guaranteed by the caller of `new`; an integer need not be aligned.
        let fits = unsafe {
            match (row.data_size, signed) {
                (4, false) => u32::try_from(value).map(|v| data.cast::<u32>().write_unaligned(v)).is_ok(),
                (4, true) => i32::try_from(value).map(|v| data.cast::<i32>().write_unaligned(v)).is_ok(),
                (8, false) => {
                    data.cast::<u64>().write_unaligned(value);
                    true
                }
                (8, true) => i64::try_from(value).map(|v| data.cast::<i64>().write_unaligned(v)).is_ok(),
                _ => false,
            }
        };
        if fits {
            row.return_size = row.data_size;
        }
        fits
    }

    /// Copies bytes if they are requested. Returns false if the type is another one or the buffer too
    /// small.
    pub fn set_octets(&mut self, key: &CStr, value: &[u8]) -> bool {
        let Some(row) = self.row(key) else { return true };
        if !row.is_a(ParamType::OctetString) {
            return false;
        }
        row.return_size = value.len();
        if row.data.is_null() {
            return true;
        }
        if row.data_size < value.len() {
            return false;
        }
        // SAFETY: guaranteed by the caller of `new`: the buffer is other memory than `value`.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), row.data.cast(), value.len()) };
        true
    }

    /// Sets an octet pointer or UTF-8 pointer if it is requested, like OSSL_PARAM_set_octet_ptr(3).
    /// Returns false if the type is another one.
    ///
    /// # Safety
    /// `value` lives as long as the context that the caller queries.
    pub unsafe fn set_pointer(&mut self, key: &CStr, value: &[u8]) -> bool {
        let Some(row) = self.row(key) else { return true };
        if !row.is_a(ParamType::OctetPtr) && !row.is_a(ParamType::Utf8Ptr) {
            return false;
        }
        row.return_size = value.len();
        if !row.data.is_null() {
            // SAFETY: the type defines that `data` points to a pointer.
            unsafe { row.data.cast::<*const u8>().write(value.as_ptr()) };
        }
        true
    }
}
