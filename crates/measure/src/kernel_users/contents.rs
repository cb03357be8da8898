//! Verifies before the measurement that each driver reads correctly what another driver wrote.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::slice;

use anyhow::{Context as _, Result, bail};

/// Alignment for direct I/O, in bytes.
const ALIGNMENT: usize = 4096;

/// Sizes of requests in bytes; the block layer merges and splits some of them.
const SIZES: [usize; 4] = [4096, 65536, 12288, 1 << 20];

/// An aligned buffer for direct I/O.
pub struct AlignedBuffer {
    place: *mut u8,
    layout: Layout,
}

impl AlignedBuffer {
    /// Zeros.
    pub fn new(length: usize) -> AlignedBuffer {
        let layout = Layout::from_size_align(length, ALIGNMENT).expect("a few megabytes");
        // SAFETY: the length is not zero.
        let place = unsafe { alloc_zeroed(layout) };
        if place.is_null() {
            handle_alloc_error(layout);
        }
        AlignedBuffer { place, layout }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the length is that of the allocation, and this value is its only owner.
        unsafe { slice::from_raw_parts_mut(self.place, self.layout.size()) }
    }
}

impl Drop for AlignedBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.place, self.layout) }
    }
}

/// Each device writes new random data, and all devices read it. Fails if the data differ.
pub fn compare(devices: &[(&str, File)], random: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
    let all: usize = SIZES.iter().sum();
    let (mut written, mut read) = (AlignedBuffer::new(all), AlignedBuffer::new(all));
    for (writer, device) in devices {
        random(written.bytes())?;
        pass(written.bytes(), |piece, at| device.write_all_at(piece, at))
            .with_context(|| format!("{writer} does not write"))?;
        for (reader, device) in devices {
            read.bytes().fill(0);
            pass(read.bytes(), |piece, at| device.read_exact_at(piece, at))
                .with_context(|| format!("{reader} does not read"))?;
            if let Some(at) =
                read.bytes().iter().zip(written.bytes().iter()).position(|(one, other)| one != other)
            {
                bail!(
                    "what {writer} wrote {reader} reads otherwise, from byte {at} on: one of them is WRONG; do not use them, and see \
                     outboard check"
                );
            }
        }
    }
    Ok(())
}

fn pass(
    bytes: &mut [u8],
    mut each: impl FnMut(&mut [u8], u64) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut at = 0;
    for size in SIZES {
        each(&mut bytes[at..at + size], at as u64)?;
        at += size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn different_contents_are_reported_with_both_names() {
        let count = Cell::new(0_u8);
        let random = |bytes: &mut [u8]| {
            count.set(count.get() + 1);
            bytes.fill(count.get());
            Ok(())
        };
        let file = || tempfile::tempfile().unwrap();
        let one = file();
        let same = one.try_clone().unwrap();
        compare(&[("a", one), ("b", same)], &random).unwrap();
        assert_eq!(count.get(), 2);
        let other = file();
        other.set_len(8 << 20).unwrap();
        let error = compare(&[("a", file()), ("b", other)], &random).unwrap_err().to_string();
        assert!(error.starts_with("what a wrote b reads otherwise, from byte 0 on"), "{error}");
        let error = compare(&[("a", file()), ("short", file())], &random).unwrap_err();
        assert_eq!(error.to_string(), "short does not read");
    }
}
