use rustix::io::Errno;

use outboard_catalog::families::Bounds;

use super::*;
use crate::judge::Judgement;
use crate::module::Hardware;
use crate::proc_crypto::{CryptoDriver, Selftest};

fn judged(name: &str, algorithm: &str, priority: i32, flags: Option<u32>, verdict: Verdict) -> Judged {
    let driver = CryptoDriver {
        algorithm: algorithm.into(),
        name: name.into(),
        module: "kernel".into(),
        priority,
        refcnt: None,
        selftest: Selftest::Passed,
        internal: false,
        kind: DriverType::Skcipher,
        is_async: Some(true),
        blocksize: None,
        min_keysize: None,
        max_keysize: None,
        ivsize: None,
        maxauthsize: None,
        digestsize: None,
        line: 1,
    };
    Judged {
        driver,
        flags: flags.map(Flags),
        hardware: Hardware::default().into(),
        interrupt_lines: None,
        judgement: Judgement { verdict, signature: None },
    }
}

fn allowed(algorithm: &str, driver: &str) -> AllowedDriver {
    AllowedDriver {
        number: 1,
        algorithm: Some(algorithm.into()),
        driver: driver.into(),
        bounds: Bounds::NONE,
    }
}

const VIRTIO: u32 = Flags::ASYNC | Flags::ALLOCATES_MEMORY;

fn on(release: &str) -> ReachFacts {
    ReachFacts { release: Release::parse(release), ..ReachFacts::default() }
}

fn answer(facts: &ReachFacts, flags: Option<u32>, route: Route) -> (Reachable, String) {
    let driver = judged("virtio_crypto_aes_cbc", "cbc(aes)", 150, flags, Verdict::Accelerator);
    let ways = decide(&driver, std::slice::from_ref(&driver), facts);
    let decision = ways.into_iter().find(|w| w.route == route).unwrap();
    (decision.reachable, decision.why)
}

#[test]
fn af_alg_is_closed_to_accelerators_since_7_2() {
    for (release, flags, expected) in [
        ("6.1.0-44-amd64", Some(VIRTIO), Reachable::Yes),
        ("6.12.57", None, Reachable::Yes),
        ("7.2.13-amd64", Some(VIRTIO), Reachable::No),
        ("7.2.13-amd64", Some(Flags::NEED_FALLBACK), Reachable::Yes),
        ("7.2.13-amd64", None, Reachable::No),
        ("8.0", Some(VIRTIO), Reachable::No),
    ] {
        assert_eq!(
            answer(&on(release), flags, Route::Program(ProgramInterface::AfAlg)).0,
            expected,
            "{release} {flags:?}"
        );
    }
    let why = answer(&on("7.2.13-amd64"), Some(VIRTIO), Route::Program(ProgramInterface::AfAlg)).1;
    assert_eq!(
        why,
        "Linux 7.2 closed AF_ALG to drivers with the flags of accelerators (here ASYNC, ALLOCATES_MEMORY)"
    );
    assert_eq!(
        answer(&ReachFacts::default(), None, Route::Program(ProgramInterface::AfAlg)).0,
        Reachable::Unclear
    );
}

#[test]
fn a_probe_outweighs_the_release() {
    let bound = ReachFacts { probe: Some(Probe::Bound), ..on("7.2.1") };
    assert_eq!(answer(&bound, Some(VIRTIO), Route::Program(ProgramInterface::AfAlg)).0, Reachable::Yes);
    let refused = ReachFacts { probe: Some(Probe::Refused(Errno::NOENT)), ..on("6.12.1") };
    let (no, why) = answer(&refused, Some(VIRTIO), Route::Program(ProgramInterface::AfAlg));
    assert_eq!((no, why.as_str()), (Reachable::No, "this kernel refuses it: bind answers ENOENT"));
}

#[test]
fn the_sysctl_of_7_3_switches_af_alg_off() {
    let facts = ReachFacts { af_alg_restrict: Some(2), ..on("7.3-rc7") };
    assert!(
        answer(&facts, Some(0), Route::Program(ProgramInterface::AfAlg)).1.contains("af_alg_restrict is 2")
    );
}

#[test]
fn dm_crypt_leaves_out_drivers_that_allocate_memory() {
    assert_eq!(answer(&on("6.12"), Some(VIRTIO), Route::DmCrypt).0, Reachable::No);
    assert_eq!(answer(&on("6.12"), Some(Flags::ASYNC), Route::DmCrypt).0, Reachable::Yes);
    assert_eq!(answer(&on("5.9"), Some(VIRTIO), Route::DmCrypt).0, Reachable::Yes);
    assert_eq!(answer(&on("6.12"), None, Route::DmCrypt).0, Reachable::Unclear);
}

#[test]
fn a_driver_whose_self_test_failed_is_reached_by_nobody() {
    let mut driver = judged("x", "cbc(aes)", 1, Some(0), Verdict::Accelerator);
    driver.driver.selftest = Selftest::Unknown;
    let ways = decide(&driver, std::slice::from_ref(&driver), &on("6.12"));
    assert!(ways.iter().all(|w| w.reachable == Reachable::No && w.why.contains("self-test")), "{ways:?}");
}

#[test]
fn fscrypt_leaves_out_accelerators_since_6_17() {
    assert_eq!(answer(&on("6.17"), Some(VIRTIO), Route::Fscrypt).0, Reachable::No);
    assert_eq!(answer(&on("7.2"), None, Route::Fscrypt).0, Reachable::No);
    assert_eq!(answer(&on("6.12"), Some(VIRTIO), Route::Fscrypt).0, Reachable::Unclear);
}

#[test]
fn users_of_an_algorithm_get_what_the_kernel_prefers() {
    let virtio = judged("virtio_crypto_aes_cbc", "cbc(aes)", 150, Some(VIRTIO), Verdict::Accelerator);
    let aesni = judged("cbc-aes-aesni", "cbc(aes)", 400, Some(0), Verdict::CpuInstructions);
    let drivers = [virtio, aesni];
    let ways = decide(&drivers[0], &drivers, &on("6.12"));
    let ipsec = ways.iter().find(|w| w.route == Route::Ipsec).unwrap();
    assert_eq!(
        (ipsec.reachable, ipsec.why.as_str()),
        (Reachable::No, "for cbc(aes) the kernel picks cbc-aes-aesni (priority 400 against 150)")
    );
    let ktls = ways.iter().find(|w| w.route == Route::Ktls).unwrap();
    assert_eq!((ktls.reachable, ktls.why.as_str()), (Reachable::No, "kTLS takes AEADs only, not cbc(aes)"));
}

#[test]
fn of_equal_priorities_the_first_in_the_list_is_picked() {
    let drivers = [
        judged("second", "cbc(aes)", 300, None, Verdict::Accelerator),
        judged("first", "cbc(aes)", 300, None, Verdict::Accelerator),
        judged("low", "cbc(aes)", 1, None, Verdict::Software),
    ];
    assert_eq!(pick(&drivers, "cbc(aes)", 0).unwrap().driver.name, "second");
    assert!(pick(&drivers, "ctr(aes)", 0).is_none());
}

#[test]
fn devices_are_reached_when_they_can_be_opened() {
    for (open, expected) in
        [(None, Reachable::No), (Some(false), Reachable::No), (Some(true), Reachable::Yes)]
    {
        let allowed = Some(vec![allowed("cbc(aes)", "virtio_crypto_aes_cbc")]);
        let facts = ReachFacts { dev_crypto: open, dev_outboard: open, allowed, ..on("7.2") };
        assert_eq!(answer(&facts, None, Route::Program(ProgramInterface::DevCrypto)).0, expected);
        assert_eq!(answer(&facts, None, Route::Program(ProgramInterface::DevOutboard)).0, expected);
    }
}

#[test]
fn the_outboard_module_leads_to_what_root_has_allowed() {
    for (list, expected, why) in [
        (
            Some(vec![allowed("cbc(aes)", "mv-cbc-aes")]),
            Reachable::No,
            "outboard allow virtio_crypto_aes_cbc",
        ),
        (Some(vec![allowed("ctr(aes)", "virtio_crypto_aes_cbc")]), Reachable::No, "for ctr(aes)"),
        (Some(vec![]), Reachable::No, "outboard allow virtio_crypto_aes_cbc"),
        (None, Reachable::Unclear, "cannot be read"),
    ] {
        let facts = ReachFacts { dev_outboard: Some(true), allowed: list, ..on("7.2") };
        let (answer, text) = answer(&facts, None, Route::Program(ProgramInterface::DevOutboard));
        assert!(answer == expected && text.contains(why), "{text}");
    }
}

#[test]
fn an_aead_that_was_not_checked_is_reached_over_our_own_device_only() {
    let mut driver = judged("n5_aes_gcm", "gcm(aes)", 1001, None, Verdict::Accelerator);
    driver.driver.kind = DriverType::Aead;
    let routes = |tags| {
        let facts = ReachFacts { dev_crypto: Some(true), tags, ..on("6.12") };
        let routes = decide(&driver, std::slice::from_ref(&driver), &facts);
        routes.into_iter().filter(|one| one.route.is_for_programs()).collect::<Vec<_>>()
    };
    let answers = |routes: &[RouteDecision]| routes.iter().map(|one| one.reachable).collect::<Vec<_>>();
    let unchecked = routes(TagCheck::Missing);
    assert_eq!(answers(&unchecked), [Reachable::No; 3]);
    assert!(
        unchecked[1..].iter().all(|one| one.awaits_check && one.why.contains("outboard check n5_aes_gcm"))
    );
    assert!(!unchecked[0].awaits_check);
    let checked = routes(TagCheck::Passed);
    assert_eq!(answers(&checked), [Reachable::No, Reachable::Yes, Reachable::Yes]);
}

#[test]
fn the_module_has_no_number_for_other_algorithms() {
    let name = "authenc-hmac-sha1-cbc-aes-caam";
    let driver = judged(name, "authenc(hmac(sha1),cbc(aes))", 3000, None, Verdict::Accelerator);
    let facts = ReachFacts { dev_outboard: Some(true), allowed: Some(vec![]), ..on("7.2") };
    let routes = decide(&driver, std::slice::from_ref(&driver), &facts);
    assert_eq!(routes[0].why, "it does not do authenc(hmac(sha1),cbc(aes))");
}

#[test]
fn the_routes_for_programs_come_in_the_order_of_preference() {
    let driver = judged("mv-cbc-aes", "cbc(aes)", 300, None, Verdict::Accelerator);
    let ways = decide(&driver, std::slice::from_ref(&driver), &on("6.12"));
    let programs = ways.iter().map(|w| w.route).filter(|i| i.is_for_programs());
    assert!(programs.eq([
        Route::Program(ProgramInterface::DevOutboard),
        Route::Program(ProgramInterface::DevCrypto),
        Route::Program(ProgramInterface::AfAlg)
    ]));
    // cryptodev-linux has no such operations.
    let mut compression = judged("some-deflate", "deflate", 300, None, Verdict::Accelerator);
    compression.driver.kind = DriverType::Acomp;
    let routes = decide(&compression, std::slice::from_ref(&compression), &on("6.12"));
    assert!(routes.iter().all(|one| one.route != Route::Program(ProgramInterface::DevCrypto)));
}

#[test]
fn without_the_module_the_reason_is_lockdown_or_that_it_is_not_loaded() {
    for is_locked_down in [false, true] {
        let facts = ReachFacts { is_locked_down, ..on("7.2") };
        let (reachable, why) = answer(&facts, None, Route::Program(ProgramInterface::DevOutboard));
        assert_eq!((reachable, why.contains("lockdown")), (Reachable::No, is_locked_down), "{why}");
    }
}

#[test]
fn what_closes_af_alg_is_named_with_the_answer_of_the_kernel() {
    let refused = ReachFacts { probe: Some(Probe::Refused(Errno::NOENT)), ..on("7.2.1") };
    let (no, why) = answer(&refused, Some(VIRTIO), Route::Program(ProgramInterface::AfAlg));
    assert!(no == Reachable::No && why.contains("7.2 closed AF_ALG") && why.contains("ENOENT"), "{why}");
    // A driver that is no accelerator, without flags.
    let soft = judged("some-cbc-aes", "cbc(aes)", 1, None, Verdict::Unknown);
    let routes = decide(&soft, std::slice::from_ref(&soft), &on("7.2.1"));
    let af_alg = routes.iter().find(|route| route.route == Route::Program(ProgramInterface::AfAlg));
    assert_eq!(af_alg.map(|route| route.reachable), Some(Reachable::Unclear));
}

#[test]
fn a_driver_whose_limits_the_module_keeps_is_reached_over_it_only() {
    let driver = judged("cbc-aes-s5p", "cbc(aes)", 150, Some(Flags::ASYNC), Verdict::Accelerator);
    let facts = ReachFacts {
        dev_crypto: Some(true),
        dev_outboard: Some(true),
        allowed: Some(vec![allowed("cbc(aes)", "cbc-aes-s5p")]),
        ..on("6.12")
    };
    let ways = decide(&driver, std::slice::from_ref(&driver), &facts);
    let reached = |interface| {
        let way = ways.iter().find(|way| way.route == Route::Program(interface)).unwrap();
        (way.reachable, way.why.contains("/dev/outboard only"))
    };
    assert_eq!(reached(ProgramInterface::DevOutboard), (Reachable::Yes, false));
    assert_eq!(reached(ProgramInterface::DevCrypto), (Reachable::No, true));
    assert_eq!(reached(ProgramInterface::AfAlg), (Reachable::No, true));
}
