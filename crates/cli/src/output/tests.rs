use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::process::{Command, Stdio};
use std::thread;

use super::*;

fn place() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn output(path: &Path) -> Output {
    Output::new("--output", path).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_device_is_written_into_and_stays() {
    // A full device fails at the write, and the null device at fsync(2).
    for (device, succeeds) in [("/dev/null", true), ("/dev/full", false)] {
        for output in [output(Path::new(device)), output(Path::new(device)).private()] {
            assert!(output.file().is_none());
            assert_eq!(output.write(b"text").is_ok(), succeeds, "{device}");
        }
        assert!(fs::metadata(device).unwrap().file_type().is_char_device(), "{device}");
        assert!(output(Path::new(device)).keeping_existing().is_ok(), "a device is not replaced");
    }
}

#[test]
fn a_fifo_is_written_into_and_stays() {
    let place = place();
    let fifo = place.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let reader = thread::spawn({
        let fifo = fifo.clone();
        move || fs::read(fifo).unwrap()
    });
    output(&fifo).private().write(b"text").unwrap();
    assert_eq!(reader.join().unwrap(), b"text");
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn an_open_descriptor_is_appended_to() {
    let place = place();
    let file = place.path().join("file");
    fs::write(&file, "old ").unwrap();
    let open = fs::OpenOptions::new().write(true).open(&file).unwrap();
    output(&descriptor(&open)).write(b"new").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"old new");
    let child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let pipe = child.stdin.as_ref().unwrap();
    output(&descriptor(pipe)).write(b"through a pipe").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"through a pipe");
}

fn descriptor(open: &impl AsRawFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", open.as_raw_fd()))
}

#[test]
fn a_link_of_the_caller_is_followed_and_stays() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    fs::create_dir(at("below")).unwrap();
    symlink("below/second", at("first")).unwrap();
    symlink("real", at("below/second")).unwrap();
    for text in ["new", "newer"] {
        output(&at("first")).write(text.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(at("below/real")).unwrap(), text);
    }
    assert!(at("first").is_symlink() && at("below/second").is_symlink());
    symlink("loop", at("loop")).unwrap();
    assert!(Output::new("--output", &at("loop")).is_err());
}

#[test]
fn a_private_file_is_private_whatever_was_there() {
    let place = place();
    let path = place.path().join("bundle");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    assert!(output(&path).private().keeping_existing().is_err());
    output(&path).private().write(b"new").unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"new".to_vec()));
}

#[test]
fn another_file_keeps_its_mode() {
    let place = place();
    let path = place.path().join("report");
    for kept in [0o640, 0o600, 0o644] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
        output(&path).write(b"new").unwrap();
        assert_eq!(mode(&path), kept);
    }
}

#[test]
fn nothing_is_touched_before_there_is_something_to_write() {
    let place = place();
    let path = place.path().join("proof");
    fs::write(&path, "old").unwrap();
    drop(output(&path));
    drop(output(&place.path().join("new")));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    let missing = Output::new("--json", &place.path().join("none/proof")).err().unwrap().to_string();
    assert!(missing.contains("none/proof: cannot be written") && missing.contains("--json"), "{missing}");
}

#[test]
fn a_file_that_appears_meanwhile_is_not_replaced_without_force() {
    let place = place();
    let path = place.path().join("bundle");
    let output = output(&path).keeping_existing().unwrap();
    fs::write(&path, "of another process").unwrap();
    assert!(output.write(b"new").is_err());
    assert_eq!(fs::read(&path).unwrap(), b"of another process");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left");
}
