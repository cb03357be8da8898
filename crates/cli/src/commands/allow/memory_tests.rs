use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;

/// A list in a directory that does not exist yet.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("outboard/allowed")
    }

    fn change(&self, change: impl FnOnce(&mut Memory)) {
        let mut memory = Memory::to_change_at(&self.file()).unwrap();
        change(&mut memory);
        memory.store().unwrap();
    }

    fn names(&self) -> Vec<String> {
        Memory::read_at(&self.file()).unwrap().drivers().0.into_iter().map(|known| known.driver).collect()
    }

    fn left_over(&self) -> Vec<String> {
        let entries = fs::read_dir(self.file().parent().unwrap()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn a_list_is_made_kept_in_order_and_shortened() {
    let place = Place::new();
    assert_eq!(place.names(), [] as [&str; 0]);
    place.change(|memory| memory.add("b", false));
    place.change(|memory| memory.add("a", true));
    place.change(|memory| memory.add("b", false));
    assert_eq!(place.names(), ["b", "a"]);
    let text = fs::read_to_string(place.file()).unwrap();
    assert_eq!(text, format!("{HEADER}b\na force\n"));
    assert_eq!(fs::metadata(place.file()).unwrap().permissions().mode() & 0o7777, 0o644);
    place.change(|memory| memory.remove("b"));
    assert_eq!(place.names(), ["a"]);
    assert_eq!(place.left_over(), ["allowed"]);
}

#[test]
fn lines_that_root_wrote_by_hand_stay() {
    let place = Place::new();
    fs::create_dir(place.file().parent().unwrap()).unwrap();
    fs::write(place.file(), "# mine\nfirst # the fast one\n\nwhat is this\nfirst\nsecond force").unwrap();
    let (drivers, mistakes) = Memory::read_at(&place.file()).unwrap().drivers();
    let seen: Vec<_> = drivers.iter().map(|known| (known.driver.as_str(), known.forced)).collect();
    assert_eq!(seen, [("first", false), ("second", true)]);
    assert_eq!(
        mistakes,
        ["/etc/outboard/allowed, line 4 is no driver's name (with or without 'force'): what is this"]
    );
    place.change(|memory| {
        memory.remove("second");
        memory.add("third", false);
    });
    let text = fs::read_to_string(place.file()).unwrap();
    assert_eq!(text, "# mine\nfirst # the fast one\n\nwhat is this\nfirst\nthird\n");
}

#[test]
fn a_change_that_is_given_up_leaves_the_list_as_it_was() {
    let place = Place::new();
    place.change(|memory| memory.add("a", false));
    let mut memory = Memory::to_change_at(&place.file()).unwrap();
    memory.add("b", false);
    drop(memory);
    assert_eq!(place.names(), ["a"]);
    assert_eq!(place.left_over(), ["allowed"]);
}

#[test]
fn a_change_that_was_cut_off_does_no_harm_to_the_next() {
    let place = Place::new();
    place.change(|memory| memory.add("a", false));
    // The state after SIGKILL: longer than the next contents, and not readable by other users.
    fs::write(place.file().with_extension("new"), "x".repeat(1000)).unwrap();
    place.change(|memory| memory.add("b", false));
    assert_eq!(place.names(), ["a", "b"]);
    assert_eq!(fs::metadata(place.file()).unwrap().permissions().mode() & 0o7777, 0o644);
}

#[test]
fn a_link_is_followed_and_stays() {
    let place = Place::new();
    let elsewhere = place.0.path().join("elsewhere");
    fs::create_dir(place.file().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.file()).unwrap();
    let error = Memory::read_at(&place.file()).unwrap_err().to_string();
    assert!(error.contains("is a link to") && error.contains("elsewhere"), "{error}");
    fs::write(&elsewhere, "").unwrap();
    place.change(|memory| memory.add("a", false));
    assert!(place.file().is_symlink());
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), format!("{HEADER}a\n"));
}

#[test]
fn two_changes_at_once_wait_for_each_other() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for n in 0..16 {
            let place = &place;
            scope.spawn(move || place.change(|memory| memory.add(&format!("driver-{n}"), false)));
        }
    });
    assert_eq!(place.names().len(), 16);
}

#[test]
fn errors_name_the_file_the_cause_and_the_next_step() {
    for number in [libc::EROFS, libc::ENOSPC, libc::EDQUOT, libc::EIO] {
        let error = explained(Path::new(FILE), &io::Error::from_raw_os_error(number)).to_string();
        assert!(error.starts_with("/etc/outboard/allowed: ") && error.ends_with("--now"), "{error}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_and_not_written_over() {
    let place = Place::new();
    fs::create_dir(place.file().parent().unwrap()).unwrap();
    fs::write(place.file(), b"\xff\n").unwrap();
    assert!(Memory::to_change_at(&place.file()).is_err());
    assert_eq!(fs::read(place.file()).unwrap(), b"\xff\n");
}
