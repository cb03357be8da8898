//! The descriptor of /dev/outboard that all drivers of a process share, in a process that closes it.

use std::fs;
use std::io::{Error, ErrorKind};
use std::os::fd::RawFd;

use outboard_tests::child::in_child;
use outboard_tests::evp::{self, Cipher, LibraryContext};
use outboard_tests::sandbox;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::stream::Stream;
use outboard_tests::surroundings::{OWN_FILE, Surrounding};
use outboard_tests::world::World;

/// Ciphers with drivers of their own.
const CIPHERS: [&str; 4] = ["AES-128-CBC", "AES-128-CTR", "AES-128-ECB", "DES-EDE3-CBC"];

/// The content of the application's own file.
const OWN: &str = "the application's own";

/// The number of descriptors of the device that this process has.
fn descriptors() -> usize {
    let entries = fs::read_dir("/proc/self/fd").expect("proc is mounted").flatten();
    let targets = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    targets.filter(|target| target.as_os_str() == outboard_uapi::DEVICE).count()
}

/// In mid-stream with several drivers the process enters the environment, and then uses the drivers
/// in this order.
fn go_on(world: &World, surrounding: Surrounding, order: [usize; 4]) -> Result<(), String> {
    let soft = LibraryContext::new();
    let streams = CIPHERS.map(|name| {
        let soft = Cipher::fetch(&soft, name, "").expect("the default provider's");
        Stream::new(&soft, 1, 8, 5000)
    });
    let ciphers = CIPHERS.map(|name| world.hard(name));
    let mut journeys: Vec<_> =
        streams.iter().zip(&ciphers).map(|(stream, cipher)| Some(stream.start(cipher))).collect();
    for journey in journeys.iter_mut().flatten() {
        assert!(journey.go() && journey.go());
    }
    if descriptors() != 1 {
        return Err(format!("{} descriptors of the device", descriptors()));
    }
    fs::write(world.folder().join(OWN_FILE), OWN).expect("a file in the world's folder");
    let before = CIPHERS.map(|name| world.counts_of(name));
    surrounding.enter(world.folder()).map_err(|error| format!("{surrounding:?}: {error}"))?;
    for which in order {
        let is_right = journeys[which].take().is_some_and(|journey| journey.ends_right());
        if !is_right || !streams[which].runs_right(&ciphers[which]) {
            return Err(format!("{}: wrong bytes", CIPHERS[which]));
        }
    }
    for (name, before) in CIPHERS.into_iter().zip(before) {
        let done = world.counts_of(name) - before;
        // Six requests of the first stream and eight of the second one.
        if done.hw_requests < 14 || done.failures > 0 || done.mismatches > 0 {
            return Err(format!("{name}, in the order {order:?}: {done:?}"));
        }
    }
    let own = fs::read_to_string(world.folder().join(OWN_FILE)).expect("the application's file");
    let errors = evp::text();
    if own == OWN && errors.is_empty() { Ok(()) } else { Err(format!("{own:?}, errors: {errors}")) }
}

/// A sandbox may refuse fstat(2), by which the provider recognises its descriptor.
#[test]
fn in_a_sandbox_without_fstat_nothing_is_written_to_sockets_and_eventfds() {
    let test = "in_a_sandbox_without_fstat_nothing_is_written_to_sockets_and_eventfds";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let world = simulated.world_of_everything(1024);
    for is_socket in [false, true] {
        in_child(|| {
            let cipher = world.hard("AES-128-CTR");
            let stream = Stream::new(&world.soft("AES-128-CTR"), 1, 8, 5000);
            let mut journey = stream.start(&cipher);
            if !(journey.go() && journey.go()) || world.counts().hw_requests == 0 {
                return Err("no hardware to begin with".to_owned());
            }
            let (written, read) = if is_socket { sockets() } else { eventfd() };
            replace_the_device_by(written);
            sandbox::enter();
            let is_right = journey.ends_right();
            let mut received = [0; 64];
            // SAFETY: the array is writable for its length.
            let got = unsafe { libc::read(read, received.as_mut_ptr().cast(), received.len()) };
            let is_empty = got < 0 && Error::last_os_error().kind() == ErrorKind::WouldBlock;
            if is_right && is_empty { Ok(()) } else { Err(format!("right: {is_right}, received: {got}")) }
        });
    }
}

/// Two ends of a connection with datagrams; both do not block.
fn sockets() -> (RawFd, RawFd) {
    let mut ends = [0; 2];
    let kind = libc::SOCK_DGRAM | libc::SOCK_NONBLOCK;
    // SAFETY: there is room for two descriptors.
    assert_eq!(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) }, 0);
    (ends[0], ends[1])
}

fn eventfd() -> (RawFd, RawFd) {
    // SAFETY: no pointer is passed.
    let fd = unsafe { libc::eventfd(0, libc::EFD_NONBLOCK) };
    assert!(fd >= 0);
    (fd, fd)
}

/// Makes the numbers of the device's descriptors refer to another file.
fn replace_the_device_by(fd: RawFd) {
    for entry in fs::read_dir("/proc/self/fd").expect("proc is mounted").flatten() {
        let target = fs::read_link(entry.path()).unwrap_or_default();
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok()).expect("a number");
        if target.as_os_str() == outboard_uapi::DEVICE {
            // SAFETY: the child is the application, which may close descriptors of the provider.
            assert_eq!(unsafe { libc::dup2(fd, number) }, number);
        }
    }
}

#[test]
fn several_drivers_go_on_after_closefrom_in_any_order() {
    let test = "several_drivers_go_on_after_closefrom_in_any_order";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    for surrounding in [Surrounding::Closed, Surrounding::ClosedAndReused] {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
            let world = simulated.world_of_everything(1024);
            in_child(|| go_on(&world, surrounding, order));
        }
    }
}
