//! The accelerator goes away in mid-stream: its driver is unbound, and bound again.
//!
//! Runs last, which its name sees to, and with one test at a time: while the driver is away, no other test has it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::machine::reachable_accelerator;
use outboard_tests::skip::skip;
use outboard_tests::stream::Stream;
use outboard_tests::world::{World, accelerator_world};

const DRIVER: &str = "/sys/bus/virtio/drivers/virtio_crypto";

/// The device that the driver is bound to; bound again when this is dropped.
struct Device {
    name: String,
}

impl Device {
    fn find(test: &str) -> Option<Device> {
        let entries = fs::read_dir(DRIVER).ok().into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let name =
            names.find(|name| name.strip_prefix("virtio").is_some_and(|rest| rest.parse::<u32>().is_ok()));
        if name.is_none() {
            skip(test, format!("a device bound to {DRIVER}"));
        }
        name.map(|name| Device { name })
    }

    fn unbind(&self) {
        fs::write(PathBuf::from(DRIVER).join("unbind"), &self.name).expect("unbind, as root");
    }

    /// Binds it and waits until the kernel offers the driver again, which happens after its self-test.
    fn bind(&self) {
        if !PathBuf::from(DRIVER).join(&self.name).exists() {
            fs::write(PathBuf::from(DRIVER).join("bind"), &self.name).expect("bind, as root");
        }
        let start = Instant::now();
        while let Err(missing) = reachable_accelerator() {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "30 seconds after bind there is still no {missing}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.bind();
        }
    }
}

fn parts(test: &str) -> Option<(World, Device)> {
    Some((accelerator_world(test, &[("THRESHOLDS", "ALL:1")])?, Device::find(test)?))
}

#[test]
fn a_stream_ends_right_when_the_driver_is_unbound_between_two_updates() {
    let test = "a_stream_ends_right_when_the_driver_is_unbound_between_two_updates";
    let Some((world, device)) = parts(test) else { return };
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let stream = Stream::new(&soft, 1, 10, 4099);
    let mut journey = stream.start(&hard);
    assert!(journey.go() && journey.go());
    world.assert_driver_used();
    device.unbind();
    assert!(journey.ends_right(), "wrong bytes after the driver went away");
    assert!(stream.runs_right(&hard), "wrong bytes from a new context without the driver");
    device.bind();
    assert_works_again(test);
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_while_they_run() {
    let test = "streams_end_right_when_the_driver_is_unbound_while_they_run";
    let Some((world, device)) = parts(test) else { return };
    let (hard, soft) = (&world.hard("AES-256-CBC"), &world.soft("AES-256-CBC"));
    let gone = &AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || {
                let stream = Stream::new(soft, number, 6, 16_000);
                // Over and over until the driver is gone, and once more after that.
                let mut last = false;
                while !last {
                    last = gone.load(Ordering::SeqCst);
                    assert!(stream.runs_right(hard), "thread {number}: wrong bytes");
                }
            });
        }
        let before = world.counts().hw_requests;
        while world.counts().hw_requests < before + 8 {
            thread::yield_now();
        }
        device.unbind();
        gone.store(true, Ordering::SeqCst);
    });
    assert_eq!(world.counts().mismatches, 0);
    device.bind();
    assert_works_again(test);
}

/// A world made after the driver has come back uses it.
#[track_caller]
fn assert_works_again(test: &str) {
    let world = accelerator_world(test, &[("THRESHOLDS", "ALL:1")]).expect("the accelerator is back");
    let stream = Stream::new(&world.soft("AES-128-CBC"), 3, 4, 4096);
    assert!(stream.runs_right(&world.hard("AES-128-CBC")), "wrong bytes after the driver came back");
    world.assert_driver_used();
}
