//! The records that are written to the device: exactly one record per write(2).

use crate::NAME_SIZE;

/// `struct outboard_submit`: submits slots `first` … `first + count - 1` of an arena, or waits for
/// them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Submit {
    /// [`SUBMIT`](crate::SUBMIT), [`AWAIT`](crate::AWAIT) or [`NOTIFY`](crate::NOTIFY).
    pub op: u16,
    /// With `SUBMIT`: [`WAIT`](crate::WAIT) or 0.
    pub flags: u16,
    /// The arena's number.
    pub arena: u32,
    /// The first slot; with `NOTIFY` the only one.
    pub first: u32,
    /// Number of slots; with `NOTIFY` an eventfd.
    pub count: u32,
}

/// `struct outboard_session`: a driver and a key, whose bytes follow it in the same write; or the
/// session that ends.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionRecord {
    /// [`SESSION_NEW`](crate::SESSION_NEW), or [`SESSION_FREE`](crate::SESSION_FREE)
    pub op: u16,
    /// Zero.
    pub flags: u16,
    /// A number that the program chooses, not 0.
    pub session: u32,
    /// [`CBC_AES`](crate::CBC_AES), …
    pub algorithm: u16,
    /// The driver's number from sysfs; 0 for the first driver in the allow list.
    pub driver: u16,
    /// Bytes of the key that follows.
    pub key_size: u16,
    /// Bytes of a tag for AEADs, else 0.
    pub tag_size: u8,
    /// Zero.
    pub reserved: u8,
}

/// `struct outboard_try`: puts a driver on trial.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Try {
    /// [`TRY`](crate::TRY)
    pub op: u16,
    /// 0 or [`ONE_DIRECTION`](crate::ONE_DIRECTION).
    pub flags: u16,
    /// The longest request in bytes; 0: that of all drivers.
    pub max_length: u32,
    /// The most requests that the driver's engine may have; 0: as for all drivers.
    pub max_requests: u32,
    /// Zero.
    pub reserved: u32,
    /// The driver's exact name; zero from its end on.
    pub name: [u8; NAME_SIZE],
}
