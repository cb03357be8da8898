//! CPU instructions that are not used.

use outboard_catalog::instructions::Architecture;

use super::{Found, ProblemId, Status};

pub(super) fn find(status: &Status, found: &mut Found) {
    narrow_kernel(status, found);
    padlock(status, found);
}

/// A 32-bit kernel lacks most of the code for AES, GCM and SHA instructions.
fn narrow_kernel(status: &Status, found: &mut Found) {
    if !status.cpu.kernel_is_narrower || !status.cpu.has_aes() {
        return;
    }
    let (text, next) = match status.cpu.architecture {
        Architecture::X86 => (
            "the kernel has 32 bits and the CPU 64: GCM, CTR and SHA in the kernel do not use the CPU's instructions (Linux has \
             that code for 64 bits only), so IPsec is slower than it could be",
            "install a 64-bit kernel (Debian: linux-image-amd64; FreeBSD and pfSense: amd64)",
        ),
        _ => (
            "the kernel has 32 bits and the CPU 64: it has fewer drivers for the CPU's AES and SHA instructions",
            "install a 64-bit system, if the board's firmware can start one",
        ),
    };
    found.problem(ProblemId::NarrowKernel, text.into(), "/proc/cpuinfo", next);
}

/// PadLock is there, and the kernel does not use it.
fn padlock(status: &Status, found: &mut Found) {
    let has_driver = status.drivers.iter().any(|driver| driver.name.contains("padlock"));
    if !status.cpu.has_padlock_aes() || has_driver || status.drivers.is_empty() {
        return;
    }
    found.problem(
        ProblemId::PadlockUnused,
        "the CPU has a PadLock unit for AES, and the kernel does not use it for disks and IPsec".into(),
        format!("/proc/cpuinfo: {}; /proc/crypto: no driver *-padlock", status.cpu.padlock.join(" ")),
        "modprobe padlock_aes (OpenWrt: the package kmod-crypto-hw-padlock)",
    );
}
