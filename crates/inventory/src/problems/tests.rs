//! Each kind of problem is shown by a tree that has it, and not by one that does not.

use std::fs;
use std::path::Path;

use outboard_documents::named::Named;
use outboard_drivers::proc_crypto::Selftest;
use outboard_drivers::root::Root;

use super::*;
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
fn trees(id: ProblemId) -> (Tree<'static>, Tree<'static>) {
    let crypto = |text: String| with(cesa(), &[("proc/crypto", &text)]);
    let cnf = |rest: &str| with(cesa(), &[(CNF, &config(rest))]);
    let engines = "engines = list\n[list]\nafalg = one\n[one]\ndefault_algorithms = ALL\n";
    let openssl = |version: &str| {
        let text = format!("OpenSSL {version} 1 Jan 2026\n");
        with(cnf(engines), &[("outboard/openssl-version", &text)])
    };
    let qat = driver("cbc(aes)", "qat_aes_cbc", "intel_qat", 4001, "passed");
    let aesni = driver("cbc(aes)", "cbc-aes-aesni", "aesni_intel", 400, "passed");
    let linux = |release: &'static str| with(cesa(), &[("proc/sys/kernel/osrelease", release)]);
    let module = "sys/class/misc/outboard/allow";
    let gcm = driver("gcm(aes)", "gcm-aes-caam", "kernel", 3000, "passed");
    match id {
        ProblemId::WrongWhenChecked => (
            with(
                cesa(),
                &[(
                    CHECKED,
                    "mv-cbc-aes wrong 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6 # from byte 7 on\n",
                )],
            ),
            with(cesa(), &[(CHECKED, "mv-cbc-aes exact 6.12.57 kernel - 2026-11-21T12:00:00Z 4 5 6\n")]),
        ),
        ProblemId::Unanswered => {
            let stopped = |yes: &'static str| {
                with(cesa(), &[("sys/class/misc/outboard/drivers/mv-cbc-aes/stopped", yes)])
            };
            (stopped("1\n"), stopped("0\n"))
        }
        ProblemId::PolicyUnused => {
            (with(cesa(), &[("etc/outboard/policy", "outboard-policy 1\nkernel 6.1.0\n")]), cesa())
        }
        ProblemId::DeviceWithoutDriver => {
            let device = "sys/bus/platform/devices/f1090000.crypto/modalias";
            let bare = with(cesa(), &[(device, "of:NcryptoT(null)Cmarvell,armada-38x-crypto\n")]);
            (bare.clone(), with(bare, &[("sys/bus/platform/devices/f1090000.crypto/driver", "")]))
        }
        ProblemId::ChipWithoutDriver => {
            let board = "sys/firmware/devicetree/base/compatible";
            let none = crypto(driver("cbc(aes)", "cbc-aes-neonbs", "aes_arm_bs", 250, "passed"));
            (
                with(none, &[(board, "kobol,helios4\0marvell,armada388\0")]),
                with(cesa(), &[(board, "marvell,armada388\0")]),
            )
        }
        ProblemId::SelftestFailed => {
            (crypto(driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "unknown")), cesa())
        }
        ProblemId::SelftestPending => {
            let tested = driver("cbc(aes)", "mv-cbc-aes", "marvell_cesa", 300, "unknown");
            let larval = tested.replace("type : skcipher", "type : larval");
            (crypto(tested.clone() + &larval), crypto(tested))
        }
        ProblemId::KnownFault => {
            let safexcel =
                |algorithm| crypto(driver(algorithm, "safexcel-x", "crypto_safexcel", 300, "passed"));
            (safexcel("cbc(aes)"), safexcel("sha256"))
        }
        ProblemId::SlowAes => {
            let slow = crypto(driver("cbc(aes)", "cbc(ecb(aes-fixed-time))", "cbc", 101, "passed"));
            (with(slow.clone(), &[("proc/cpuinfo", XEON)]), slow)
        }
        ProblemId::OutranksCpu => {
            let both = crypto(qat + &aesni);
            (with(both, &[("proc/cpuinfo", XEON)]), crypto(aesni))
        }
        ProblemId::AcceleratorOutranked => {
            let virtio = driver("cbc(aes)", "virtio_crypto_aes_cbc", "virtio_crypto", 150, "passed");
            (crypto(virtio.clone() + &aesni), crypto(virtio))
        }
        ProblemId::NotAllowed => {
            let closed = with(linux("7.2.0\n"), &[(module, "")]);
            (closed.clone(), with(closed, &[(module, "1 cbc(aes) mv-cbc-aes\n")]))
        }
        ProblemId::TagsUnchecked => {
            let checked = "gcm-aes-caam exact 6.12.57 kernel - 2026-11-21T12:00:00Z 10 20 3\n";
            (crypto(gcm.clone()), with(crypto(gcm), &[(CHECKED, checked)]))
        }
        ProblemId::Unreached => (linux("7.2.0\n"), cesa()),
        ProblemId::DevCryptoOfSoftware => {
            let soft = crypto(driver("cbc(aes)", "cbc-aes-neonbs", "aes_arm_bs", 250, "passed"));
            (with(soft, &[("dev/crypto", "")]), with(cesa(), &[("dev/crypto", "")]))
        }
        ProblemId::NoPermission => (
            with(cesa(), &[("outboard/node-crypto", "closed 0660 crypto\n")]),
            with(cesa(), &[("outboard/node-crypto", "open 0660 crypto\n")]),
        ),
        ProblemId::LockedDown => {
            let lockdown = |modes| with(cesa(), &[("sys/kernel/security/lockdown", modes)]);
            (lockdown("none [integrity] confidentiality\n"), lockdown("[none] integrity confidentiality\n"))
        }
        ProblemId::AfAlgOpen => {
            let restrict = |value| with(linux("7.3.0\n"), &[("proc/sys/crypto/af_alg_restrict", value)]);
            (restrict("0\n"), restrict("1\n"))
        }
        ProblemId::EngineIgnored => (openssl("4.0.3"), openssl("3.5.4")),
        ProblemId::EngineOfSoftware => {
            let old = openssl("3.5.4");
            (with(old.clone(), &[("proc/sys/kernel/osrelease", "7.2.0\n")]), old)
        }
        ProblemId::EngineConfigured => (openssl("3.5.4"), cnf("providers = list\n")),
        ProblemId::NoDefaultProvider => {
            let list = "providers = list\n[list]\noutboard = ob\ndefault = de\n[ob]\nactivate = 1\n";
            (cnf(list), cnf(&format!("{list}[de]\nactivate = 1\n")))
        }
        ProblemId::DigestsOffloaded => {
            let list = "engines = list\n[list]\ndevcrypto = dc\n[dc]\n";
            (cnf(&format!("{list}DIGESTS = ALL\n")), cnf(&format!("{list}DIGESTS = NONE\n")))
        }
        ProblemId::NarrowKernel => {
            let kernel = |bug: &str| {
                let text = format!("processor\t: 0\n{bug}flags\t\t: fpu lm aes\n");
                with(crypto(aesni.clone()), &[("proc/cpuinfo", &text)])
            };
            (kernel("fdiv_bug\t: no\n"), kernel(""))
        }
        ProblemId::PadlockUnused => {
            let cpu = "processor\t: 0\nflags\t\t: fpu ace ace_en\n";
            let padlock = driver("cbc(aes)", "cbc-aes-padlock", "padlock_aes", 400, "passed");
            (with(cesa(), &[("proc/cpuinfo", cpu)]), with(crypto(padlock), &[("proc/cpuinfo", cpu)]))
        }
        ProblemId::PadlockEngineGone => {
            let cpu = ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu ace ace_en\n");
            (with(openssl("4.0.3"), &[cpu]), with(openssl("3.5.4"), &[cpu]))
        }
        ProblemId::HwrngUnused => {
            let available = ("sys/class/misc/hw_random/rng_available", "omap\n");
            let current = |name| with(cesa(), &[available, ("sys/class/misc/hw_random/rng_current", name)]);
            (current("none\n"), current("omap\n"))
        }
        ProblemId::HwrngUncredited => {
            let current = ("sys/class/misc/hw_random/rng_current", "geode\n");
            let quality = |text| with(cesa(), &[current, ("sys/class/misc/hw_random/rng_quality", text)]);
            (quality("0\n"), quality("900\n"))
        }
        ProblemId::HwrngFailing => (Vec::new(), Vec::new()),
    }
}

fn has(status: &Status, id: ProblemId) -> bool {
    status.problems.iter().any(|problem| problem.id == id)
}

#[test]
fn each_problem_shows_where_it_is_and_nowhere_else() {
    for id in ProblemId::ALL.into_iter().filter(|id| *id != ProblemId::HwrngFailing) {
        let (bad, good) = trees(id);
        let (bad, good) = (status_of(&bad), status_of(&good));
        assert!(has(&bad, id), "{}: {:#?}", id.name(), bad.problems);
        assert!(!has(&good, id), "{}: {:#?}", id.name(), good.problems);
        for problem in &bad.problems {
            assert!(!problem.evidence.is_empty() && !problem.next.is_empty(), "{problem:?}");
            assert!(!problem.text.ends_with('.'), "{problem:?}");
        }
    }
}

#[test]
fn a_self_test_that_is_not_finished_has_not_failed() {
    let (pending, failed) = trees(ProblemId::SelftestPending);
    let (pending, failed) = (status_of(&pending), status_of(&failed));
    assert!(!has(&pending, ProblemId::SelftestFailed) && has(&failed, ProblemId::SelftestFailed));
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
        let problem = status.problems.iter().find(|problem| problem.id == ProblemId::ChipWithoutDriver);
        problem.expect("a chip without its driver").next.clone()
    };
    let release = "etc/os-release";
    let pasted = next(&[]);
    assert!(pasted.contains("(on OpenWrt first: apk add kmod-crypto-hw-eip93 (before"), "{pasted}");
    let openwrt = next(&[(release, "ID=openwrt\n"), ("bin/opkg", "")]);
    assert!(openwrt.starts_with("opkg install kmod-crypto-hw-eip93, and see"), "{openwrt}");
    let debian = next(&[(release, "ID=debian\n")]);
    assert!(debian.starts_with("modprobe crypto_hw_eip93, and see"), "{debian}");
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
        has(&closed, ProblemId::NoPermission) && !has(&closed, ProblemId::Unreached),
        "{:#?}",
        closed.problems
    );
    let step = &closed.problems.iter().find(|problem| problem.id == ProblemId::NoPermission).unwrap().next;
    assert!(step.contains("only root may") && !step.contains("group root"), "{step}");
    assert!(has(&status_of(&node("absent - -\n")), ProblemId::Unreached));
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
    assert!(has(&status, ProblemId::LockedDown));
    let row = status.reach.iter().find(|row| row.driver == "mv-cbc-aes").unwrap();
    let routes = &status.accelerators[0].reach;
    assert!(routes.iter().any(|route| route.why.contains("lockdown requires that it is signed")), "{row:?}");
    // AF_ALG is not restricted by it.
    assert!(row.consumers.iter().any(|cell| cell.consumer.name() == "AF_ALG" && cell.answer.name() == "yes"));
    for odd in ["[none] integrity confidentiality\n", "", "none [", "[]", "[other]"] {
        let status = status_of(&with(cesa(), &[(LOCKDOWN, odd)]));
        assert!(!has(&status, ProblemId::LockedDown), "{odd}");
    }
    assert!(!has(&status_of(&with(locked, &[("dev/outboard", "")])), ProblemId::LockedDown));
}

#[test]
fn every_id_is_unique_and_documented() {
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/problems.md");
    let manual = fs::read_to_string(manual).unwrap();
    for (index, id) in ProblemId::ALL.into_iter().enumerate() {
        assert_eq!(ProblemId::by_name(id.name()), Some(id));
        assert_eq!(ProblemId::ALL.into_iter().position(|other| other == id), Some(index));
        assert!(manual.contains(&format!("`{}`", id.name())), "docs/problems.md lacks {}", id.name());
    }
}

#[test]
fn a_machine_without_problems_has_none() {
    let problems = status_of(&cesa()).problems;
    assert!(problems.iter().all(|problem| problem.is_note), "{problems:#?}");
}
