//! Which cipher a VPN should use on both ends, so that this machine's hardware does it.

use outboard_documents::status::{Status, TunnelCipher};
use outboard_drivers::judge::Verdict;

use crate::service::ServiceFacts;

/// The advice; empty if too little is known. The figures of `outboard tune` for OpenVPN decide, where
/// there are any. Without a measurement ChaCha20-Poly1305 is advised on CPUs without AES instructions:
/// an accelerator is not known to win over it.
pub fn advise(status: &Status, openvpn: &ServiceFacts) -> Vec<TunnelCipher> {
    let advice = |tunnel: &str, setting: &str, why: &str| TunnelCipher {
        tunnel: tunnel.to_owned(),
        setting: setting.to_owned(),
        why: why.to_owned(),
    };
    if status.cpu_has_aes() == Some(true) {
        let why = "the CPU has instructions for AES and GCM";
        return vec![
            advice("OpenVPN", "data-ciphers AES-128-GCM", why),
            advice("IPsec", "esp_proposals = aes128gcm16", why),
        ];
    }
    if status.drivers.is_empty() || status.cpu_has_aes().is_none() {
        return Vec::new();
    }
    let measured = openvpn.best().map(|best| (best, openvpn.sentence()));
    let openvpn = match measured {
        Some((best, sentence)) => advice("OpenVPN", &format!("data-ciphers {}", best.suite), &sentence),
        None => {
            let packets = "packets have 1400 bytes: too few for an accelerator to win over ChaCha20 in software, usually \
                           (outboard tune measures)";
            advice("OpenVPN", "data-ciphers CHACHA20-POLY1305", packets)
        }
    };
    let why = match serving_ipsec(status) {
        Some(proposal) => format!(
            "without AES instructions ChaCha20 is fast in software; the kernel's driver for {proposal} is hardware: outboard \
             bench ipsec compares both"
        ),
        None => "the kernel selects no accelerator for AES, and ChaCha20 is fast in software".to_owned(),
    };
    vec![openvpn, advice("IPsec", "esp_proposals = chacha20poly1305", &why)]
}

/// The proposal that hardware serves: the kernel selects the driver with the highest priority.
fn serving_ipsec(status: &Status) -> Option<&'static str> {
    if status.cpu.has_padlock_aes() {
        return Some("aes128-sha1");
    }
    let picked = |name: &str| {
        let algorithms = || status.algorithms.iter().filter(|one| one.name == name);
        algorithms().any(|one| one.picked.verdict == Verdict::Accelerator || one.picked.around_accelerator)
    };
    match (picked("gcm(aes)"), picked("cbc(aes)")) {
        (true, _) => Some("aes128gcm16"),
        (false, true) => Some("aes128-sha256"),
        (false, false) => None,
    }
}
