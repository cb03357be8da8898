//! What changes if a suite is preferred that an accelerator serves.

use outboard_services::choice::{Contest, Negotiation, Offered};
use serde::Serialize;

use super::SuiteRow;

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

/// Advises about the suites of a service, which are in its order. `contest` has the figures of this
/// machine, if there are any.
pub fn advise(
    negotiation: Negotiation,
    offered: &Offered,
    rows: &[SuiteRow],
    contest: Option<&Contest>,
    allow_legacy: bool,
) -> Advice {
    let keep = |advice: String| Advice { advice, settings: Vec::new(), price: None };
    let served = || rows.iter().filter(|row| row.is_served());
    let modern = served().find(|row| !row.is_legacy());
    match (modern, served().next(), contest) {
        _ if rows.is_empty() => keep("It offers no suite.".to_owned()),
        (None, Some(legacy), _) if allow_legacy => preferred(negotiation, offered, legacy, rows),
        (None, None, None) => keep(
            "No suite that it offers is served, so a change of suites gains nothing (outboard ciphers shows why, outboard tune \
             measures look-ahead for GCM and CTR)."
                .to_owned(),
        ),
        (None, Some(legacy), None) => keep(format!(
            "Only suites with CBC are served, such as {}. To prefer one lowers security: --allow-legacy shows the setting and \
             its price. Look-ahead, where outboard tune finds that it wins, serves GCM and CTR without that.",
            legacy.suite
        )),
        (Some(served), _, None) => keep(format!(
            "{} is served. Whether another suite costs less was not measured here: run outboard tune.",
            served.suite
        )),
        (_, _, Some(contest)) => {
            let settings = contest.settings();
            let next = if settings.is_empty() { "Nothing is to change." } else { "So that it is negotiated:" };
            let best = contest.best().map(|best| best.suite.as_str()).unwrap_or_default();
            let advice = format!("Best is {best}: {}. {next}", contest.sentence());
            Advice { advice, settings, price: None }
        }
    }
}

/// A suite with CBC that the user asked for.
fn preferred(negotiation: Negotiation, offered: &Offered, legacy: &SuiteRow, rows: &[SuiteRow]) -> Advice {
    let advice = format!(
        "If {} is preferred, {} goes to {} ({}) instead of {} in software:",
        legacy.suite,
        legacy.cipher.as_deref().unwrap_or_default(),
        legacy.driver.as_deref().unwrap_or_default(),
        legacy.served,
        rows[0].suite
    );
    let suite = offered.suites.iter().find(|suite| suite.name == legacy.suite);
    let settings = suite.map(|suite| negotiation.settings(offered, suite, None)).unwrap_or_default();
    Advice { advice, settings, price: price(negotiation).map(str::to_owned) }
}

/// The price of CBC, in one sentence; what the kernel does costs none.
fn price(negotiation: Negotiation) -> Option<&'static str> {
    Some(match negotiation {
        Negotiation::Ipsec | Negotiation::Disk => return None,
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::Goal;
    use outboard_policy::CipherFigure;
    use outboard_services::choice::{CHACHA20, OfferedSuite};

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

    fn figure(name: &str, driver: Option<&str>, speed: f64) -> CipherFigure {
        CipherFigure {
            bytes: 16384,
            name: name.to_owned(),
            driver: driver.map(str::to_owned),
            megabytes_per_second: speed,
            spread: 0.0,
            cpu_ms_per_megabyte: Some(1000.0 / speed),
        }
    }

    #[test]
    fn the_figures_decide_which_suite_is_advised() {
        let rows = [row("TLS_AES_128_GCM_SHA256", "AES-128-GCM", "look-ahead")];
        let offered = Negotiation::Nginx.by_default();
        let advised = |hardware: f64| {
            let figures = [figure("AES-128-GCM", Some("eng"), hardware), figure(CHACHA20, None, 16.0)];
            let contest = Contest::of(Negotiation::Nginx, offered.clone(), 16384, Goal::Balanced, &figures);
            advise(Negotiation::Nginx, &offered, &rows, contest.as_ref(), false)
        };
        for (hardware, best) in [(6.0, "TLS_CHACHA20_POLY1305_SHA256"), (30.0, "TLS_AES_128_GCM_SHA256")] {
            let advice = advised(hardware);
            assert!(advice.advice.starts_with(&format!("Best is {best}: ")), "{advice:?}");
            let line = format!("ssl_conf_command Ciphersuites {best}:");
            assert!(advice.settings[0].starts_with(&line), "{advice:?}");
        }
    }

    #[test]
    fn without_figures_no_suite_is_advised() {
        let offered = Negotiation::Nginx.by_default();
        let of =
            |served| advise(Negotiation::Nginx, &offered, &[row("A", "AES-128-GCM", served)], None, false);
        assert!(of("direct").settings.is_empty() && of("direct").advice.contains("run outboard tune"));
        assert!(of("software").advice.starts_with("No suite"));
        let none = advise(Negotiation::Ssh, &offered, &[], None, false);
        assert_eq!(none.advice, "It offers no suite.");
    }

    #[test]
    fn cbc_is_named_only_on_request_and_with_its_price() {
        let rows = [
            row("TLS_AES_256_GCM_SHA384", "AES-256-GCM", "software"),
            row("ECDHE-RSA-AES128-SHA256", "AES-128-CBC", "direct"),
        ];
        let mut offered = Negotiation::Nginx.by_default();
        let name = "ECDHE-RSA-AES128-SHA256".to_owned();
        offered.suites.push(OfferedSuite { name, cipher: Some("AES-128-CBC") });
        let without = advise(Negotiation::Nginx, &offered, &rows, None, false);
        assert!(without.settings.is_empty() && without.advice.contains("--allow-legacy"), "{without:?}");
        let with = advise(Negotiation::Nginx, &offered, &rows, None, true);
        assert_eq!(with.settings[0], "ssl_ciphers ECDHE-RSA-AES128-SHA256;");
        assert_eq!(with.settings[2], "ssl_protocols TLSv1.2;");
        assert!(with.price.unwrap().contains("Lucky 13"));
        let mut vpn = Negotiation::OpenVpn.by_default();
        vpn.suites.push(OfferedSuite::of_openvpn("AES-128-CBC"));
        let rows =
            [row("AES-256-GCM", "AES-256-GCM", "software"), row("AES-128-CBC", "AES-128-CBC", "direct")];
        let settings = advise(Negotiation::OpenVpn, &vpn, &rows, None, true).settings;
        assert!(settings[0].starts_with("data-ciphers AES-128-CBC:AES-256-GCM:"), "{settings:?}");
    }
}
