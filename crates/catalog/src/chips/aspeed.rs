//! Aspeed.

use crate::family::{Board, Bounds, EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "aspeed-hace",
    vendor: "Aspeed",
    kind: EngineKind::SocEngine,
    found_in: "Aspeed AST2500, AST2600 (server management)",
    options: "CRYPTO_DEV_ASPEED",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|cbc(des3_ede)|ecb(des3_ede)|sha1|sha224|sha256|\
            sha384|sha512|rsa",
    needs_fallback: true,
    bounds: Bounds { length: 32768, ..Bounds::NONE },
    is_module_only: true,
    source: "drivers/crypto/aspeed",
    names: "aspeed-*",
    modules: "aspeed_crypto|aspeed_acry",
    bound: "platform/aspeed_crypto|platform/aspeed-hace|platform/aspeed_acry",
    chip: "Aspeed Hash and Crypto Engine",
    compatible: &["aspeed,ast2500-hace", "aspeed,ast2600-hace", "aspeed,ast2600-acry"],
    boards: &[Board { words: &["aspeed,ast2500", "aspeed,ast2600"], name: "Aspeed AST2500 or AST2600" }],
    ..Family::ROW
}];
