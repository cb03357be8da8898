//! NXP, with Freescale.

use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // i.MX6, i.MX7, i.MX8, QorIQ, Layerscape
    Family {
        id: "caam",
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
    // i.MX23, i.MX28, i.MX6SL, i.MX6ULL
    Family {
        id: "mxs-dcp",
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
    // i.MX27, i.MX53
    Family {
        id: "sahara",
        names: "sahara-*",
        modules: "sahara",
        bound: "platform/sahara",
        chip: "NXP SAHARA",
        compatible: &["fsl,imx27-sahara", "fsl,imx53-sahara"],
        ..Family::ROW
    },
    // MPC82xx, MPC83xx, MPC85xx, P1010, P1020
    Family {
        id: "talitos",
        names: "*-talitos|*-talitos-hsna",
        modules: "talitos",
        bound: "platform/talitos",
        irqs: "talitos",
        chip: "NXP (Freescale) SEC 1 to 3",
        compatible: &["fsl,sec1.0", "fsl,sec2.0"],
        ..Family::ROW
    },
];
