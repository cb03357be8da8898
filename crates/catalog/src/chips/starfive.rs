//! StarFive.

use crate::family::Completion::Through;
use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // VisionFive 2 and other JH7110 boards
    Family {
        id: "jh7110",
        names: "starfive-*|*-starfive",
        modules: "jh7110_crypto",
        bound: "platform/jh7110-crypto",
        completion: Through("the PL080 DMA engine"),
        chip: "StarFive JH7110 crypto engine",
        compatible: &["starfive,jh7110-crypto"],
        boards: &[Board { words: &["starfive,jh7110"], name: "StarFive JH7110" }],
        ..Family::ROW
    },
];
