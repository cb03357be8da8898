use super::*;

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

fn contest(service: &str, bytes: u32, goal: Goal, figures: &[CipherFigure]) -> Contest {
    let negotiation = Negotiation::of(service).expect("a service");
    Contest::of(negotiation, negotiation.by_default(), bytes, goal, figures).expect("figures of two suites")
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
    let refused = contest("nginx", TLS, Goal::Balanced, &tls((6.3, 31.0))).refusal("nginx").expect("refused");
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
        assert_eq!(
            contest("nginx", TLS, Goal::Balanced, &tls(hardware)).refusal("nginx"),
            None,
            "{hardware:?}"
        );
    }
}

#[test]
fn one_cipher_that_is_not_beaten_is_enough() {
    let mut figures = tls((6.3, 31.0));
    figures.push(figure(TLS, "AES-256-GCM", Some("eng"), 30.0, 10.0));
    let contest = contest("nginx", TLS, Goal::Balanced, &figures);
    assert_eq!(contest.refusal("nginx"), None);
    assert!(!contest.is_beaten("AES-128-GCM"), "the mode is not, with the other key");
    assert!(super::tests::contest("nginx", TLS, Goal::Cpu, &tls((6.3, 31.0))).is_beaten("AES-256-GCM"));
    assert!(!contest.is_beaten("AES-128-CBC"), "it was not measured");
}

#[test]
fn without_a_figure_of_the_accelerator_nothing_is_refused() {
    let mut figures = tls((6.3, 31.0));
    figures.retain(|one| one.driver.is_none());
    let contest = contest("nginx", TLS, Goal::Balanced, &figures);
    assert!(contest.refusal("nginx").is_none());
    assert!(
        contest.sentence().contains("is TLS_CHACHA20_POLY1305_SHA256 in software: AES in software 4.1 MB/s")
    );
}

#[test]
fn the_mac_decides_whether_ctr_wins_in_ssh() {
    let with_umac = contest("sshd", SSH, Goal::Balanced, &ssh(400.0, 60.0));
    let best = with_umac.best().expect("a suite");
    assert_eq!((best.suite.as_str(), best.mac.as_deref()), ("aes128-ctr", Some("umac-64-etm@openssh.com")));
    assert!((best.megabytes_per_second - 1.0 / (1.0 / 200.0 + 1.0 / 400.0)).abs() < 1e-9);
    assert_eq!(best.cpu_ms_per_megabyte, Some(4.5));
    assert_eq!(with_umac.refusal("sshd"), None);
    assert!(with_umac.settings().iter().any(|line| line.starts_with("Ciphers ^aes128-ctr ")));
    // The administrator allows SHA-2 only, whose software is slow here.
    let mut offered = Negotiation::Sshd.by_default();
    offered.macs.retain(|mac| mac.starts_with("hmac-sha2-256"));
    let figures = ssh(400.0, 45.0);
    let with_sha2 = Contest::of(Negotiation::Sshd, offered, SSH, Goal::Balanced, &figures).expect("figures");
    let refused = with_sha2.refusal("sshd").expect("ChaCha20 wins");
    assert!(refused.contains("peers negotiate chacha20-poly1305@openssh.com already"), "{refused}");
    assert_eq!(with_sha2.settings(), Vec::<String>::new());
}

#[test]
fn where_aes_is_required_the_best_suite_is_one_with_aes() {
    let contest = contest("nginx", TLS, Goal::Balanced, &tls((6.3, 31.0))).of_aes();
    let best = contest.best().expect("a suite");
    assert_eq!((best.suite.as_str(), best.driver.as_deref()), ("TLS_AES_128_GCM_SHA256", Some("eng")));
    assert!(!contest.sentence().contains("another cipher"));
}

#[test]
fn the_goal_decides_between_the_fastest_and_the_cheapest() {
    let figures = tls((14.0, 10.0));
    let best = |goal| contest("nginx", TLS, goal, &figures).best().and_then(|one| one.driver.clone());
    assert_eq!(best(Goal::Throughput), None);
    assert_eq!(best(Goal::Cpu).as_deref(), Some("eng"));
    assert_eq!(best(Goal::Balanced).as_deref(), Some("eng"));
    let text = contest("nginx", TLS, Goal::Balanced, &figures).sentence();
    assert_eq!(
        text,
        "the fastest is TLS_CHACHA20_POLY1305_SHA256 in software, the cheapest in CPU time TLS_AES_128_GCM_SHA256 by eng: \
         with the accelerator 14.0 MB/s and 10.0 ms of CPU time per MB, \
         AES in software 4.1 MB/s and 115.0 ms of CPU time per MB, \
         another cipher 16.1 MB/s and 24.0 ms of CPU time per MB (16384 bytes)"
    );
    // Cheaper by any factor, and too slow.
    let slow = contest("nginx", TLS, Goal::Balanced, &tls((5.0, 1.0)));
    assert_eq!(slow.best().and_then(|one| one.driver.clone()), None);
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
    assert!(offered.figures().contains(&"HMAC-SHA1"));
    let contest = Contest::of(Negotiation::OpenVpn, offered, packet, Goal::Cpu, &figures).expect("figures");
    let legacy = contest.entrants.iter().find(|one| one.is_legacy).expect("CBC");
    assert_eq!(legacy.cpu_ms_per_megabyte, Some(11.0));
    assert_eq!(contest.best().map(|one| one.suite.as_str()), Some("CHACHA20-POLY1305"));
    assert_eq!(contest.refusal("openvpn"), None, "it is not beaten");
    assert_eq!(
        contest.settings(),
        [
            "data-ciphers CHACHA20-POLY1305:AES-256-GCM:AES-128-GCM    # on both ends; the server's order decides"
        ]
    );
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
    let ssh = Negotiation::Ssh.by_default().figures();
    assert!(["UMAC-64", "UMAC-128", "HMAC-SHA2-256", CHACHA20].iter().all(|name| ssh.contains(name)));
}
