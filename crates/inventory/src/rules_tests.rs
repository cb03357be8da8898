//! Each rule of the advice fires for a tree that has the problem, and not for one that does not.

use std::fs;
use std::path::Path;

use outboard_advice::{CipherFacts, Facts, PolicyState, ServiceFacts};

use outboard_advice::rules::RULES;
use outboard_documents::status::Status;
use outboard_drivers::proc_crypto::Selftest;
use outboard_drivers::root::Root;

use crate::collect::{collect, collect_from};
use outboard_documents::status::PastedText;

/// Files of a machine: a path and its content.
type Tree<'a> = Vec<(&'a str, String)>;

fn status_of(files: &Tree) -> Status {
    let tree = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    collect(&Root::saved(tree.path()).unwrap()).unwrap()
}

fn driver(algorithm: &str, name: &str, module: &str, priority: i32, selftest: &str) -> String {
    let kind = match algorithm {
        "gcm(aes)" => "aead",
        "sha256" => "ahash",
        _ => "skcipher",
    };
    format!(
        "name : {algorithm}\ndriver : {name}\nmodule : {module}\npriority : {priority}\nselftest : {selftest}\ninternal : no\n\
         type : {kind}\nasync : yes\n\n"
    )
}

/// An instance that associations of IPsec hold.
fn with_ipsec(cipher: &str) -> String {
    let instance = format!("echainiv(authenc(hmac-sha256-lib,{cipher}))");
    let row = driver("echainiv(authenc(hmac(sha256),cbc(aes)))", &instance, "echainiv", 300, "passed");
    row.replace("selftest", "refcnt : 3\nselftest")
}

const ARM: &str = "processor\t: 0\nmodel name\t: ARMv7\nFeatures\t: half thumb neon\n";
const XEON: &str = "processor\t: 0\nmodel name\t: Xeon\nflags\t\t: fpu aes\n";
const CHECKED: &str = "etc/outboard/checked";
const CNF: &str = "etc/ssl/openssl.cnf";

/// An Armada with CESA on Linux 6.12.
fn cesa() -> Tree<'static> {
    vec![
        ("proc/crypto", driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "passed")),
        ("proc/cpuinfo", ARM.into()),
        ("proc/sys/kernel/osrelease", "6.12.57\n".into()),
        ("proc/interrupts", "           CPU0\n".into()),
    ]
}

/// The tree with files added or replaced.
fn with<'a>(mut tree: Tree<'a>, files: &[(&'a str, &str)]) -> Tree<'a> {
    for &(file, text) in files {
        tree.retain(|(known, _)| *known != file);
        tree.push((file, text.to_owned()));
    }
    tree
}

fn config(rest: &str) -> String {
    format!("openssl_conf = main\n[main]\n{rest}")
}

/// For each kind: a tree that has it, and one that does not.
fn trees(id: &str) -> (Tree<'static>, Tree<'static>) {
    let crypto = |text: String| with(cesa(), &[("proc/crypto", &text)]);
    let cnf = |rest: &str| with(cesa(), &[(CNF, &config(rest))]);
    let engines = "engines = list\n[list]\nafalg = one\n[one]\ndefault_algorithms = ALL\n";
    let openssl = |version: &str| {
        let text = format!("OpenSSL {version} 1 Jan 2026\n");
        with(cnf(engines), &[("outboard/openssl-version", &text)])
    };
    let aesni = driver("cbc(aes)", "cbc-aes-aesni", "aesni_intel", 400, "passed");
    let linux = |release: &'static str| with(cesa(), &[("proc/sys/kernel/osrelease", release)]);
    let module = "sys/class/misc/outboard/allow";
    let gcm = driver("gcm(aes)", "gcm-aes-caam", "kernel", 3000, "passed");
    match id {
        "wrong-results-when-checked" => (
            with(
                cesa(),
                &[(
                    CHECKED,
                    "mv-cbc-aes wrong 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6 # from byte 7 on\n",
                )],
            ),
            with(cesa(), &[(CHECKED, "mv-cbc-aes exact 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6\n")]),
        ),
        "driver-does-not-answer" => {
            let stopped = |yes: &'static str| {
                with(cesa(), &[("sys/class/misc/outboard/drivers/mv-cbc-aes/stopped", yes)])
            };
            (stopped("1\n"), stopped("0\n"))
        }
        "policy-not-in-force" => {
            (with(cesa(), &[("etc/outboard/policy", "outboard-policy 1\nkernel 6.1.0\n")]), cesa())
        }
        "device-without-driver" => {
            let device = "sys/bus/platform/devices/f1090000.crypto/modalias";
            let bare = with(cesa(), &[(device, "of:NcryptoT(null)Cmarvell,armada-38x-crypto\n")]);
            (bare.clone(), with(bare, &[("sys/bus/platform/devices/f1090000.crypto/driver", "")]))
        }
        "chip-without-driver" => {
            let board = "sys/firmware/devicetree/base/compatible";
            let none = crypto(driver("cbc(aes)", "cbc-aes-neonbs", "aes_arm_bs", 250, "passed"));
            (
                with(none, &[(board, "kobol,helios4\0marvell,armada388\0")]),
                with(cesa(), &[(board, "marvell,armada388\0")]),
            )
        }
        "selftest-failed" => {
            (crypto(driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "unknown")), cesa())
        }
        "selftest-pending" => {
            let tested = driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "unknown");
            let larval = tested.replace("type : skcipher", "type : larval");
            (crypto(tested.clone() + &larval), crypto(tested))
        }
        "known-fault" => (crypto(driver("sha256", "rk2-sha256", "rk2_crypto", 300, "passed")), cesa()),
        "ipsec-accelerator" => {
            let safexcel = driver("cbc(aes)", "safexcel-cbc-aes", "crypto_safexcel", 300, "passed");
            let soft = driver("cbc(aes)", "cbc(aes-generic)", "kernel", 400, "passed");
            (crypto(safexcel.clone() + &with_ipsec("safexcel-cbc-aes")), crypto(safexcel + &soft))
        }
        "slow-aes" => {
            let slow = crypto(driver("cbc(aes)", "cbc(ecb(aes-fixed-time))", "cbc", 101, "passed"));
            (with(slow.clone(), &[("proc/cpuinfo", XEON)]), slow)
        }
        "accelerator-outranked" => {
            let virtio = driver("cbc(aes)", "virtio_crypto_aes_cbc", "virtio_crypto", 150, "passed");
            (crypto(virtio.clone() + &aesni), crypto(virtio))
        }
        "driver-not-allowed" => {
            let closed = with(linux("7.2.0\n"), &[(module, "")]);
            (closed.clone(), with(closed, &[(module, "1 cbc(aes) mv-cbc-aes\n")]))
        }
        "tags-unchecked" => {
            let checked = "gcm-aes-caam exact 6.12.57 kernel - 2026-11-21T12:00:00Z 10 20 3\n";
            (crypto(gcm.clone()), with(crypto(gcm), &[(CHECKED, checked)]))
        }
        "accelerator-unreached" => (linux("7.2.0\n"), cesa()),
        "dev-crypto-without-accelerator" => {
            let soft = crypto(driver("cbc(aes)", "cbc-aes-neonbs", "aes_arm_bs", 250, "passed"));
            (with(soft, &[("dev/crypto", "")]), with(cesa(), &[("dev/crypto", "")]))
        }
        "no-permission" => (
            with(cesa(), &[("outboard/node-crypto", "closed 0660 crypto\n")]),
            with(cesa(), &[("outboard/node-crypto", "open 0660 crypto\n")]),
        ),
        "locked-down" => {
            let lockdown = |modes| with(cesa(), &[("sys/kernel/security/lockdown", modes)]);
            (lockdown("none [integrity] confidentiality\n"), lockdown("[none] integrity confidentiality\n"))
        }
        "af-alg-open" => {
            let restrict = |value| with(linux("7.3.0\n"), &[("proc/sys/crypto/af_alg_restrict", value)]);
            (restrict("0\n"), restrict("1\n"))
        }
        "engine-ignored" => (openssl("4.0.3"), openssl("3.5.4")),
        "engine-in-software" => {
            let old = openssl("3.5.4");
            (with(old.clone(), &[("proc/sys/kernel/osrelease", "7.2.0\n")]), old)
        }
        "engine-configured" => (openssl("3.5.4"), cnf("providers = list\n")),
        "no-default-provider" => {
            let list = "providers = list\n[list]\noutboard = ob\ndefault = de\n[ob]\nactivate = 1\n";
            (cnf(list), cnf(&format!("{list}[de]\nactivate = 1\n")))
        }
        "digests-offloaded" => {
            let list = "engines = list\n[list]\ndevcrypto = dc\n[dc]\n";
            (cnf(&format!("{list}DIGESTS = ALL\n")), cnf(&format!("{list}DIGESTS = NONE\n")))
        }
        "32-bit-kernel" => {
            let kernel = |bug: &str| {
                let text = format!("processor\t: 0\n{bug}flags\t\t: fpu lm aes\n");
                with(crypto(aesni.clone()), &[("proc/cpuinfo", &text)])
            };
            (kernel("fdiv_bug\t: no\n"), kernel(""))
        }
        "padlock-unused" => {
            let cpu = "processor\t: 0\nflags\t\t: fpu ace ace_en\n";
            let padlock = driver("cbc(aes)", "cbc-aes-padlock", "padlock_aes", 400, "passed");
            (with(cesa(), &[("proc/cpuinfo", cpu)]), with(crypto(padlock), &[("proc/cpuinfo", cpu)]))
        }
        "other-tls-library" => {
            let programs = ("outboard/tls-libraries", "uhttpd mbedTLS\nocserv GnuTLS\n");
            (with(cesa(), &[programs]), cesa())
        }
        "padlock-engine-gone" => {
            let cpu = ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu ace ace_en\n");
            (with(openssl("4.0.3"), &[cpu]), with(openssl("3.5.4"), &[cpu]))
        }
        "hwrng-unused" => {
            let available = ("sys/class/misc/hw_random/rng_available", "omap\n");
            let current = |name| with(cesa(), &[available, ("sys/class/misc/hw_random/rng_current", name)]);
            (current("none\n"), current("omap\n"))
        }
        "hwrng-uncredited" => {
            let current = ("sys/class/misc/hw_random/rng_current", "geode\n");
            let quality = |text| with(cesa(), &[current, ("sys/class/misc/hw_random/rng_quality", text)]);
            (quality("0\n"), quality("900\n"))
        }
        other => panic!("{other} has no machine"),
    }
}

fn has(status: &Status, id: &str) -> bool {
    status.problems.iter().any(|problem| problem.id == id)
}

#[test]
fn each_problem_shows_where_it_is_and_nowhere_else() {
    for id in RULES.iter().map(|rule| rule.id).filter(|id| *id != "hwrng-failing") {
        let (bad, good) = trees(id);
        let (bad, good) = (status_of(&bad), status_of(&good));
        assert!(has(&bad, id), "{id}: {:#?}", bad.problems);
        assert!(!has(&good, id), "{id}: {:#?}", good.problems);
        for problem in &bad.problems {
            assert!(!problem.evidence.is_empty() && !problem.next.is_empty(), "{problem:?}");
            assert!(!problem.text.ends_with('.'), "{problem:?}");
        }
    }
}

#[test]
fn a_self_test_that_is_not_finished_has_not_failed() {
    let (pending, failed) = trees("selftest-pending");
    let (pending, failed) = (status_of(&pending), status_of(&failed));
    assert!(!has(&pending, "selftest-failed") && has(&failed, "selftest-failed"));
    let conclusion =
        |status: &Status| status.verdict.as_ref().map(|verdict| verdict.text.clone()).unwrap_or_default();
    assert!(
        conclusion(&pending).ends_with("and the kernel still tests its driver."),
        "{}",
        conclusion(&pending)
    );
    assert!(conclusion(&failed).contains("has not passed the kernel's self-test"), "{}", conclusion(&failed));
    let state =
        |status: &Status| status.drivers.iter().find(|d| d.name == "mv-cbc-aes").map(|d| d.selftest.clone());
    assert_eq!([state(&pending), state(&failed)], [Some(Selftest::Pending), Some(Selftest::Unknown)]);
}

const MT7621: &str = "system type\t\t: MediaTek MT7621 ver:1 eco:3\nmachine\t\t\t: Ubiquiti EdgeRouter X\nprocessor\t\t: 0\n\
    cpu model\t\t: MIPS 1004Kc V2.15\n";

#[test]
fn the_driver_of_a_router_is_a_package_of_openwrt() {
    let soft = driver("cbc(aes)", "cbc(aes-generic)", "kernel", 100, "passed");
    let next = |files: &[(&'static str, &str)]| {
        let tree = [("proc/cpuinfo", MT7621.to_owned()), ("proc/crypto", soft.clone())].to_vec();
        let status = status_of(&with(tree, files));
        let problem = status.problems.iter().find(|problem| problem.id == "chip-without-driver");
        problem.expect("a chip without its driver").next.clone()
    };
    let release = "etc/os-release";
    let pasted = next(&[]);
    assert!(pasted.contains("(on OpenWrt first: apk add kmod-crypto-hw-eip93 (before"), "{pasted}");
    let openwrt = next(&[(release, "ID=openwrt\n"), ("bin/opkg", "")]);
    assert!(openwrt.starts_with("opkg update && opkg install kmod-crypto-hw-eip93, and see"), "{openwrt}");
    let debian = next(&[(release, "ID=debian\n")]);
    assert!(debian.starts_with("modprobe crypto_hw_eip93, and see"), "{debian}");
}

/// U12. Neither lockdown nor users other than root are found on a router; hwrng-failing needs pasted text.
#[test]
fn no_next_step_on_a_router_names_what_is_not_there() {
    let elsewhere = ["apt ", ".deb", "docs/", "sudo", "systemctl", "dkms", "modprobe.d", "udev", "linux-"];
    for manager in ["bin/opkg", "usr/bin/apk"] {
        for rule in
            RULES.iter().filter(|rule| !["locked-down", "no-permission", "hwrng-failing"].contains(&rule.id))
        {
            let router = [("etc/os-release", "ID=openwrt\n"), (manager, "")];
            let status = status_of(&with(trees(rule.id).0, &router));
            let of_verdict = status.verdict.as_ref().and_then(|verdict| verdict.next.as_ref());
            for step in status.problems.iter().map(|problem| &problem.next).chain(of_verdict) {
                let found = elsewhere.iter().find(|word| step.contains(**word));
                assert_eq!(found, None, "{}: {step}", rule.id);
            }
        }
    }
}

#[test]
fn a_text_without_proc_crypto_names_the_engine_of_a_known_chip() {
    let verdict = |text: &str| {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("proc")).unwrap();
        fs::write(tree.path().join("proc/cpuinfo"), text).unwrap();
        let pasted = PastedText::default();
        let status = collect_from(&Root::saved(tree.path()).unwrap(), Some(pasted)).unwrap();
        status.verdict.map(|verdict| verdict.text).unwrap_or_default()
    };
    let router = verdict(MT7621);
    assert!(router.starts_with("MediaTek MT7621 has a crypto engine, "), "{router}");
    let other = verdict("processor\t: 0\nmodel name\t: Something Else\nflags\t\t: fpu\n");
    assert!(other.starts_with("Which drivers the kernel has is not known"), "{other}");
}

#[test]
fn a_closed_device_is_not_said_to_be_missing() {
    let node = |text: &'static str| with(linux_7_2(), &[("outboard/node-outboard", text)]);
    let closed = status_of(&node("closed 0600 root\n"));
    assert!(
        has(&closed, "no-permission") && !has(&closed, "accelerator-unreached"),
        "{:#?}",
        closed.problems
    );
    let step = &closed.problems.iter().find(|problem| problem.id == "no-permission").unwrap().next;
    assert!(step.contains("only root may") && !step.contains("group root"), "{step}");
    assert!(has(&status_of(&node("absent - -\n")), "accelerator-unreached"));
}

/// A kernel on which AF_ALG leads nowhere.
fn linux_7_2() -> Tree<'static> {
    with(cesa(), &[("proc/sys/kernel/osrelease", "7.2.0\n")])
}

#[test]
fn lockdown_matters_while_the_module_is_not_loaded() {
    const LOCKDOWN: &str = "sys/kernel/security/lockdown";
    let locked = with(cesa(), &[(LOCKDOWN, "none [integrity] confidentiality\n")]);
    let status = status_of(&locked);
    assert!(has(&status, "locked-down"));
    let row = status.reach.iter().find(|row| row.driver == "mv-cbc-aes").unwrap();
    let routes = &status.accelerators[0].reach;
    assert!(routes.iter().any(|route| route.why.contains("lockdown requires that it is signed")), "{row:?}");
    // AF_ALG is not restricted by it.
    assert!(row.consumers.iter().any(|cell| cell.consumer.name() == "AF_ALG" && cell.answer.name() == "yes"));
    for odd in ["[none] integrity confidentiality\n", "", "none [", "[]", "[other]"] {
        let status = status_of(&with(cesa(), &[(LOCKDOWN, odd)]));
        assert!(!has(&status, "locked-down"), "{odd}");
    }
    assert!(!has(&status_of(&with(locked, &[("dev/outboard", "")])), "locked-down"));
}

/// Machines of the second case of a problem, which [`trees`] does not have.
fn second_cases() -> Vec<Tree<'static>> {
    let crypto = |text: String| with(cesa(), &[("proc/crypto", &text)]);
    let unanswered = "mv-cbc-aes unanswered 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6 # no answer\n";
    let arm = "processor\t: 0\nmodel name\t: ARMv8\nFeatures\t: half thumb neon aes pmull sha1 sha2\n\
               CPU architecture: 8\n";
    let mut no_release = with(crypto(driver("gcm(aes)", "gcm-aes-caam", "kernel", 3000, "passed")), &[]);
    no_release = with(
        no_release,
        &[("proc/crypto", &driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "passed"))],
    );
    no_release.retain(|(file, _)| *file != "proc/sys/kernel/osrelease");
    vec![
        with(cesa(), &[(CHECKED, unanswered)]),
        crypto(
            driver("cbc(aes)", "qat_aes_cbc", "intel_qat", 4001, "passed")
                + &driver("cbc(aes)", "cbc-aes-aesni", "aesni_intel", 400, "passed"),
        ),
        crypto(driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "passed") + &with_ipsec("mv-cbc-aes")),
        with(cesa(), &[("proc/cpuinfo", arm)]),
        no_release,
    ]
}

#[test]
fn every_rule_fires_and_is_explained() {
    let ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let first = ids.iter().filter(|id| **id != "hwrng-failing").map(|id| trees(id).0);
    let found: Vec<Status> = first.chain(second_cases()).map(|tree| status_of(&tree)).collect();
    for (rule, case) in RULES.iter().flat_map(|rule| rule.cases.iter().map(move |case| (rule, case))) {
        let start = case.phrase.split('{').next().unwrap();
        let (start, rest) = if start.is_empty() { ("", &case.phrase[3..]) } else { (start, "") };
        let rest = rest.split('{').next().unwrap();
        let is_it = |text: &str| text.starts_with(start) && text.contains(rest);
        let fires =
            found.iter().flat_map(|status| &status.problems).any(|it| it.id == rule.id && is_it(&it.text));
        assert!(fires || rule.id == "hwrng-failing", "{}: {}", rule.id, case.phrase);
    }
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
}

#[test]
fn a_machine_without_problems_has_none() {
    let problems = status_of(&cesa()).problems;
    assert!(problems.iter().all(|problem| problem.is_note), "{problems:#?}");
}

fn fixture(name: &str) -> Facts {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    crate::facts(&Root::saved(&path).unwrap(), None).unwrap()
}

#[test]
fn the_next_step_is_what_harms_then_setup_then_a_proof_then_a_service() {
    let next = |policy: Option<bool>, services: &[(&str, Option<u32>, bool)]| {
        let mut facts = fixture("qemu-virtio-6.12");
        facts.status.saved_tree = None;
        facts.status.policy = policy.map(|in_force| outboard_documents::status::Policy {
            path: String::new(),
            made: None,
            goal: None,
            in_force,
            problem: None,
        });
        let service = |(name, from, is_enabled): &(&str, Option<u32>, bool)| ServiceFacts {
            name: (*name).to_owned(),
            ciphers: vec![CipherFacts {
                driver: Some("eng".to_owned()),
                from: *from,
                is_measured: true,
                ..CipherFacts::default()
            }],
            policy: PolicyState::InForce,
            is_enabled: *is_enabled,
            ..ServiceFacts::default()
        };
        facts.services = services.iter().map(service).collect();
        facts.advise().verdict.and_then(|verdict| verdict.next).unwrap_or_default()
    };
    let (enable, prove) = ("outboard enable strongswan --restart", "outboard prove --service strongswan");
    assert_eq!(next(None, &[]), "outboard setup");
    assert_eq!(next(Some(false), &[]), "outboard setup", "the policy of another kernel");
    assert_eq!(next(Some(true), &[("openssl", None, false), ("strongswan", Some(1), false)]), enable);
    assert_eq!(next(Some(true), &[("openssl", Some(1), false), ("strongswan", Some(1), true)]), prove);
    assert_eq!(next(Some(true), &[("strongswan", None, false)]), "", "software wins");
    let harms = next(Some(true), &[("strongswan", Some(1), true), ("openssl", None, true)]);
    assert_eq!(harms, "outboard disable openssl");
}

/// A recorded machine with other files.
fn recorded(name: &str, change: impl Fn(&str) -> String, files: &[(&str, &str)]) -> Status {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let tree = tempfile::tempdir().unwrap();
    let copied = std::process::Command::new("cp").arg("-r").arg(fixture.join(".")).arg(tree.path()).status();
    assert!(copied.unwrap().success());
    let policy = tree.path().join("etc/outboard/policy");
    fs::write(&policy, change(&fs::read_to_string(&policy).unwrap())).unwrap();
    for (file, text) in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    collect(&Root::saved(tree.path()).unwrap()).unwrap()
}

#[test]
fn what_a_recorded_machine_measured_of_its_tunnels_is_the_first_finding() {
    for (name, user, driver, figures, evidence) in [
        (
            "mt7986-safexcel",
            "ovpn: ",
            " safexcel-gcm-aes ",
            " aes128gcm16 by safexcel-gcm-aes 21.5 MB/s, in software 95.2",
            "/sys/class/net/*/uevent: DEVTYPE; /etc/outboard/policy",
        ),
        (
            "imx8mm-caam",
            "IPsec: ",
            " cbc-aes-caam and gcm-aes-caam ",
            " aes128-sha256 by cbc-aes-caam 30.0 MB/s, in software 90.0",
            "/proc/crypto: echainiv(authenc(hmac-sha256-ce,cbc-aes-caam)) has users; /etc/outboard/policy",
        ),
    ] {
        let first = recorded(name, str::to_owned, &[]).problems.swap_remove(0);
        assert_eq!((first.id.as_str(), first.evidence.as_str()), ("ipsec-accelerator", evidence));
        let text = &first.text;
        assert!(text.starts_with(user) && text.contains(driver) && text.ends_with(figures), "{text}");
        assert!(first.next.starts_with("`outboard prefer --software "), "{}", first.next);
    }
    // Not reported: a driver that wins, by throughput or by the product of wall time and CPU time, and one
    // that root chose.
    let is_silent = |from: &str, to: &str, files: &[(&str, &str)]| {
        let status = recorded("mt7986-safexcel", |policy| policy.replace(from, to), files);
        !has(&status, "ipsec-accelerator")
    };
    assert!(is_silent(" 21.5", " 121.5", &[]) && is_silent(" 40\n", " 1\n", &[]));
    assert!(!is_silent("", "", &[]) && !is_silent(" 40\n", " 4\n", &[]) && !is_silent(" 40\n", " 0\n", &[]));
    let preferred = |text| [("etc/outboard/prefer.d/prefer-x", text)];
    assert!(is_silent("", "", &preferred("safexcel-gcm-aes 300\n")));
    assert!(!is_silent("", "", &preferred("safexcel-gcm-aes 300 last\n")), "another raised it since");
}

#[test]
fn a_driver_that_is_wrong_in_use_is_named_even_if_root_chose_it() {
    let crypto = driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "passed") + &with_ipsec("mv-cbc-aes");
    let wrong = "mv-cbc-aes wrong 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6 # packets of IPsec: lost\n";
    let chosen = ("etc/outboard/prefer.d/ipsec", "mv-cbc-aes 300\n");
    let status = status_of(&with(cesa(), &[("proc/crypto", &crypto), (CHECKED, wrong), chosen]));
    let first = &status.problems[0];
    assert_eq!(first.id, "ipsec-accelerator");
    assert!(first.text.ends_with("mv-cbc-aes: wrong, packets of IPsec: lost"), "{}", first.text);
}
