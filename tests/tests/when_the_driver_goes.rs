//! The accelerator's driver is unbound, and bound again.
//!
//! Runs last (scripts/guest-tests), and one test at a time: no other test can use the driver while
//! it is unbound.

use std::fs;
use std::path::PathBuf;
use std::thread;

use outboard_tests::bytes::{array, assert_same, bytes};
use outboard_tests::evp::{Cipher, Context, Direction};
use outboard_tests::machine::{ACCELERATOR, is_allowed, reachable_accelerator};
use outboard_tests::skip::skip;
use outboard_tests::stream::Stream;
use outboard_tests::time_limit::wait_until;
use outboard_tests::world::{DriverChoice, Order, World, accelerator_world};

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

    /// Binds it and waits until the kernel offers the driver again, which happens after its
    /// self-test.
    fn bind(&self) {
        if !PathBuf::from(DRIVER).join(&self.name).exists() {
            fs::write(PathBuf::from(DRIVER).join("bind"), &self.name).expect("bind, as root");
        }
        wait_until("reachable again after bind", || reachable_accelerator().is_ok());
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
    Some((accelerator_world(test, &[("THRESHOLDS", "ALL:1024")])?, Device::find(test)?))
}

#[test]
fn a_stream_ends_right_when_the_driver_is_unbound_before_its_first_request() {
    let test = "a_stream_ends_right_when_the_driver_is_unbound_before_its_first_request";
    let Some((world, device)) = parts(test) else { return };
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let plain = bytes(1, 50_000);
    let encrypt = |cipher: &Cipher, between: &dyn Fn()| {
        let mut context = Context::keyed(cipher, &bytes(2, 16), &array(3), Direction::Encrypt);
        let mut output = vec![0; plain.len() + 32];
        // The first blocks stay in software, so that no session is open yet.
        let mut written = context.update(&plain[..100], &mut output).expect("update");
        between();
        written += context.update(&plain[100..], &mut output[written..]).expect("update");
        written += context.finish(&mut output[written..]).expect("final");
        output.truncate(written);
        output
    };
    let expected = encrypt(&soft, &|| ());
    assert_same(&encrypt(&hard, &|| device.unbind()), &expected, "the stream");
    assert_same(&encrypt(&hard, &|| ()), &expected, "one begun without the driver");
    let counts = world.counts();
    assert_eq!((counts.hw_requests, counts.mismatches), (0, 0), "no driver was there: {counts:?}");

    device.bind();
    let world = accelerator_world(test, &[("THRESHOLDS", "ALL:1")]).expect("the accelerator is back");
    assert_same(
        &encrypt(&world.hard("AES-128-CBC"), &|| ()),
        &expected,
        "one begun after the driver came back",
    );
    world.assert_driver_used();
}

#[test]
fn a_world_made_while_the_driver_is_unbound_offers_nothing() {
    let test = "a_world_made_while_the_driver_is_unbound_offers_nothing";
    let Some((world, device)) = parts(test) else { return };
    drop(world);
    device.unbind();
    let world =
        World::new(DriverChoice::Nothing, &[], Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"));
    assert!(Cipher::fetch(&world.context, "AES-128-CBC", "provider=outboard").is_none());
    assert_eq!(world.hard("AES-128-CBC").provider(), "default");
}

/// Over AF_ALG no user space can prevent the crash: on every kernel from 6.1 on virtcrypto_remove
/// frees the device under sessions that are open, and the next request on one of them, or its end,
/// uses it after that (crypto_unregister_alg warns, then the kernel dies). The module releases its
/// sessions first. driver_failures.rs tests requests that fail with an open session, over both.
#[test]
fn a_stream_continues_correctly_when_the_driver_is_unbound_and_uses_it_when_it_is_bound_again() {
    let test = "a_stream_continues_correctly_when_the_driver_is_unbound_and_uses_it_when_it_is_bound_again";
    if !is_allowed(ACCELERATOR) {
        return skip(
            test,
            "/dev/outboard (over AF_ALG the kernel's virtio_crypto crashes when it is unbound in use)",
        );
    }
    let Some((world, device)) = parts(test) else { return };
    let stream = Stream::new(&world.soft("AES-128-CBC"), 1, 100, 4099);
    let mut journey = stream.start(&world.hard("AES-128-CBC"));
    assert!(journey.go() && journey.go());
    world.assert_driver_used();
    let at_first = world.counts();
    device.unbind();
    assert!((0..20).all(|_| journey.go()));
    let away = world.counts() - at_first;
    assert_eq!((away.hw_requests, away.failures), (0, 0), "to be away is no failure: {away:?}");
    device.bind();
    assert!(journey.ends_right(), "wrong bytes after the driver went away");
    let back = world.counts() - at_first;
    assert!(back.hw_requests > 40, "the driver is back, and is not used: {back:?}");
}
