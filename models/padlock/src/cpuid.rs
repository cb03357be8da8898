//! The leaves of CPUID.

/// Leaf in which a test reads what the units did. VIA's CPUs do not have it.
const COUNTS: u32 = 0xc000_0f00;

/// Leaf with which a test makes results wrong from now on (ECX: 1) or right (0).
pub const DAMAGE: u32 = 0xc000_0f01;

/// RNG, ACE, ACE2, PHE and PMM: each a bit "present" and a bit "enabled" (guide, feature flags).
const UNITS: u32 = 3 << 2 | 3 << 6 | 3 << 8 | 3 << 10 | 3 << 12;

/// What the units did since the machine started.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Instructions XCRYPT.
    pub crypts: u32,
    /// Their blocks.
    pub blocks: u32,
    /// Instructions XSHA.
    pub hashes: u32,
    /// Instructions for which the unit would have used the key of an earlier one.
    pub stale: u32,
}

/// EAX, EBX, ECX and EDX; `None` for a leaf that is not Centaur's.
pub fn leaf(number: u32, counts: &Counts) -> Option<[u32; 4]> {
    match number {
        0xc000_0000 => Some([0xc000_0004, 0, 0, 0]),
        0xc000_0001 => Some([0, 0, 0, UNITS]),
        0xc000_0002..=0xc000_0004 => Some([0; 4]),
        DAMAGE => Some([0; 4]),
        COUNTS => Some([counts.crypts, counts.blocks, counts.hashes, counts.stale]),
        _ => None,
    }
}
