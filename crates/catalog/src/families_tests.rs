use super::*;

/// One or more driver names of every family, as the kernel's sources and users' /proc/crypto spell
/// them.
const ACCELERATORS: &[(&str, &str)] = &[
    ("sun4i-ss", "cbc-aes-sun4i-ss sha1-sun4i-ss"),
    ("sun8i-ce", "cbc-aes-sun8i-ce sha512-sun8i-ce"),
    ("sun8i-ss", "hmac-sha1-sun8i-ss ecb-des3-sun8i-ss"),
    ("amlogic-gxl", "cbc-aes-gxl"),
    ("artpec6", "artpec6-xts-aes artpec-gcm-aes"),
    ("aspeed-hace", "aspeed-ctr-aes aspeed-sha512 aspeed-rsa"),
    ("atmel", "atmel-gcm-aes atmel-hmac-sha512 atmel-ecdh"),
    ("bcm-spu", "authenc-hmac-md5-cbc-aes-iproc cbc-aes-iproc"),
    (
        "caam",
        "cbc-aes-caam gcm-aes-caam-qi cbc-aes-caam-qi2 authenc-hmac-sha1-cbc-aes-caam prng-caam rsa-caam",
    ),
    ("ccree", "essiv-aes-ccree xts-paes-ccree"),
    ("sl3516", "ecb-aes-sl3516"),
    ("exynos-rng", "exynos_rng"),
    ("s5p-sss", "ctr-aes-s5p exynos-sha256"),
    ("img-hash", "img-sha224"),
    ("safexcel", "safexcel-cbc-aes safexcel-authenc-hmac-sha1-cbc-aes"),
    (
        "eip93",
        "cbc(aes-eip93) hmac(sha256-eip93) authenc(hmac(sha1-eip93),rfc3686(ctr(aes-eip93))) sha1-eip93",
    ),
    ("mtk-crypto", "cbc-aes-mtk mtk-sha256"),
    ("ixp4xx", "cbc(aes)-ixp4xx authenc(hmac(sha1),cbc(aes))-ixp4xx"),
    ("keembay", "cbc-sm4-keembay-ocs"),
    ("marvell-cesa", "mv-cbc-aes mv-hmac-sha256"),
    ("mxs-dcp", "cbc-paes-dcp"),
    ("sahara", "sahara-cbc-aes"),
    ("omap", "cbc-aes-omap omap-sha512 rfc4106-gcm-aes-omap"),
    ("sa2ul", "ecb-aes-sa2ul authenc(hmac(sha256),cbc(aes))-sa2ul"),
    ("dthev2", "gcm-aes-dthev2"),
    ("qce", "xts-aes-qce hmac-sha256-qce"),
    ("qcom-rng", "qcom-rng"),
    ("nss-crypto", "nss-hmac-sha1-cbc-aes"),
    ("rockchip", "cbc-aes-rk rk-sha256"),
    ("rockchip2", "cbc-aes-rk2 rk2-sha256"),
    ("hisi-sec", "hisi_sec_aes_cbc hisi_sec_cbc(aes) hisi_sec_authenc(hmac(sha1),cbc(aes))"),
    ("hisi-hpre", "hpre-rsa hpre-ecdh-nist-p256"),
    ("hisi-zip", "hisi-deflate-acomp hisi-lz4-acomp"),
    ("jh7110", "starfive-cbc-aes sha256-hmac-starfive"),
    ("stm32", "stm32-gcm-aes stm32-crc32-crc32c"),
    ("ux500", "cbc-aes-ux500 sha1-ux500"),
    ("tegra-se", "cbc-aes-tegra tegra-se-sha3-512"),
    ("zynqmp", "xilinx-zynqmp-aes-gcm zynqmp-sha3-384 versal-paes-gcm"),
    ("ltq-deu", "ltq_deu_vr9-cbc(aes)"),
    ("talitos", "cbc-aes-talitos cbc-3des-talitos-hsna authenc-hmac-sha1-cbc-aes-talitos"),
    ("crypto4xx", "ctr-aes-ppc4xx"),
    ("nx", "gcm-aes-nx sha512-nx 842-nx"),
    ("n2", "ctr-aes-n2 hmac-sha256-n2"),
    ("virtio-crypto", "virtio_crypto_aes_cbc virtio-crypto-rsa virtio-pkcs1-rsa"),
    ("qat", "qat_aes_cbc qat_aes_cbc_hmac_sha512 qat-rsa qat_zstd"),
    ("iaa", "deflate-iaa"),
    ("ccp", "xts-aes-ccp hmac-sha1-ccp"),
    ("geode", "cbc-aes-geode geode-aes"),
    ("hifn", "cbc-aes-hifn0 ecb-3des-hifn1"),
    ("chelsio", "authenc-digest_null-rfc3686-ctr-aes-chcr"),
    ("nitrox", "n5_cbc(aes) n5_aes_gcm n5_rfc3686(ctr(aes))"),
    ("cavium-cpt", "cavium-xts-aes"),
    ("octeontx-cpt", "cpt_cbc_aes cpt_rfc4106_gcm_aes"),
    ("cavium-zip", "deflate-scomp-cavium"),
];

const INSTRUCTIONS: &str = "cbc-aes-aesni __cbc-aes-aesni __gcm-aes-aesni xts-aes-vaes-avx512 generic-gcm-aesni \
    rfc4106-gcm-vaes-avx2 ecb-camellia-aesni-avx2 sha256-ni sha1-avx2 ghash-clmulni sha512-ssse3 crc32c-intel \
    cbc-aes-ce ghash-ce sha256-ce cbc-aes-neonbs ctr-aes-neon sha256-neon sha512-arm64-ce crc32-arm64-ce \
    aegis128-simd chacha20-simd cbc-aes-s390 sha256-s390 hmac_s390_sha256 p8_aes_cbc __aes_gcm_p10 \
    xts-aes-riscv64-zvkned-zvbb-zvkg cbc-aes-sparc64 cbc-aes-padlock sha1-padlock-nano octeon-sha256 \
    crct10dif-pclmul crc32-pclmul poly1305-neon nhpoly1305-avx2 cbc-ppc-spe";

const SOFTWARE: &str = "aes-generic sha256-generic sha256-lib cbcmac-aes-lib aes-fixed-time sha256-asm aes-arm \
    aes-arm64 deflate-scomp lzo-rle-scomp drbg_nopr_hmac_sha512 drbg_pr_ctr_aes256 jitterentropy_rng \
    ecb-cipher_null cipher_null-generic digest_null-generic ecdh-nist-p256-generic ecb-twofish-3way \
    blowfish-asm rsa-generic zstd-generic sha1-mips crc32c-generic chacha20-arm";

#[test]
fn every_accelerator_family_is_known_by_its_drivers_names() {
    for (id, names) in ACCELERATORS {
        for name in names.split_whitespace() {
            let family = by_name(name).unwrap_or_else(|| panic!("{name} is unknown"));
            assert_eq!((family.family().id, family.nature), (*id, Nature::Accelerator), "{name}");
        }
    }
    for family in accelerators() {
        let is_tested = ACCELERATORS.iter().any(|(id, _)| *id == family.id);
        assert!(is_tested || family.names.is_empty(), "{} is not tested", family.id);
        assert!(!family.chip.is_empty(), "{}", family.id);
    }
}

#[test]
fn instructions_and_plain_code_are_told_apart() {
    for name in INSTRUCTIONS.split_whitespace() {
        assert_eq!(by_name(name).map(|f| f.nature), Some(Nature::Instructions), "{name}");
    }
    for name in SOFTWARE.split_whitespace() {
        assert_eq!(by_name(name).map(|f| f.nature), Some(Nature::Software), "{name}");
    }
    assert!(by_name("acme-cbc-aes").is_none());
}

#[test]
fn two_families_with_one_name_are_told_apart_by_their_module() {
    assert_eq!(by_name_and_module("mtk-sha256", "mtk_crypto").unwrap().family().id, "mtk-crypto");
    assert_eq!(by_name_and_module("sha256-octeon", "kernel").unwrap().nature, Nature::Software);
}

#[test]
fn a_star_stands_for_any_text() {
    for (pattern, text, fits) in [
        ("*-ce", "cbc-aes-ce", true),
        ("*-ce", "cbc-aes-ce-old", false),
        ("mv-*", "mv-cbc-aes", true),
        ("mv-*", "xmv-cbc", false),
        ("qat*-bundle*", "qat0-bundle12", true),
        ("qat*-bundle*", "qat0-ae-cluster", false),
        ("abc", "abc", true),
        ("abc", "abcd", false),
        ("*a*a*", "a", false),
        ("*", "", true),
    ] {
        assert_eq!(glob(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
    }
}

#[test]
fn each_familys_signature_is_its_own() {
    assert_eq!(SIGNATURES.len(), all().count());
    for (signature, family) in SIGNATURES.iter().zip(all()) {
        assert_eq!((signature.family().id, signature.names), (family.id, family.names));
        let spaced = |text: &str| values(text).any(|value| value.trim() != value);
        assert!(!spaced(family.names) && !spaced(family.modules) && !spaced(family.bound), "{}", family.id);
    }
}
