use rustix::io::Errno;

use super::*;
use crate::judge::Judgement;
use crate::module::Hardware;
use crate::proc_crypto::{Driver, Selftest};

fn judged(name: &str, algorithm: &str, priority: i32, flags: Option<u32>, verdict: Verdict) -> Judged {
    let driver = Driver {
        algorithm: algorithm.into(),
        name: name.into(),
        module: "kernel".into(),
        priority,
        refcnt: None,
        selftest: Selftest::Passed,
        internal: false,
        kind: Kind::Skcipher,
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

const VIRTIO: u32 = Flags::ASYNC | Flags::ALLOCATES_MEMORY;

fn on(release: &str) -> Facts {
    Facts { release: Release::parse(release), ..Facts::default() }
}

fn answer(facts: &Facts, flags: Option<u32>, interface: Interface) -> (Answer, String) {
    let driver = judged("virtio_crypto_aes_cbc", "cbc(aes)", 150, flags, Verdict::Accelerator);
    let ways = decide(&driver, std::slice::from_ref(&driver), facts);
    let way = ways.into_iter().find(|w| w.interface == interface).unwrap();
    (way.answer, way.why)
}

#[test]
fn af_alg_is_closed_to_accelerators_since_7_2() {
    for (release, flags, expected) in [
        ("6.1.0-44-amd64", Some(VIRTIO), Answer::Yes),
        ("6.12.57", None, Answer::Yes),
        ("7.2.13-amd64", Some(VIRTIO), Answer::No),
        ("7.2.13-amd64", Some(Flags::NEED_FALLBACK), Answer::Yes),
        ("7.2.13-amd64", None, Answer::No),
        ("8.0", Some(VIRTIO), Answer::No),
    ] {
        assert_eq!(answer(&on(release), flags, Interface::AfAlg).0, expected, "{release} {flags:?}");
    }
    let why = answer(&on("7.2.13-amd64"), Some(VIRTIO), Interface::AfAlg).1;
    assert_eq!(
        why,
        "Linux 7.2 closed AF_ALG to drivers with the flags of accelerators (here ASYNC, ALLOCATES_MEMORY)"
    );
    assert_eq!(answer(&Facts::default(), None, Interface::AfAlg).0, Answer::Unclear);
}

#[test]
fn a_probe_outweighs_the_release() {
    let bound = Facts { probe: Some(Probe::Bound), ..on("7.2.1") };
    assert_eq!(answer(&bound, Some(VIRTIO), Interface::AfAlg).0, Answer::Yes);
    let refused = Facts { probe: Some(Probe::Refused(Errno::NOENT)), ..on("6.12.1") };
    let (no, why) = answer(&refused, Some(VIRTIO), Interface::AfAlg);
    assert_eq!((no, why.as_str()), (Answer::No, "this kernel refuses it: bind answers ENOENT"));
}

#[test]
fn the_sysctl_of_7_3_switches_af_alg_off() {
    let facts = Facts { af_alg_restrict: Some(2), ..on("7.3-rc7") };
    assert!(answer(&facts, Some(0), Interface::AfAlg).1.contains("af_alg_restrict is 2"));
}

#[test]
fn dm_crypt_leaves_out_drivers_that_allocate_memory() {
    assert_eq!(answer(&on("6.12"), Some(VIRTIO), Interface::DmCrypt).0, Answer::No);
    assert_eq!(answer(&on("6.12"), Some(Flags::ASYNC), Interface::DmCrypt).0, Answer::Yes);
    assert_eq!(answer(&on("5.9"), Some(VIRTIO), Interface::DmCrypt).0, Answer::Yes);
    assert_eq!(answer(&on("6.12"), None, Interface::DmCrypt).0, Answer::Unclear);
}

#[test]
fn a_driver_whose_self_test_failed_is_reached_by_nobody() {
    let mut driver = judged("x", "cbc(aes)", 1, Some(0), Verdict::Accelerator);
    driver.driver.selftest = Selftest::Unknown;
    let ways = decide(&driver, std::slice::from_ref(&driver), &on("6.12"));
    assert!(ways.len() == 3 && ways.iter().all(|w| w.answer == Answer::No && w.why.contains("self-test")));
}

#[test]
fn fscrypt_leaves_out_accelerators_since_6_17() {
    assert_eq!(answer(&on("6.17"), Some(VIRTIO), Interface::Fscrypt).0, Answer::No);
    assert_eq!(answer(&on("7.2"), None, Interface::Fscrypt).0, Answer::No);
    assert_eq!(answer(&on("6.12"), Some(VIRTIO), Interface::Fscrypt).0, Answer::Unclear);
}

#[test]
fn users_of_an_algorithm_get_what_the_kernel_prefers() {
    let virtio = judged("virtio_crypto_aes_cbc", "cbc(aes)", 150, Some(VIRTIO), Verdict::Accelerator);
    let aesni = judged("cbc-aes-aesni", "cbc(aes)", 400, Some(0), Verdict::CpuInstructions);
    let drivers = [virtio, aesni];
    let ways = decide(&drivers[0], &drivers, &on("6.12"));
    let ipsec = ways.iter().find(|w| w.interface == Interface::Ipsec).unwrap();
    assert_eq!(
        (ipsec.answer, ipsec.why.as_str()),
        (Answer::No, "for cbc(aes) the kernel picks cbc-aes-aesni (priority 400 against 150)")
    );
    assert!(!ways.iter().any(|w| w.interface == Interface::Ktls));
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
    for (open, expected) in [(None, Answer::No), (Some(false), Answer::No), (Some(true), Answer::Yes)] {
        let allowed = Some(vec!["virtio_crypto_aes_cbc".to_string()]);
        let facts = Facts { dev_crypto: open, dev_outboard: open, allowed, ..on("7.2") };
        assert_eq!(answer(&facts, None, Interface::DevCrypto).0, expected);
        assert_eq!(answer(&facts, None, Interface::DevOutboard).0, expected);
    }
}

#[test]
fn the_outboard_module_leads_to_what_root_has_allowed() {
    for (list, expected, why) in [
        (Some(vec!["mv-cbc-aes".to_string()]), Answer::No, "outboard allow virtio_crypto_aes_cbc"),
        (Some(vec![]), Answer::No, "outboard allow virtio_crypto_aes_cbc"),
        (None, Answer::Unclear, "cannot be read"),
    ] {
        let facts = Facts { dev_outboard: Some(true), allowed: list, ..on("7.2") };
        let (answer, text) = answer(&facts, None, Interface::DevOutboard);
        assert!(answer == expected && text.contains(why), "{text}");
    }
}

#[test]
fn the_ways_for_programs_come_in_the_order_of_preference() {
    let driver = judged("mv-cbc-aes", "cbc(aes)", 300, None, Verdict::Accelerator);
    let ways = decide(&driver, std::slice::from_ref(&driver), &on("6.12"));
    let programs = ways.iter().map(|w| w.interface).filter(|i| i.is_for_programs());
    assert!(programs.eq([Interface::DevOutboard, Interface::DevCrypto, Interface::AfAlg]));
}
