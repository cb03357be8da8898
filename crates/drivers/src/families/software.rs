//! Plain code. Since Linux 7.0 many of these names end in `-lib` where they ended in `-generic`.

use super::Family;
use super::Nature::Software;

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "generic",
        nature: Software,
        names: &[
            "*-generic",
            "*-generic-*",
            "*_generic",
            "*-lib",
            "*-fixed-time",
            "*-scomp",
            "drbg_*",
            "jitterentropy_rng",
            "ecb-cipher_null",
            "cipher_null-*",
            "compress_null-*",
            "digest_null*",
            "crct10dif-*",
            "lz4*",
            "krng",
        ],
        chip: "the kernel's C code",
        found_in: "everywhere",
        ..Family::ROW
    },
    Family {
        id: "asm",
        nature: Software,
        names: &[
            "*-asm",
            "*-arm64",
            "*-arm",
            "*-3way",
            "*-i586",
            "*-x86_64",
            "*-ppc",
            "*-powerpc",
            "*-mips",
            "*-octeon",
            "*-scalar",
        ],
        chip: "the kernel's assembler code",
        found_in: "everywhere",
        ..Family::ROW
    },
];
