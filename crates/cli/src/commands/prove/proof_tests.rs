use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use clap::Parser;
use outboard_catalog::families::Completion;
use outboard_counters::{Decision, KeyStreamSource, SoftwareReason};
use outboard_documents::prove::SoftwareWork;
use outboard_drivers::interrupts::DeviceInterrupts;
use outboard_drivers::root::Root;
use outboard_measure::cpu::Cpu;
use outboard_measure::driver_devices::DriverDevices;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

fn options(words: &[&str]) -> Options {
    let all = ["prove"].iter().chain(words).chain(&["--", "openssl", "enc"]);
    Line::try_parse_from(all).expect("options").options
}

fn ended(raw_status: i32) -> Ended {
    let words = vec!["openssl".to_owned(), "enc".to_owned()];
    Ended { words, status: ExitStatus::from_raw(raw_status), left_running: false }
}

fn device(interrupts: u64, completion: Completion) -> Difference {
    let device = DeviceInterrupts {
        bus: "virtio".into(),
        driver: "virtio_crypto".into(),
        device: "virtio1".into(),
        lines: vec!["27".into()],
        total: 1000 + interrupts,
        chip: Some("virtio-crypto"),
        completion,
    };
    Difference { device, interrupts, gone: false, restarted: false }
}

/// A second accelerator.
fn cesa(interrupts: u64) -> Difference {
    let mut other = device(interrupts, OWN);
    other.device.bus = "platform".into();
    other.device.driver = "marvell-cesa".into();
    other.device.device = "f1090000.crypto".into();
    other.device.chip = Some("Marvell CESA");
    other
}

/// Drivers and devices of a machine with both accelerators.
fn both() -> DriverDevices {
    let tree = tempfile::tempdir().expect("a directory");
    let entry = |algorithm: &str, driver: &str, module: &str| {
        format!(
            "name : {algorithm}\ndriver : {driver}\nmodule : {module}\npriority : 300\nrefcnt : 1\nselftest : passed\n\
             internal : no\ntype : skcipher\n"
        )
    };
    let drivers = [
        entry("cbc(aes)", "virtio_crypto_aes_cbc", "virtio_crypto"),
        entry("ecb(aes)", "mv-ecb-aes", "marvell_cesa"),
    ];
    fs::create_dir(tree.path().join("proc")).expect("a directory");
    fs::write(tree.path().join("proc/crypto"), drivers.join("\n")).expect("a file");
    for (driver, device) in
        [("virtio/drivers/virtio_crypto", "virtio1"), ("platform/drivers/marvell-cesa", "f1090000.crypto")]
    {
        let folder = tree.path().join("sys/bus").join(driver);
        fs::create_dir_all(&folder).expect("a directory");
        symlink("somewhere", folder.join(device)).expect("a link");
    }
    DriverDevices::now(&Root::saved(tree.path()).expect("a saved tree"))
}

fn spent(devices: Vec<Difference>) -> Spent {
    Spent {
        wall: Duration::from_millis(1234),
        cpu: Some(Cpu { busy: 50, idle: 50, ..Cpu::default() }),
        interrupts: Ok(devices),
        behind: both(),
    }
}

/// A table with the counts and notes of a provider.
fn table(hw: u64, sw: u64, notes: &[&str]) -> (tempfile::TempDir, Table) {
    let dir = tempfile::tempdir().expect("a directory");
    let table = Table::create(&dir.path().join("counters")).expect("a table");
    let provider = Table::open(&dir.path().join("counters")).expect("the same");
    if let Some(row) = provider.row("AES-128-CBC").filter(|_| hw + sw > 0) {
        row.add_hw(hw / 8192, hw);
        row.add_sw(sw / 16, sw);
    }
    notes.iter().for_each(|n| provider.note(n));
    (dir, table)
}

fn proof(words: &[&str], status: i32, spent: Spent, counted: (u64, u64), notes: &[&str]) -> Prove {
    let (_dir, table) = table(counted.0, counted.1, notes);
    super::proof(&options(words), &ended(status), spent, &table, Vec::new())
}

const OWN: Completion = Completion::OwnInterrupt;

#[test]
fn hardware_with_interrupts_is_proven() {
    let mut proof = proof(&[], 0, spent(vec![device(8200, OWN)]), (64 << 20, 160), &[]);
    assert_eq!((proof.verdict, exit_code(&proof)), (ProofVerdict::Hardware, 0));
    insta::assert_snapshot!("proven", super::super::text::render(&proof, true));
    insta::assert_snapshot!("proven_json", outboard_documents::json(&proof).expect("JSON"));
    proof.algorithms.push(AlgorithmWork {
        name: "AES-256-CBC".into(),
        work: work(Counts::default()),
        software_reasons: Vec::new(),
    });
    proof.notes.push("something".into());
    proof.devices = None;
    insta::assert_snapshot!("more_of_everything", super::super::text::render(&proof, true));
}

#[test]
fn a_wrong_result_is_the_headline_and_an_error() {
    let (_dir, table) = table(8192, 64 << 20, &[]);
    table.row("AES-128-CBC").expect("a row").add_mismatch();
    let driver = "virtio_crypto_aes_cbc".to_owned();
    let interface = "/dev/outboard".to_owned();
    table.decide(
        "AES-128-CBC",
        &Decision::Offered { driver, interface, from: [Some(1); 2], key_stream: None },
    );
    let wrong = |words: &[&str], status, interrupts| {
        super::proof(
            &options(words),
            &ended(status),
            spent(vec![device(interrupts, OWN)]),
            &table,
            Vec::new(),
        )
    };
    let proof = wrong(&[], 0, 1);
    assert_eq!((proof.verdict, exit_code(&proof), proof.is_error()), (ProofVerdict::Wrong, 125, true));
    assert_eq!(serde_json::to_value(proof.verdict).expect("JSON"), "wrong");
    let text = super::super::text::render(&proof, true);
    let headline = text.lines().nth(3).unwrap_or_default();
    assert!(headline.starts_with("WRONG RESULT: 1 result of AES-128-CBC by virtio_crypto_aes_cbc"), "{text}");
    assert!(headline.ends_with("outboard check virtio_crypto_aes_cbc."), "{text}");
    assert_eq!(text.matches("WRONG RESULT").count(), 1, "{text}");
    // A wrong result fails even without interrupts and with a requirement of 0 %; a failed command
    // keeps its own code.
    assert_eq!(exit_code(&wrong(&["--require-hardware", "0"], 0, 0)), 125);
    assert_eq!(exit_code(&wrong(&[], 3 << 8, 1)), 3);
}

#[test]
fn a_report_keeps_all_of_a_proof() {
    let mut proof =
        proof(&["--require-hardware", "7"], 9, spent(vec![device(8200, OWN)]), (8192, 8192), &["x"]);
    proof.software = Some(software_run(&ended(0), &spent(vec![])));
    proof.seed_source = Some(seed_work(SeedCounts { seeds: 2, bytes: 320, ..SeedCounts::default() }));
    let (kept, written) = outboard_tests::kept::kept(&proof);
    assert_eq!(kept, written);
}

#[test]
fn a_small_share_is_partly() {
    let of = |hw, sw| proof(&[], 0, spent(vec![device(1, OWN)]), (hw, sw), &[]);
    let small = of(8192, 64 << 20);
    assert_eq!((small.verdict, exit_code(&small)), (ProofVerdict::Partly, 0));
    assert!(
        small.summary.contains("processed under 0.1 % of the bytes, confirmed by 1 interrupt;"),
        "{}",
        small.summary
    );
    assert!(super::super::text::render(&small, true).contains("\nPARTLY: Hardware processed under"));
    assert_eq!(of(49_152, 50_000).verdict, ProofVerdict::Partly);
    assert_eq!(of(8192, 8192).verdict, ProofVerdict::Hardware);
}

#[test]
fn a_request_that_the_engine_did_not_complete_is_named_beside_the_others() {
    let (_dir, table) = table(64 << 20, 4096, &[]);
    let row = table.row("AES-128-CBC").expect("a row");
    row.add_failure();
    table.add_reason(row, SoftwareReason::EngineStopped, 4096);
    let proof = super::proof(&options(&[]), &ended(0), spent(vec![device(8, OWN)]), &table, Vec::new());
    assert_eq!(proof.verdict, ProofVerdict::Hardware);
    assert!(proof.summary.contains("; software processed the rest: the engine of"), "{}", proof.summary);
}

#[test]
fn hardware_without_an_interrupt_is_an_error_unless_the_command_failed() {
    for devices in [vec![], vec![device(0, OWN)], vec![device(0, OWN), device(0, Completion::Polled)]] {
        let proof = proof(&[], 0, spent(devices), (8192, 0), &[]);
        assert_eq!((proof.verdict, exit_code(&proof)), (ProofVerdict::Contradicted, 125));
        assert!(proof.is_error());
    }
    let unreadable = Spent { interrupts: Err("/proc/interrupts: none".into()), ..spent(vec![]) };
    let failed = proof(&[], 3 << 8, unreadable, (8192, 0), &[]);
    assert_eq!((failed.verdict, exit_code(&failed)), (ProofVerdict::Contradicted, 3));
    let killed = proof(&[], 9, spent(vec![]), (8192, 0), &[]);
    assert_eq!((exit_code(&killed), killed.signal), (137, Some(9)));
}

#[test]
fn a_command_that_a_signal_ended_is_named_as_such_and_not_as_software() {
    let crashed = proof(&[], 11, spent(vec![device(0, OWN)]), (0, 0), &[]);
    let text = super::super::text::render(&crashed, true);
    assert!(text.contains("\nENDED BY SIGNAL 11: Hardware processed nothing"), "{text}");
    assert!(!text.contains("SOFTWARE ONLY"), "{text}");
}

#[test]
fn the_count_of_instructions_is_named_as_what_nothing_confirms() {
    let (_dir, table) = table(64 << 20, 0, &[]);
    let (driver, interface) = ("padlock-cbc-aes".to_owned(), "CPU instructions".to_owned());
    table.decide(
        "AES-128-CBC",
        &Decision::Offered { driver, interface, from: [Some(1); 2], key_stream: None },
    );
    // Interrupts of another accelerator are no evidence.
    for devices in [vec![], vec![device(0, OWN)], vec![device(5000, OWN)]] {
        let proof = super::proof(&options(&[]), &ended(0), spent(devices), &table, Vec::new());
        assert_eq!((proof.verdict, exit_code(&proof)), (ProofVerdict::Unverified, 0));
        assert!(proof.summary.contains("by PadLock") && proof.summary.contains("nothing but this count"));
    }
}

#[test]
fn hardware_that_cannot_raise_interrupts_or_went_away_is_unverified() {
    let polled = proof(&[], 0, spent(vec![device(0, Completion::Polled)]), (8192, 0), &[]);
    assert_eq!((polled.verdict, exit_code(&polled)), (ProofVerdict::Unverified, 0));
    let gone = Difference { gone: true, ..device(0, OWN) };
    assert_eq!(proof(&[], 0, spent(vec![gone]), (8192, 0), &[]).verdict, ProofVerdict::Unverified);
    let restarted = Difference { restarted: true, ..device(0, OWN) };
    assert_eq!(proof(&[], 0, spent(vec![restarted]), (8192, 0), &[]).verdict, ProofVerdict::Unverified);
}

/// The proof for algorithms that these drivers processed, with the numbers of interrupts of virtio1
/// and of CESA.
fn claimed(claims: &[(&str, &[&str])], virtio: u64, other: u64) -> Prove {
    let (_dir, table) = table(0, 0, &[]);
    for (algorithm, drivers) in claims {
        table.row(algorithm).expect("a row").add_hw(1, 8192);
        for driver in *drivers {
            let (driver, interface) = ((*driver).to_owned(), "/dev/outboard".to_owned());
            table.decide(
                algorithm,
                &Decision::Offered { driver, interface, from: [Some(1); 2], key_stream: None },
            );
        }
    }
    let spent = spent(vec![cesa(other), device(virtio, OWN)]);
    super::proof(&options(&[]), &ended(0), spent, &table, Vec::new())
}

#[test]
fn the_work_of_another_accelerator_proves_nothing() {
    const VIRTIO: &[&str] = &["virtio_crypto_aes_cbc"];
    const CESA: &[&str] = &["mv-ecb-aes"];
    let used = |proof: &Prove| proof.devices.iter().flatten().map(|device| device.used).collect::<Vec<_>>();

    let proven = claimed(&[("AES-128-CBC", VIRTIO)], 7, 70_000);
    assert_eq!((proven.verdict, used(&proven)), (ProofVerdict::Hardware, vec![false, true]));
    assert!(proven.summary.contains("by 7 interrupts"), "{}", proven.summary);
    let text = super::super::text::render(&proven, true);
    assert!(text.contains("70000 by f1090000.crypto (Marvell CESA), not used by the command"), "{text}");

    let refuted = claimed(&[("AES-128-CBC", VIRTIO)], 0, 70_000);
    assert_eq!((refuted.verdict, used(&refuted)), (ProofVerdict::Contradicted, vec![false, true]));
    assert!(refuted.summary.contains("no device of virtio_crypto_aes_cbc raised"), "{}", refuted.summary);

    // Each driver needs interrupts of its own device.
    let each: &[(&str, &[&str])] = &[("AES-128-CBC", VIRTIO), ("AES-128-ECB", CESA)];
    assert_eq!(claimed(each, 1, 1).verdict, ProofVerdict::Hardware);
    assert_eq!(claimed(each, 9, 0).verdict, ProofVerdict::Contradicted);
    let either: &[(&str, &[&str])] = &[("AES-128-CBC", &["mv-ecb-aes", "virtio_crypto_aes_cbc"])];
    assert_eq!(claimed(either, 9, 0).verdict, ProofVerdict::Hardware);

    // The device of this driver is unknown.
    let stranger = claimed(&[("AES-128-CBC", &["stranger-cbc-aes"])], 0, 3);
    assert_eq!((stranger.verdict, used(&stranger)), (ProofVerdict::Hardware, vec![true, true]));
    let stranger = claimed(&[("AES-128-CBC", &["stranger-cbc-aes"])], 0, 0);
    assert!(stranger.summary.contains("and no accelerator raised"), "{}", stranger.summary);
}

/// The proof for AES-128-CTR with key stream by CESA and direct requests by virtio.
fn looked_ahead(direct: u64, ahead: u64, virtio: u64, other: u64) -> Prove {
    let (_dir, table) = table(0, 0, &[]);
    let row = table.row("AES-128-CTR").expect("a row");
    row.add_hw(direct / 8192, direct);
    row.add_ahead(ahead / 16, ahead);
    row.add_ahead_miss();
    row.add_generated(ahead + 16384);
    row.add_discarded(16384);
    table.decide(
        "AES-128-CTR",
        &Decision::Offered {
            driver: "virtio_crypto_aes_cbc".into(),
            interface: "/dev/outboard".into(),
            from: [Some(1); 2],
            key_stream: Some(KeyStreamSource { driver: "mv-ecb-aes".into(), from: 16, to: None }),
        },
    );
    // Fetched, as programs do at their start, and not used.
    let unused = Decision::Offered {
        driver: "not-used".into(),
        interface: "/dev/outboard".into(),
        from: [Some(1); 2],
        key_stream: None,
    };
    table.decide("AES-128-CBC", &unused);
    let spent = spent(vec![cesa(other), device(virtio, OWN)]);
    super::proof(&options(&[]), &ended(0), spent, &table, Vec::new())
}

#[test]
fn key_stream_needs_interrupts_of_the_device_that_computes_it() {
    for (direct, ahead, virtio, other, verdict) in [
        (0, 1 << 20, 0, 9, ProofVerdict::Hardware),
        (0, 1 << 20, 9, 0, ProofVerdict::Contradicted),
        (8192, 0, 9, 0, ProofVerdict::Hardware),
        (8192, 0, 0, 9, ProofVerdict::Contradicted),
        (8192, 1 << 20, 9, 9, ProofVerdict::Hardware),
        (8192, 1 << 20, 9, 0, ProofVerdict::Contradicted),
        (8192, 1 << 20, 0, 9, ProofVerdict::Contradicted),
    ] {
        let proof = looked_ahead(direct, ahead, virtio, other);
        assert_eq!(proof.verdict, verdict, "{direct} {ahead} {virtio} {other}");
    }
}

#[test]
fn key_stream_of_the_time_before_the_observation_is_no_contradiction() {
    let (_dir, table) = table(0, 0, &[]);
    let row = table.row("AES-128-CTR").expect("a row");
    row.add_ahead(4, 64);
    let proof = super::proof(&options(&[]), &ended(0), spent(vec![device(0, OWN)]), &table, Vec::new());
    assert_eq!(proof.verdict, ProofVerdict::Unverified);
    assert!(proof.summary.contains("computed before"), "{}", proof.summary);
    row.add_generated(64);
    let proof = super::proof(&options(&[]), &ended(0), spent(vec![device(0, OWN)]), &table, Vec::new());
    assert_eq!(proof.verdict, ProofVerdict::Contradicted);
}

#[test]
fn look_ahead_has_a_table_of_its_own_and_is_kept_in_reports() {
    let proof = looked_ahead(8192, 1 << 20, 9, 9);
    insta::assert_snapshot!("looked_ahead", super::super::text::render(&proof, true));
    let (kept, written) = outboard_tests::kept::kept(&proof);
    assert_eq!(kept, written);
    assert_eq!(written["total"]["key_stream_generated"], (1 << 20) + 16384);
}

#[test]
fn software_says_why() {
    let noted = proof(&[], 0, spent(vec![]), (0, 0), &["AF_ALG on Linux 7.2 reaches no accelerator"]);
    assert_eq!(noted.verdict, ProofVerdict::Software);
    assert!(noted.summary.contains("AF_ALG on Linux 7.2"), "{}", noted.summary);
    assert!(proof(&[], 0, spent(vec![]), (0, 0), &[]).summary.contains("used no algorithm"));
    let small = proof(&[], 0, spent(vec![]), (0, 64), &[]);
    assert!(small.summary.contains("requests of 16 bytes on average"), "{}", small.summary);
    assert!(small.summary.ends_with("(--threshold BYTES lowers the threshold)."), "{}", small.summary);
    let [algorithm] = &small.algorithms[..] else { panic!("{small:?}") };
    assert_eq!(algorithm.software_reasons[0].reason, SoftwareReason::BelowThreshold);
}

/// The proof of a command, of which a provider counted and decided this.
fn counted(fill: impl FnOnce(&Table)) -> Prove {
    let (_dir, table) = table(0, 0, &[]);
    fill(&table);
    super::proof(&options(&[]), &ended(0), spent(vec![device(0, OWN)]), &table, Vec::new())
}

#[test]
fn messages_above_the_limit_are_not_said_to_be_below_a_threshold() {
    let proof = counted(|table| {
        let row = table.row("SHA2-256").expect("a row");
        row.add_sw(1, 16_000_000);
        table.add_reason(row, SoftwareReason::AboveLimit, 16_000_000);
    });
    assert!(
        proof.summary.contains("messages of 16000000 bytes on average (SHA2-256) are longer"),
        "{}",
        proof.summary
    );
    assert!(!proof.summary.contains("threshold"), "{}", proof.summary);
    let expected = SoftwareWork { reason: SoftwareReason::AboveLimit, requests: 1, bytes: 16_000_000 };
    let digest = proof.algorithms.iter().find(|algorithm| algorithm.name == "SHA2-256").expect("a digest");
    assert_eq!(digest.software_reasons, [expected]);
}

#[test]
fn what_was_not_measured_is_the_reason_beside_what_is_offered() {
    let unmeasured = || Decision::Left {
        reason: SoftwareReason::NotMeasured,
        why: "not measured: outboard tune".to_owned(),
    };
    let says = "not measured: outboard tune (--threshold 1 uses hardware all the same).";
    let nothing = counted(|table| {
        table.decide("AES-128-CBC", &unmeasured());
        let why = "no driver".to_owned();
        table.decide("AES-128-CTR", &Decision::Left { reason: SoftwareReason::NoDriver, why });
    });
    assert_eq!(nothing.summary, format!("Hardware processed nothing: outboard offers no algorithm; {says}"));
    let some = counted(|table| {
        table.decide("AES-128-CBC", &unmeasured());
        let (driver, interface) = ("b-gcm-aes".to_owned(), "/dev/outboard".to_owned());
        let offered = Decision::Offered { driver, interface, from: [Some(1); 2], key_stream: None };
        table.decide("AES-128-GCM", &offered);
    });
    assert!(
        some.summary.ends_with(&format!("that outboard offers (AES-128-GCM); {says}")),
        "{}",
        some.summary
    );
}

#[test]
fn a_driver_that_was_found_wrong_or_did_not_answer_is_the_reason() {
    let left = |reason, why: &str| Decision::Left { reason, why: why.to_owned() };
    let wrong = || left(SoftwareReason::DriverWrong, "outboard check found a-cbc-aes wrong");
    let proof = counted(|table| {
        table.decide("AES-128-CBC", &wrong());
        table.decide("AES-128-GCM", &left(SoftwareReason::NoDriver, "no driver"));
        let (driver, interface) = ("b-ctr-aes".to_owned(), "/dev/outboard".to_owned());
        let offered = Decision::Offered { driver, interface, from: [Some(1); 2], key_stream: None };
        table.decide("AES-128-CTR", &offered);
    });
    let says = "the command used no algorithm that outboard offers (AES-128-CTR); outboard check found a-cbc-aes wrong.";
    assert!(proof.summary.ends_with(says), "{}", proof.summary);
    let reasons: Vec<_> = proof.not_offered.iter().map(|group| group.reason).collect();
    assert_eq!(reasons, [SoftwareReason::DriverWrong, SoftwareReason::NoDriver]);
    let unanswered = counted(|table| {
        table.decide("AES-128-CBC", &left(SoftwareReason::DriverFailed, "a-cbc-aes did not answer"));
        let (driver, interface) = ("b-ctr-aes".to_owned(), "/dev/outboard".to_owned());
        let offered = Decision::Offered { driver, interface, from: [Some(1); 2], key_stream: None };
        table.decide("AES-128-CTR", &offered);
    });
    assert!(
        unanswered.summary.ends_with("(AES-128-CTR); a-cbc-aes did not answer."),
        "{}",
        unanswered.summary
    );
    let combined = counted(|table| {
        let why = "OpenSSL's own code for TLS computes cipher and MAC together on this CPU";
        table.decide("AES-128-CBC-HMAC-SHA1", &left(SoftwareReason::CombinedCode, why));
        table.decide("AES-128-CTR", &left(SoftwareReason::NoDriver, "no driver"));
    });
    assert!(combined.summary.contains("computes cipher and MAC together"), "{}", combined.summary);
    let alone = counted(|table| table.decide("AES-128-CBC", &wrong()));
    let says = "outboard offers no algorithm; outboard check found a-cbc-aes wrong.";
    assert!(alone.summary.ends_with(says), "{}", alone.summary);
}

#[test]
fn what_a_check_found_and_what_concerns_most_algorithms_is_named_first() {
    let left = |reason, why: &str| Decision::Left { reason, why: why.to_owned() };
    let proof = counted(|table| {
        for (algorithm, why) in [("AES-128-GCM", "gcm is not allowed"), ("AES-128-CCM", "ccm is not allowed")]
        {
            table.decide(algorithm, &left(SoftwareReason::DriverUnreachable, why));
        }
        table.decide("AES-128-CBC", &left(SoftwareReason::DriverFailed, "a-cbc-aes did not answer"));
    });
    let says = "outboard offers no algorithm; a-cbc-aes did not answer; ";
    assert!(proof.summary.contains(says), "{}", proof.summary);
    let most = counted(|table| {
        table.decide("AES-128-CCM", &left(SoftwareReason::DriverUnreachable, "ccm is not allowed"));
        for algorithm in ["AES-128-CTR", "AES-128-CBC"] {
            table.decide(algorithm, &left(SoftwareReason::NotMeasured, "software was measured to win"));
        }
        for algorithm in ["AES-128-XTS", "AES-256-XTS", "AES-128-ECB"] {
            table.decide(algorithm, &left(SoftwareReason::NoDriver, "no driver"));
        }
    });
    let says = "no algorithm; software was measured to win; ccm is not allowed";
    assert!(most.summary.contains(says), "{}", most.summary);
    let reasons: Vec<_> = most.not_offered.iter().map(|group| group.algorithms.len()).collect();
    assert_eq!(reasons, [2, 1, 3]);
}

#[test]
fn a_provider_that_was_never_loaded_is_told_with_reasons() {
    let dir = tempfile::tempdir().expect("a directory");
    let table = Table::create(&dir.path().join("counters")).expect("a table");
    let proof = super::proof(&options(&[]), &ended(0), spent(vec![]), &table, Vec::new());
    assert_eq!((proof.verdict, exit_code(&proof)), (ProofVerdict::NotLoaded, 0));
    insta::assert_snapshot!("not_loaded", super::super::text::render(&proof, true));
}

#[test]
fn a_requirement_is_met_by_proven_bytes_only() {
    let run = |required: &str, interrupts, hw, sw| {
        let devices = vec![device(interrupts, if interrupts > 0 { OWN } else { Completion::Polled })];
        let proof = proof(&["--require-hardware", required], 0, spent(devices), (hw, sw), &[]);
        (proof.requirement_met, exit_code(&proof))
    };
    assert_eq!(run("99", 5, 99_000, 1000), (true, 0));
    assert_eq!(run("99.5%", 5, 99_000, 1000), (false, 125));
    assert_eq!(run("99", 0, 99_000, 0), (false, 125));
    assert_eq!(run("1", 5, 0, 0), (false, 125));
    assert_eq!(run("0", 5, 0, 0), (true, 0));
    assert_eq!(run("10", 5, 16_384, 100_000), (true, 0));
    let failed = proof(&["--require-hardware", "50"], 0, spent(vec![]), (0, 16), &[]);
    assert!(super::super::text::render(&failed, true).contains("FAILED: --require-hardware 50"));
}

/// What a service did: its counted bytes by hardware, and its traffic.
fn of_service(hardware: u64, traffic: Option<u64>) -> Prove {
    let (_dir, table) = table(hardware, 0, &[]);
    let left = Decision::Left { reason: SoftwareReason::NoDriver, why: "no driver".to_owned() };
    table.decide("AES-128-GCM", &left);
    let observed = Observed {
        subject: Subject::Service,
        loads: 1,
        counted: table.snapshot(),
        decisions: table.decisions(),
        notes: Vec::new(),
        traffic,
    };
    results(None, spent(vec![device(9, OWN)]), observed, Vec::new())
}

#[test]
fn a_service_is_not_judged_by_a_small_part_of_its_traffic() {
    let tickets = of_service(8192, Some(16 << 20));
    assert_eq!(tickets.verdict, ProofVerdict::Partly);
    let says = "Of 16.0 MiB that the service read or wrote, 8.0 KiB used algorithms that outboard offers; the rest used \
                others (ChaCha20-Poly1305, AES-128-GCM) or no encryption.";
    assert!(tickets.summary.ends_with(says), "{}", tickets.summary);
    let none = of_service(0, Some(16 << 20));
    assert!(
        none.verdict == ProofVerdict::Software && none.summary.contains("Of 16.0 MiB"),
        "{}",
        none.summary
    );
    for traffic in [None, Some(1000), Some(20 << 20)] {
        let most = of_service(16 << 20, traffic);
        assert_eq!(most.verdict, ProofVerdict::Hardware, "{traffic:?}");
        assert!(!most.summary.contains("traffic") && !most.summary.contains("Of "), "{}", most.summary);
    }
}
