//! IBM.

use crate::family::Completion::Polled;
use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // IBM POWER7+, POWER8
    Family {
        id: "nx",
        names: "*-nx",
        modules: "nx_crypto|nx_compress|nx_compress_pseries|nx_compress_powernv",
        bound: "vio/nx-crypto|vio/nx_compress_pseries",
        completion: Polled,
        chip: "IBM Power in-core and nest accelerator (NX), by calls to the hypervisor",
        ..Family::ROW
    },
];
