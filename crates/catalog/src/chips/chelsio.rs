//! Chelsio.

use crate::family::Completion::Through;
use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // Chelsio T6 network cards
    Family {
        id: "chelsio",
        names: "*-chcr",
        modules: "chcr",
        bound: "pci/cxgb4",
        completion: Through("the network driver's queues (cxgb4)"),
        chip: "Chelsio T6 crypto",
        ..Family::ROW
    },
];
