//! Where the lines of the log go: to what was standard error when the provider was loaded, and not
//! to what the application has under that number. They never end or block the application.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::ptr::null_mut;

use outboard_tests::child::in_child;
use outboard_tests::evp::Cipher;
use outboard_tests::module::module;
use outboard_tests::pipe;
use outboard_tests::skip::skip;
use outboard_tests::world::{DriverChoice, Order, World};

/// The application's own data.
const DATA: &str = "DATA";

/// Standard error of the child, until this is dropped.
struct StandardError(OwnedFd);

impl StandardError {
    fn replaced_by(other: &impl AsRawFd) -> StandardError {
        // SAFETY: no pointer is passed.
        let before = unsafe { libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, 3) };
        assert!(before >= 3, "standard error is open");
        become_standard_error(other);
        // SAFETY: the descriptor is new and has no other owner.
        StandardError(unsafe { OwnedFd::from_raw_fd(before) })
    }
}

impl Drop for StandardError {
    fn drop(&mut self) {
        become_standard_error(&self.0);
    }
}

fn become_standard_error(other: &impl AsRawFd) {
    // SAFETY: no pointer is passed.
    assert_eq!(unsafe { libc::dup2(other.as_raw_fd(), libc::STDERR_FILENO) }, libc::STDERR_FILENO);
}

/// The provider, which has not logged anything yet.
fn world() -> World {
    World::new(DriverChoice::Nothing, &[("LOG_LEVEL", "info")], Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Makes the provider look for drivers, about which it logs.
fn let_it_log(world: &World) {
    assert!(Cipher::fetch(&world.context, "AES-128-CBC", "?provider=outboard").is_some());
}

/// A new file of the application, open for writing only or for reading too.
fn new_file(name: &str, is_read: bool) -> (File, PathBuf) {
    let path = std::env::temp_dir().join(format!("outboard-{name}-{}", std::process::id()));
    let open = File::options().write(true).read(is_read).create(true).truncate(true).open(&path);
    (open.expect("a temporary file"), path)
}

fn content(path: &PathBuf) -> String {
    let text = fs::read_to_string(path).expect("the file");
    fs::remove_file(path).expect("the file");
    text
}

/// Runs `body` in a child, if the module can be loaded.
#[track_caller]
fn with_the_module(test: &str, body: impl FnOnce() -> Result<(), String>) {
    match module() {
        Ok(_) => in_child(body),
        Err(missing) => skip(test, missing),
    }
}

fn are_lines(text: &str) -> Result<(), String> {
    let are = !text.is_empty() && text.lines().all(|line| line.starts_with("outboard["));
    if are { Ok(()) } else { Err(format!("no lines of the log: {text:?}")) }
}

#[test]
fn lines_go_to_the_file_that_was_standard_error_when_the_provider_was_loaded() {
    let test = "lines_go_to_the_file_that_was_standard_error_when_the_provider_was_loaded";
    with_the_module(test, || {
        let (log, path) = new_file("log", false);
        let replaced = StandardError::replaced_by(&log);
        let_it_log(&world());
        drop(replaced);
        are_lines(&content(&path))
    });
}

#[test]
fn no_line_goes_to_a_file_that_the_application_opened_as_descriptor_2_later() {
    let test = "no_line_goes_to_a_file_that_the_application_opened_as_descriptor_2_later";
    with_the_module(test, || {
        let (log, log_path) = new_file("log", false);
        let (mut database, path) = new_file("database", false);
        database.write_all(DATA.as_bytes()).expect("room on the disk");
        let replaced = StandardError::replaced_by(&log);
        let world = world();
        become_standard_error(&database);
        let_it_log(&world);
        drop(replaced);
        let (log, database) = (content(&log_path), content(&path));
        if database == DATA && log.is_empty() {
            Ok(())
        } else {
            Err(format!("written: {database:?}, {log:?}"))
        }
    });
}

#[test]
fn no_line_goes_to_a_database_that_is_descriptor_2_when_the_provider_is_loaded() {
    let test = "no_line_goes_to_a_database_that_is_descriptor_2_when_the_provider_is_loaded";
    with_the_module(test, || {
        let (mut database, path) = new_file("database", true);
        database.write_all(DATA.as_bytes()).expect("room on the disk");
        let replaced = StandardError::replaced_by(&database);
        let_it_log(&world());
        drop(replaced);
        let database = content(&path);
        if database == DATA { Ok(()) } else { Err(format!("written: {database:?}")) }
    });
}

#[test]
fn a_pipe_without_a_reader_does_not_end_the_application() {
    let test = "a_pipe_without_a_reader_does_not_end_the_application";
    with_the_module(test, || {
        let (read, write) = pipe::full();
        // The test harness ignores the signal, as Rust's programs do.
        // SAFETY: the default action is valid.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        let replaced = StandardError::replaced_by(&write);
        let world = world();
        drop(read);
        let_it_log(&world);
        drop(replaced);
        Ok(())
    });
}

#[test]
fn a_full_pipe_does_not_block_the_application() {
    let test = "a_full_pipe_does_not_block_the_application";
    with_the_module(test, || {
        let (mut read, write) = pipe::full();
        // SAFETY: an alarm ends this child if it blocks.
        unsafe { libc::alarm(60) };
        let replaced = StandardError::replaced_by(&write);
        let_it_log(&world());
        drop((replaced, write));
        let mut text = String::new();
        read.read_to_string(&mut text).expect("a pipe");
        if text.len() == pipe::ROOM { Ok(()) } else { Err(format!("written: {text:?}")) }
    });
}

#[test]
fn a_terminal_gets_lines_whatever_standard_error_was_before() {
    let test = "a_terminal_gets_lines_whatever_standard_error_was_before";
    with_the_module(test, || {
        let (mut master, mut terminal) = (0, 0);
        // SAFETY: both descriptors are writable; no name, settings or size.
        let opened = unsafe { libc::openpty(&mut master, &mut terminal, null_mut(), null_mut(), null_mut()) };
        assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
        // SAFETY: the descriptors are new and have no other owner.
        let (mut master, terminal) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(terminal)) };
        let world = world();
        let replaced = StandardError::replaced_by(&terminal);
        let_it_log(&world);
        drop(replaced);
        let mut text = [0; 4096];
        let len = master.read(&mut text).expect("a line");
        are_lines(&String::from_utf8_lossy(&text[..len]))
    });
}

#[test]
fn the_journal_gets_lines_whatever_standard_error_was_before() {
    let test = "the_journal_gets_lines_whatever_standard_error_was_before";
    with_the_module(test, || {
        let (mut journal, ours) = UnixStream::pair().expect("two sockets");
        let ours = File::from(OwnedFd::from(ours));
        let identity = ours.metadata().expect("a socket");
        // SAFETY: no other thread of the child reads its environment.
        unsafe { std::env::set_var("JOURNAL_STREAM", format!("{}:{}", identity.dev(), identity.ino())) };
        let world = world();
        let replaced = StandardError::replaced_by(&ours);
        let_it_log(&world);
        drop((replaced, ours));
        let mut text = String::new();
        journal.read_to_string(&mut text).expect("a connection");
        are_lines(&text)
    });
}
