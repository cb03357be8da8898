//! Imagination.

use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "img-hash",
    vendor: "Imagination",
    kind: EngineKind::SocEngine,
    found_in: "Imagination Pistachio (MIPS Creator Ci40)",
    options: "CRYPTO_DEV_IMGTEC_HASH",
    algorithms: "md5|sha1|sha224|sha256",
    needs_fallback: true,
    source: "drivers/crypto/img-hash.c",
    names: "img-md5|img-sha*",
    modules: "img_hash",
    bound: "platform/img-hash-accelerator",
    chip: "Imagination hash accelerator",
    compatible: &["img,hash-accelerator"],
    ..Family::ROW
}];
