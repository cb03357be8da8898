//! Qualcomm.

use crate::family::Completion::{Polled, Through};
use crate::family::{Board, EngineKind, Family, Limit, Speed};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "qce",
        speed: Some(Speed { request_us: 22.0, mb_per_s: 100.0 }),
        vendor: "Qualcomm",
        kind: EngineKind::SocEngine,
        found_in: "IPQ40xx, IPQ806x, IPQ807x, IPQ60xx, MSM8996, SDM845 and later",
        options: "CRYPTO_DEV_QCE",
        debian: "arm64",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|xts(aes)|ccm(aes)|cbc(des3_ede)|sha1|sha256|\
            hmac(sha1)|hmac(sha256)",
        needs_fallback: true,
        limits: &[Limit {
            text: "AES requests of up to 512 bytes are computed in software (parameter \
                    aes_sw_max_len)",
            source: "drivers/crypto/Kconfig",
        }],
        allocates_memory: true,
        source: "drivers/crypto/qce",
        names: "*-qce",
        modules: "qcrypto",
        bound: "platform/qcrypto",
        completion: Through("the BAM DMA engine (bam_dma)"),
        chip: "Qualcomm Crypto Engine",
        compatible: &["qcom,crypto-v5.1", "qcom,crypto-v5.4", "qcom,qce"],
        boards: &[Board { words: &["qcom,ipq"], name: "Qualcomm IPQ" }],
        ..Family::ROW
    },
    Family {
        id: "qcom-rng",
        vendor: "Qualcomm",
        kind: EngineKind::SocEngine,
        found_in: "Qualcomm Snapdragon and IPQ chips",
        options: "CRYPTO_DEV_QCOM_RNG",
        debian: "arm64",
        algorithms: "stdrng",
        source: "drivers/crypto/qcom-rng.c",
        names: "qcom-rng",
        modules: "qcom_rng",
        bound: "platform/qcom_rng",
        completion: Polled,
        chip: "Qualcomm random number generator",
        compatible: &["qcom,prng", "qcom,prng-ee", "qcom,trng"],
        ..Family::ROW
    },
    Family {
        id: "nss-crypto",
        vendor: "Qualcomm",
        kind: EngineKind::SocEngine,
        found_in: "IPQ806x, IPQ807x",
        algorithms: "cbc(aes)|authenc(hmac(sha1),cbc(aes))",
        source: "https://git.codelinaro.org/clo/qsdk/oss/lklm/nss-crypto",
        names: "nss-*",
        modules: "qca_nss_cfi_cryptoapi|qca_nss_crypto",
        completion: Through("the NSS cores"),
        chip: "Qualcomm Network Subsystem crypto (out of tree)",
        ..Family::ROW
    },
];
