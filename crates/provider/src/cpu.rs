//! Whether the CPU has instructions for AES, which OpenSSL uses. No accelerator that is reached by
//! system calls is then likely to win.

/// Whether the CPU has instructions for AES. False also if the processor's features are not known
/// here.
pub(crate) fn has_aes_instructions() -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return std::arch::is_x86_feature_detected!("aes");
    // CPACF (Principles of Operation, KM): every machine since z196 has its AES functions.
    #[cfg(target_arch = "s390x")]
    return true;
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "s390x")))]
    // SAFETY: no pointer is passed, and an unknown type yields 0.
    return FEATURES.iter().any(|&(vector, bit)| unsafe { libc::getauxval(vector) } & bit != 0);
}

/// Entries of the auxiliary vector with a bit for AES (arch/*/include/uapi/asm/hwcap.h; on POWER,
/// asm/cputable.h: PPC_FEATURE2_VEC_CRYPTO).
#[cfg(target_arch = "aarch64")]
const FEATURES: [(libc::c_ulong, libc::c_ulong); 1] = [(libc::AT_HWCAP, 1 << 3)];
#[cfg(target_arch = "arm")]
const FEATURES: [(libc::c_ulong, libc::c_ulong); 1] = [(libc::AT_HWCAP2, 1 << 0)];
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
const FEATURES: [(libc::c_ulong, libc::c_ulong); 1] = [(libc::AT_HWCAP2, 0x0200_0000)];
#[cfg(not(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "s390x",
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "powerpc",
    target_arch = "powerpc64"
)))]
const FEATURES: [(libc::c_ulong, libc::c_ulong); 0] = [];
