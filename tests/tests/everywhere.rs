//! The provider in various environments, which a process enters before the provider is loaded,
//! before its first cipher, or in the middle of a stream: the results are correct, and the hardware
//! is used wherever it can be reached.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use outboard_tests::child::{Exit, fork};
use outboard_tests::evp::{self, Cipher, LibraryContext};
use outboard_tests::machine::interface_to_accelerator;
use outboard_tests::module::module;
use outboard_tests::stream::Stream;
use outboard_tests::surroundings::{OWN_FILE, Surrounding, say_into};
use outboard_tests::world::{DriverChoice, World, worlds_with_drivers};

const ALGORITHM: &str = "AES-128-CBC";

/// The lines that the provider may write to standard error in one process: three failures, and a
/// paused driver.
const LINES: usize = 4;

/// The content of the application's own file.
const OWN: &str = "the application's own";

/// When a process enters its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    BeforeLoading,
    BeforeTheFirstCipher,
    InMidStream,
}
use When::{BeforeLoading, BeforeTheFirstCipher, InMidStream};

/// Which side processes requests from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The driver, for all requests.
    Hardware,
    /// The driver, for requests of earlier sessions.
    Some,
    /// OpenSSL's own code.
    Software,
}
use By::{Hardware, Software};

/// What is expected over /dev/outboard, and over AF_ALG, which needs no file but a new descriptor
/// for each key; `None` where it cannot work.
type Row = (When, By, Option<By>);

/// In each environment every stream is correct, and the reachable side processes it.
#[track_caller]
fn goes_on(test: &str, surrounding: Surrounding, rows: &[Row]) {
    for &(when, by_device, by_socket) in rows {
        for world in worlds_with_drivers(test, &[("THRESHOLDS", "ALL:1024")]) {
            let is_device = world.driver_choice == DriverChoice::Accelerator
                && interface_to_accelerator() == Ok("/dev/outboard");
            let Some(by) = (if is_device { Some(by_device) } else { by_socket }) else { continue };
            let what = format!("{surrounding:?}, {when:?}, {:?}, by {by:?}", world.driver_choice);
            fs::write(world.folder().join(OWN_FILE), OWN).expect("a file in the world's folder");
            let soft = LibraryContext::new();
            let soft = Cipher::fetch(&soft, ALGORITHM, "").expect("the default provider's");
            let streams = [1, 2, 3].map(|seed| Stream::new(&soft, seed, 6, 5000));
            let log = world.folder().join("stderr");
            let child = fork(Exit::Clean, || {
                let outcome = say_into(&log).map_err(|error| error.to_string());
                let outcome = outcome.and_then(|()| live(&world, surrounding, when, by, &streams));
                outcome.map_err(|problem| writeln!(std::io::stderr(), "\n{problem}")).is_ok()
            });
            let ended = child.wait();
            let stderr = fs::read_to_string(&log).unwrap_or_default();
            ended.unwrap_or_else(|problem| panic!("{what}: {problem}\n{stderr}"));
            assert!(stderr.lines().count() <= LINES, "{what}: the provider logs too much:\n{stderr}");
            let own = fs::read_to_string(world.folder().join(OWN_FILE)).expect("the application's file");
            assert_eq!(own, OWN, "{what}: the application's file was written to");
            assert_eq!(world.counts().mismatches, 0, "{what}");
        }
    }
}

/// A process: the first stream begins before it enters the environment if `when` requires that, the
/// others inside.
fn live(
    world: &World,
    surrounding: Surrounding,
    when: When,
    by: By,
    streams: &[Stream],
) -> Result<(), String> {
    let [first, others @ ..] = streams else { return Err("no stream".to_owned()) };
    let enter = || surrounding.enter(world.folder()).map_err(|error| format!("{surrounding:?}: {error}"));
    let fetch = |context: &LibraryContext| {
        Cipher::fetch(context, ALGORITHM, "").ok_or_else(|| format!("no {ALGORITHM}:\n{}", evp::text()))
    };
    let (cipher, before, is_right);
    match when {
        BeforeLoading => {
            let config = config(world, surrounding);
            enter()?;
            let context = LibraryContext::new();
            // Without a descriptor not even openssl.cnf can be read.
            if !context.load_config(&config) && surrounding != Surrounding::WithoutDescriptors {
                return Err(format!("the configuration is refused:\n{}", evp::text()));
            }
            evp::clear();
            before = world.counts();
            cipher = fetch(&context)?;
            is_right = first.runs_right(&cipher);
        }
        BeforeTheFirstCipher => {
            enter()?;
            before = world.counts();
            cipher = fetch(&world.context)?;
            is_right = first.runs_right(&cipher);
        }
        InMidStream => {
            cipher = fetch(&world.context)?;
            let mut journey = first.start(&cipher);
            if !(journey.go() && journey.go()) || world.counts().hw_requests == 0 {
                return Err(format!("no hardware to begin with: {:?}", world.counts()));
            }
            before = world.counts();
            enter()?;
            is_right = journey.ends_right();
        }
    }
    if !is_right || !others.iter().all(|stream| stream.runs_right(&cipher)) {
        return Err("wrong bytes".to_owned());
    }
    let mut during = first.start(&cipher);
    during.go();
    if !surrounding.is_as_entered() {
        return Err("descriptors of the application were taken".to_owned());
    }
    drop(during);
    let (done, errors) = (world.counts() - before, evp::text());
    // The rest of the last block of a stream is processed in software.
    let as_expected = match by {
        Hardware => done.hw_bytes * 100 > done.bytes() * 95 && done.failures == 0,
        By::Some => done.hw_requests > 0 && done.sw_requests > 0,
        Software => done.hw_requests == 0,
    };
    if !as_expected {
        return Err(format!("by {by:?} is expected: {done:?}"));
    }
    if errors.is_empty() { Ok(()) } else { Err(format!("left on the error queue: {errors}")) }
}

/// The world's configuration, for a process that reads it from its environment.
fn config(world: &World, surrounding: Surrounding) -> PathBuf {
    if !surrounding.has_a_root_of_its_own() {
        return world.config();
    }
    let (folder, module) = (world.folder(), module().expect("the world has it"));
    let name = |path: &Path| path.to_str().expect("a plain name").to_owned();
    fs::copy(&module, folder.join("outboard.so")).expect("a file in the folder");
    let text = fs::read_to_string(world.config()).expect("the world's configuration");
    let text = text.replace(&name(&module), "/outboard.so").replace(&name(folder), "");
    fs::write(folder.join("inside.cnf"), text).expect("a file in the folder");
    PathBuf::from("/inside.cnf")
}

#[test]
fn a_daemon_keeps_its_sessions_after_chroot() {
    let test = "a_daemon_keeps_its_sessions_after_chroot";
    let rows = [
        (BeforeLoading, Software, Some(Software)),
        (BeforeTheFirstCipher, Software, Some(Software)),
        (InMidStream, Hardware, Some(Hardware)),
    ];
    goes_on(test, Surrounding::LockedIn, &rows);
}

#[test]
fn a_container_without_the_device_uses_software_and_a_process_with_an_open_descriptor_uses_it() {
    let test = "a_container_without_the_device_uses_software_and_a_process_with_an_open_descriptor_uses_it";
    let rows = [
        (BeforeLoading, Software, Some(Hardware)),
        (BeforeTheFirstCipher, Software, Some(Hardware)),
        (InMidStream, Hardware, Some(Hardware)),
    ];
    goes_on(test, Surrounding::WithoutTheDevice, &rows);
}

#[test]
fn dropped_privileges_after_the_first_cipher_have_no_effect() {
    let test = "dropped_privileges_after_the_first_cipher_have_no_effect";
    let rows = [
        (BeforeLoading, Software, Some(Hardware)),
        (BeforeTheFirstCipher, Software, Some(Hardware)),
        (InMidStream, Hardware, Some(Hardware)),
    ];
    goes_on(test, Surrounding::AsNobody, &rows);
}

/// The module charges arenas to the limit (docs/uapi.md). An arena that was mapped before remains.
#[test]
fn a_user_who_may_not_lock_memory_maps_no_arena() {
    let test = "a_user_who_may_not_lock_memory_maps_no_arena";
    let rows = [
        (BeforeLoading, Software, Some(Hardware)),
        (BeforeTheFirstCipher, Software, Some(Hardware)),
        (InMidStream, Hardware, Some(Hardware)),
    ];
    goes_on(test, Surrounding::InTheGroup, &rows);
}

#[test]
fn a_process_without_free_descriptors_uses_its_open_ones() {
    let test = "a_process_without_free_descriptors_uses_its_open_ones";
    let rows = [
        (BeforeLoading, Software, Some(Software)),
        (BeforeTheFirstCipher, Software, Some(Software)),
        (InMidStream, Hardware, Some(By::Some)),
    ];
    goes_on(test, Surrounding::WithoutDescriptors, &rows);
}

#[test]
fn a_process_without_standard_files_still_has_none_afterwards() {
    let test = "a_process_without_standard_files_still_has_none_afterwards";
    let rows = [
        (BeforeLoading, Hardware, Some(Hardware)),
        (BeforeTheFirstCipher, Hardware, Some(Hardware)),
        (InMidStream, Hardware, Some(Hardware)),
    ];
    goes_on(test, Surrounding::WithoutStandardFiles, &rows);
}

#[test]
fn descriptors_that_the_application_closed_are_opened_again() {
    let test = "descriptors_that_the_application_closed_are_opened_again";
    let rows = [(BeforeTheFirstCipher, Hardware, Some(Hardware)), (InMidStream, Hardware, Some(Software))];
    goes_on(test, Surrounding::Closed, &rows);
}

#[test]
fn no_byte_is_written_to_files_under_reused_descriptor_numbers() {
    let test = "no_byte_is_written_to_files_under_reused_descriptor_numbers";
    goes_on(test, Surrounding::ClosedAndReused, &[(InMidStream, Hardware, Some(Software))]);
}

#[test]
fn a_process_that_closes_all_descriptors_and_calls_chroot_uses_software() {
    let test = "a_process_that_closes_all_descriptors_and_calls_chroot_uses_software";
    goes_on(test, Surrounding::ClosedAndLockedIn, &[(InMidStream, Software, Some(Software))]);
}

#[test]
fn a_sandbox_sees_no_forbidden_system_call() {
    let test = "a_sandbox_sees_no_forbidden_system_call";
    // Calls on sockets end the process.
    goes_on(test, Surrounding::Sandboxed, &[(InMidStream, Hardware, None)]);
}
