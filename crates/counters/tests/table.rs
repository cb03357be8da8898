//! Tests of one table used by a `prove` run and many provider instances.

use outboard_counters::{
    COUNTERS_NAME, Counts, DECISIONS, Decision, Error, KeyStreamSource, NAME_BYTES, NOTE_BYTES, NOTES, ROWS,
    SeedCounts, SoftwareReason, Table,
};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

#[test]
fn a_row_is_found_again_and_counts() {
    let table = Table::private();
    table.row("AES-128-CBC").unwrap().add_hw(1, 16);
    table.row("AES-256-CBC").unwrap().add_sw(2, 32);
    let row = table.row("AES-128-CBC").unwrap();
    row.add_hw(1, 4096);
    row.add_failure();
    row.add_mismatch();
    let first = Counts { hw_requests: 2, hw_bytes: 4112, failures: 1, mismatches: 1, ..Counts::default() };
    let second = Counts { sw_requests: 2, sw_bytes: 32, ..Counts::default() };
    assert_eq!(table.snapshot(), [("AES-128-CBC".to_owned(), first), ("AES-256-CBC".to_owned(), second)]);
    assert!(!table.is_shared());
    assert_eq!(table.attached(), 0);
}

#[test]
fn a_full_table_gives_no_row_and_keeps_the_old_ones() {
    let table = Table::private();
    for i in 0..ROWS {
        assert!(table.row(&format!("ALG-{i}")).is_some());
    }
    assert!(table.row("ONE-MORE").is_none());
    assert!(table.row("ALG-63").is_some());
    assert_eq!(table.snapshot().len(), ROWS);
}

#[test]
fn a_name_must_fit() {
    let table = Table::private();
    let longest = "N".repeat(NAME_BYTES);
    assert!(table.row(&longest).is_some());
    assert!(table.row(&"N".repeat(NAME_BYTES + 1)).is_none());
    assert!(table.row("").is_none());
    assert!(table.row("A\0B").is_none());
    assert_eq!(table.snapshot()[0].0, longest);
}

#[test]
fn notes_are_kept_once_cut_and_bounded() {
    let dir = directory();
    let table = Table::create(&dir.path().join("counters")).unwrap();
    table.note("AF_ALG on Linux 7.2 reaches no accelerator");
    table.note("AF_ALG on Linux 7.2 reaches no accelerator");
    table.note("");
    table.note("line one\nline \u{1b}[31mtwo");
    table.note(&"é".repeat(NOTE_BYTES));
    let notes = table.notes();
    assert_eq!(notes.len(), 3);
    assert_eq!(notes[1], "line one line  [31mtwo");
    // One word: truncated between characters and marked with the ellipsis.
    assert_eq!(notes[2], "é".repeat((NOTE_BYTES - " …".len()) / 2) + " …");
    table.note(&"word ".repeat(NOTE_BYTES));
    let cut = table.notes().pop().unwrap();
    assert!(cut.ends_with("word word …") && cut.len() > NOTE_BYTES - 9 && cut.len() <= NOTE_BYTES, "{cut}");
    for i in 0..2 * NOTES {
        table.note(&format!("note {i}"));
    }
    assert_eq!(table.notes().len(), NOTES);
}

#[test]
fn decisions_are_kept_once_and_as_they_were_made() {
    let dir = directory();
    let table = Table::create(&dir.path().join("counters")).unwrap();
    let offered = |from| Decision::Offered {
        driver: "mv-cbc-aes".into(),
        interface: "/dev/outboard".into(),
        from,
        key_stream: None,
    };
    let looks_ahead = |to| Decision::Offered {
        driver: "mv-gcm-aes".into(),
        interface: "/dev/outboard".into(),
        from: [Some(32768), None],
        key_stream: Some(KeyStreamSource { driver: "mv-ecb-aes".into(), from: 512, to }),
    };
    let left = |why: &str| Decision::Left { reason: SoftwareReason::NoDriver, why: why.into() };
    let made = [
        ("AES-128-CBC", offered([Some(4096), None])),
        ("AES-128-CTR", left("no driver")),
        // Another instance of the provider with a different configuration.
        ("AES-128-CBC", offered([Some(0), Some(u32::MAX - 1)])),
        (
            "AES-128-CBC",
            Decision::Left { reason: SoftwareReason::NotConfigured, why: "CIPHERS does not name it".into() },
        ),
        ("AES-128-GCM", looks_ahead(None)),
        ("AES-128-GCM", looks_ahead(Some(16384))),
    ];
    for (name, decision) in made.iter().chain(&made) {
        table.decide(name, decision);
    }
    assert_eq!(table.decisions(), made.map(|(name, decision)| (name.to_owned(), decision)));
    table.decide("SHA1", &left(&"\u{1b}é".repeat(1000)));
    let (_, long) = table.decisions().pop().unwrap();
    let Decision::Left { why, .. } = long else { panic!("{long:?}") };
    assert!(why.starts_with(" é é") && why.len() > 500, "{why}");
    // A reason as long as that of a driver rejected by three interfaces, with a second driver.
    let reason = "/dev/outboard does not reach driver mv-cbc-aes: root has not allowed it; ".repeat(12);
    table.decide("SHA2-512", &left(reason.trim_end()));
    assert_eq!(table.decisions().pop().unwrap().1, left(reason.trim_end()));
    table.decide("SHA2-384", &left(&"refused ".repeat(500)));
    let Decision::Left { why, .. } = table.decisions().pop().unwrap().1 else { panic!("left") };
    assert!(why.ends_with("refused refused …"), "{why}");
    for i in 0..2 * DECISIONS {
        table.decide("SHA1", &left(&format!("reason {i}")));
    }
    assert_eq!(table.decisions().len(), DECISIONS);
}

#[test]
fn the_reasons_for_software_are_counted_for_each_algorithm_in_a_file_only() {
    use SoftwareReason::{AboveLimit, BelowThreshold, LookaheadMissed};
    let dir = directory();
    let file = Table::create(&dir.path().join("counters")).unwrap();
    let counted = |table: &Table| {
        for (name, reason, bytes) in [
            ("SHA2-256", AboveLimit, 2 << 20),
            ("AES-128-GCM", LookaheadMissed, 1400),
            ("SHA2-256", AboveLimit, 3 << 20),
            // The rest has this reason.
            ("SHA2-256", BelowThreshold, 5),
        ] {
            table.add_reason(table.row(name).unwrap(), reason, bytes);
        }
        let all = table.snapshot().into_iter();
        all.map(|(name, counts)| (name, counts.reasons.iter().collect::<Vec<_>>())).collect::<Vec<_>>()
    };
    let expected =
        [("SHA2-256", vec![(AboveLimit, 2, 5 << 20)]), ("AES-128-GCM", vec![(LookaheadMissed, 1, 1400)])];
    assert_eq!(counted(&file), expected.map(|(name, reasons)| (name.to_owned(), reasons)));
    let [before, after] =
        [Table::read(&dir.path().join("counters")).unwrap(), file].map(|t| t.snapshot()[0].1);
    assert_eq!((after - before).reasons.iter().count(), 0, "a difference of two snapshots has none twice");
    assert!(counted(&Table::private()).iter().all(|(_, reasons)| reasons.is_empty()));
}

#[test]
fn a_private_table_keeps_no_words() {
    let table = Table::private();
    table.note("a note");
    table.decide("SHA1", &Decision::Left { reason: SoftwareReason::NoDriver, why: "a note".into() });
    assert!(table.notes().is_empty() && table.decisions().is_empty());
}

#[test]
fn the_file_is_private_allocated_and_never_overwritten() {
    let dir = directory();
    let path = dir.path().join("counters");
    let table = Table::create(&path).unwrap();
    assert!(table.is_shared());
    let meta = fs::metadata(&path).unwrap();
    assert_eq!(meta.permissions().mode() & 0o7777, 0o600);
    assert!(meta.blocks() * 512 >= meta.len(), "blocks are allocated");
    let Err(again) = Table::create(&path) else { panic!("it exists") };
    assert!(again.to_string().contains("cannot create it"), "{again}");
    assert!(path.exists(), "a failed create leaves the other's file alone");
}

#[test]
fn counts_outlive_the_table_that_made_them() {
    let dir = directory();
    let path = dir.path().join("counters");
    let prove = Table::create(&path).unwrap();
    let provider = Table::open(&path).unwrap();
    provider.row("AES-128-CBC").unwrap().add_hw(3, 48);
    provider.note("hello");
    provider.seed().add_seed(192);
    provider.seed().add_seed(128);
    provider.seed().add_health_failure();
    provider.seed().add_unavailable();
    drop(provider);
    assert_eq!(prove.attached(), 1);
    assert_eq!(prove.snapshot()[0].1.hw_bytes, 48);
    assert_eq!(prove.snapshot().len(), 1, "the seed source is no algorithm");
    let seeds = SeedCounts { seeds: 2, bytes: 320, health_failures: 1, failures: 0, unavailable: 1 };
    assert_eq!(prove.seed().counts(), seeds);
    assert_eq!(prove.notes(), ["hello"]);
}

#[test]
fn threads_lose_no_count() {
    let table = Table::private();
    std::thread::scope(|s| {
        for t in 0..8 {
            let table = &table;
            s.spawn(move || {
                for i in 0..10_000 {
                    table.row(&format!("ALG-{}", (t + i) % 5)).unwrap().add_hw(1, 16);
                }
            });
        }
    });
    let all = table.snapshot().into_iter().fold(Counts::default(), |sum, (_, c)| sum + c);
    assert_eq!((all.hw_requests, all.hw_bytes), (80_000, 1_280_000));
}

/// The process that `processes_lose_no_count_even_when_killed` starts. Does nothing when run as a
/// test.
#[test]
fn child_that_counts() {
    let Some(path) = std::env::var_os("OUTBOARD_COUNTERS_TEST_FILE") else { return };
    let table = Table::open(Path::new(&path)).unwrap();
    for i in 0..20_000u32 {
        table.row(&format!("ALG-{}", i % 7)).unwrap().add_sw(1, 10);
    }
    table.note("counted");
    // The most abrupt exit: no destructor and no exit handler runs.
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
}

#[test]
fn processes_lose_no_count_even_when_killed() {
    let dir = directory();
    let path = dir.path().join("counters");
    let table = Table::create(&path).unwrap();
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child_that_counts", "--nocapture"])
                .env("OUTBOARD_COUNTERS_TEST_FILE", &path)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()), Some(9));
    }
    let rows = table.snapshot();
    assert_eq!(rows.len(), 7);
    assert_eq!(rows.iter().map(|(_, c)| c.sw_requests).sum::<u64>(), 80_000);
    assert_eq!(table.attached(), 4);
    assert_eq!(table.notes(), ["counted"]);
}

fn refusal(path: &Path) -> String {
    match Table::open(path) {
        Ok(_) => panic!("{} was accepted", path.display()),
        Err(e @ (Error::NotOurs { .. } | Error::Os { .. })) => e.to_string(),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_file_that_is_not_a_counters_file_is_refused_with_the_reason() {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    drop(Table::create(&at("good")).unwrap());

    assert!(refusal(&at("missing")).contains("cannot open it"));
    symlink(at("good"), at("link")).unwrap();
    assert!(refusal(&at("link")).contains("cannot open it"));
    fs::create_dir(at("dir")).unwrap();
    assert!(refusal(&at("dir")).contains("cannot open it"));
    assert!(refusal(Path::new("/dev/null")).contains("not a regular file"));
    fs::write(at("short"), b"outboard").unwrap();
    assert!(refusal(&at("short")).contains("8 bytes long instead of"));

    fs::set_permissions(at("good"), fs::Permissions::from_mode(0o622)).unwrap();
    assert!(refusal(&at("good")).contains("mode 0622"));
    fs::set_permissions(at("good"), fs::Permissions::from_mode(0o600)).unwrap();
    let mut bytes = fs::read(at("good")).unwrap();
    bytes[8] = 9;
    fs::write(at("good"), &bytes).unwrap();
    assert!(refusal(&at("good")).contains("layout 9"));
    bytes[0] = b'X';
    fs::write(at("good"), &bytes).unwrap();
    assert!(refusal(&at("good")).contains("does not start"));
}

#[test]
fn a_file_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let dir = directory();
    let path = dir.path().join("counters");
    drop(Table::create(&path).unwrap());
    std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
    assert!(refusal(&path).contains("owned by user 12345"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Any content may follow a valid header: the numbers may be wrong, but nothing else may
    /// happen.
    #[test]
    fn any_content_is_survived(seed in any::<u64>(), mask in prop::sample::select(vec![0x03u8, 0x7f, 0xff])) {
        let dir = directory();
        let path = dir.path().join("counters");
        drop(Table::create(&path).unwrap());
        let mut bytes = fs::read(&path).unwrap();
        let mut x = seed | 1;
        for b in &mut bytes[16..] {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            *b = (x >> 32) as u8 & mask;
        }
        fs::write(&path, &bytes).unwrap();
        let table = Table::open(&path).unwrap();
        for name in ["AES-128-CBC", "X"] {
            if let Some(row) = table.row(name) {
                row.add_hw(u64::MAX, u64::MAX);
                row.add_sw(1, 1);
            }
        }
        table.note("text");
        let sum = table.snapshot().into_iter().fold(Counts::default(), |s, (_, c)| s + c);
        let _ = sum.percent_hw();
        prop_assert!(table.notes().iter().all(|n| !n.chars().any(char::is_control)));
    }
}

#[test]
fn the_processes_of_a_service_share_a_file_that_is_theirs_alone() {
    let dir = directory();
    let first = Table::open_in(dir.path(), COUNTERS_NAME.as_ref()).unwrap();
    let second = Table::open_in(dir.path(), COUNTERS_NAME.as_ref()).unwrap();
    first.row("AES-128-CBC").unwrap().add_hw(1, 4096);
    second.row("AES-128-CBC").unwrap().add_ahead(1, 512);
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, [COUNTERS_NAME]);
    let path = dir.path().join(COUNTERS_NAME);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    let copy = Table::read(&path).unwrap();
    assert_eq!((copy.attached(), copy.snapshot()), (2, first.snapshot()));
    copy.row("AES-128-CBC").unwrap().add_hw(1, 1);
    assert_eq!(first.snapshot()[0].1.hw_bytes, 4608, "a copy is not the file");
    let offered = Decision::Left { reason: SoftwareReason::NoDriver, why: "no driver".to_owned() };
    first.decide("AES-128-CTR", &offered);
    assert_eq!(Table::read(&path).unwrap().decisions(), [("AES-128-CTR".to_owned(), offered)]);
}

#[test]
fn no_file_is_made_in_a_directory_that_others_may_write() {
    let dir = directory();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let refused = Table::open_in(dir.path(), COUNTERS_NAME.as_ref()).err().unwrap();
    assert!(matches!(refused, Error::NotOurs { .. }), "{refused}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let missing = Table::open_in(&dir.path().join("none"), COUNTERS_NAME.as_ref()).err().unwrap();
    assert!(missing.to_string().contains("while the service runs"), "{missing}");
    // A link in place of the file is not followed.
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(dir.path().join("elsewhere"), dir.path().join(COUNTERS_NAME)).unwrap();
    assert!(
        Table::open_in(dir.path(), COUNTERS_NAME.as_ref()).is_err() && !dir.path().join("elsewhere").exists()
    );
}

#[test]
fn a_reader_accepts_only_a_regular_file_of_the_right_content() {
    let dir = directory();
    let path = dir.path().join("counters");
    drop(Table::create(&path).unwrap());
    assert!(Table::read(&path).is_ok());
    let link = dir.path().join("link");
    symlink(&path, &link).unwrap();
    let fifo = dir.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let short = dir.path().join("short");
    fs::write(&short, &fs::read(&path).unwrap()[1..]).unwrap();
    let other = dir.path().join("other");
    fs::write(&other, vec![0xff; fs::metadata(&path).unwrap().len() as usize]).unwrap();
    for bad in [&link, &fifo, &short, &other, &dir.path().join("none"), Path::new("/dev/null")] {
        assert!(Table::read(bad).is_err(), "{}", bad.display());
    }
}
