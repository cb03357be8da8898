//! CPU instructions. User space can use them directly, so a request to the kernel is never faster.

use crate::family::Family;
use crate::family::Nature::Instructions;

pub(super) const ROWS: &[Family] = &[
    // VIA C3, C7, Nano; Zhaoxin
    Family {
        id: "padlock",
        nature: Instructions,
        names: "*-padlock|*-padlock-nano",
        modules: "padlock_aes|padlock_sha",
        chip: "VIA PadLock instructions",
        ..Family::ROW
    },
    // x86 CPUs
    Family {
        id: "x86",
        nature: Instructions,
        names: "*-aesni|*_aesni*|*-aesni-avx*|*-vaes-*|*-avx10*|*-avx|*-avx2|*-avx512|*-sse2|*-ssse3|*-sse41|\
            *-ni|*-shani|*-gfni*|*-pclmul*|*-clmulni|*-clmul|*-pcl-intel*|crc32c-intel|*-simd",
        chip: "x86 instructions (AES-NI, VAES, SHA, AVX)",
        ..Family::ROW
    },
    // ARMv8 and later CPUs with the option
    Family {
        id: "arm-ce",
        nature: Instructions,
        names: "*-ce|*-arm64-ce|*-arm-ce|*-ce-sync",
        chip: "ARMv8 Crypto Extensions",
        ..Family::ROW
    },
    // ARMv7 and later CPUs
    Family {
        id: "neon",
        nature: Instructions,
        names: "*-neonbs|*-neon|*-arm64-neon|*-neon-fallback",
        chip: "NEON vector instructions",
        ..Family::ROW
    },
    // IBM Z
    Family {
        id: "s390",
        nature: Instructions,
        names: "*-s390|*_s390_*|prng-s390",
        chip: "IBM Z CPACF instructions",
        ..Family::ROW
    },
    // IBM POWER8 and later; e500 with SPE
    Family {
        id: "power",
        nature: Instructions,
        names: "p8_*|p10_*|aes_gcm_p10|rfc4106_aes_gcm_p10|*-p10|*_p10|*-vpmsum|*-ppc-spe",
        chip: "Power vector crypto instructions",
        ..Family::ROW
    },
    // RISC-V CPUs with Zvk*
    Family {
        id: "riscv",
        nature: Instructions,
        names: "*-riscv64-*|*-riscv",
        chip: "RISC-V vector crypto extensions",
        ..Family::ROW
    },
    // SPARC T4 and later
    Family {
        id: "sparc",
        nature: Instructions,
        names: "*-sparc64",
        chip: "SPARC crypto opcodes",
        ..Family::ROW
    },
];
