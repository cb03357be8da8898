//! `openssl speed` of every cipher and digest with the simulated accelerator behind /dev/outboard.

use std::path::Path;
use std::process::{Child, Stdio};

use outboard_tests::command::{command, status_and_output};
use outboard_tests::digests::DIGESTS;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::world::{AEADS, CIPHERS, OTHER_CIPHERS, World};

/// The number of concurrent commands.
const AT_ONCE: usize = 12;

/// Each for a second, alternately as one process and as two, so that each mode runs both ways; with
/// OUTBOARD_ALL_SPEED every algorithm runs both ways. The test checks that it works, not its speed.
#[test]
fn every_algorithm_goes_through_openssl_speed() {
    let test = "every_algorithm_goes_through_openssl_speed";
    let Some(Reachable { simulated, openssl, .. }) = Simulated::reachable(test) else { return };
    let world = simulated.world_of_everything(1024);
    let names = CIPHERS.into_iter().chain(OTHER_CIPHERS).chain(AEADS).chain(DIGESTS);
    let all = std::env::var_os("OUTBOARD_ALL_SPEED").is_some();
    let both_ways = names.enumerate().flat_map(|(row, name)| [(row, name, false), (row, name, true)]);
    // Triple DES has only one key length.
    let is_wanted =
        |&(row, name, twice): &(usize, &str, bool)| all || name.starts_with("DES") || (row % 2 == 1) == twice;
    let wanted: Vec<_> = both_ways.filter(is_wanted).collect();
    let mut total = [0; 2];
    for some in wanted.chunks(AT_ONCE) {
        let running: Vec<_> = some
            .iter()
            .map(|&(_, name, twice)| {
                (name, twice, world.counts_of(name), start(&openssl, &world, name, twice))
            })
            .collect();
        for (name, twice, before, child) in running {
            let output = child.wait_with_output().expect("openssl speed");
            let what = format!("{name}, twice at a time: {twice}: {}", status_and_output(&output));
            let text = String::from_utf8_lossy(&output.stderr).to_lowercase();
            let is_fine = !text.contains("error") && !text.contains("outboard[");
            assert!(output.status.success() && is_fine, "{what}");
            let done = world.counts_of(name) - before;
            assert_eq!((done.failures, done.mismatches), (0, 0), "{what}{done:?}");
            // A machine that stops at the start of the second completes nothing in it.
            let times = times(&text);
            // Each process encrypts zeros in place at first, which in counter mode could become random
            // numbers and are software's.
            let by_software = if name.ends_with("CTR") { 1 + u64::from(twice) } else { 0 };
            assert!(done.hw_requests + by_software >= times, "{what}{times} times, by hardware: {done:?}");
            total[usize::from(twice)] += times;
        }
    }
    assert!(total[0] > 0 && total[1] > 0, "openssl speed did nothing: {total:?}");
}

fn start(openssl: &Path, world: &World, name: &str, twice: bool) -> Child {
    let mut arguments = vec!["speed", "-seconds", "1", "-bytes", "8192", "-evp", name];
    arguments.extend(AEADS.contains(&name).then_some("-aead"));
    arguments.extend(if twice { &["-multi", "2"][..] } else { &[] });
    let mut command = command(openssl, &world.config(), &arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("openssl speed")
}

/// The counts that `openssl speed` prints: "Doing ... blocks: 17 ...'s in", and each of several
/// processes "+R:17:".
fn times(text: &str) -> u64 {
    let of_one = text.split(" size blocks: ").skip(1);
    let of_each = text.split("+r:").skip(1);
    let number =
        |rest: &str| rest.split(|end: char| !end.is_ascii_digit()).next().and_then(|n| n.parse::<u64>().ok());
    of_one.chain(of_each).filter_map(number).sum()
}
