//! Virtual machines.

use crate::family::{EngineKind, Family, Limit};

pub(super) const ROWS: &[Family] = &[Family {
    id: "virtio-crypto",
    vendor: "OASIS",
    kind: EngineKind::Paravirtual,
    found_in: "virtual machines (QEMU, cloud-hypervisor)",
    options: "CRYPTO_DEV_VIRTIO",
    debian: "amd64|arm64|armhf|i386|ppc64el|s390x",
    algorithms: "cbc(aes)|rsa",
    limits: &[Limit {
        text: "the host computes, usually on a CPU of the same machine",
        source: "drivers/crypto/virtio",
    }],
    allocates_memory: true,
    source: "drivers/crypto/virtio",
    names: "virtio_crypto_*|virtio-crypto-*|virtio-pkcs1-rsa",
    modules: "virtio_crypto",
    bound: "virtio/virtio_crypto",
    chip: "virtio-crypto",
    // The transitional and the modern PCI number of virtio device 20.
    pci: &[(0x1af4, 0x1014), (0x1af4, 0x1054)],
    ..Family::ROW
}];
