//! The structures and numbers of /dev/crypto: `crypto/cryptodev.h` of cryptodev-linux since version
//! 1.6. The numbers of algorithms are in `outboard_catalog`.
//!
//! The layout of structures with pointers differs between 32-bit and 64-bit programs, and so do the
//! ioctl numbers. `P` is the pointer type; tests use an integer of either width. A 64-bit kernel
//! accepts the 32-bit form of all but [`AUTHCRYPT`].

pub const ENCRYPT: u16 = 0;

pub const DECRYPT: u16 = 1;

/// The kernel marks the driver as usable only through the kernel (CRYPTO_ALG_KERN_DRIVER_ONLY).
/// Many drivers of accelerators lack the mark.
pub const KERNEL_DRIVER_ONLY: u32 = 1;

/// Size of a name in bytes, with its NUL. The kernel truncates longer names.
pub const MAX_NAME: usize = 64;

/// `struct session_op`: a cipher and its key, or a hash, or both.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SessionOp<P> {
    pub cipher: u32,
    pub mac: u32,
    /// Bytes of `key`, at most 64.
    pub key_len: u32,
    pub key: P,
    pub mac_key_len: u32,
    pub mac_key: P,
    /// Output: the session's number.
    pub session: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AlgInfo {
    pub name: [u8; MAX_NAME],
    pub driver: [u8; MAX_NAME],
}

/// `struct session_info_op`: the drivers of a session.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SessionInfoOp {
    pub session: u32,
    /// Output, if the session has a cipher.
    pub cipher: AlgInfo,
    /// Output, if the session has a hash.
    pub hash: AlgInfo,
    /// Output: an address with none of these bits set is processed without a copy.
    pub align_mask: u16,
    /// Output: [`KERNEL_DRIVER_ONLY`].
    pub flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CryptOp<P> {
    pub session: u32,
    pub op: u16,
    /// Zero: no chunk of a message, no next IV written back, no copy of the caller's pages.
    pub flags: u16,
    /// Bytes of `source`, whole blocks.
    pub len: u32,
    pub source: P,
    /// Output; may equal `source`; null for a hash.
    pub destination: P,
    /// Output: the digest of a message.
    pub mac: P,
    pub iv: P,
}

/// `struct crypt_auth_op`: an AEAD request.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CryptAuthOp<P> {
    pub session: u32,
    pub op: u16,
    /// 0: plain AEAD.
    pub flags: u16,
    /// Bytes of `source`; for decryption, including the tag.
    pub len: u32,
    pub auth_len: u32,
    pub auth_source: P,
    /// Input; for decryption, followed by the tag.
    pub source: P,
    /// Output; for encryption, followed by the tag.
    pub destination: P,
    /// Not used by plain AEAD.
    pub tag: P,
    /// Bytes of the tag; 0 for the maximum.
    pub tag_len: u32,
    pub iv: P,
    pub iv_len: u32,
}

const IOCTL_TYPE: u32 = b'c' as u32;

/// Creates a session.
pub const GSESSION: libc::Ioctl = libc::_IOWR::<SessionOp<*const u8>>(IOCTL_TYPE, 102);

/// Ends a session by its number.
pub const FSESSION: libc::Ioctl = libc::_IOW::<u32>(IOCTL_TYPE, 103);

/// Processes a request.
pub const CRYPT: libc::Ioctl = libc::_IOWR::<CryptOp<*const u8>>(IOCTL_TYPE, 104);

/// Queries a session's drivers.
pub const GSESSINFO: libc::Ioctl = libc::_IOWR::<SessionInfoOp>(IOCTL_TYPE, 107);

/// Processes an AEAD request.
pub const AUTHCRYPT: libc::Ioctl = libc::_IOWR::<CryptAuthOp<*const u8>>(IOCTL_TYPE, 109);

#[cfg(test)]
#[path = "abi_tests.rs"]
mod tests;
