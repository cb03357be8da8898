//! Data in the machine's memory, one after the other: a pointer, or a table of scatter entries.

use std::collections::VecDeque;

use crate::registers::word;
use crate::vfio::Memory;

/// A scatter entry: an address of 64 bits, a length with two flags (a table follows; the last entry) and
/// an offset (OP-TEE, caam_utils_sgt.h; Linux, sg_sw_sec4.h, for the order of the words).
const ENTRY: usize = 16;
const TABLE_FOLLOWS: u32 = 1 << 31;
const LAST: u32 = 1 << 30;
/// More entries than any request has, so that a table cannot be endless.
const MOST_ENTRIES: usize = 4096;
/// More bytes than any request has.
const MOST_BYTES: u32 = 1 << 24;

/// What is left of it.
#[derive(Default)]
pub struct Sequence {
    chunks: VecDeque<(u64, u32)>,
    pub left: u32,
}

impl Sequence {
    /// None for a table that cannot be true.
    pub fn new(memory: &Memory, address: u32, len: u32, is_table: bool) -> Option<Sequence> {
        if len > MOST_BYTES {
            return None;
        }
        if !is_table {
            return Some(Sequence { chunks: [(address.into(), len)].into(), left: len });
        }
        let (mut chunks, mut total) = (VecDeque::new(), 0_u32);
        let mut at = u64::from(address);
        for _ in 0..MOST_ENTRIES {
            if total >= len {
                break;
            }
            let mut entry = [0; ENTRY];
            memory.read(at, &mut entry).then_some(())?;
            let pointer = u64::from(word(&entry, 0)) | u64::from(word(&entry, 4)) << 32;
            let size = word(&entry, 8);
            if size & TABLE_FOLLOWS != 0 {
                at = pointer;
                continue;
            }
            let bytes = (size & !LAST).min(len - total);
            chunks.push_back((pointer.checked_add(u64::from(word(&entry, 12) & 0x1fff))?, bytes));
            total += bytes;
            if size & LAST != 0 {
                break;
            }
            at += ENTRY as u64;
        }
        (total == len).then_some(Sequence { chunks, left: len })
    }

    /// The next bytes' places.
    fn take(&mut self, len: usize) -> Option<Vec<(u64, usize)>> {
        let mut wanted = u32::try_from(len).ok().filter(|len| *len <= self.left)?;
        self.left -= wanted;
        let mut places = Vec::new();
        while wanted > 0 {
            let (address, size) = self.chunks.front_mut()?;
            let now = wanted.min(*size);
            places.push((*address, now as usize));
            (*address, *size, wanted) = (*address + u64::from(now), *size - now, wanted - now);
            if *size == 0 {
                self.chunks.pop_front();
            }
        }
        Some(places)
    }

    /// None beyond the end.
    pub fn skip(&mut self, len: usize) -> Option<()> {
        self.take(len).map(|_| ())
    }

    /// None beyond the end, and for an address without memory.
    pub fn read(&mut self, memory: &Memory, len: usize) -> Option<Vec<u8>> {
        let mut data = vec![0; len];
        let mut rest = &mut data[..];
        for (address, size) in self.take(len)? {
            let (now, later) = rest.split_at_mut(size);
            memory.read(address, now).then_some(())?;
            rest = later;
        }
        Some(data)
    }

    /// As `read`.
    pub fn write(&mut self, memory: &Memory, mut data: &[u8]) -> Option<()> {
        for (address, size) in self.take(data.len())? {
            let (now, later) = data.split_at(size);
            memory.write(address, now).then_some(())?;
            data = later;
        }
        Some(())
    }
}
