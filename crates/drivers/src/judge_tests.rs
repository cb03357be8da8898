use super::*;
use crate::find::Judged;
use crate::module::DeviceDriver;
use crate::proc_crypto::Selftest;

fn driver(name: &str, module: &str) -> CryptoDriver {
    CryptoDriver {
        algorithm: "cbc(aes)".into(),
        name: name.into(),
        module: module.into(),
        priority: 4001,
        refcnt: Some(1),
        selftest: Selftest::Passed,
        internal: false,
        kind: DriverType::Skcipher,
        is_async: Some(true),
        blocksize: Some(16),
        min_keysize: Some(16),
        max_keysize: Some(32),
        ivsize: Some(16),
        maxauthsize: None,
        digestsize: None,
        line: 1,
    }
}

fn hardware(devices: &[&str]) -> Arc<Hardware> {
    let devices = devices.iter().map(|d| d.to_string()).collect();
    let drivers = vec![DeviceDriver { bus: "platform".into(), name: "acme".into(), devices }];
    Arc::new(Hardware { sysfs: true, drivers })
}

fn judged(name: &str, module: &str, facts: &Facts) -> Judged {
    let driver = driver(name, module);
    let judgement = judge(&driver, facts);
    let &Facts { flags, interrupt_lines, .. } = facts;
    Judged { driver, flags, hardware: Arc::clone(&facts.hardware), interrupt_lines, judgement }
}

fn verdict(name: &str, module: &str, facts: &Facts) -> Verdict {
    judge(&driver(name, module), facts).verdict
}

#[test]
fn known_accelerators_need_no_flag() {
    for (name, module) in
        [("virtio_crypto_aes_cbc", "virtio_crypto"), ("mv-cbc-aes", "kernel"), ("qat_aes_cbc", "intel_qat")]
    {
        let flags = Some(Flags(Flags::ASYNC | Flags::ALLOCATES_MEMORY));
        assert_eq!(
            verdict(name, module, &Facts { flags, ..Facts::default() }),
            Verdict::Accelerator,
            "{name}"
        );
        assert_eq!(verdict(name, module, &Facts::default()), Verdict::Accelerator, "{name}");
    }
}

#[test]
fn the_placeholder_of_a_driver_under_test_is_no_accelerator() {
    let flags = Some(Flags(Flags::ASYNC | Flags::KERN_DRIVER_ONLY));
    let facts = Facts { flags, ..Facts::default() };
    let under_test = driver("acme-ecb-aes", "kernel");
    assert_eq!(judge(&under_test, &facts).verdict, Verdict::Accelerator);
    let placeholder = CryptoDriver { kind: DriverType::Larval, ..under_test };
    assert_eq!(judge(&placeholder, &facts).verdict, Verdict::Unknown);
}

#[test]
fn a_high_priority_and_async_do_not_make_an_accelerator() {
    let async_only = || Facts { flags: Some(Flags(Flags::ASYNC)), ..Facts::default() };
    assert_eq!(verdict("cbc-aes-aesni", "aesni_intel", &async_only()), Verdict::CpuInstructions);
    assert_eq!(verdict("aes-generic", "kernel", &async_only()), Verdict::Software);
    assert_eq!(verdict("acme-cbc-aes", "acme", &async_only()), Verdict::Unknown);
}

#[test]
fn a_known_name_in_a_strange_module_is_not_trusted() {
    let j = judged("mv-cbc-aes", "acme", &Facts::default());
    assert_eq!((j.judgement.verdict, j.judgement.family().is_none()), (Verdict::Unknown, true));
    assert!(j.evidence()[0].text.contains("another module than acme"), "{:?}", j.evidence());
}

#[test]
fn a_known_family_without_its_device_is_unknown() {
    let facts = Facts { hardware: hardware(&[]), ..Facts::default() };
    assert_eq!(verdict("mv-cbc-aes", "marvell_cesa", &facts), Verdict::Unknown);
}

#[test]
fn a_stranger_is_an_accelerator_when_several_signs_agree() {
    let facts = |flags, devices: &[&str], lines| Facts {
        flags: Some(Flags(flags)),
        hardware: hardware(devices),
        interrupt_lines: Some(lines),
        registered: None,
    };
    let (kdo, asynchronous) = (Flags::KERN_DRIVER_ONLY, Flags::ASYNC);
    for (given, expected) in [
        (facts(asynchronous, &["1.acme"], 1), Verdict::Accelerator),
        (facts(kdo, &["1.acme"], 0), Verdict::Accelerator),
        (facts(asynchronous, &["1.acme"], 0), Verdict::Unknown),
        (facts(0, &["1.acme"], 1), Verdict::Unknown),
        (facts(kdo | asynchronous, &[], 0), Verdict::Unknown),
    ] {
        assert_eq!(verdict("acme-cbc-aes", "acme", &given), expected, "{given:?}");
    }
    let plain = Facts { flags: Some(Flags(0)), ..Facts::default() };
    assert_eq!(verdict("acme-cbc-aes", "acme", &plain), Verdict::Software);
    let declared = Facts { flags: Some(Flags(kdo)), ..Facts::default() };
    assert_eq!(verdict("acme-cbc-aes", "acme", &declared), Verdict::Unknown);
}

#[test]
fn templates_are_wrappers_and_name_what_is_inside() {
    let j = judged("cryptd(__cbc-aes-aesni)", "cryptd", &Facts::default());
    assert_eq!((j.judgement.verdict, j.inner()), (Verdict::Wrapper, vec!["__cbc-aes-aesni"]));
    let j = judged("essiv(mv-cbc-aes,sha256-generic)", "essiv", &Facts::default());
    assert_eq!((j.judgement.verdict, j.inner().len()), (Verdict::Wrapper, 2));
    let flags = Some(Flags(Flags::INSTANCE));
    assert_eq!(verdict("odd", "kernel", &Facts { flags, ..Facts::default() }), Verdict::Wrapper);
}

#[test]
fn drivers_that_call_themselves_like_a_template_are_no_wrappers() {
    let eip93 = ["cbc(aes-eip93)", "authenc(hmac(sha1-eip93),cbc(aes-eip93))", "hmac(sha256-eip93)"];
    for name in eip93.into_iter().chain(["authenc(hmac(sha1),cbc(aes))-sa2ul", "n5_cbc(aes)"]) {
        let module = families::values(families::by_name(name).unwrap().family().modules).next().unwrap();
        let without_flags = Facts::default();
        assert_eq!(verdict(name, module, &without_flags), Verdict::Accelerator, "{name}");
        let flags = Some(Flags(Flags::ASYNC | Flags::KERN_DRIVER_ONLY));
        assert_eq!(
            verdict(name, module, &Facts { flags, ..Facts::default() }),
            Verdict::Accelerator,
            "{name}"
        );
    }
    // Also where the names of their parts are those of drivers.
    let registered = ["aes-eip93", "aes"].into();
    let facts = Facts { registered: Some(&registered), ..Facts::default() };
    let module = |name| families::values(families::by_name(name).unwrap().family().modules).next().unwrap();
    for (name, module) in [("cbc(aes-eip93)", "kernel"), ("n5_cbc(aes)", module("n5_cbc(aes)"))] {
        assert_eq!(verdict(name, module, &facts), Verdict::Accelerator, "{name}");
    }
    let registered = ["authenc(hmac(sha1-eip93),cbc(aes-eip93))"].into();
    let facts = Facts { registered: Some(&registered), ..Facts::default() };
    let echainiv = "echainiv(authenc(hmac(sha1-eip93),cbc(aes-eip93)))";
    for module in ["kernel", "echainiv"] {
        assert_eq!(verdict(echainiv, module, &facts), Verdict::Wrapper, "{module}");
    }
    let flags = Some(Flags(Flags::ASYNC | Flags::INSTANCE));
    let facts = Facts { flags, ..Facts::default() };
    assert_eq!(verdict("essiv(cbc(aes-eip93),sha256-generic)", "essiv", &facts), Verdict::Wrapper);
}

#[test]
fn verdicts_have_names_and_a_known_driver_its_family() {
    let names = ["accelerator", "cpu-instructions", "software", "wrapper", "unknown"];
    assert_eq!(Verdict::ALL.map(Verdict::name), names);
    let judged = |name, module| judged(name, module, &Facts::default()).judgement;
    assert!(judged("mv-cbc-aes", "marvell_cesa").family().is_some());
    assert!(judged("acme-cbc-aes", "acme").family().is_none());
}
