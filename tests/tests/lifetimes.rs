//! The provider is unloaded, loaded again, in several library contexts at once, and unloaded before
//! the contexts that used it.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use outboard_tests::child::{Exit, fork, in_child};
use outboard_tests::evp::{self, Cipher, LibraryContext};
use outboard_tests::stream::Stream;
use outboard_tests::threads::join;
use outboard_tests::world::{CIPHERS, OUTBOARD, Order, World, worlds_with_drivers};

const ALGORITHM: &str = "AES-128-CBC";

/// The open files of a process, and its mappings of the device.
fn possessions() -> (BTreeMap<String, String>, Vec<String>) {
    let entries = fs::read_dir("/proc/self/fd").expect("proc is mounted").flatten();
    let open = entries.filter_map(|entry| {
        let target = fs::read_link(entry.path()).ok()?.display().to_string();
        // The directory that is being read.
        let is_this = target.starts_with("/proc/");
        (!is_this).then(|| (entry.file_name().to_string_lossy().into_owned(), target))
    });
    let open = open.collect();
    let maps = fs::read_to_string("/proc/self/maps").expect("proc is mounted");
    let ours = |line: &&str| line.contains("/dev/outboard");
    (open, maps.lines().filter(ours).map(str::to_owned).collect())
}

/// Its code stays loaded: libcrypto may call it after it has unloaded the provider.
#[test]
fn an_unloaded_provider_leaves_no_descriptor_and_no_mapping_of_the_device() {
    let test = "an_unloaded_provider_leaves_no_descriptor_and_no_mapping_of_the_device";
    // In child processes, where it is not loaded otherwise.
    let choices: Vec<_> =
        worlds_with_drivers(test, &[]).iter().map(|world| world.driver_choice.clone()).collect();
    // This program has a link of its own, by which it found the accelerator.
    outboard_accel::device::close_unused();
    for choice in choices {
        in_child(|| {
            let mut left = None;
            for round in 0..3 {
                let world = World::new(choice.clone(), &[("THRESHOLDS", "ALL:1024")], Order::DefaultFirst)?;
                let stream = Stream::new(&world.soft(ALGORITHM), round, 4, 5000);
                let is_right = || stream.runs_right(&world.hard(ALGORITHM));
                // The cleanup of a thread runs at its end.
                if !is_right()
                    || !thread::scope(|scope| scope.spawn(is_right).join().is_ok_and(|right| right))
                {
                    return Err(format!("round {round}: wrong bytes"));
                }
                if world.counts().hw_requests < 8 {
                    return Err(format!("round {round}: {:?}", world.counts()));
                }
                drop(world);
                let (open, mapped) = possessions();
                // Objects that libcrypto keeps exist after the first round.
                let before = left.get_or_insert_with(|| open.clone());
                if !mapped.is_empty()
                    || open != *before
                    || open.values().any(|target| target.contains("outboard"))
                {
                    return Err(format!(
                        "{choice:?}, round {round}: mapped {mapped:?}\nopen {open:?}\nbefore {before:?}"
                    ));
                }
            }
            Ok(())
        });
    }
}

#[test]
fn library_contexts_have_settings_of_their_own_and_end_one_by_one() {
    let test = "library_contexts_have_settings_of_their_own_and_end_one_by_one";
    for first in worlds_with_drivers(test, &[("THRESHOLDS", "ALL:1024")]) {
        let another = |settings: &[(&str, &str)]| {
            World::new(first.driver_choice.clone(), settings, Order::OutboardFirst)
                .unwrap_or_else(|error| panic!("{error}"))
        };
        let second = another(&[("THRESHOLDS", "ALL:1"), ("CIPHERS", ALGORITHM), ("SHADOW_CHECKS", "2")]);
        let none = another(&[("CIPHERS", "NONE")]);
        let offered = |world: &World| CIPHERS.map(|algorithm| world.hard_if_offered(algorithm).is_some());
        let of_all = [&first, &second, &none].map(offered);
        assert_eq!(of_all, [[true; 3], [true, false, false], [false; 3]]);
        // The same key in all contexts, at the same time.
        let stream = Stream::new(&first.soft(ALGORITHM), 7, 12, 900);
        let (of_the_first, of_the_second) = (first.hard(ALGORITHM), second.hard(ALGORITHM));
        let of_none = Cipher::fetch(&none.context, ALGORITHM, "").expect("a cipher");
        assert_eq!(
            (of_the_second.provider(), of_none.provider()),
            (OUTBOARD.to_owned(), "default".to_owned())
        );
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for cipher in [&of_the_first, &of_the_second, &of_none] {
                for _ in 0..3 {
                    threads.push(scope.spawn(|| assert!(stream.runs_right(cipher))));
                }
            }
            join(threads);
        });
        // 900 bytes are below the threshold of the first. Of those at the same time, the second may
        // compute any number in software: no context waits for a session that another thread copies.
        let counts = [&first, &second, &none].map(World::counts);
        assert_eq!((counts[0].hw_requests, counts[2].requests()), (0, 0), "{counts:?}");
        assert!(stream.runs_right(&of_the_second));
        let alone = second.counts().hw_requests - counts[1].hw_requests;
        assert!(counts[0].sw_requests > 0 && alone >= 12, "{counts:?}, alone {alone}");
        second.assert_driver_used();

        let long = Stream::new(&first.soft(ALGORITHM), 8, 6, 4000);
        let mut journey = long.start(&of_the_first);
        assert!(journey.go());
        drop((of_the_second, second, of_none, none));
        assert!(journey.ends_right(), "{:?}: after the others are gone", first.driver_choice);
        first.assert_driver_used();
    }
}

#[test]
fn contexts_that_were_not_freed_survive_the_cleanup_of_openssl() {
    let test = "contexts_that_were_not_freed_survive_the_cleanup_of_openssl";
    for world in worlds_with_drivers(test, &[("THRESHOLDS", "ALL:1024")]) {
        let soft = LibraryContext::new();
        let soft = Cipher::fetch(&soft, ALGORITHM, "").expect("the default provider's");
        let stream = Stream::new(&soft, 9, 6, 4000);
        let (mut before, choice) = (world.counts(), &world.driver_choice);
        for (exit, explicit, freed) in [
            (Exit::Quick, true, true),
            (Exit::Quick, true, false),
            (Exit::Clean, false, false),
            (Exit::Clean, true, false),
        ] {
            // As an application that uses the default library context and openssl.cnf.
            let child = fork(exit, || {
                let context = LibraryContext::default_of_the_process();
                assert!(
                    context.load_config(&world.config()) && context.has_provider(OUTBOARD),
                    "{}",
                    evp::text()
                );
                let cipher = Cipher::fetch(&context, ALGORITHM, "").expect("a cipher");
                let mut journey = stream.start(&cipher);
                let is_right = cipher.provider() == OUTBOARD && stream.runs_right(&cipher) && journey.go();
                if freed {
                    drop((journey, cipher));
                } else {
                    std::mem::forget((journey, cipher));
                }
                if explicit {
                    evp::cleanup();
                }
                is_right
            });
            let what = format!("{choice:?}, {exit:?}, explicit {explicit}, freed {freed}");
            child.wait().unwrap_or_else(|problem| panic!("{what}: {problem}"));
            let done = world.counts() - before;
            assert!(done.hw_requests >= 6, "{what}: {done:?}");
            before = world.counts();
        }
    }
}
