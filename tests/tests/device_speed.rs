//! `openssl speed` of every cipher and digest by the simulated accelerator behind /dev/outboard.

use std::process::Stdio;

use outboard_tests::command::{command, said};
use outboard_tests::digests::DIGESTS;
use outboard_tests::simulated::{Reachable, Simulated};
use outboard_tests::world::{AEADS, CIPHERS, OTHER_CIPHERS};

/// Each for a second, as one process and as two, several at a time: whether it works is asked, not how fast it is.
#[test]
fn every_algorithm_goes_through_openssl_speed() {
    let Some(Reachable { simulated, openssl, .. }) =
        Simulated::reachable("every_algorithm_goes_through_openssl_speed")
    else {
        return;
    };
    let world = simulated.world_of_everything();
    const AT_ONCE: usize = 12;
    let all: Vec<&str> = CIPHERS.into_iter().chain(OTHER_CIPHERS).chain(AEADS).chain(DIGESTS).collect();
    for multi in [&[][..], &["-multi", "2"]] {
        let mut total = 0;
        for some in all.chunks(AT_ONCE) {
            let speed = |name: &str| {
                let mut arguments = vec!["speed", "-seconds", "1", "-bytes", "8192", "-evp", name];
                arguments.extend(AEADS.contains(&name).then_some("-aead"));
                arguments.extend(multi);
                let mut command = command(&openssl, &world.config(), &arguments);
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().expect("openssl speed")
            };
            let running: Vec<_> =
                some.iter().map(|name| (name, world.counts_of(name), speed(name))).collect();
            for (name, before, child) in running {
                let output = child.wait_with_output().expect("openssl speed");
                let what = format!("{name} {multi:?}: {}", said(&output));
                let text = String::from_utf8_lossy(&output.stderr).to_lowercase();
                let is_fine = !text.contains("error") && !text.contains("outboard[");
                assert!(output.status.success() && is_fine, "{what}");
                let done = world.counts_of(name) - before;
                assert_eq!((done.failures, done.mismatches), (0, 0), "{what}{done:?}");
                // A machine that stands still when the second begins gets nothing done in it.
                let times = times(&text);
                assert!(done.hw_requests >= times, "{what}{times} times, by hardware: {done:?}");
                total += times;
            }
        }
        assert!(total > 0, "{multi:?}: openssl speed did nothing");
    }
}

/// How often `openssl speed` says it did a thing: "Doing ... blocks: 17 ...'s in", and each of several processes "+R:17:".
fn times(text: &str) -> u64 {
    let of_one = text.split(" size blocks: ").skip(1);
    let of_each = text.split("+r:").skip(1);
    let number =
        |rest: &str| rest.split(|end: char| !end.is_ascii_digit()).next().and_then(|n| n.parse::<u64>().ok());
    of_one.chain(of_each).filter_map(number).sum()
}
