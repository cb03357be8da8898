//! Aspeed.

use crate::family::{Board, Family};

pub(super) const ROWS: &[Family] = &[
    // Aspeed AST2500, AST2600 (server management)
    Family {
        id: "aspeed-hace",
        names: "aspeed-*",
        modules: "aspeed_crypto|aspeed_acry",
        bound: "platform/aspeed_crypto|platform/aspeed-hace|platform/aspeed_acry",
        chip: "Aspeed Hash and Crypto Engine",
        compatible: &["aspeed,ast2500-hace", "aspeed,ast2600-hace", "aspeed,ast2600-acry"],
        boards: &[Board { words: &["aspeed,ast2500", "aspeed,ast2600"], name: "Aspeed AST2500 or AST2600" }],
        ..Family::ROW
    },
];
