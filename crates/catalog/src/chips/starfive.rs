//! StarFive.

use crate::family::Completion::Through;
use crate::family::{Board, EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "jh7110",
    vendor: "StarFive",
    kind: EngineKind::SocEngine,
    found_in: "VisionFive 2 and other JH7110 boards",
    options: "CRYPTO_DEV_JH7110",
    algorithms: "cbc(aes)|ctr(aes)|ecb(aes)|gcm(aes)|ccm(aes)|sha224|sha256|sha384|sha512|rsa",
    needs_fallback: true,
    source: "drivers/crypto/starfive",
    names: "starfive-*|*-starfive",
    modules: "jh7110_crypto",
    bound: "platform/jh7110-crypto",
    completion: Through("the PL080 DMA engine"),
    chip: "StarFive JH7110 crypto engine",
    compatible: &["starfive,jh7110-crypto"],
    boards: &[Board { words: &["starfive,jh7110"], name: "StarFive JH7110" }],
    ..Family::ROW
}];
