use std::fs;

use outboard_accel::{Algorithm, Session};
use tempfile::TempDir;

use super::*;
use crate::sham_driver::{Sham, errors, policy, provider};

#[test]
fn a_driver_that_was_found_wrong_is_not_used_and_says_when_and_why() {
    let finding = |verdict, fault| Finding {
        driver: "some-cbc-aes",
        verdict,
        kernel: "6.12",
        module: "some",
        version: "1",
        made: "2026-11-27 07:00:00",
        requests: 1,
        bytes: 16,
        seed: 1,
        fault,
    };
    let found = |finding| checked("some-cbc-aes", finding);
    assert_eq!(found(None), Ok(TagCheck::Missing));
    assert_eq!(found(Some(finding(FindingVerdict::Exact, ""))), Ok(TagCheck::Passed));
    let wrong = found(Some(finding(FindingVerdict::Wrong, "byte 5 differs")));
    let (reason, why) = wrong.expect_err("it was wrong");
    let words = ["some-cbc-aes", "2026-11-27", "byte 5 differs"];
    assert!(reason == SoftwareReason::DriverWrong && words.iter().all(|word| why.contains(word)), "{why}");
    let silent = found(Some(finding(FindingVerdict::Unanswered, "")));
    let (reason, why) = silent.expect_err("it did not answer");
    assert!(reason == SoftwareReason::DriverFailed && why.contains("did not answer"), "{why}");
}

#[test]
fn accelerators_are_preferred_and_software_is_used_only_where_that_is_configured() {
    let candidates = [
        ("soft-fast", Verdict::Software),
        ("unknown", Verdict::Unknown),
        ("padlock-cbc-aes", Verdict::Accelerator),
        ("engine", Verdict::Accelerator),
        ("soft-slow", Verdict::Software),
    ];
    for (lines, expected) in [
        (&[][..], &["padlock-cbc-aes", "engine"][..]),
        (&[("PADLOCK", "OFF")], &["engine"]),
        (&[("USE_SOFTDRIVERS", "2")], &["padlock-cbc-aes", "engine", "unknown"]),
        (&[("USE_SOFTDRIVERS", "1")], &["padlock-cbc-aes", "engine", "soft-fast", "unknown", "soft-slow"]),
        (&[("USE_SOFTDRIVERS", "2"), ("DRIVERS", "absent,unknown,engine")], &["unknown", "engine"]),
        (&[("DRIVERS", "unknown,engine")], &["engine"]),
    ] {
        assert_eq!(allowed(&policy(lines), candidates.into_iter()), expected, "{lines:?}");
    }
}

const KERNEL: &str = "6.12.1";

/// Files of a system with drivers, each of an algorithm, and findings about them.
fn system(drivers: &[(&str, &str)], findings: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let entry = |(place, (algorithm, driver)): (usize, &(&str, &str))| {
        format!(
            "name         : {algorithm}\ndriver       : {driver}\nmodule       : kernel\n\
             priority     : {}\nrefcnt       : 1\nselftest     : passed\ninternal     : no\n\
             type         : skcipher\nasync        : yes\nblocksize    : 16\nmin keysize  : 16\n\
             max keysize  : 32\nivsize       : 16\nchunksize    : 16\nwalksize     : 16\n\n",
            4000 - place
        )
    };
    write("proc/crypto", &drivers.iter().enumerate().map(entry).collect::<String>());
    write("proc/sys/kernel/osrelease", KERNEL);
    write("etc/outboard/checked", findings);
    folder
}

/// No interface reaches drivers whose name begins with "far".
fn reach(driver: &str, algorithm: Algorithm, _: TagCheck) -> Reached<dyn Session> {
    if driver.starts_with("far") {
        return Reached { accelerator: None, passed: vec![errors::failed()] };
    }
    let sham = Sham::new(driver.to_owned(), algorithm);
    Reached { accelerator: Some(Box::new(sham)), passed: vec![] }
}

/// Searches drivers of the algorithms. Returns each one's driver, or the reason and the text why there
/// is none, and the notes.
#[allow(clippy::type_complexity, reason = "of this function only")]
fn searched(
    folder: &TempDir,
    algorithms: &[Algorithm],
    are_named: bool,
) -> (Vec<Result<String, (SoftwareReason, String)>>, Vec<String>) {
    let provider = provider(policy(&[("USE_SOFTDRIVERS", "1")]));
    let root = Root::saved(folder.path()).expect("a directory");
    let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.kernel_name()).collect();
    let found = find(&root, &provider, algorithms, &names, are_named, 0, reach);
    assert!(
        matches!(driver_of(&found, &Algorithm::CcmAes), Err(why) if why.reason == SoftwareReason::NoDriver)
    );
    let driver = |algorithm| match driver_of(&found, algorithm) {
        Ok(hardware) => Ok(hardware.driver().to_string()),
        Err(why) => Err((why.reason, why.text.to_owned())),
    };
    (algorithms.iter().map(driver).collect(), provider.counters.notes())
}

#[test]
fn each_algorithm_gets_the_first_driver_that_is_right_and_can_be_reached() {
    let (ecb, cbc, ctr) = (Algorithm::EcbAes, Algorithm::CbcAes, Algorithm::CtrAes);
    let (xts, gcm) = (Algorithm::XtsAes, Algorithm::GcmAes);
    let drivers = [
        ("cbc(aes)", "wrong-cbc"),
        ("cbc(aes)", "far-cbc"),
        ("cbc(aes)", "good-cbc"),
        ("cbc(aes)", "next-cbc"),
        ("ctr(aes)", "far-ctr"),
        ("ecb(aes)", "wrong-ecb"),
        ("ecb(aes)", "far-ecb"),
    ];
    let wrong = |driver| format!("{driver} wrong {KERNEL} kernel - 2026-11-27 1 16 1 # byte 5 differs\n");
    let folder = system(&drivers, &(wrong("wrong-cbc") + &wrong("wrong-ecb")));
    for are_named in [false, true] {
        let (found, notes) = searched(&folder, &[cbc, ctr, ecb, xts, gcm], are_named);
        assert_eq!(found[0], Ok("good-cbc".to_owned()));
        let why = |place: usize, reason, words: &[&str]| {
            let (found, text) = found[place].as_ref().expect_err("no driver");
            assert!(*found == reason && words.iter().all(|word| text.contains(word)), "{found:?} {text}");
        };
        why(1, SoftwareReason::DriverUnreachable, &["sham"]);
        // A wrong driver is the more important reason.
        why(2, SoftwareReason::DriverWrong, &["wrong-ecb", "byte 5 differs", "sham"]);
        why(3, SoftwareReason::NoDriver, &["xts(aes)"]);
        // An engine that supports some algorithms is usual.
        let expected = if are_named { 3 } else { 0 };
        assert_eq!(notes.len(), expected, "{notes:?}");
        if are_named {
            assert!(notes.iter().any(|note| note.contains("xts(aes), gcm(aes)")), "{notes:?}");
            assert!(notes.iter().all(|note| !note.contains("cbc")), "{notes:?}");
        }
    }
    let (found, notes) = searched(&folder, &[xts, gcm], false);
    assert!(found.iter().all(Result::is_err) && notes.len() == 1, "{notes:?}");
    assert!(notes[0].contains("xts(aes), gcm(aes)"), "{notes:?}");
    assert!(searched(&folder, &[], false).1.is_empty());
}

#[test]
fn lists_that_cannot_be_read_are_noted() {
    let folder = system(&[("cbc(aes)", "good-cbc")], "");
    let findings = folder.path().join("etc/outboard/checked");
    fs::remove_file(&findings).and_then(|()| fs::create_dir(&findings)).expect("a directory");
    let (found, notes) = searched(&folder, &[Algorithm::CbcAes], false);
    assert_eq!(found, [Ok("good-cbc".to_owned())]);
    assert!(notes.len() == 1 && notes[0].contains("etc/outboard/checked"), "{notes:?}");
    fs::remove_file(folder.path().join("proc/crypto")).expect("it exists");
    let (found, notes) = searched(&folder, &[Algorithm::CbcAes], false);
    let (reason, why) = found[0].as_ref().expect_err("there is no list");
    assert!(*reason == SoftwareReason::NoDriver && why.contains("proc/crypto"), "{why}");
    assert!(notes.iter().any(|note| note == why), "{notes:?}");
}
