//! Broadcom.

use crate::family::Completion::Through;
use crate::family::{BoardWithoutDriver, Family};

pub(super) const ROWS: &[Family] = &[
    // Broadcom Northstar Plus, Northstar 2, Stingray; BCM63xx gateways
    Family {
        id: "bcm-spu",
        names: "*-iproc|*-bcmspu|*bcmspu*",
        modules: "bcm_crypto_spu|bcmspu",
        bound: "platform/brcm-spu-crypto",
        completion: Through("the Broadcom mailbox (platform driver brcm-flexrm-mbox or brcm-pdc-mbox)"),
        chip: "Broadcom Secure Processing Unit",
        compatible: &["brcm,spum-crypto", "brcm,spum-nsp-crypto", "brcm,spu2-crypto", "brcm,spu2-v2-crypto"],
        ..Family::ROW
    },
];

pub(super) const WITHOUT_DRIVER: &[BoardWithoutDriver] = &[
    BoardWithoutDriver {
        words: &["brcm,bcm2712"],
        name: "Broadcom BCM2712",
        remark: "this chip has no crypto engine; its CPU has AES instructions, which OpenSSL uses by itself",
    },
    BoardWithoutDriver {
        words: &["brcm,bcm2711", "brcm,bcm2837", "brcm,bcm2836", "brcm,bcm2835"],
        name: "Broadcom BCM283x or BCM2711",
        remark: "this chip has neither a crypto engine nor AES instructions: prefer ChaCha20-Poly1305, which OpenSSL's NEON \
         code computes faster than AES here",
    },
    BoardWithoutDriver {
        words: &["BCM5365", "BCM47", "brcm,bcm47"],
        name: "Broadcom BCM47xx or BCM5365",
        remark: "some of these chips have a crypto core, but Linux has no driver for it",
    },
];
