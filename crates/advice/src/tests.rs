use outboard_documents::Goal;
use outboard_documents::decision::{Decision, Entrant};
use outboard_policy::CipherFigure;
use outboard_services::negotiation::{Negotiation, Offered, OfferedSuite};

use super::*;
use crate::entrants::figure_of_mac;

const TLS: u32 = 16384;
const SSH: u32 = 32768;

fn figure(bytes: u32, name: &str, driver: Option<&str>, speed: f64, cpu: f64) -> CipherFigure {
    CipherFigure {
        bytes: size(bytes),
        name: name.to_owned(),
        driver: driver.map(str::to_owned),
        megabytes_per_second: speed,
        spread: 0.01,
        cpu_ms_per_megabyte: Some(cpu),
    }
}

/// The accelerator wins over the same cipher in software for each cipher with a figure of it.
fn with(service: &str, offered: Offered, bytes: u32, goal: Goal, figures: &[CipherFigure]) -> ServiceFacts {
    let of_driver = figures.iter().filter(|one| one.driver.is_some() && one.bytes == size(bytes));
    let cipher = |one: &CipherFigure| CipherFacts {
        cipher: one.name.clone(),
        driver: one.driver.clone(),
        from: Some(512),
        is_measured: true,
        ..CipherFacts::default()
    };
    ServiceFacts {
        name: service.to_owned(),
        bytes: Some(bytes),
        ciphers: of_driver.map(cipher).collect(),
        entrants: entrants(&offered, bytes, figures),
        offered: Some(offered),
        policy: PolicyState::InForce,
        goal,
        ..ServiceFacts::default()
    }
}

fn facts(service: &str, bytes: u32, goal: Goal, figures: &[CipherFigure]) -> ServiceFacts {
    with(service, Negotiation::of(service).expect("a service").by_default(), bytes, goal, figures)
}

fn size(bytes: u32) -> usize {
    compared_size(bytes)
}

/// The suite that is best, and its driver.
fn best(facts: &ServiceFacts) -> (&str, Option<&str>) {
    let best: &Entrant = facts.best().expect("a suite");
    (&best.suite, best.driver.as_deref())
}

/// A CPU without AES instructions, with look-ahead.
fn tls(hardware: (f64, f64)) -> Vec<CipherFigure> {
    vec![
        figure(TLS, "AES-128-GCM", None, 4.1, 115.0),
        figure(TLS, "AES-128-GCM", Some("eng"), hardware.0, hardware.1),
        figure(TLS, CHACHA20, None, 16.1, 24.0),
        // Of another size, which does not count.
        figure(SSH, CHACHA20, None, 1.0, 1000.0),
    ]
}

fn ssh(umac: f64, sha2: f64) -> Vec<CipherFigure> {
    let software = |name: &str, speed: f64| figure(SSH, name, None, speed, 1e3 / speed);
    vec![
        software(CHACHA20, 50.0),
        software("AES-128-CTR", 10.0),
        figure(SSH, "AES-128-CTR", Some("eng"), 200.0, 2.0),
        software("UMAC-64", umac),
        software("UMAC-128", umac / 2.0),
        software("HMAC-SHA2-256", sha2),
    ]
}

#[test]
fn the_service_is_refused_where_another_cipher_wins_by_time_and_cpu_time() {
    let refused = facts("nginx", TLS, Goal::Balanced, &tls((6.3, 31.0))).refusal().expect("refused");
    for part in [
        "TLS_CHACHA20_POLY1305_SHA256 in software 16.1 MB/s and 24.0 ms of CPU time per MB",
        "TLS_AES_128_GCM_SHA256 by eng 6.3 MB/s and 31.0 ms of CPU time per MB",
        "`ssl_conf_command Ciphersuites TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256;`",
        "--aes-required",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    // Faster; cheaper; within the margin in both.
    for hardware in [(17.0, 31.0), (6.3, 23.0), (15.0, 26.0)] {
        assert_eq!(facts("nginx", TLS, Goal::Balanced, &tls(hardware)).refusal(), None, "{hardware:?}");
    }
}

#[test]
fn one_cipher_that_is_not_beaten_is_enough() {
    let mut figures = tls((6.3, 31.0));
    figures.push(figure(TLS, "AES-256-GCM", Some("eng"), 30.0, 10.0));
    let decided = facts("nginx", TLS, Goal::Balanced, &figures).decide();
    assert_eq!((decided.decision, decided.refused), (Decision::Use { settings: Vec::new() }, false));
    assert_eq!(decided.next.as_deref(), Some("outboard enable nginx --restart"));
}

#[test]
fn without_an_accelerator_that_wins_nothing_is_compared() {
    let mut figures = tls((6.3, 31.0));
    figures.retain(|one| one.driver.is_none());
    let left = facts("nginx", TLS, Goal::Balanced, &figures).decide();
    assert_eq!((left.decision, left.refused, left.next), (Decision::Leave, true, None));
}

/// CBC is reached and wins, and neither sshd nor its peers offer it.
#[test]
fn a_service_none_of_whose_suites_is_served_is_refused() {
    let mut left = facts("sshd", SSH, Goal::Balanced, &[]);
    left.ciphers = ["AES-128-CBC", "AES-128-CTR"]
        .map(|name| CipherFacts {
            cipher: name.to_owned(),
            driver: (name == "AES-128-CBC").then(|| "eng".to_owned()),
            from: (name == "AES-128-CBC").then_some(1024),
            is_measured: name == "AES-128-CBC",
            ..CipherFacts::default()
        })
        .into();
    let decided = left.decide();
    assert_eq!((decided.decision, decided.refused, decided.next), (Decision::Leave, true, None));
}

/// U2: what clients choose is faster here, so nothing is to change; where AES is required, another suite.
#[test]
fn sshd_is_left_where_its_clients_choose_chacha20_and_that_is_best() {
    let mut figures = ssh(400.0, 60.0);
    figures[2] = figure(SSH, "AES-128-CTR", Some("eng"), 55.0, 20.0);
    let left = facts("sshd", SSH, Goal::Balanced, &figures);
    let decided = left.decide();
    assert_eq!((decided.decision, decided.next), (Decision::Leave, None));
    assert!(decided.why.contains("chacha20-poly1305@openssh.com"), "{}", decided.why);
    let required = ServiceFacts { is_aes_required: true, ..left };
    let decided = required.decide();
    let Decision::Prefer { other, settings } = &decided.decision else { panic!("{decided:?}") };
    assert_eq!(other, "aes128-ctr");
    assert!(settings.iter().any(|line| line.starts_with("Ciphers ^aes128-ctr ")), "{settings:?}");
    assert!(!decided.refused);
}

#[test]
fn a_suite_that_differs_within_the_spread_is_not_preferred() {
    let decided = |spread: f64| {
        let mut figures =
            vec![figure(TLS, "AES-256-GCM", Some("eng"), 20.0, 10.0), figure(TLS, CHACHA20, None, 22.0, 9.5)];
        figures.iter_mut().for_each(|one| one.spread = spread);
        facts("nginx", TLS, Goal::Balanced, &figures).decide().decision
    };
    assert_eq!(decided(0.1), Decision::Use { settings: Vec::new() });
    assert!(matches!(decided(0.01), Decision::Prefer { .. }));
}

#[test]
fn a_rival_that_was_not_measured_leaves_the_decision_open() {
    let figures = [figure(TLS, "AES-256-GCM", Some("eng"), 20.0, 10.0)];
    let open = facts("nginx", TLS, Goal::Balanced, &figures).decide();
    assert_eq!((open.decision, open.next.as_deref()), (Decision::Unknown, Some("outboard setup")));
}

#[test]
fn where_aes_is_required_the_best_suite_is_one_with_aes() {
    let all = facts("nginx", TLS, Goal::Balanced, &tls((6.3, 31.0)));
    let aes = ServiceFacts { is_aes_required: true, ..all };
    assert_eq!(best(&aes), ("TLS_AES_128_GCM_SHA256", Some("eng")));
    assert!(!aes.sentence().contains("another cipher") && aes.refusal().is_none());
    assert!(aes.loss().is_some_and(|why| why.contains("TLS_CHACHA20_POLY1305_SHA256 in software 16.1 MB/s")));
}

#[test]
fn the_goal_decides_between_the_fastest_and_the_cheapest() {
    let figures = tls((14.0, 10.0));
    let best = |goal| best(&facts("nginx", TLS, goal, &figures)).1.is_some();
    assert!(!best(Goal::Throughput) && best(Goal::Cpu) && best(Goal::Balanced));
    let text = facts("nginx", TLS, Goal::Balanced, &figures).sentence();
    assert_eq!(
        text,
        "the fastest is TLS_CHACHA20_POLY1305_SHA256 in software, the cheapest in CPU time TLS_AES_128_GCM_SHA256 by eng: \
         with the accelerator 14.0 MB/s and 10.0 ms of CPU time per MB, \
         AES in software 4.1 MB/s and 115.0 ms of CPU time per MB, \
         another cipher 16.1 MB/s and 24.0 ms of CPU time per MB (16384 bytes)"
    );
    // Cheaper by any factor, and too slow.
    let slow = facts("nginx", TLS, Goal::Balanced, &tls((5.0, 1.0)));
    assert_eq!(super::tests::best(&slow).1, None);
}

#[test]
fn cbc_is_compared_with_its_mac_and_never_preferred() {
    let mut offered = Negotiation::OpenVpn.by_default();
    offered.suites.push(OfferedSuite::of_openvpn("AES-128-CBC"));
    let packet = 1500;
    let figures = [
        figure(packet, CHACHA20, None, 50.0, 20.0),
        figure(packet, "AES-128-GCM", None, 10.0, 100.0),
        figure(packet, "AES-128-CBC", Some("eng"), 500.0, 1.0),
        figure(packet, "HMAC-SHA1", None, 100.0, 10.0),
    ];
    assert!(compared_names(&offered, |_| false).contains(&"HMAC-SHA1"));
    let facts = with("openvpn", offered, packet, Goal::Cpu, &figures);
    let legacy = facts.entrants.iter().find(|one| one.is_legacy).expect("CBC");
    assert_eq!(legacy.cpu_ms_per_megabyte, Some(11.0));
    assert_eq!(best(&facts), ("CHACHA20-POLY1305", None));
    assert_eq!(facts.refusal(), None, "it is not beaten");
    let line = "data-ciphers CHACHA20-POLY1305:AES-256-GCM:AES-128-GCM    # on both ends; the server's order decides";
    let settings = vec![line.to_owned()];
    assert_eq!(facts.decide().decision, Decision::Prefer { other: "CHACHA20-POLY1305".to_owned(), settings });
    let legacy = facts.legacy_choice().expect("CBC is served");
    assert!(legacy.settings[0].starts_with("data-ciphers AES-128-CBC:") && legacy.price.is_some());
}

#[test]
fn macs_have_figures_by_their_names() {
    for (mac, figure) in [
        ("umac-64-etm@openssh.com", Some("UMAC-64")),
        ("umac-128@openssh.com", Some("UMAC-128")),
        ("hmac-sha2-256", Some("HMAC-SHA2-256")),
        ("hmac-sha1-96", None),
    ] {
        assert_eq!(figure_of_mac(mac), figure, "{mac}");
    }
    let ssh = compared_names(&Negotiation::Ssh.by_default(), |_| false);
    assert!(["UMAC-64", "UMAC-128", "HMAC-SHA2-256", CHACHA20].iter().all(|name| ssh.contains(name)));
}

#[test]
fn a_suite_is_served_from_its_threshold_if_requests_are_that_large() {
    let cipher = |cipher: &str, driver: Option<&str>, from, task| CipherFacts {
        cipher: cipher.to_owned(),
        driver: driver.map(str::to_owned),
        from,
        why: "no driver".to_owned(),
        is_measured: true,
        awaits_measurement: false,
        only_encrypts: false,
        task,
    };
    let suite = |cipher| OfferedSuite { name: format!("{cipher:?}"), cipher };
    let ciphers = ["AES-128-GCM", "AES-256-GCM", "AES-128-CBC", "AES-256-CBC"];
    let offered = Offered {
        suites: ciphers.map(|one| suite(Some(one))).into_iter().chain([suite(None)]).collect(),
        ..Offered::default()
    };
    let facts = ServiceFacts {
        bytes: Some(16384),
        ciphers: vec![
            cipher(ciphers[0], Some("ecb"), Some(512), DriverTask::Ahead { direct_from: None }),
            cipher(ciphers[1], None, None, DriverTask::Direct),
            cipher(ciphers[2], Some("cbc"), Some(65536), DriverTask::Direct),
            cipher(ciphers[3], Some("cbc"), None, DriverTask::Direct),
        ],
        offered: Some(offered),
        ..ServiceFacts::default()
    };
    let [ahead, none, large, never, unknown] = &facts.suites()[..] else { panic!() };
    assert_eq!((ahead.served, ahead.driver.as_deref(), &ahead.reason), ("look-ahead", Some("ecb"), &None));
    assert_eq!((none.served, none.reason.as_deref()), ("software", Some("no driver")));
    assert!(large.reason.as_ref().is_some_and(|why| why.starts_with("cbc wins from 65536 bytes")));
    assert!(never.reason.as_ref().is_some_and(|why| why.starts_with("software wins over cbc")));
    assert_eq!((unknown.served, unknown.driver.is_none()), ("software", true));
}

/// Facts of AES in CBC mode by a driver, measured or not.
fn cbc(from: Option<u32>, is_measured: bool, policy: PolicyState) -> ServiceFacts {
    let cbc = CipherFacts {
        cipher: "AES-128-CBC".to_owned(),
        driver: Some("eng".to_owned()),
        from,
        is_measured,
        ..CipherFacts::default()
    };
    let gcm = CipherFacts { cipher: "AES-128-GCM".to_owned(), ..CipherFacts::default() };
    ServiceFacts {
        name: "x.service".to_owned(),
        bytes: Some(16384),
        ciphers: vec![gcm, cbc],
        policy,
        ..ServiceFacts::default()
    }
}

#[test]
fn only_a_measured_win_at_the_size_of_the_service_is_accepted() {
    let refusal = |facts: ServiceFacts| facts.refusal().unwrap_or_default();
    let wins = |policy| cbc(Some(4096), true, policy);
    assert_eq!(refusal(wins(PolicyState::InForce)), "");
    assert!(
        refusal(cbc(Some(4096), false, PolicyState::Absent))
            .contains("was not measured on this machine: run outboard setup")
    );
    assert!(refusal(wins(PolicyState::Unfit("stale".to_owned()))).contains("is not used: stale"));
    for from in [Some(16385), None] {
        let text = refusal(cbc(from, true, PolicyState::InForce));
        assert!(text.starts_with("software wins for its requests of up to 16384 bytes"), "{text}");
    }
    let other = ServiceFacts { goal: Goal::Cpu, ..wins(PolicyState::OtherGoal("balanced".to_owned())) };
    assert!(refusal(other).contains("run outboard setup --goal cpu"));
    let mut none = wins(PolicyState::InForce);
    none.ciphers.truncate(1);
    assert!(refusal(none.clone()).contains("no accelerator can be reached"));
    // The provider leaves to software what was not measured.
    for others in [none, cbc(None, true, PolicyState::InForce)] {
        let mut all = others.clone();
        all.ciphers[0].awaits_measurement = true;
        assert!(refusal(all).contains("was not measured on this machine"), "{others:?}");
    }
}

#[test]
fn the_next_step_follows_the_state() {
    let next = |name: &str, from, is_enabled| {
        let facts =
            ServiceFacts { name: name.to_owned(), is_enabled, ..cbc(from, true, PolicyState::InForce) };
        facts.decide().next.unwrap_or_default()
    };
    for (name, from, is_enabled, expected) in [
        ("strongswan", Some(512), false, "outboard enable strongswan --restart"),
        ("strongswan", Some(512), true, "outboard prove --service strongswan"),
        ("strongswan", None, true, "outboard disable strongswan --restart"),
        ("strongswan", None, false, ""),
        ("x.service", Some(512), false, "outboard enable --unit x.service --restart"),
        ("openssl", Some(512), false, "outboard enable openssl"),
        ("ktls", Some(512), false, "outboard enable ktls"),
        ("ktls", None, true, "outboard disable ktls"),
        ("ktls", Some(512), true, ""),
    ] {
        assert_eq!(next(name, from, is_enabled), expected, "{name} {from:?} {is_enabled}");
    }
}

#[test]
fn facts_are_read_as_they_were_written() {
    let facts = facts("nginx", TLS, Goal::Cpu, &tls((14.0, 10.0)));
    let text = serde_json::to_string(&facts).expect("JSON");
    assert_eq!(serde_json::from_str::<ServiceFacts>(&text).expect("facts"), facts);
    let decided = facts.decide();
    let text = serde_json::to_string(&decided).expect("JSON");
    assert_eq!(
        serde_json::from_str::<outboard_documents::decision::ServiceDecision>(&text).expect("a decision"),
        decided
    );
}
