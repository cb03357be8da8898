//! Instructions of CPUs for cryptography: what uses them, and the switch that turns them off in
//! OpenSSL, for comparison.

crate::texts! { name:
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Architecture {
        X86 = "x86",
        Arm64 = "arm64",
        Arm = "arm",
        Mips = "mips",
        Power = "power",
        S390 = "s390",
        Riscv = "riscv",
        Sparc = "sparc",
        #[default]
        Unknown = "",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenSslUse {
    ByItself,
    No,
    /// Only in certain builds or versions, described here.
    Only(&'static str),
}

#[derive(Debug)]
pub struct Instructions {
    pub architecture: Architecture,
    pub name: &'static str,
    /// The features in /proc/cpuinfo, separated by `|`; one of them suffices.
    pub features: &'static str,
    pub serves: &'static str,
    /// Patterns of the kernel's drivers that use them; empty if the kernel has none.
    pub drivers: &'static str,
    /// The kernel module, if one must be loaded.
    pub module: &'static str,
    pub openssl: OpenSslUse,
    /// The environment variable that turns them off in OpenSSL (OPENSSL_ia32cap(3) and the sources
    /// of crypto/*cap.c).
    pub off: &'static str,
}

const RNG_BUILD: OpenSslUse = OpenSslUse::Only("to seed, if it was built with --with-rand-seed=rdcpu");

macro_rules! row {
    ($architecture:ident, $name:literal, $features:literal, $serves:literal, $drivers:literal, $module:literal, $openssl:expr, $off:literal) => {
        Instructions {
            architecture: Architecture::$architecture,
            name: $name,
            features: $features,
            serves: $serves,
            drivers: $drivers,
            module: $module,
            openssl: $openssl,
            off: $off,
        }
    };
}

use OpenSslUse::{ByItself, No, Only};

pub const ALL: &[Instructions] = &[
    row!(
        X86,
        "AES-NI",
        "aes",
        "AES",
        "*-aesni*|*_aesni*",
        "aesni_intel",
        ByItself,
        "OPENSSL_ia32cap=~0x200000000000000"
    ),
    row!(
        X86,
        "PCLMULQDQ",
        "pclmulqdq",
        "GCM",
        "*-clmulni|*gcm-aesni*|*gcm-vaes*|ghash-pclmul*",
        "ghash_clmulni_intel",
        ByItself,
        "OPENSSL_ia32cap=~0x200000000"
    ),
    row!(
        X86,
        "VAES",
        "vaes",
        "AES, several blocks at once",
        "*-vaes-*",
        "aesni_intel",
        Only("for GCM, since 3.1, on CPUs with AVX-512"),
        "OPENSSL_ia32cap=:~0x20000000000"
    ),
    row!(
        X86,
        "SHA extensions",
        "sha_ni",
        "SHA-1 and SHA-256",
        "sha*-ni|*-shani",
        "sha256_ssse3",
        ByItself,
        "OPENSSL_ia32cap=:~0x20000000"
    ),
    row!(X86, "GFNI", "gfni", "ARIA", "*-gfni*", "aria_gfni_avx512_x86_64", No, ""),
    row!(X86, "RDRAND", "rdrand", "random numbers", "", "", RNG_BUILD, "OPENSSL_ia32cap=~0x4000000000000000"),
    row!(X86, "RDSEED", "rdseed", "random numbers", "", "", RNG_BUILD, "OPENSSL_ia32cap=:~0x40000"),
    row!(
        X86,
        "VIA PadLock ACE",
        "ace_en|ace2_en",
        "AES",
        "*-padlock",
        "padlock_aes",
        Only("by outboard's provider, or the engine padlock of OpenSSL 3"),
        ""
    ),
    row!(X86, "VIA PadLock PHE", "phe_en", "SHA-1 and SHA-256", "sha*-padlock*", "padlock_sha", No, ""),
    row!(
        Arm64,
        "Crypto Extensions, AES",
        "aes",
        "AES",
        "*aes-ce*|*-aes-ce",
        "aes_ce_blk",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm64,
        "Crypto Extensions, PMULL",
        "pmull",
        "GCM",
        "ghash-ce|gcm-aes-ce*",
        "ghash_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm64,
        "Crypto Extensions, SHA-1",
        "sha1",
        "SHA-1",
        "sha1-ce",
        "sha1_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm64,
        "Crypto Extensions, SHA-2",
        "sha2",
        "SHA-256",
        "sha2*-ce|sha256-ce",
        "sha2_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm64,
        "Crypto Extensions, SHA-512",
        "sha512",
        "SHA-512",
        "sha512-ce|sha512-arm64-ce",
        "sha512_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(Arm64, "SVE2 AES", "sveaes", "AES", "", "", No, ""),
    row!(Arm64, "RNDR", "rng", "random numbers", "", "", RNG_BUILD, "OPENSSL_armcap=0x1"),
    row!(
        Arm,
        "Crypto Extensions, AES",
        "aes",
        "AES",
        "*aes-ce*",
        "aes_arm_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm,
        "Crypto Extensions, PMULL",
        "pmull",
        "GCM",
        "ghash-ce*|gcm-aes-ce*",
        "ghash_arm_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm,
        "Crypto Extensions, SHA-1",
        "sha1",
        "SHA-1",
        "sha1-ce",
        "sha1_arm_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm,
        "Crypto Extensions, SHA-2",
        "sha2",
        "SHA-256",
        "sha2*-ce",
        "sha2_arm_ce",
        ByItself,
        "OPENSSL_armcap=0x1"
    ),
    row!(
        Arm,
        "NEON",
        "neon",
        "AES in bit slices, SHA",
        "*-neonbs|*-neon",
        "aes_arm_bs",
        ByItself,
        "OPENSSL_armcap=0x0"
    ),
    row!(
        Riscv,
        "Zvkned",
        "zvkned|zvkn|zvkng",
        "AES",
        "*aes*-riscv64-*",
        "aes_riscv64",
        Only("since 3.2"),
        "OPENSSL_riscvcap=rv64gc"
    ),
    row!(
        Riscv,
        "Zvkg",
        "zvkg|zvkng",
        "GCM",
        "ghash-riscv64-*",
        "ghash_riscv64",
        Only("since 3.2"),
        "OPENSSL_riscvcap=rv64gc"
    ),
    row!(
        Riscv,
        "Zvknh",
        "zvknha|zvknhb|zvkn|zvkng",
        "SHA-2",
        "sha*-riscv64-*",
        "sha256_riscv64",
        Only("since 3.2"),
        "OPENSSL_riscvcap=rv64gc"
    ),
    row!(Riscv, "Zkn (scalar)", "zkn|zkne", "AES", "", "", Only("since 3.1"), "OPENSSL_riscvcap=rv64gc"),
    row!(S390, "CPACF", "msa", "AES, SHA, GCM", "*-s390", "aes_s390", ByItself, "OPENSSL_s390xcap=z900"),
    row!(
        Power,
        "Vector crypto",
        "vcipher",
        "AES, GCM, SHA",
        "p8_*|*p10*",
        "vmx_crypto",
        ByItself,
        "OPENSSL_ppccap=0x3"
    ),
    row!(
        Sparc,
        "Crypto opcodes",
        "aes",
        "AES",
        "*aes-sparc64",
        "aes_sparc64",
        ByItself,
        "OPENSSL_sparcv9cap=0"
    ),
    row!(
        Mips,
        "Octeon crypto coprocessor",
        "octeon",
        "MD5, SHA-1, SHA-2",
        "octeon-*",
        "octeon_sha256",
        No,
        ""
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::{Nature, by_name, values};

    #[test]
    fn every_set_has_a_feature_and_a_switch_where_openssl_uses_it() {
        for set in ALL {
            assert!(values(set.features).count() > 0, "{}", set.name);
            let is_used = set.openssl == ByItself;
            assert!(!is_used || set.off.starts_with("OPENSSL_"), "{:?} {}", set.architecture, set.name);
            assert_eq!(set.drivers.is_empty(), set.module.is_empty(), "{}", set.name);
        }
    }

    #[test]
    fn gcm_by_vaes_uses_carry_less_multiplication_too() {
        let set = ALL.iter().find(|set| set.name == "PCLMULQDQ").unwrap();
        for driver in ["generic-gcm-vaes-avx512", "rfc4106-gcm-aesni-avx", "ghash-clmulni"] {
            assert!(crate::families::fits(set.drivers, driver), "{driver}");
        }
    }

    #[test]
    fn drivers_of_instructions_belong_to_families_of_instructions() {
        for driver in ["cbc-aes-aesni", "xts-aes-ce", "ghash-riscv64-zvkg", "p8_aes_cbc", "cbc-aes-padlock"] {
            let is_listed = ALL.iter().any(|set| crate::families::fits(set.drivers, driver));
            assert!(is_listed, "{driver}");
            assert_eq!(by_name(driver).map(|family| family.nature), Some(Nature::Instructions), "{driver}");
        }
    }
}
