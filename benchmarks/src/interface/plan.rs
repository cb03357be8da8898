//! The cells to measure: interfaces, sizes and depths.

use serde::{Deserialize, Serialize};

/// An interface to the accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasuredPath {
    /// The kernel's own tcrypt module, without user space.
    Tcrypt,
    /// /dev/outboard, with the data already in the arena.
    InPlace,
    /// /dev/outboard, with the data copied into the arena and out of it.
    Copied,
    /// The bare prototype of benchmarks/bare, in place.
    BareInPlace,
    /// The bare prototype, with the data copied in and out.
    BareCopied,
    /// /dev/outboard through crates/accel, as the provider uses it, with the result copied out.
    Library,
    /// AF_ALG: sendmsg and read.
    AfAlg,
    /// /dev/crypto of cryptodev-linux: one ioctl.
    Cryptodev,
}

impl MeasuredPath {
    /// All interfaces, in the order of the table.
    pub const ALL: [MeasuredPath; 8] = [
        MeasuredPath::Tcrypt,
        MeasuredPath::InPlace,
        MeasuredPath::Copied,
        MeasuredPath::BareInPlace,
        MeasuredPath::BareCopied,
        MeasuredPath::Library,
        MeasuredPath::AfAlg,
        MeasuredPath::Cryptodev,
    ];

    /// Returns the name for the table.
    pub fn title(self) -> &'static str {
        match self {
            MeasuredPath::Tcrypt => "in the kernel (tcrypt)",
            MeasuredPath::InPlace => "/dev/outboard, in place",
            MeasuredPath::Copied => "/dev/outboard, copied in and out",
            MeasuredPath::BareInPlace => "the bare prototype, in place",
            MeasuredPath::BareCopied => "the bare prototype, copied",
            MeasuredPath::Library => "/dev/outboard through crates/accel",
            MeasuredPath::AfAlg => "AF_ALG",
            MeasuredPath::Cryptodev => "/dev/crypto",
        }
    }

    /// Returns whether the interface supports `depth` requests of `bytes` bytes in flight.
    fn takes(self, bytes: usize, depth: usize) -> bool {
        match self {
            // 4096 is tcrypt's largest block; depths above 16 are not required.
            MeasuredPath::Tcrypt => bytes <= 4096 && depth <= 16,
            MeasuredPath::InPlace
            | MeasuredPath::Copied
            | MeasuredPath::BareInPlace
            | MeasuredPath::BareCopied => true,
            // The library's arena holds 32 units of 16 KiB.
            MeasuredPath::Library => depth * bytes.div_ceil(16 << 10) <= 32,
            MeasuredPath::AfAlg | MeasuredPath::Cryptodev => depth == 1,
        }
    }
}

/// Sizes of a request in bytes.
pub const SIZES: [usize; 6] = [16, 256, 1024, 4096, 16 << 10, 64 << 10];

/// Numbers of requests in flight.
pub const DEPTHS: [usize; 4] = [1, 4, 16, 64];

/// A combination to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The interface.
    pub path: MeasuredPath,
    /// Size of a request in bytes.
    pub bytes: usize,
    /// Requests in flight.
    pub depth: usize,
}

/// Returns the cells of one turn in the order of measurement: cells that are compared are measured
/// close together in time.
pub fn turn(ways: &[MeasuredPath]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for depth in DEPTHS {
        for bytes in SIZES {
            let takes = |path: &&MeasuredPath| path.takes(bytes, depth);
            cells.extend(ways.iter().filter(takes).map(|&path| Cell { path, bytes, depth }));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_measured_as_far_as_it_goes() {
        let cells = turn(&MeasuredPath::ALL);
        let count = |path| cells.iter().filter(|cell| cell.path == path).count();
        assert_eq!(MeasuredPath::ALL.map(count), [12, 24, 24, 24, 24, 17, 6, 6]);
        assert!(!cells.contains(&Cell { path: MeasuredPath::Library, bytes: 65536, depth: 16 }));
        assert!(cells.contains(&Cell { path: MeasuredPath::Library, bytes: 65536, depth: 4 }));
    }
}
