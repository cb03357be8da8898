//! STMicroelectronics, with ST-Ericsson.

use crate::family::Completion::Through;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // STM32MP1, STM32MP13, STM32F7; ST-Ericsson Ux500
    Family {
        id: "stm32",
        names: "stm32-*",
        modules: "stm32_cryp|stm32_hash|stm32_crc32",
        bound: "platform/stm32-cryp|platform/stm32-hash|platform/stm32-crc32",
        completion: Through("the DMA engine for larger requests, a line of its own for small ones"),
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
    // ST-Ericsson Ux500
    Family {
        id: "ux500",
        names: "*-ux500",
        modules: "ux500_cryp|ux500_hash",
        bound: "platform/cryp1|platform/hash1",
        chip: "ST-Ericsson Ux500 CRYP and HASH (driver until Linux 6.2)",
        ..Family::ROW
    },
];
