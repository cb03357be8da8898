//! Which cipher a VPN should use on both ends, so that this machine's hardware does it.

use serde::Serialize;

use crate::status::Status;
use crate::verdict::cpu_has_aes;

/// The advice for one kind of VPN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TunnelCipher {
    /// `OpenVPN` or `IPsec`.
    pub tunnel: &'static str,
    /// The setting for both ends: a line of openvpn.conf, or a proposal of strongSwan.
    pub setting: &'static str,
    /// Why.
    pub why: String,
}

/// Families whose hardware has 128-bit keys only.
const SHORT_KEYS: [&str; 2] = ["geode", "mxs-dcp"];

/// The advice; empty if too little is known.
pub fn advise(status: &Status) -> Vec<TunnelCipher> {
    let advice = |tunnel, setting, why: &str| TunnelCipher { tunnel, setting, why: why.to_owned() };
    if cpu_has_aes(status) == Some(true) {
        let why = "the CPU has instructions for AES and GCM";
        return vec![
            advice("OpenVPN", "data-ciphers AES-128-GCM", why),
            advice("IPsec", "esp_proposals = aes128gcm16", why),
        ];
    }
    if status.cpu.has_padlock_aes() {
        let why = "PadLock does AES-CBC in the CPU";
        return vec![
            advice("OpenVPN", "data-ciphers AES-128-CBC", "PadLock does AES-CBC, by outboard's provider"),
            advice("IPsec", "esp_proposals = aes128-sha1", why),
        ];
    }
    if status.drivers.is_empty() || cpu_has_aes(status).is_none() {
        return Vec::new();
    }
    let ipsec = in_kernel(status).unwrap_or_else(|| {
        let why = "neither the CPU nor an accelerator of the kernel's does AES faster than ChaCha20";
        advice("IPsec", "esp_proposals = chacha20poly1305", why)
    });
    let packets = "packets have 1400 bytes: too few for an accelerator to win over ChaCha20 in software, usually \
                   (outboard bench openvpn measures)";
    vec![advice("OpenVPN", "data-ciphers CHACHA20-POLY1305", packets), ipsec]
}

/// For the kernel: the driver with the highest priority.
fn in_kernel(status: &Status) -> Option<TunnelCipher> {
    let picked = |name: &str| {
        status
            .algorithms
            .iter()
            .any(|a| a.name == name && (a.picked.verdict == "accelerator" || a.picked.around_accelerator))
    };
    let families = || status.accelerators.iter().map(|accelerator| accelerator.id.as_str());
    let short = families().any(|id| SHORT_KEYS.contains(&id));
    let setting = match (picked("gcm(aes)"), picked("cbc(aes)")) {
        (true, _) => "esp_proposals = aes128gcm16",
        (false, true) => "esp_proposals = aes128-sha256",
        (false, false) => return None,
    };
    let keys = if short { ", with 128-bit keys only" } else { "" };
    let why = format!(
        "the kernel's driver for it is hardware{keys}; compare it with chacha20poly1305 (iperf3), which may be faster"
    );
    Some(TunnelCipher { tunnel: "IPsec", setting, why })
}
