//! IBM.

use crate::family::Completion::Polled;
use crate::family::{EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[Family {
    id: "nx",
    vendor: "IBM",
    kind: EngineKind::Firmware,
    found_in: "IBM POWER7+, POWER8",
    options: "CRYPTO_DEV_NX_ENCRYPT|CRYPTO_DEV_NX_COMPRESS",
    debian: "ppc64el",
    algorithms: "cbc(aes)|ecb(aes)|gcm(aes)|ccm(aes)|sha256|sha512",
    needs_fallback: true,
    limits: &[Limit {
        text: "Debian builds the compression part only",
        source: "https://packages.debian.org/bookworm/linux-config-6.1",
    }],
    source: "drivers/crypto/nx",
    names: "*-nx",
    modules: "nx_crypto|nx_compress|nx_compress_pseries|nx_compress_powernv",
    bound: "vio/nx-crypto|vio/nx_compress_pseries",
    completion: Polled,
    chip: "IBM Power in-core and nest accelerator (NX), by calls to the hypervisor",
    ..Family::ROW
}];
