//! Lantiq (now MaxLinear).

use crate::family::Completion::Polled;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // Lantiq Danube, AR9, VR9 gateways
    Family {
        id: "ltq-deu",
        names: "ltq_deu*|ltqdeu*|*-ltq_deu*",
        modules: "ltq_deu_danube|ltq_deu_ar9|ltq_deu_vr9",
        completion: Polled,
        chip: "Lantiq Data Encryption Unit (out of tree)",
        boards: &[Board {
            words: &["lantiq,vr9", "lantiq,ar9", "lantiq,danube"],
            name: "Lantiq VR9, AR9 or Danube",
        }],
        ..Family::ROW
    },
];
