//! Virtual machines.

use crate::family::Family;

pub(super) const ROWS: &[Family] = &[
    // virtual machines (QEMU, cloud-hypervisor)
    Family {
        id: "virtio-crypto",
        names: "virtio_crypto_*|virtio-crypto-*|virtio-pkcs1-rsa",
        modules: "virtio_crypto",
        bound: "virtio/virtio_crypto",
        chip: "virtio-crypto",
        // The transitional and the modern PCI number of virtio device 20.
        pci: &[(0x1af4, 0x1014), (0x1af4, 0x1054)],
        ..Family::ROW
    },
];
