//! CPU instructions. User space can use them directly, so a request to the kernel is never faster.

use crate::family::Nature::Instructions;
use crate::family::{Completion, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "padlock",
        vendor: "VIA",
        kind: EngineKind::CpuInstructions,
        found_in: "VIA C3, C7, Nano; Zhaoxin",
        options: "CRYPTO_DEV_PADLOCK_AES|CRYPTO_DEV_PADLOCK_SHA",
        openwrt: "kmod-crypto-hw-padlock",
        debian: "amd64|i386",
        bsd: "padlock",
        algorithms: "aes|cbc(aes)|ecb(aes)|sha1|sha256",
        limits: &[
            Limit {
                text: "data must be aligned to 16 bytes, or the driver and OpenSSL copy it",
                source: "https://www.logix.cz/michal/doc/article.xp/padlock-en",
            },
            Limit {
                text: "OpenSSL's own code does not use it, and OpenSSL 4 has no engine padlock: outboard's provider \
                       executes the instructions",
                source: "https://github.com/openssl/openssl/blob/master/CHANGES.md",
            },
        ],
        source: "drivers/crypto/padlock-aes.c",
        nature: Instructions,
        // padlock-*: the instructions in the provider (crates/drivers/src/padlock.rs).
        names: "*-padlock|*-padlock-nano|padlock-*",
        modules: "padlock_aes|padlock_sha",
        completion: Completion::Polled,
        chip: "VIA PadLock",
        ..Family::ROW
    },
    Family {
        id: "x86",
        vendor: "Intel and AMD",
        kind: EngineKind::CpuInstructions,
        found_in: "x86 CPUs",
        options: "CRYPTO_AES_NI_INTEL|CRYPTO_GHASH_CLMUL_NI_INTEL|CRYPTO_SHA1_SSSE3|\
            CRYPTO_SHA256_SSSE3|CRYPTO_SHA512_SSSE3",
        openwrt: "kmod-crypto-aes",
        debian: "amd64|i386",
        bsd: "aesni",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|gcm(aes)|sha1|sha256|sha512",
        source: "arch/x86/crypto",
        nature: Instructions,
        names: "*-aesni|*_aesni*|*-aesni-avx*|*-vaes-*|*-avx10*|*-avx|*-avx2|*-avx512|*-sse2|*-ssse3|*-sse41|\
            *-ni|*-shani|*-gfni*|*-pclmul*|*-clmulni|*-clmul|*-pcl-intel*|crc32c-intel|*-simd",
        chip: "x86 instructions (AES-NI, VAES, SHA, AVX)",
        ..Family::ROW
    },
    Family {
        id: "arm-ce",
        vendor: "Arm",
        kind: EngineKind::CpuInstructions,
        found_in: "ARMv8 and later CPUs with the option",
        options: "CRYPTO_AES_ARM64_CE_BLK|CRYPTO_AES_ARM64_CE_CCM|CRYPTO_GHASH_ARM64_CE|\
            CRYPTO_SHA1_ARM64_CE|CRYPTO_SHA2_ARM64_CE|CRYPTO_AES_ARM_CE",
        debian: "arm64|armhf",
        bsd: "armv8crypto",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|gcm(aes)|ccm(aes)|sha1|sha256|sha512",
        source: "arch/arm64/crypto",
        nature: Instructions,
        names: "*-ce|*-arm64-ce|*-arm-ce|*-ce-sync",
        chip: "ARMv8 Crypto Extensions",
        ..Family::ROW
    },
    Family {
        id: "neon",
        vendor: "Arm",
        kind: EngineKind::CpuInstructions,
        found_in: "ARMv7 and later CPUs",
        options: "CRYPTO_AES_ARM_BS|CRYPTO_AES_ARM64_NEON_BLK|CRYPTO_AES_ARM64_BS|\
            CRYPTO_SHA1_ARM_NEON",
        debian: "arm64|armhf",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|sha1|sha256|sha512",
        source: "arch/arm/crypto",
        nature: Instructions,
        names: "*-neonbs|*-neon|*-arm64-neon|*-neon-fallback",
        chip: "NEON vector instructions",
        ..Family::ROW
    },
    Family {
        id: "s390",
        vendor: "IBM",
        kind: EngineKind::CpuInstructions,
        found_in: "IBM Z",
        options: "CRYPTO_AES_S390|CRYPTO_SHA1_S390|CRYPTO_SHA256_S390|CRYPTO_SHA512_S390|\
            CRYPTO_GHASH_S390",
        debian: "s390x",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|gcm(aes)|sha1|sha256|sha512",
        source: "arch/s390/crypto",
        nature: Instructions,
        names: "*-s390|*_s390_*|prng-s390",
        chip: "IBM Z CPACF instructions",
        ..Family::ROW
    },
    Family {
        id: "power",
        vendor: "IBM",
        kind: EngineKind::CpuInstructions,
        found_in: "IBM POWER8 and later; e500 with SPE",
        options: "CRYPTO_DEV_VMX_ENCRYPT|CRYPTO_AES_GCM_P10|CRYPTO_AES_PPC_SPE",
        debian: "ppc64el",
        algorithms: "cbc(aes)|ctr(aes)|xts(aes)|gcm(aes)|sha1|sha256",
        source: "arch/powerpc/crypto",
        nature: Instructions,
        names: "p8_*|p10_*|aes_gcm_p10|rfc4106_aes_gcm_p10|*-p10|*_p10|*-vpmsum|*-ppc-spe",
        chip: "Power vector crypto instructions",
        ..Family::ROW
    },
    Family {
        id: "riscv",
        vendor: "RISC-V",
        kind: EngineKind::CpuInstructions,
        found_in: "RISC-V CPUs with Zvk*",
        options: "CRYPTO_AES_RISCV64|CRYPTO_GHASH_RISCV64|CRYPTO_SHA256_RISCV64|\
            CRYPTO_SHA512_RISCV64",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|ghash|sha256|sha512",
        source: "arch/riscv/crypto",
        nature: Instructions,
        names: "*-riscv64-*|*-riscv",
        chip: "RISC-V vector crypto extensions",
        ..Family::ROW
    },
    Family {
        id: "sparc",
        vendor: "Sun",
        kind: EngineKind::CpuInstructions,
        found_in: "SPARC T4 and later",
        options: "CRYPTO_AES_SPARC64|CRYPTO_SHA1_SPARC64|CRYPTO_SHA256_SPARC64|\
            CRYPTO_SHA512_SPARC64",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|md5|sha1|sha256|sha512",
        source: "arch/sparc/crypto",
        nature: Instructions,
        names: "*-sparc64",
        chip: "SPARC crypto opcodes",
        ..Family::ROW
    },
    Family {
        id: "loongarch",
        vendor: "Loongson",
        kind: EngineKind::CpuInstructions,
        found_in: "LoongArch CPUs",
        options: "CRYPTO_CRC32_LOONGARCH",
        algorithms: "crc32|crc32c",
        source: "arch/loongarch/crypto",
        nature: Instructions,
        names: "*-loongarch",
        chip: "LoongArch CRC instructions",
        ..Family::ROW
    },
    Family {
        id: "mips-crc",
        vendor: "MIPS",
        kind: EngineKind::CpuInstructions,
        found_in: "MIPS CPUs of release 6",
        options: "CRYPTO_CRC32_MIPS",
        algorithms: "crc32|crc32c",
        source: "arch/mips/crypto",
        nature: Instructions,
        names: "*-mips-hw",
        chip: "MIPS CRC instructions",
        ..Family::ROW
    },
];
