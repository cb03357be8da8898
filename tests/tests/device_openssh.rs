//! sshd with the provider and its sandbox: files are copied to and from it, and the accelerator
//! encrypts.

use std::env;
use std::fs;
use std::path::Path;

use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::module::module;
use outboard_tests::openssh::Openssh;
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::world::{DriverChoice, Order, World, accelerator_world};
use outboard_uapi::{DEVICE, SYSFS};

/// The megabytes copied in each direction, unless `OUTBOARD_SCP_MEGABYTES` is set.
const MEGABYTES: usize = 16;

/// Log messages of a server whose sandbox killed it, or whose child died.
const WOUNDS: [&str; 4] = ["signal", "sandbox", "Bad packet", "Corrupted MAC"];

#[test]
fn a_copy_in_cbc_mode_is_done_by_virtio_crypto() {
    let test = "a_copy_in_cbc_mode_is_done_by_virtio_crypto";
    let openssh = match Openssh::find() {
        Ok(openssh) => openssh,
        Err(missing) => return skip(test, missing),
    };
    let Some(world) = accelerator_world(test, &[]) else { return };
    goes_there_and_back_by_hardware(&openssh, &world, "aes128-cbc", "AES-128-CBC");
}

#[test]
fn a_copy_in_counter_mode_is_done_by_the_simulation() {
    let test = "a_copy_in_counter_mode_is_done_by_the_simulation";
    let openssh = match Openssh::find() {
        Ok(openssh) => openssh,
        Err(missing) => return skip(test, missing),
    };
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    if let Err(missing) = module() {
        return skip(test, missing);
    }
    let Some(file) = Simulated::find(test) else { return };
    let _simulated = Simulated::load(&file);
    fs::write(format!("{SYSFS}/allow"), "sim-ctr-aes").expect("root may allow it");
    let world = World::new(DriverChoice::Simulated("sim-ctr-aes".to_owned()), &[], Order::DefaultFirst);
    let world = world.unwrap_or_else(|error| panic!("{error}"));
    goes_there_and_back_by_hardware(&openssh, &world, "aes128-ctr", "AES-128-CTR");
}

#[track_caller]
fn goes_there_and_back_by_hardware(openssh: &Openssh, world: &World, cipher: &str, algorithm: &str) {
    let megabytes =
        env::var("OUTBOARD_SCP_MEGABYTES").map_or(MEGABYTES, |text| text.parse().expect("a number"));
    let names = ["sent", "there", "back"];
    let [sent, there, back] = names.map(|name| world.folder().join(name));
    let plain = bytes(1, megabytes * 1_000_000);
    fs::write(&sent, &plain).expect("a file in the folder");

    let server = openssh.serve(world.folder(), &world.config(), cipher);
    server.upload(&sent, &there);
    assert_same(&fs::read(&there).expect("it came"), &plain, "what was sent to the server");
    server.download(&there, &back);
    assert_same(&fs::read(&back).expect("it came back"), &plain, "what came back");
    let log = server.log();
    assert!(!WOUNDS.iter().any(|wound| log.contains(wound)), "{log}");
    drop(server);

    let counts = world.counts_of(algorithm);
    let (hardware, all) = (counts.hw_bytes, counts.hw_bytes + counts.sw_bytes);
    assert!(
        all as usize > 2 * plain.len(),
        "the server's {algorithm} is not the provider's: {counts:?}\n{log}"
    );
    assert!(hardware * 100 > all * 95, "{hardware} of {all} bytes by hardware: {counts:?}\n{log}");
    assert_eq!((counts.failures, counts.mismatches), (0, 0), "{counts:?}\n{log}");
    println!("{cipher}: {hardware} of {all} bytes by hardware in {} requests", counts.hw_requests);
}
