//! The structures and numbers of /dev/crypto: `crypto/cryptodev.h` of cryptodev-linux (the same
//! from its version 1.6 on; what is newer says so). The numbers of algorithms are in
//! `outboard_catalog`.
//!
//! The structures hold pointers, so a 32-bit program has others than a 64-bit one, and other ioctl
//! numbers with them, since a number contains its structure's size. `P` is a pointer; tests put an
//! integer of either width there. A 64-bit kernel takes the 32-bit form of all but [`AUTHCRYPT`].

/// Operation: plaintext to ciphertext.
pub const ENCRYPT: u16 = 0;

/// Operation: ciphertext to plaintext.
pub const DECRYPT: u16 = 1;

/// Flag of a request to hash: a piece of a message, which must not be empty.
pub const UPDATE: u16 = 1;

/// Flag of a request to hash: the last piece of a message that has begun.
pub const FINAL: u16 = 2;

/// Flag of a request to hash, with [`UPDATE`]: the first piece of a message.
pub const RESET: u16 = 64;

/// Flag of a session's information: the kernel marks the driver as one that programs cannot do
/// without the kernel (CRYPTO_ALG_KERN_DRIVER_ONLY). Many drivers of accelerators lack the mark.
pub const KERNEL_DRIVER_ONLY: u32 = 1;

/// Room for a name, with the NUL behind it. The kernel's own names may be longer; they are cut off.
pub const MAX_NAME: usize = 64;

/// `struct session_op`: a cipher and its key, or a hash, or both.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SessionOp<P> {
    /// Number of the cipher, 0 for none.
    pub cipher: u32,
    /// Number of the hash, 0 for none.
    pub mac: u32,
    /// Bytes of `key`, at most 64.
    pub key_len: u32,
    /// The cipher's key.
    pub key: P,
    /// Bytes of `mac_key`.
    pub mac_key_len: u32,
    /// The hash's key.
    pub mac_key: P,
    /// Answered: the session's number.
    pub session: u32,
}

/// `struct alg_info`: what an algorithm and its driver are called.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AlgInfo {
    /// The kernel's name of the algorithm.
    pub name: [u8; MAX_NAME],
    /// The driver's name.
    pub driver: [u8; MAX_NAME],
}

/// `struct session_info_op`: which drivers a session has got.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SessionInfoOp {
    /// The session's number.
    pub session: u32,
    /// Answered, if it has a cipher.
    pub cipher: AlgInfo,
    /// Answered, if it has a hash.
    pub hash: AlgInfo,
    /// Answered: addresses with none of these bits set go down without a copy.
    pub align_mask: u16,
    /// Answered: [`KERNEL_DRIVER_ONLY`].
    pub flags: u32,
}

/// `struct crypt_op`: a request.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CryptOp<P> {
    /// The session's number.
    pub session: u32,
    /// [`ENCRYPT`] or [`DECRYPT`].
    pub op: u16,
    /// 0: to hash, a whole message. [`UPDATE`], [`FINAL`], [`RESET`]; among others: write the next
    /// IV back, copy instead of handing the caller's pages to the driver.
    pub flags: u16,
    /// Bytes of `source`, whole blocks.
    pub len: u32,
    /// What goes in.
    pub source: P,
    /// Where the result goes; may be `source`; null to hash.
    pub destination: P,
    /// Where the digest of a message goes.
    pub mac: P,
    /// As long as the cipher wants it.
    pub iv: P,
}

/// `struct crypt_auth_op`: a request with authentication.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CryptAuthOp<P> {
    /// The session's number.
    pub session: u32,
    /// [`ENCRYPT`] or [`DECRYPT`].
    pub op: u16,
    /// 0: plain AEAD.
    pub flags: u16,
    /// Bytes of `source`; to decrypt, with the tag.
    pub len: u32,
    /// Bytes of `auth_source`.
    pub auth_len: u32,
    /// What is authenticated only.
    pub auth_source: P,
    /// What goes in; to decrypt, the tag is behind it.
    pub source: P,
    /// Where the result goes; encrypted, the tag is behind it.
    pub destination: P,
    /// Not used by plain AEAD.
    pub tag: P,
    /// Bytes of the tag; 0: the longest.
    pub tag_len: u32,
    /// The nonce.
    pub iv: P,
    /// Its bytes.
    pub iv_len: u32,
}

/// `struct cphash_op`: the state of a message, given to another session.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopyHashOp {
    /// The session that gets it.
    pub destination: u32,
    /// The session that has it.
    pub source: u32,
}

/// What the numbers of all ioctls have in common.
const IOCTL_TYPE: u32 = b'c' as u32;

/// ioctl: makes a session; takes a [`SessionOp`].
pub const GSESSION: libc::Ioctl = libc::_IOWR::<SessionOp<*const u8>>(IOCTL_TYPE, 102);

/// ioctl: ends a session; takes its number, a `u32`.
pub const FSESSION: libc::Ioctl = libc::_IOW::<u32>(IOCTL_TYPE, 103);

/// ioctl: a request; takes a [`CryptOp`].
pub const CRYPT: libc::Ioctl = libc::_IOWR::<CryptOp<*const u8>>(IOCTL_TYPE, 104);

/// ioctl: asks for a session's drivers; takes a [`SessionInfoOp`].
pub const GSESSINFO: libc::Ioctl = libc::_IOWR::<SessionInfoOp>(IOCTL_TYPE, 107);

/// ioctl: a request with authentication; takes a [`CryptAuthOp`].
pub const AUTHCRYPT: libc::Ioctl = libc::_IOWR::<CryptAuthOp<*const u8>>(IOCTL_TYPE, 109);

/// ioctl: copies the state of a message; takes a [`CopyHashOp`]. From version 1.10 on.
pub const CPHASH: libc::Ioctl = libc::_IOW::<CopyHashOp>(IOCTL_TYPE, 112);

#[cfg(test)]
#[path = "abi_tests.rs"]
mod tests;
