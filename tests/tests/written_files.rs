//! The files that commands of root write: what other users prepared at their names has no effect.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, chown, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use outboard_tests::command::{on_path, status_and_output, succeeded};
use outboard_tests::evp;
use outboard_tests::skip::skip;
use outboard_tests::time_limit::wait_until;

const NOBODY: u32 = 65534;

/// A directory that all may write, with the sticky bit, and a file of root outside of it.
struct Shared {
    outboard: PathBuf,
    outside: tempfile::TempDir,
    directory: tempfile::TempDir,
}

impl Shared {
    fn new(test: &str) -> Option<Shared> {
        let outboard = on_path("outboard").or_else(|| {
            skip(test, "the outboard command");
            None
        })?;
        let shared = Shared {
            outboard,
            outside: tempfile::tempdir().expect("a directory"),
            directory: tempfile::tempdir().expect("a directory"),
        };
        fs::set_permissions(shared.directory.path(), Permissions::from_mode(0o1777)).expect("root");
        fs::write(shared.victim(), "of root").expect("a file");
        fs::set_permissions(shared.victim(), Permissions::from_mode(0o600)).expect("root");
        Some(shared)
    }

    fn victim(&self) -> PathBuf {
        self.outside.path().join("victim")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Each command that writes a file, with this one; `prepare` runs before it.
    fn each(&self, file: &Path, prepare: impl Fn(), check: impl Fn(&[&str], &Output)) {
        let file = file.to_str().expect("a path");
        for arguments in [
            &["bundle", "--force", "--output", file][..],
            &["metrics", "--output", file],
            &["report", "--output", file],
            &["prove", "--quiet", "--json", file, "--", "true"],
        ] {
            prepare();
            let output = Command::new(&self.outboard).args(arguments).output().expect("the command runs");
            check(arguments, &output);
        }
    }
}

#[test]
fn devices_stay_devices() {
    let Some(shared) = Shared::new("devices_stay_devices") else { return };
    // Nodes of our own: a failure must not break the machine.
    for (name, minor, is_writable) in [("null", "3", true), ("full", "7", false)] {
        let (node, link) =
            (shared.outside.path().join(name), shared.outside.path().join(format!("to-{name}")));
        let made = Command::new("mknod").arg(&node).args(["c", "1", minor]).status();
        assert!(made.expect("mknod").success());
        symlink(&node, &link).expect("a link");
        for file in [&node, &link] {
            let check = |arguments: &[&str], output: &Output| {
                let text = status_and_output(output);
                assert_eq!(output.status.success(), is_writable, "{arguments:?}: {text}");
                let about = fs::symlink_metadata(&node).expect("the node");
                assert!(about.file_type().is_char_device() && link.is_symlink(), "{arguments:?}");
            };
            shared.each(file, || (), check);
        }
    }
}

#[test]
fn a_link_of_another_user_is_replaced_and_not_followed() {
    let Some(shared) = Shared::new("a_link_of_another_user_is_replaced_and_not_followed") else { return };
    let link = shared.at("report.html");
    let prepare = || {
        let _ = fs::remove_file(&link);
        symlink(shared.victim(), &link).expect("a link");
        lchown(&link, Some(NOBODY), Some(NOBODY)).expect("root");
    };
    shared.each(&link, prepare, |arguments, output| {
        assert!(output.status.success(), "{arguments:?}: {}", status_and_output(output));
        assert_eq!(fs::read(shared.victim()).expect("the file"), b"of root", "{arguments:?}");
        assert_eq!(fs::metadata(shared.victim()).expect("the file").mode() & 0o777, 0o600, "{arguments:?}");
        let about = fs::symlink_metadata(&link).expect("the result");
        assert!(about.is_file() && about.uid() == 0, "{arguments:?}");
    });
}

#[test]
fn an_existing_file_keeps_its_owner_and_mode_and_a_bundle_becomes_roots() {
    let test = "an_existing_file_keeps_its_owner_and_mode_and_a_bundle_becomes_roots";
    let Some(shared) = Shared::new(test) else { return };
    let file = shared.outside.path().join("result");
    let prepare = || {
        fs::write(&file, "old").expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(0o660)).expect("root");
        chown(&file, Some(1000), Some(1000)).expect("root");
    };
    shared.each(&file, prepare, |arguments, output| {
        assert!(output.status.success(), "{arguments:?}: {}", status_and_output(output));
        let about = fs::metadata(&file).expect("the result");
        let expected = if arguments[0] == "bundle" { (0, 0, 0o600) } else { (1000, 1000, 0o660) };
        assert_eq!((about.uid(), about.gid(), about.mode() & 0o7777), expected, "{arguments:?}");
    });
}

#[test]
fn a_file_or_pipe_of_another_user_in_a_shared_directory_gets_nothing() {
    let test = "a_file_or_pipe_of_another_user_in_a_shared_directory_gets_nothing";
    let Some(shared) = Shared::new(test) else { return };
    let (file, pipe) = (shared.at("file"), shared.at("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    chown(&pipe, Some(NOBODY), Some(NOBODY)).expect("root");
    // So that an old version fails and does not wait for a reader.
    let _reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).expect("the pipe");
    shared.each(
        &pipe,
        || (),
        |arguments, output| {
            assert!(!output.status.success(), "{arguments:?}: {}", status_and_output(output));
            assert!(fs::symlink_metadata(&pipe).expect("the pipe").file_type().is_fifo(), "{arguments:?}");
        },
    );
    fs::write(&file, "theirs").expect("a file");
    let kept_open = fs::File::open(&file).expect("the file");
    let prepare = || chown(&file, Some(NOBODY), Some(NOBODY)).expect("root");
    shared.each(&file, prepare, |arguments, output| {
        assert!(output.status.success(), "{arguments:?}: {}", status_and_output(output));
        assert_eq!(fs::metadata(&file).expect("the result").uid(), 0, "{arguments:?}");
    });
    assert_eq!(std::io::read_to_string(kept_open).expect("the old file"), "theirs");
}

#[test]
fn a_proof_that_cannot_begin_leaves_the_old_one() {
    let Some(shared) = Shared::new("a_proof_that_cannot_begin_leaves_the_old_one") else { return };
    let file = shared.outside.path().join("proof.json");
    fs::write(&file, "old").expect("a file");
    let arguments = ["prove", "--json", file.to_str().expect("a path"), "--", "no-such-command-anywhere"];
    let output = Command::new(&shared.outboard).args(arguments).output().expect("the command runs");
    assert_eq!(output.status.code(), Some(127), "{}", status_and_output(&output));
    assert_eq!(fs::read(&file).expect("the file"), b"old");
}

/// Processes of another user that map a file, as `metrics` counts them by name.
#[test]
fn only_a_process_with_the_installed_provider_is_counted() {
    let test = "only_a_process_with_the_installed_provider_is_counted";
    let Some(shared) = Shared::new(test) else { return };
    let installed = evp::modules_dir().map(|directory| directory.join("outboard.so"));
    let Some(installed) = installed.filter(|path| path.is_file()) else {
        return skip(test, "the installed provider");
    };
    let sleep = on_path("sleep").expect("the sleep command");
    let (copy, renamed) = (shared.at("outboard.so"), shared.at("ngi\u{202e}x"));
    fs::copy(&installed, &copy).expect("a copy");
    fs::copy(sleep, &renamed).expect("a copy");
    for file in [&copy, &renamed] {
        chown(file, Some(NOBODY), Some(NOBODY)).expect("root");
    }
    for (provider, is_counted) in [(&installed, true), (&copy, false)] {
        let mut process = Command::new(&renamed);
        process.arg("1000").env("LD_PRELOAD", provider).uid(NOBODY).gid(NOBODY);
        let mut process = process.spawn().expect("a process");
        let maps = format!("/proc/{}/maps", process.id());
        wait_until("mapped", || fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("/outboard.so")));
        let page = Command::new(&shared.outboard).arg("metrics").output().expect("the command runs");
        let watch =
            Command::new(&shared.outboard).args(["watch", "--once"]).output().expect("the command runs");
        process.kill().and_then(|()| process.wait()).expect("the process ends");
        let page = succeeded(&page, &["metrics"]);
        let watch = succeeded(&watch, &["watch"]);
        let row = "outboard_provider_processes{name=\"ngi\u{fffd}x\"} 1\n";
        assert_eq!(page.contains(row), is_counted, "{page}");
        assert_eq!(watch.contains("ngi\u{fffd}x"), is_counted, "{watch}");
        assert!(!page.contains('\u{202e}') && !watch.contains('\u{202e}'));
    }
}
