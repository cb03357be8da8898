//! Which cipher a VPN should use on both ends, so that this machine's hardware does it.

use outboard_documents::status::{Status, TunnelCipher};
use outboard_drivers::judge::Verdict;
use outboard_services::choice::Contest;

/// The advice; empty if too little is known. The figures of `outboard tune` for OpenVPN decide, where
/// there are any. Without a measurement ChaCha20-Poly1305 is advised on CPUs without AES instructions:
/// an accelerator is not known to win over it.
pub fn advise(status: &Status, openvpn: Option<&Contest>) -> Vec<TunnelCipher> {
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
    let measured = openvpn.and_then(|contest| Some((contest.best()?, contest.sentence())));
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use outboard_documents::Goal;
    use outboard_drivers::root::Root;
    use outboard_policy::Tuned;
    use outboard_services::choice::Negotiation;

    use super::*;

    #[test]
    fn openvpn_gets_the_best_by_the_figures_and_chacha20_without() {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/armada388-helios4");
        let status = crate::collect(&Root::saved(&fixture).unwrap()).unwrap();
        let of = |contest: Option<&Contest>| advise(&status, contest)[0].clone();
        assert_eq!(of(None).setting, "data-ciphers CHACHA20-POLY1305");
        for (hardware, best) in [("20/0 90", "CHACHA20-POLY1305"), ("90/0 8", "AES-128-GCM")] {
            let figures = format!(
                "outboard-policy 2\nfigure 1472 AES-128-GCM eng {hardware}\nfigure 1472 ChaCha20-Poly1305 - 40/0 25\n"
            );
            let figures = Tuned::parse(figures).unwrap().figures();
            let negotiation = Negotiation::OpenVpn;
            let offered = negotiation.by_default();
            let contest = Contest::of(negotiation, offered, 1500, Goal::Balanced, &figures);
            let advice = of(contest.as_ref());
            assert_eq!(advice.setting, format!("data-ciphers {best}"));
            assert!(advice.why.contains("with the accelerator"), "{advice:?}");
        }
    }
}
