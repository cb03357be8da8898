//! What changes if a suite is preferred that an accelerator serves.

use serde::Serialize;

use super::SuiteRow;
use super::offered::Negotiation;

/// The advice.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// One or two sentences.
    pub advice: String,
    /// Lines of the service's configuration; empty if nothing is to change.
    pub settings: Vec<String>,
    /// What a choice that lowers security costs; null for others.
    pub price: Option<String>,
}

/// Advises about the suites of a service, which are in its order.
pub fn advise(negotiation: Negotiation, rows: &[SuiteRow], allow_legacy: bool) -> Advice {
    let keep = |advice: &str| Advice { advice: advice.to_owned(), settings: Vec::new(), price: None };
    let Some(first) = rows.first() else { return keep("It offers no suite.") };
    if first.is_served() && !first.is_legacy() {
        return keep("The suite that it prefers is served: nothing is to change.");
    }
    if let Some(best) = rows.iter().find(|row| row.is_served() && !row.is_legacy()) {
        return preferred(negotiation, rows, best, None);
    }
    match rows.iter().find(|row| row.is_served()) {
        None => keep(
            "No suite that it offers is served, so a change of suites gains nothing (outboard ciphers shows why, outboard tune \
             measures look-ahead for GCM and CTR).",
        ),
        Some(legacy) if allow_legacy => preferred(negotiation, rows, legacy, Some(price(negotiation))),
        Some(legacy) => Advice {
            advice: format!(
                "Only suites with CBC are served, such as {}. To prefer one lowers security: --allow-legacy shows the setting and \
                 its price. Look-ahead, where outboard tune finds that it wins, serves GCM and CTR without that.",
                legacy.suite
            ),
            settings: Vec::new(),
            price: None,
        },
    }
}

/// What to do so that a suite is negotiated, in one sentence.
pub fn for_peers(negotiation: Negotiation, suite: &str) -> String {
    match negotiation {
        Negotiation::Sshd => format!("set `Ciphers ^{suite}` in their ssh_config"),
        Negotiation::Ssh => format!("set `Ciphers ^{suite}` in ssh_config"),
        Negotiation::Nginx | Negotiation::Apache | Negotiation::OpenVpn => format!("put {suite} first"),
    }
}

/// Lines of the service's configuration with which a suite is negotiated.
pub fn settings(negotiation: Negotiation, rows: &[SuiteRow], best: &SuiteRow) -> Vec<String> {
    let others = rows.iter().filter(|row| row.suite != best.suite);
    let same_kind = others.filter(|row| is_of_13(row) == is_of_13(best) && !row.is_legacy());
    let names: Vec<&str> = std::iter::once(best).chain(same_kind).map(|row| row.suite.as_str()).collect();
    let (colons, commas) = (names.join(":"), names.join(","));
    let mut settings = match negotiation {
        Negotiation::Nginx if is_of_13(best) => {
            vec![
                format!("ssl_conf_command Ciphersuites {colons};"),
                "ssl_prefer_server_ciphers on;".to_owned(),
            ]
        }
        Negotiation::Nginx => {
            vec![format!("ssl_ciphers {colons};"), "ssl_prefer_server_ciphers on;".to_owned()]
        }
        Negotiation::Apache if is_of_13(best) => {
            vec![format!("SSLCipherSuite TLSv1.3 {colons}"), "SSLHonorCipherOrder on".to_owned()]
        }
        Negotiation::Apache => vec![format!("SSLCipherSuite {colons}"), "SSLHonorCipherOrder on".to_owned()],
        // RFC 4253, 7.1: the first of the client's list that the server has is taken.
        Negotiation::Sshd => vec![
            format!("Ciphers {commas}    # sshd_config; the client's order decides"),
            format!("Ciphers ^{}    # ssh_config of the clients", best.suite),
        ],
        Negotiation::Ssh => vec![format!("Ciphers ^{}    # ssh_config", best.suite)],
        Negotiation::OpenVpn => {
            vec![format!("data-ciphers {colons}    # on both ends; the server's order decides")]
        }
    };
    if is_below_others(rows, best) {
        match negotiation {
            Negotiation::Nginx => settings.push("ssl_protocols TLSv1.2;".to_owned()),
            Negotiation::Apache => settings.push("SSLProtocol -all +TLSv1.2".to_owned()),
            _ => {}
        }
    }
    settings
}

/// Clients that have TLS 1.3 would not negotiate a suite of TLS 1.2.
fn is_below_others(rows: &[SuiteRow], best: &SuiteRow) -> bool {
    !is_of_13(best) && rows.iter().any(is_of_13)
}

fn is_of_13(row: &SuiteRow) -> bool {
    row.suite.starts_with("TLS_")
}

fn preferred(negotiation: Negotiation, rows: &[SuiteRow], best: &SuiteRow, price: Option<&str>) -> Advice {
    let driver = best.driver.as_deref().unwrap_or_default();
    let advice = format!(
        "If {} is preferred, {} goes to {driver} ({}) instead of {} in software:",
        best.suite,
        best.cipher.as_deref().unwrap_or_default(),
        best.served,
        rows[0].suite
    );
    let settings = settings(negotiation, rows, best);
    let without_13 = "TLS 1.3 is switched off for all clients, with its encrypted handshake.";
    let price = price.or(is_below_others(rows, best).then_some(without_13)).map(str::to_owned);
    Advice { advice, settings, price }
}

/// The price of CBC, in one sentence.
fn price(negotiation: Negotiation) -> &'static str {
    match negotiation {
        Negotiation::Nginx | Negotiation::Apache => {
            "TLS 1.3 has no CBC and must be switched off, and a peer whose check of the padding is not constant in time lets an \
             attacker read plaintext (Lucky 13, CVE-2013-0169)."
        }
        Negotiation::Sshd | Negotiation::Ssh => {
            "CBC in SSH lets an attacker on the network recover plaintext of a peer that lacks OpenSSH's countermeasures \
             (CVE-2008-5161)."
        }
        Negotiation::OpenVpn => {
            "the HMAC of each packet stays on the CPU, and OpenVPN's data channel offload in the kernel is not possible; the \
             construction, encrypt-then-MAC, is sound."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(suite: &str, cipher: &str, served: &'static str) -> SuiteRow {
        let driver = (served != "software").then(|| "eng".to_owned());
        SuiteRow {
            suite: suite.to_owned(),
            cipher: Some(cipher.to_owned()),
            served,
            from: driver.as_ref().map(|_| 512),
            reason: None,
            driver,
        }
    }

    #[test]
    fn a_served_preference_is_kept_and_a_served_suite_of_the_same_version_is_put_first() {
        let mut rows = vec![
            row("TLS_AES_256_GCM_SHA384", "AES-256-GCM", "look-ahead"),
            row("TLS_AES_128_GCM_SHA256", "AES-128-GCM", "look-ahead"),
        ];
        assert_eq!(advise(Negotiation::Nginx, &rows, false).settings, Vec::<String>::new());
        rows[0] = row("TLS_AES_256_GCM_SHA384", "AES-256-GCM", "software");
        let advice = advise(Negotiation::Nginx, &rows, false);
        assert_eq!(
            advice.settings[0],
            "ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384;"
        );
        assert_eq!(advice.price, None);
        assert!(
            advice.advice.contains("AES-128-GCM goes to eng (look-ahead) instead of TLS_AES_256_GCM_SHA384")
        );
        let apache = advise(Negotiation::Apache, &rows, false).settings;
        assert!(apache[0].starts_with("SSLCipherSuite TLSv1.3 TLS_AES_128_GCM_SHA256:"), "{apache:?}");
    }

    #[test]
    fn cbc_is_named_only_on_request_and_with_its_price() {
        let rows = [
            row("TLS_AES_256_GCM_SHA384", "AES-256-GCM", "software"),
            row("ECDHE-RSA-AES128-SHA256", "AES-128-CBC", "direct"),
        ];
        let without = advise(Negotiation::Nginx, &rows, false);
        assert!(without.settings.is_empty() && without.advice.contains("--allow-legacy"), "{without:?}");
        let with = advise(Negotiation::Nginx, &rows, true);
        assert_eq!(with.settings[0], "ssl_ciphers ECDHE-RSA-AES128-SHA256;");
        assert_eq!(with.settings[2], "ssl_protocols TLSv1.2;");
        assert!(with.price.unwrap().contains("Lucky 13"));
        let vpn = advise(
            Negotiation::OpenVpn,
            &[row("AES-256-GCM", "AES-256-GCM", "software"), row("AES-128-CBC", "AES-128-CBC", "direct")],
            true,
        );
        assert_eq!(
            vpn.settings,
            ["data-ciphers AES-128-CBC:AES-256-GCM    # on both ends; the server's order decides"]
        );
    }

    #[test]
    fn switching_off_tls_1_3_for_gcm_has_a_price_too() {
        let rows = [
            row("TLS_AES_256_GCM_SHA384", "AES-256-GCM", "software"),
            row("ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM", "direct"),
        ];
        let advice = advise(Negotiation::Apache, &rows, false);
        assert!(advice.price.unwrap().starts_with("TLS 1.3 is switched off"));
    }

    #[test]
    fn nothing_is_gained_where_nothing_is_served() {
        let rows = [row("aes128-ctr", "AES-128-CTR", "software")];
        let advice = advise(Negotiation::Sshd, &rows, true);
        assert!(advice.settings.is_empty() && advice.advice.starts_with("No suite"), "{advice:?}");
        assert_eq!(advise(Negotiation::Ssh, &[], false).advice, "It offers no suite.");
    }
}
