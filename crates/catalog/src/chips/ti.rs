//! Texas Instruments.

use crate::family::Completion::Through;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // TI AM335x, AM437x, AM57x, DRA7, OMAP3, OMAP4, OMAP5
    Family {
        id: "omap",
        names: "omap-*|*-omap",
        modules: "omap_aes_driver|omap_des|omap_sham",
        bound: "platform/omap-aes|platform/omap-des|platform/omap-sham",
        completion: Through("the EDMA or SDMA engine, besides a line of its own for hashes"),
        chip: "TI OMAP AES, DES and SHA/MD5 units",
        compatible: &[
            "ti,omap2-aes",
            "ti,omap3-aes",
            "ti,omap4-aes",
            "ti,omap4-des",
            "ti,omap2-sham",
            "ti,omap3-sham",
            "ti,omap4-sham",
            "ti,omap5-sham",
        ],
        boards: &[
            Board { words: &["ti,am33xx", "ti,am335"], name: "TI AM335x" },
            Board { words: &["ti,am43", "ti,am437"], name: "TI AM437x" },
            Board { words: &["ti,am57", "ti,dra7", "ti,dra72", "ti,dra74"], name: "TI AM57x or DRA7" },
            Board { words: &["ti,omap3", "ti,omap4", "ti,omap5"], name: "TI OMAP" },
        ],
        ..Family::ROW
    },
    // TI AM65x, AM64x, AM62x, J721E, J7200, J721S2, J784S4
    Family {
        id: "sa2ul",
        names: "*-sa2ul",
        modules: "sa2ul",
        bound: "platform/saul-crypto",
        completion: Through("the K3 DMA (UDMA, BCDMA or PKTDMA channels)"),
        chip: "TI Security Accelerator SA2UL or SA3UL",
        compatible: &["ti,j721e-sa2ul", "ti,am654-sa2ul", "ti,am64-sa2ul", "ti,am62-sa3ul"],
        boards: &[
            Board { words: &["ti,am625", "ti,am62a", "ti,am62p", "ti,am623"], name: "TI AM62x" },
            Board { words: &["ti,am642", "ti,am64"], name: "TI AM64x" },
            Board { words: &["ti,am654", "ti,am652", "ti,am65"], name: "TI AM65x" },
            Board { words: &["ti,j721s2"], name: "TI J721S2" },
            Board { words: &["ti,j784s4", "ti,j742s2"], name: "TI J784S4" },
            Board { words: &["ti,j721e", "ti,j7200", "ti,j722s"], name: "TI J721E" },
        ],
        ..Family::ROW
    },
    // TI AM62L
    Family {
        id: "dthev2",
        names: "*-dthev2",
        modules: "dthev2",
        bound: "platform/dthev2",
        completion: Through("the K3 DMA"),
        chip: "TI DTHEv2",
        compatible: &["ti,am62l-dthev2"],
        boards: &[Board { words: &["ti,am62l3", "ti,am62l"], name: "TI AM62L" }],
        ..Family::ROW
    },
];
