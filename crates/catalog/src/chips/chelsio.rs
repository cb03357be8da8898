//! Chelsio.

use crate::family::Completion::Through;
use crate::family::{EngineKind, Family};

pub(super) const ROWS: &[Family] = &[Family {
    id: "chelsio",
    vendor: "Chelsio",
    kind: EngineKind::Card,
    found_in: "Chelsio T6 network cards",
    options: "CRYPTO_DEV_CHELSIO",
    debian: "amd64|arm64|armhf|i386|ppc64el|s390x",
    bsd: "ccr",
    algorithms: "cbc(aes)|xts(aes)|gcm(aes)|rfc3686(ctr(aes))|sha1|sha256|sha512",
    needs_fallback: true,
    source: "drivers/crypto/chelsio",
    names: "*-chcr",
    modules: "chcr",
    bound: "pci/cxgb4",
    completion: Through("the network driver's queues (cxgb4)"),
    chip: "Chelsio T6 crypto",
    ..Family::ROW
}];
