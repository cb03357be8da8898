//! The numbers.

/// "OBRD" where the low byte comes first.
pub const MAGIC: u32 = 0x4452_424f;

/// Of the interface.
pub const VERSION: u32 = 1;

/// Slots of an arena mapped at offset 0.
pub const DEFAULT_SLOTS: u32 = 64;

/// The most slots of an arena.
pub const MAX_SLOTS: u32 = 4096;

/// Operation of a slot: plaintext to ciphertext.
pub const ENCRYPT: u8 = 1;

/// Operation of a slot: ciphertext to plaintext.
pub const DECRYPT: u8 = 2;

/// Operation of a slot: a hash handle takes bytes in.
pub const HASH_UPDATE: u8 = 3;

/// Operation of a slot: a hash handle takes bytes in and gives the digest.
pub const HASH_FINAL: u8 = 4;

/// Operation of a slot: the digest of all of the bytes, by a session.
pub const HASH_DIGEST: u8 = 5;

/// Flag of a slot: a new message begins here.
pub const HASH_FIRST: u8 = 0x1;

/// Status of a slot between submission and its end.
pub const IN_FLIGHT: i32 = 1;

/// Room for an IV.
pub const IV_SIZE: usize = 16;

/// Room for a digest.
pub const DIGEST_SIZE: usize = 64;

/// The longest tag.
pub const MAX_TAG: usize = 16;

/// Record [`Submit`](crate::Submit).
pub const SUBMIT: u16 = 1;

/// Record [`SessionNew`](crate::SessionNew).
pub const SESSION_NEW: u16 = 2;

/// Record [`Object`](crate::Object): the session's number is free at once.
pub const SESSION_FREE: u16 = 3;

/// Record [`Object`](crate::Object): a hash handle for a session.
pub const HASH_NEW: u16 = 4;

/// Record [`Object`](crate::Object): a copy of a hash handle with its state.
pub const HASH_CLONE: u16 = 5;

/// Record [`Object`](crate::Object): the handle's number is free at once.
pub const HASH_FREE: u16 = 6;

/// Record [`Submit`](crate::Submit): return when these slots, submitted before, are done.
pub const AWAIT: u16 = 7;

/// Record [`Submit`](crate::Submit): the end of the request in this slot adds 1 to an eventfd; at once, if none is in flight.
pub const NOTIFY: u16 = 8;

/// Record [`Object`](crate::Object): a result of the driver with this number in root's list was wrong.
pub const REPORT: u16 = 9;

/// Flag of `SUBMIT`: return when all are done.
pub const WAIT: u16 = 0x1;

/// Flag of `SESSION_NEW`: the key is in the kernel's keyring.
pub const KEY_SERIAL: u16 = 0x1;

/// The longest key.
pub const MAX_KEY: usize = 256;

/// AES in CBC mode.
pub const CBC_AES: u16 = 1;

/// AES in counter mode.
pub const CTR_AES: u16 = 2;

/// AES block by block.
pub const ECB_AES: u16 = 3;

/// AES in XTS mode.
pub const XTS_AES: u16 = 4;

/// Triple DES in CBC mode.
pub const CBC_DES3: u16 = 5;

/// AES in Galois/counter mode.
pub const GCM_AES: u16 = 16;

/// AES in CCM mode.
pub const CCM_AES: u16 = 17;

/// SHA-1.
pub const SHA1: u16 = 32;

/// SHA-224.
pub const SHA224: u16 = 33;

/// SHA-256.
pub const SHA256: u16 = 34;

/// SHA-384.
pub const SHA384: u16 = 35;

/// SHA-512.
pub const SHA512: u16 = 36;

/// HMAC with SHA-1.
pub const HMAC_SHA1: u16 = 48;

/// HMAC with SHA-224.
pub const HMAC_SHA224: u16 = 49;

/// HMAC with SHA-256.
pub const HMAC_SHA256: u16 = 50;

/// HMAC with SHA-384.
pub const HMAC_SHA384: u16 = 51;

/// HMAC with SHA-512.
pub const HMAC_SHA512: u16 = 52;
