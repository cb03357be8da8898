//! STMicroelectronics, with ST-Ericsson.

use crate::family::Completion::Through;
use crate::family::{Board, EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "stm32",
        vendor: "STMicroelectronics",
        kind: EngineKind::SocEngine,
        found_in: "STM32MP1, STM32MP13, STM32F7; ST-Ericsson Ux500",
        options: "CRYPTO_DEV_STM32_CRYP|CRYPTO_DEV_STM32_HASH|CRYPTO_DEV_STM32_CRC",
        debian: "armhf",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|ccm(aes)|cbc(des3_ede)|md5|sha1|\
            sha224|sha256|sha384|sha512|crc32",
        source: "drivers/crypto/stm32",
        names: "stm32-*",
        modules: "stm32_cryp|stm32_hash|stm32_crc32",
        bound: "platform/stm32-cryp|platform/stm32-hash|platform/stm32-crc32",
        completion: Through("the DMA engine, or a line of its own without DMA channels"),
        limits: &[
            Limit {
                text: "CRYP without DMA channels, as in mainline's device trees: the CPU moves every \
                    word, with an interrupt for each block",
                source: "arch/arm/boot/dts/st/stm32mp15xc.dtsi",
            },
            Limit {
                text: "the driver does so with GCM and CCM too, whatever the channels, if there are 1 \
                    to 31 bytes of authenticated data, as in each record of TLS",
                source: "drivers/crypto/stm32/stm32-cryp.c",
            },
            Limit {
                text: "HASH of the Ux500: digests of empty messages are computed in software",
                source: "drivers/crypto/stm32/stm32-hash.c",
            },
        ],
        chip: "ST CRYP and HASH units",
        compatible: &[
            "st,stm32f756-cryp",
            "st,stm32mp1-cryp",
            "stericsson,ux500-cryp",
            "st,stm32f456-hash",
            "st,stm32f756-hash",
            "st,stm32mp13-hash",
            "stericsson,ux500-hash",
            "st,stm32f7-crc",
        ],
        boards: &[Board { words: &["st,stm32mp1"], name: "ST STM32MP1" }],
        ..Family::ROW
    },
    Family {
        id: "ux500",
        vendor: "STMicroelectronics",
        kind: EngineKind::SocEngine,
        found_in: "ST-Ericsson Ux500",
        options: "CRYPTO_DEV_UX500_CRYP|CRYPTO_DEV_UX500_HASH",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|cbc(des3_ede)|sha1|sha256",
        limits: &[Limit {
            text: "removed from mainline after Linux 6.2; the driver stm32 replaces it",
            source: "https://elixir.bootlin.com/linux/v6.1/source/drivers/crypto/ux500",
        }],
        source: "https://elixir.bootlin.com/linux/v6.1/source/drivers/crypto/ux500",
        names: "*-ux500",
        modules: "ux500_cryp|ux500_hash",
        bound: "platform/cryp1|platform/hash1",
        chip: "ST-Ericsson Ux500 CRYP and HASH (driver until Linux 6.2)",
        ..Family::ROW
    },
];
