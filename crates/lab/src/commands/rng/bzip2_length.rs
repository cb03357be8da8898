//! The length of the output of bzip2, which is the compression statistic of SP 800-90B, 5.1.11.

use std::io::{self, Write};

use bzip2::Compression;
use bzip2::write::BzEncoder;

/// The block size in 100 kB. The standard does not state one; this is that of its own tool
/// (SP800-90B_EntropyAssessment 1.1.7).
const BLOCK_SIZE: u32 = 5;

struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub fn bzip2_length(text: &[u8]) -> usize {
    let mut encoder = BzEncoder::new(Length(0), Compression::new(BLOCK_SIZE));
    // The writer returns no error, and the encoder none for data in memory.
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.map_or(0, |length| length.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf '%s' TEXT | bzip2 -5 | wc -c`, with bzip2 1.0.8.
    #[test]
    fn lengths_are_those_of_bzip2() {
        let text: Vec<String> = (0..100_000_u32).map(|i| ((i % 251) * (i % 251) % 251).to_string()).collect();
        assert_eq!(bzip2_length(text.join(" ").as_bytes()), 1347);
        assert_eq!((bzip2_length(b""), bzip2_length(b"2 15 4 15 9")), (14, 45));
    }
}
