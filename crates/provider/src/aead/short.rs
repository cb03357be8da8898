/// Length of a full tag in bytes; also the buffer size for shorter ones.
pub(super) const FULL_TAG: usize = 16;

/// With which GCM requests go to the accelerator: GCM hashes nonces of other lengths first.
pub(super) const GCM_NONCE: usize = 12;

/// A short byte string: a nonce, a tag, or the additional data of a record.
#[derive(Clone, Copy, Default)]
pub(super) struct Short {
    bytes: [u8; FULL_TAG],
    len: u8,
}

impl Short {
    pub(super) fn of(bytes: &[u8]) -> Option<Short> {
        let mut short = Short { bytes: [0; FULL_TAG], len: bytes.len() as u8 };
        short.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(short)
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len.into()]
    }

    pub(super) fn room(&mut self, len: usize) -> &mut [u8] {
        let room = &mut self.bytes[..len];
        self.len = len as u8;
        room
    }
}
