//! Memory of a request that failed is not used by the next requests: a driver that has reported an
//! error may still write there.

use std::fs;
use std::ptr::read_volatile;
use std::thread::sleep;
use std::time::Duration;

use outboard_tests::bytes::bytes;
use outboard_tests::evp::{Context, Direction};
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_uapi as uapi;

/// The error of the simulation's driver.
const EIO: i32 = 5;

/// The number of slots of this process with this status, in all its arenas.
fn slots_with(status: i32) -> usize {
    let maps = fs::read_to_string("/proc/self/maps").expect("proc is mounted");
    let arenas = maps.lines().filter(|line| line.ends_with(uapi::DEVICE));
    let starts = arenas.map(|line| usize::from_str_radix(line.split('-').next().expect("a range"), 16));
    let slots = |start: usize| {
        // SAFETY: the process has mapped an arena there, which begins with this structure.
        let header = unsafe { read_volatile(start as *const uapi::Arena) };
        let first = start + header.slots_offset as usize;
        // SAFETY: the header says that the slots are there.
        (0..header.slots as usize)
            .map(move |slot| unsafe { read_volatile((first as *const uapi::Slot).add(slot)).status })
    };
    starts.map(|start| start.expect("a number")).flat_map(slots).filter(|&found| found == status).count()
}

#[test]
fn memory_of_a_failed_request_is_kept_back_for_some_seconds_and_then_used_again() {
    let test = "memory_of_a_failed_request_is_kept_back_for_some_seconds_and_then_used_again";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let world = simulated.world_of_everything(1024);
    let mut context = Context::keyed(&world.hard("AES-128-CTR"), &bytes(1, 16), &[7; 16], Direction::Encrypt);
    let mut go = |times: usize| {
        for _ in 0..times {
            context.update(&bytes(2, 4096), &mut [0; 4112]).expect("update");
        }
    };
    go(1);
    simulated.fault(&format!("sim-ctr-aes error {EIO} count=1"));
    go(1);
    assert_eq!((world.counts().failures, slots_with(-EIO)), (1, 1));
    // The slot of a unit is written by each request that uses it.
    go(100);
    assert_eq!(slots_with(-EIO), 1, "the memory was used again at once");
    sleep(Duration::from_secs(7));
    go(2);
    assert_eq!(slots_with(-EIO), 0, "the memory is never used again");
    assert_eq!(world.counts().failures, 1);
    simulated.fault("clear");
}
