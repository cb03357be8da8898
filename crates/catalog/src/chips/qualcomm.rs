//! Qualcomm.

use crate::family::Completion::{Polled, Through};
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // IPQ40xx, IPQ806x, IPQ807x, IPQ60xx, MSM8996, SDM845 and later
    Family {
        id: "qce",
        names: "*-qce",
        modules: "qcrypto",
        bound: "platform/qcrypto",
        completion: Through("the BAM DMA engine (bam_dma)"),
        chip: "Qualcomm Crypto Engine",
        compatible: &["qcom,crypto-v5.1", "qcom,crypto-v5.4", "qcom,qce"],
        boards: &[Board { words: &["qcom,ipq"], name: "Qualcomm IPQ" }],
        ..Family::ROW
    },
    // Qualcomm Snapdragon and IPQ chips
    Family {
        id: "qcom-rng",
        names: "qcom-rng",
        modules: "qcom_rng",
        bound: "platform/qcom_rng",
        completion: Polled,
        chip: "Qualcomm random number generator",
        compatible: &["qcom,prng", "qcom,prng-ee", "qcom,trng"],
        ..Family::ROW
    },
    // IPQ806x, IPQ807x
    Family {
        id: "nss-crypto",
        names: "nss-*",
        modules: "qca_nss_cfi_cryptoapi|qca_nss_crypto",
        completion: Through("the NSS cores"),
        chip: "Qualcomm Network Subsystem crypto (out of tree)",
        ..Family::ROW
    },
];
