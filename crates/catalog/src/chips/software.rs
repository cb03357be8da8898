//! Software drivers. Newer kernels have `-lib` where 6.12 had `-generic`: drivers of the crypto API
//! that call lib/crypto.

use crate::family::Nature::Software;
use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "generic",
        vendor: "Linux",
        kind: EngineKind::Software,
        found_in: "all kernels",
        source: "crypto",
        nature: Software,
        names: "*-generic|*-generic-*|*_generic|*-fixed-time|*-scomp|drbg_*|jitterentropy_rng|ecb-cipher_null|\
            cipher_null-*|compress_null-*|digest_null*|crct10dif-*|lz4*|krng",
        chip: "the kernel's C code",
        ..Family::ROW
    },
    Family {
        id: "lib",
        vendor: "Linux",
        kind: EngineKind::Software,
        found_in: "Linux 6.16 and later",
        source: "crypto",
        nature: Software,
        names: "*-lib",
        chip: "the kernel's crypto library, which uses the CPU's instructions where it knows them",
        ..Family::ROW
    },
    Family {
        id: "asm",
        vendor: "Linux",
        kind: EngineKind::Software,
        found_in: "all kernels",
        source: "arch/x86/crypto",
        nature: Software,
        names: "*-asm|*-arm64|*-arm|*-3way|*-i586|*-x86_64|*-ppc|*-powerpc|*-mips|*-octeon|*-scalar",
        chip: "the kernel's assembler code",
        ..Family::ROW
    },
];
