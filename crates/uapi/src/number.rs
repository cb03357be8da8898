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
pub const ENCRYPT: u32 = 1;

/// Operation of a slot: ciphertext to plaintext.
pub const DECRYPT: u32 = 2;

/// Operation of a slot: the digest of a message.
pub const DIGEST: u32 = 3;

/// Status of a slot between submission and completion.
pub const IN_FLIGHT: i32 = 1;

/// Size of an IV field in bytes.
pub const IV_SIZE: usize = 16;

/// Size of a digest field in bytes.
pub const DIGEST_SIZE: usize = 64;

/// The maximum tag in bytes.
pub const MAX_TAG: usize = 16;

/// Record [`Submit`](crate::Submit).
pub const SUBMIT: u16 = 1;

/// Record [`Submit`](crate::Submit): block until these submitted slots complete.
pub const AWAIT: u16 = 2;

/// Record [`Submit`](crate::Submit): add 1 to an eventfd when the request in this slot completes,
/// or at once if none is in flight.
pub const NOTIFY: u16 = 3;

/// Record [`SessionRecord`](crate::SessionRecord).
pub const SESSION_NEW: u16 = 4;

/// Record [`SessionRecord`](crate::SessionRecord): ends a session; its number can be reused at once.
pub const SESSION_FREE: u16 = 5;

/// Record [`Try`](crate::Try): puts a driver on trial, which this descriptor alone may use.
pub const TRY: u16 = 6;

/// Size of a driver's name in a record, with the NUL at its end.
pub const NAME_SIZE: usize = 128;

/// Flag of [`Try`](crate::Try): a session encrypts or decrypts, and not both.
pub const ONE_DIRECTION: u16 = 1;

/// Flag of `SUBMIT`: block until all slots complete.
pub const WAIT: u16 = 0x1;

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
