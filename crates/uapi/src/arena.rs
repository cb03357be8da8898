//! The layout of an arena.

use crate::{DIGEST_SIZE, IV_SIZE};

/// `struct outboard_arena`: the first bytes of an arena, written once by the module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arena {
    /// [`MAGIC`](crate::MAGIC)
    pub magic: u32,
    /// [`VERSION`](crate::VERSION)
    pub version: u32,
    /// The arena's number, for [`Submit`](crate::Submit).
    pub arena: u32,
    /// Number of slots.
    pub slots: u32,
    /// Offset of the slots within the mapping, in bytes.
    pub slots_offset: u32,
    /// Offset of the data area within the mapping, in bytes.
    pub data_offset: u32,
    /// Size of the data area in bytes.
    pub data_size: u32,
    /// Data offsets must be multiples of this power of two, in bytes.
    pub align: u32,
    /// The longest `length` of a slot in bytes.
    pub max_length: u32,
    /// The longest `aad_length` of a slot in bytes.
    pub max_aad: u32,
    /// Zero.
    pub reserved: [u32; 6],
}

/// `struct outboard_slot`: one request. The module writes `status`, last, and `digest`.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The session's number.
    pub session: u32,
    /// [`ENCRYPT`](crate::ENCRYPT), [`DECRYPT`](crate::DECRYPT), …
    pub op: u32,
    /// Offset of the input within the mapping.
    pub input: u32,
    /// Offset of the output: equal to the input's, or not overlapping it.
    pub output: u32,
    /// Bytes of data, without the tag.
    pub length: u32,
    /// Offset of the additional data.
    pub aad: u32,
    /// Bytes of additional data.
    pub aad_length: u32,
    /// Zero.
    pub reserved: u32,
    /// IV, tweak or nonce.
    pub iv: [u8; IV_SIZE],
    /// For the program; the module ignores it.
    pub cookie: u64,
    /// 0 on success, a negative errno, or [`IN_FLIGHT`](crate::IN_FLIGHT).
    pub status: i32,
    /// Zero.
    pub reserved2: u32,
    /// The digest.
    pub digest: [u8; DIGEST_SIZE],
}

impl Slot {
    /// All zero: a slot without a request.
    pub const EMPTY: Slot = Slot {
        session: 0,
        op: 0,
        input: 0,
        output: 0,
        length: 0,
        aad: 0,
        aad_length: 0,
        reserved: 0,
        iv: [0; IV_SIZE],
        cookie: 0,
        status: 0,
        reserved2: 0,
        digest: [0; DIGEST_SIZE],
    };
}
