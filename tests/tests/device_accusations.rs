//! Differences between a driver's results and software's: when a driver is blamed for them, and for
//! whom it is then disabled.

use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::{Exit, fork, in_own_process};
use outboard_tests::command::helper;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::exposure::wrong_results;
use outboard_tests::simulated::{DRIVERS, Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World};

fn world(settings: &[(&str, &str)]) -> World {
    let settings = [&[("THRESHOLDS", "ALL:1"), ("LOG_LEVEL", "off")], settings].concat();
    let choice = DriverChoice::Simulated(DRIVERS.join(","));
    World::new(choice, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_driver_is_blamed_only_for_what_a_repetition_confirms() {
    let test = "a_driver_is_blamed_only_for_what_a_repetition_confirms";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    in_own_process(|| input_that_changes_during_requests_blames_nothing(&simulated));
    in_own_process(a_reference_that_fails_blames_nothing);
    in_own_process(|| a_wrong_driver_is_disabled_in_all_library_contexts(&simulated));
}

/// Memory that is shared with other processes.
struct SharedMemory<'m> {
    bytes: &'m [u8],
    /// In the last bytes of the memory.
    is_over: &'m AtomicU32,
}

fn shared_memory<'m>(len: usize) -> SharedMemory<'m> {
    // SAFETY: a new mapping at an address that the kernel selects, aligned and as long as both parts
    // together; it is never unmapped.
    unsafe {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(null_mut(), len + 4, access, kind, -1, 0);
        assert!(memory != libc::MAP_FAILED, "shared memory");
        SharedMemory {
            bytes: std::slice::from_raw_parts(memory.cast(), len),
            is_over: AtomicU32::from_ptr(memory.cast::<u8>().add(len).cast()),
        }
    }
}

fn input_that_changes_during_requests_blames_nothing(simulated: &Simulated) {
    const LEN: usize = 16_384;
    let world = world(&[("SHADOW_CHECKS", "1"), ("LOOKAHEAD", "OFF")]);
    let memory = shared_memory(LEN);
    simulated.takes(Duration::from_millis(2));
    let writer = fork(Exit::Quick, || {
        let mut value = 0_u8;
        while memory.is_over.load(Ordering::Relaxed) == 0 {
            value = value.wrapping_add(1);
            // SAFETY: the memory is writable; the reader expects any content.
            unsafe { memory.bytes.as_ptr().cast_mut().write_bytes(value, LEN) };
        }
        true
    });
    let mut context =
        Context::keyed(&world.hard("AES-128-CTR"), &bytes(1, 16), &array(2), Direction::Encrypt);
    let mut output = vec![0; LEN + 16];
    for _ in 0..40 {
        context.update(memory.bytes, &mut output).expect("update");
    }
    memory.is_over.store(1, Ordering::Relaxed);
    writer.wait().expect("the writer");
    simulated.takes(Duration::from_micros(10));
    let counts = world.counts();
    assert_eq!((counts.failures, counts.mismatches), (3, 0), "three differences, no blame: {counts:?}");
}

/// After an update that follows the final call, libcrypto's context of CCM returns no tag until its
/// key is set again.
fn a_reference_that_fails_blames_nothing() {
    let world = world(&[("SHADOW_CHECKS", "1")]);
    let seal = |cipher| {
        let mut context = Context::new();
        context.init(Some(cipher), None, None, Some(Direction::Encrypt)).expect("a cipher");
        context.set_nonce_length(12).expect("12 bytes");
        context.set_tag_length(16).expect("16 bytes");
        context.init_with_nonce(&bytes(1, 16), &array::<12>(2)).expect("a key");
        let mut output = vec![0; 5000];
        context.update(&bytes(3, 4096), &mut output).expect("update");
        context.finish(&mut output).expect("final");
        let mistake = context.update(&bytes(4, 100), &mut output);
        let mut results = vec![format!("{mistake:?}")];
        for nonce in 5..9 {
            context.init(None, None, Some(&array(nonce)), None).expect("a nonce");
            let outcome = context.update(&bytes(nonce, 1050), &mut output);
            let last = context.finish(&mut [0; 16]);
            let (tag, has_tag) = context.tag(16);
            results.push(format!("{outcome:?} {last:?} {has_tag:?} {tag:?} {:?}", &output[..1050]));
        }
        results
    };
    let (hard, soft) = (seal(&world.hard("AES-128-CCM")), seal(&world.soft("AES-128-CCM")));
    assert_eq!(hard, soft);
    let counts = world.counts();
    assert_eq!(counts.mismatches, 0, "the driver is right: {counts:?}");
}

fn a_wrong_driver_is_disabled_in_all_library_contexts(simulated: &Simulated) {
    let name = "AES-128-CBC";
    simulated.fault("sim-cbc-aes garbage");
    let first = world(&[]);
    assert_eq!(wrong_results(&first, name, 1, 20), Some(0));
    let counts = first.counts_of(name);
    assert_eq!((counts.mismatches, counts.hw_requests), (1, 0), "{counts:?}");
    simulated.fault("clear");
    let second = world(&[]);
    assert_eq!(wrong_results(&second, name, 2, 20), Some(0));
    let counts = second.counts_of(name);
    assert_eq!((counts.mismatches, counts.hw_requests), (0, 0), "{counts:?}");
    // A process that starts uses the driver.
    let helper = helper("count-wrong-results").expect("the helper");
    let output = Command::new(helper).args([name, "20", "3"]).output().expect("the helper");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("wrong 0 caught 0 by hardware ") && !text.ends_with(" 0\n"), "{text}");
}
