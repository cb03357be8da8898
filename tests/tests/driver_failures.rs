//! A driver that fails in the middle of a stream: the application gets the correct bytes for every
//! error of the kernel.
//!
//! The test causes the failure in this process: it replaces the sockets of the driver by /dev/null.

use std::fs;
use std::os::fd::RawFd;

use outboard_tests::machine::interface_to_accelerator;
use outboard_tests::skip::skip;
use outboard_tests::stream::Stream;
use outboard_tests::world::{DriverChoice, World, worlds_with_drivers};

/// The number of failures after which the process stops using the driver for a time
/// (crates/provider/src/hardware.rs).
const FAILURE_LIMIT: usize = 3;

/// Replaces every AF_ALG socket of this process by /dev/null and returns their number.
fn cut_all_sockets() -> usize {
    let descriptors = fs::read_dir("/proc/self/fd").expect("/proc").flatten();
    let numbers = descriptors.filter_map(|entry| entry.file_name().to_string_lossy().parse::<RawFd>().ok());
    let sockets: Vec<RawFd> = numbers.filter(|&number| is_af_alg(number)).collect();
    for &socket in &sockets {
        // SAFETY: the path is a C string; dup3 replaces a descriptor that its owner still uses as a
        // socket, which only causes errors; this function owns the extra descriptor and closes it.
        unsafe {
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            assert!(null >= 0 && libc::dup3(null, socket, libc::O_CLOEXEC) == socket, "dup3");
            libc::close(null);
        }
    }
    sockets.len()
}

fn is_af_alg(descriptor: RawFd) -> bool {
    let mut domain = 0;
    let mut length = libc::socklen_t::try_from(size_of_val(&domain)).expect("an int");
    // SAFETY: the variable has the length that is passed.
    let outcome = unsafe {
        libc::getsockopt(descriptor, libc::SOL_SOCKET, libc::SO_DOMAIN, (&raw mut domain).cast(), &mut length)
    };
    outcome == 0 && domain == libc::AF_ALG
}

/// Cuts the sockets of a stream with an open session; it and a copy must continue correctly.
fn fail_once(world: &World, seed: u64) {
    let stream = Stream::new(&world.soft("AES-128-CBC"), seed, 8, 4099);
    let mut journey = stream.start(&world.hard("AES-128-CBC"));
    let before = world.counts();
    assert!(journey.go() && journey.go());
    assert!(
        (world.counts() - before).hw_requests > 0,
        "{:?}: the driver is used at first",
        world.driver_choice
    );
    assert!(cut_all_sockets() > 0, "{:?}: a session is open", world.driver_choice);
    let copy = journey.copy();
    assert!(journey.ends_right(), "{:?}: wrong bytes after the driver failed", world.driver_choice);
    assert!(copy.ends_right(), "{:?}: wrong bytes in a copy after the driver failed", world.driver_choice);
    assert!((world.counts() - before).failures > 0, "{:?}: the failure is counted", world.driver_choice);
}

/// The worlds whose driver is reached over sockets.
fn worlds_with_sockets(test: &str, settings: &[(&str, &str)]) -> Vec<World> {
    let mut worlds = worlds_with_drivers(test, settings);
    // A lost descriptor of a device is not a failure; device.rs and cryptodev.rs test that.
    let by_sockets = interface_to_accelerator().is_ok_and(|interface| interface == "AF_ALG");
    worlds.retain(|world| world.driver_choice != DriverChoice::Accelerator || by_sockets);
    if worlds.is_empty() {
        skip(test, "a driver that AF_ALG leads to");
    }
    worlds
}

#[test]
fn a_stream_ends_right_when_the_driver_fails_between_two_requests() {
    let test = "a_stream_ends_right_when_the_driver_fails_between_two_requests";
    for world in worlds_with_sockets(test, &[("THRESHOLDS", "ALL:1024"), ("LOG_LEVEL", "off")]) {
        fail_once(&world, 1);
        assert_eq!(world.counts().mismatches, 0);
    }
}

#[test]
fn after_three_failures_the_driver_is_not_used_for_a_time() {
    let test = "after_three_failures_the_driver_is_not_used_for_a_time";
    for world in worlds_with_sockets(test, &[("THRESHOLDS", "ALL:1024"), ("LOG_LEVEL", "off")]) {
        let (hard, soft) = (world.hard("AES-256-CBC"), world.soft("AES-256-CBC"));
        let streams: Vec<_> =
            (0..FAILURE_LIMIT as u64).map(|seed| Stream::new(&soft, seed, 4, 5000)).collect();
        let mut journeys: Vec<_> = streams.iter().map(|stream| stream.start(&hard)).collect();
        for journey in &mut journeys {
            journey.go();
        }
        if cut_all_sockets() < FAILURE_LIMIT {
            skip(test, format!("{FAILURE_LIMIT} sessions at once ({:?})", world.driver_choice));
            continue;
        }
        for journey in journeys {
            assert!(journey.ends_right(), "{:?}: wrong bytes after the driver failed", world.driver_choice);
        }
        let before = world.counts();
        assert!(
            streams[0].runs_right(&hard),
            "{:?}: wrong bytes while the driver rests",
            world.driver_choice
        );
        let after = world.counts() - before;
        assert_eq!(
            (after.hw_requests, after.failures),
            (0, 0),
            "{:?}: it rests: {after:?}",
            world.driver_choice
        );
    }
}
