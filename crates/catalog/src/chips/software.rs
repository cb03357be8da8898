//! Software drivers. Newer kernels have `-lib` where 6.12 had `-generic`: drivers of the crypto API
//! that call lib/crypto.

use crate::family::Family;
use crate::family::Nature::Software;

pub(super) const ROWS: &[Family] = &[
    // all kernels
    Family {
        id: "generic",
        nature: Software,
        names: "*-generic|*-generic-*|*_generic|*-fixed-time|*-scomp|drbg_*|jitterentropy_rng|ecb-cipher_null|\
            cipher_null-*|compress_null-*|digest_null*|crct10dif-*|lz4*|krng",
        chip: "the kernel's C code",
        ..Family::ROW
    },
    // Linux 6.16 and later
    Family {
        id: "lib",
        nature: Software,
        names: "*-lib",
        chip: "the kernel's crypto library, which uses the CPU's instructions where it knows them",
        ..Family::ROW
    },
    // all kernels
    Family {
        id: "asm",
        nature: Software,
        names: "*-asm|*-arm64|*-arm|*-3way|*-i586|*-x86_64|*-ppc|*-powerpc|*-mips|*-octeon|*-scalar",
        chip: "the kernel's assembler code",
        ..Family::ROW
    },
];
