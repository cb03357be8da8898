//! What lies in an arena.

use crate::{DIGEST_SIZE, IV_SIZE};

/// `struct outboard_arena`: the first bytes of an arena, written once by the module.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arena {
    /// [`MAGIC`](crate::MAGIC)
    pub magic: u32,
    /// [`VERSION`](crate::VERSION)
    pub version: u32,
    /// Its number, for [`Submit`](crate::Submit).
    pub arena: u32,
    /// How many slots it has.
    pub slots: u32,
    /// Where they begin, from the start of the mapping.
    pub slots_offset: u32,
    /// Where data may lie, from the start of the mapping.
    pub data_offset: u32,
    /// And how much of it.
    pub data_size: u32,
    /// Places of data are multiples of this power of two.
    pub align: u32,
    /// Zero.
    pub reserved: [u32; 8],
}

/// `struct outboard_slot`: one request. The module writes `status`, last, and `digest`.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The session's number.
    pub session: u32,
    /// [`ENCRYPT`](crate::ENCRYPT), [`DECRYPT`](crate::DECRYPT), …
    pub op: u8,
    /// [`HASH_FIRST`](crate::HASH_FIRST)
    pub flags: u8,
    /// Zero.
    pub reserved: u16,
    /// The hash handle's number.
    pub hash: u32,
    /// Where the input begins, from the start of the mapping.
    pub input: u32,
    /// Where the output goes: to the input's place, or not overlapping it.
    pub output: u32,
    /// Bytes of text, without tag.
    pub length: u32,
    /// Where the additional data begins.
    pub aad: u32,
    /// And how much of it.
    pub aad_length: u32,
    /// IV, tweak or nonce.
    pub iv: [u8; IV_SIZE],
    /// Ours; the module does not look at it.
    pub cookie: u64,
    /// 0 when done, a negative errno, or [`IN_FLIGHT`](crate::IN_FLIGHT).
    pub status: i32,
    /// Zero.
    pub reserved2: u32,
    /// The digest.
    pub digest: [u8; DIGEST_SIZE],
}

impl Slot {
    /// All zero: a slot that asks for nothing.
    pub const EMPTY: Slot = Slot {
        session: 0,
        op: 0,
        flags: 0,
        reserved: 0,
        hash: 0,
        input: 0,
        output: 0,
        length: 0,
        aad: 0,
        aad_length: 0,
        iv: [0; IV_SIZE],
        cookie: 0,
        status: 0,
        reserved2: 0,
        digest: [0; DIGEST_SIZE],
    };
}
