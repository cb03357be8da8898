//! NXP, with Freescale.

use crate::family::{Board, Bounds, EngineKind, Family, Limit, Speed};

pub(super) const ROWS: &[Family] = &[
    Family {
        id: "caam",
        speed: Some(Speed { request_us: 17.0, mb_per_s: 130.0 }),
        vendor: "NXP",
        kind: EngineKind::SocEngine,
        found_in: "i.MX6, i.MX7, i.MX8, QorIQ, Layerscape",
        options: "CRYPTO_DEV_FSL_CAAM|CRYPTO_DEV_FSL_CAAM_JR|CRYPTO_DEV_FSL_DPAA2_CAAM",
        debian: "arm64|armhf",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|xts(aes)|cbc(des3_ede)|sha1|sha256|\
            sha512|rsa|authenc(hmac(sha1),cbc(aes))",
        needs_fallback: true,
        allocates_memory: true,
        source: "drivers/crypto/caam",
        names: "*-caam|*-caam-qi|*-caam-qi2",
        modules: "caam_jr|caam|caamalg_desc|caamhash_desc|dpaa2_caam",
        bound: "platform/caam_jr|platform/caam|fsl-mc/dpaa2_caam",
        chip: "NXP CAAM (SEC 4 and later)",
        compatible: &["fsl,sec-v4.0", "fsl,sec4.0", "fsl,sec-v4.0-job-ring", "fsl,sec4.0-job-ring"],
        boards: &[Board {
            words: &["fsl,imx6", "fsl,imx7", "fsl,imx8", "fsl,ls1", "fsl,ls2", "fsl,lx2"],
            name: "NXP i.MX or Layerscape",
        }],
        ..Family::ROW
    },
    Family {
        id: "mxs-dcp",
        vendor: "NXP",
        kind: EngineKind::SocEngine,
        found_in: "i.MX23, i.MX28, i.MX6SL, i.MX6ULL",
        options: "CRYPTO_DEV_MXS_DCP",
        algorithms: "cbc(aes)|ecb(aes)|sha1|sha256",
        needs_fallback: true,
        bounds: Bounds { requests: 1, ..Bounds::NONE },
        is_module_only: true,
        limits: &[Limit {
            text: "only AES-128 is done by the hardware; the driver computes longer keys in \
                    software",
            source: "drivers/crypto/mxs-dcp.c",
        }],
        source: "drivers/crypto/mxs-dcp.c",
        names: "*-dcp",
        modules: "mxs_dcp",
        bound: "platform/mxs-dcp",
        irqs: "dcp-irq|dcp-vmi-irq",
        chip: "NXP Data Co-Processor",
        compatible: &["fsl,imx23-dcp", "fsl,imx28-dcp"],
        boards: &[Board {
            words: &["fsl,imx6ull", "fsl,imx28", "fsl,imx23"],
            name: "NXP i.MX23, i.MX28 or i.MX6ULL",
        }],
        ..Family::ROW
    },
    Family {
        id: "sahara",
        vendor: "NXP",
        kind: EngineKind::SocEngine,
        found_in: "i.MX27, i.MX53",
        options: "CRYPTO_DEV_SAHARA",
        algorithms: "cbc(aes)|ecb(aes)|sha1|sha256",
        needs_fallback: true,
        source: "drivers/crypto/sahara.c",
        names: "sahara-*",
        modules: "sahara",
        bound: "platform/sahara",
        chip: "NXP SAHARA",
        compatible: &["fsl,imx27-sahara", "fsl,imx53-sahara"],
        ..Family::ROW
    },
    Family {
        id: "talitos",
        vendor: "NXP",
        kind: EngineKind::SocEngine,
        found_in: "MPC82xx, MPC83xx, MPC85xx, P1010, P1020",
        options: "CRYPTO_DEV_TALITOS",
        openwrt: "kmod-crypto-hw-talitos",
        algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|cbc(des3_ede)|ecb(des3_ede)|md5|sha1|sha256|\
            sha512|authenc(hmac(sha1),cbc(aes))",
        bounds: Bounds { length: 32768, ..Bounds::NONE },
        limits: &[Limit {
            text: "a request has at most 32768 bytes on SEC 1 and 65535 on SEC 2",
            source: "drivers/crypto/talitos.h",
        }],
        allocates_memory: true,
        source: "drivers/crypto/talitos.c",
        names: "*-talitos|*-talitos-hsna",
        modules: "talitos",
        bound: "platform/talitos",
        irqs: "talitos",
        chip: "NXP (Freescale) SEC 1 to 3",
        compatible: &["fsl,sec1.0", "fsl,sec2.0"],
        ..Family::ROW
    },
];
