//! The numbers of the interface: operations, records, flags, limits and algorithms.

/// "OBRD" in little-endian byte order.
pub const MAGIC: u32 = 0x4452_424f;

/// Version of the interface.
pub const VERSION: u32 = 1;

/// Slots of an arena mapped at offset 0.
pub const DEFAULT_SLOTS: u32 = 64;

/// The maximum number of slots of an arena.
pub const MAX_SLOTS: u32 = 4096;

/// Operation of a slot: plaintext to ciphertext.
pub const ENCRYPT: u8 = 1;

/// Operation of a slot: ciphertext to plaintext.
pub const DECRYPT: u8 = 2;

/// Operation of a slot: a hash handle processes a chunk.
pub const HASH_UPDATE: u8 = 3;

/// Operation of a slot: a hash handle processes the last chunk and returns the digest.
pub const HASH_FINAL: u8 = 4;

/// Operation of a slot: the digest of a whole message, with a session.
pub const HASH_DIGEST: u8 = 5;

/// Flag of a slot: the chunk begins a new message.
pub const HASH_FIRST: u8 = 0x1;

/// Status of a slot between submission and completion.
pub const IN_FLIGHT: i32 = 1;

/// Size of an IV field in bytes.
pub const IV_SIZE: usize = 16;

/// Size of a digest field in bytes.
pub const DIGEST_SIZE: usize = 64;

/// The maximum tag in bytes: a digest of SHA-256.
pub const MAX_TAG: usize = 32;

/// Record [`Submit`](crate::Submit).
pub const SUBMIT: u16 = 1;

/// Record [`SessionNew`](crate::SessionNew).
pub const SESSION_NEW: u16 = 2;

/// Record [`Object`](crate::Object): ends a session; its number can be reused at once.
pub const SESSION_FREE: u16 = 3;

/// Record [`Object`](crate::Object): creates a hash handle for a session.
pub const HASH_NEW: u16 = 4;

/// Record [`Object`](crate::Object): copies a hash handle with its state.
pub const HASH_CLONE: u16 = 5;

/// Record [`Object`](crate::Object): ends a hash handle; its number can be reused at once.
pub const HASH_FREE: u16 = 6;

/// Record [`Submit`](crate::Submit): block until these submitted slots complete.
pub const AWAIT: u16 = 7;

/// Record [`Submit`](crate::Submit): add 1 to an eventfd when the request in this slot completes,
/// or at once if none is in flight.
pub const NOTIFY: u16 = 8;

/// Record [`Object`](crate::Object): reports a wrong result of the driver with this number in the
/// allow list.
pub const REPORT: u16 = 9;

/// Record [`Try`](crate::Try): puts a driver on trial, which this descriptor alone may use.
pub const TRY: u16 = 10;

/// Size of a driver's name in a record, with the NUL at its end.
pub const NAME_SIZE: usize = 128;

/// Flag of `SUBMIT`: block until all slots complete.
pub const WAIT: u16 = 0x1;

/// Flag of `SESSION_NEW`: the key is in the kernel's keyring.
pub const KEY_SERIAL: u16 = 0x1;
/// Flag of `SESSION_NEW`: every process that has the descriptor may use the session. Only its creator
/// may free it.
pub const SHARED: u16 = 0x2;

/// The maximum key in bytes.
pub const MAX_KEY: usize = 256;

/// AES in CBC mode.
pub const CBC_AES: u16 = 1;

/// AES in counter mode.
pub const CTR_AES: u16 = 2;

/// AES in ECB mode.
pub const ECB_AES: u16 = 3;

/// AES in XTS mode.
pub const XTS_AES: u16 = 4;

/// Triple DES in CBC mode.
pub const CBC_DES3: u16 = 5;

/// AES in Galois/counter mode.
pub const GCM_AES: u16 = 16;

/// AES in CCM mode.
pub const CCM_AES: u16 = 17;

/// AES in CBC mode, then HMAC with SHA-1 of AAD and ciphertext.
pub const AUTHENC_HMAC_SHA1_CBC_AES: u16 = 18;

/// AES in CBC mode, then HMAC with SHA-256 of AAD and ciphertext.
pub const AUTHENC_HMAC_SHA256_CBC_AES: u16 = 19;

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
