//! `OUTBOARD-HWRNG`: OpenSSL's random generators seeded from /dev/hwrng.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Seek;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Output;

use outboard_tests::bytes::bytes;
use outboard_tests::child::in_child;
use outboard_tests::command::{command, failed, on_path, run, status_and_output, succeeded};
use outboard_tests::evp::{self, RandomState, random_bytes, reseed};
use outboard_tests::hwrng::{CURRENT, DEVICE, bytes_read, in_child_with};
use outboard_tests::sandbox::enter;
use outboard_tests::seeded::{SOURCE, Seeded, check};
use outboard_tests::skip::skip;

/// The bytes that the start-up test reads, and those for a seed of AES-256-CTR-DRBG at two bits per
/// byte.
const START_UP: usize = 1024;
const SEED: usize = 192;
/// The bytes for a reseed of the same generator, which needs no nonce.
const RESEED: usize = 128;

fn openssl_or_skip(test: &str) -> Option<PathBuf> {
    let openssl = on_path("openssl");
    if openssl.is_none() {
        skip(test, "the openssl command");
    }
    openssl
}

/// The number of descriptors of this process for the device.
fn openings() -> Result<usize, String> {
    let open = fs::read_dir("/proc/self/fd").map_err(|error| error.to_string())?.flatten();
    Ok(open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|file| file == Path::new(DEVICE))).count())
}

#[test]
fn the_source_has_the_states_of_provider_rand() {
    let Some(seeded) = Seeded::new("the_source_has_the_states_of_provider_rand", &[]) else {
        return;
    };
    let (_context, source) = seeded.source().expect("the source");
    assert_eq!(source.state(), RandomState::Uninitialised);
    assert_eq!(source.generate(16, 0, &[]), None, "before it is instantiated");
    assert!(evp::text().contains("not instantiated"));
    assert!(source.instantiate(), "{}", evp::text());
    assert_eq!((source.state(), source.limits()), (RandomState::Ready, (1024, 1024)));
    // More than one request, so that OpenSSL calls several times.
    let draws: BTreeSet<Vec<u8>> =
        (0..4).map(|_| source.generate(2500, 0, &[]).unwrap_or_else(|| panic!("{}", evp::text()))).collect();
    assert_eq!(draws.len(), 4);
    assert!(!source.is_wiped());
    assert_eq!(source.generate(16, 256, &[]), None, "32 bits are not 256");
    assert!(evp::text().contains("256 bits of entropy do not go into 16 bytes"));
    assert!(source.generate(128, 256, &[]).is_some(), "128 bytes of two bits have 256: {}", evp::text());
    assert!(source.uninstantiate() && source.is_wiped());
    assert_eq!((source.state(), source.generate(16, 0, &[])), (RandomState::Uninitialised, None));
    assert!(source.instantiate() && source.generate(16, 0, &[]).is_some(), "{}", evp::text());
}

#[test]
fn the_output_is_that_of_the_device_after_the_start_up_test() {
    let test = "the_output_is_that_of_the_device_after_the_start_up_test";
    let Some(seeded) = Seeded::new(test, &[]) else { return };
    let (mut feed, given) = (seeded.feed(), bytes(1, START_UP + 600));
    feed.give(&given);
    in_child_with(DEVICE, &feed.path, || {
        let (_context, source) = seeded.source()?;
        check(source.instantiate(), evp::text)?;
        check(feed.left() == given.len(), || "instantiating reads".to_owned())?;
        let first = source.generate(500, 0, &[]).ok_or_else(evp::text)?;
        check(first == given[START_UP..START_UP + 500], || "other bytes than the device gave".to_owned())?;
        // Additional input is mixed in and does not replace entropy.
        let second = source.generate(100, 0, &[0xff; 150]).ok_or_else(evp::text)?;
        let mixed: Vec<u8> = given[START_UP + 500..]
            .iter()
            .enumerate()
            .map(|(i, byte)| if i < 50 { *byte } else { !byte })
            .collect();
        check(second == mixed, || "additional input is not mixed in".to_owned())?;
        check(feed.left() == 0, || format!("{} bytes are left", feed.left()))
    });
}

#[test]
fn openssl_rand_takes_its_seed_from_the_device_and_from_nothing_else() {
    let test = "openssl_rand_takes_its_seed_from_the_device_and_from_nothing_else";
    let Some(openssl) = openssl_or_skip(test) else { return };
    for (entropy, seed) in [("2", SEED), ("8", 48), ("0.5", 768)] {
        let Some(seeded) = Seeded::new(test, &[("HWRNG_ENTROPY", entropy)]) else { return };
        let (mut feed, given) = (seeded.feed(), bytes(2, 4000));
        feed.give(&given);
        in_child_with(DEVICE, &feed.path, || {
            let output = seeded.openssl_rand(&openssl);
            check(output.status.success() && output.stdout.len() == 65, || status_and_output(&output))?;
            let taken = given.len() - feed.left();
            check(taken == START_UP + seed, || {
                format!("{taken} bytes were taken at {entropy} bits: {}", status_and_output(&output))
            })
        });
    }
}

#[test]
fn the_real_device_is_read_and_stays_open() {
    let Some(seeded) = Seeded::new("the_real_device_is_read_and_stays_open", &[]) else { return };
    in_child(|| {
        let context = seeded.load();
        let before = bytes_read();
        random_bytes(&context, 32).ok_or_else(evp::text)?;
        let read = bytes_read() - before;
        check(read >= (START_UP + SEED) as u64, || format!("only {read} bytes were read"))?;
        check(openings()? == 1, || "the device is not open once".to_owned())
    });
}

#[test]
fn a_stuck_device_is_an_error_without_output() {
    let test = "a_stuck_device_is_an_error_without_output";
    let (Some(seeded), Some(openssl)) = (Seeded::new(test, &[]), openssl_or_skip(test)) else { return };
    in_child_with(DEVICE, "/dev/zero".as_ref(), || {
        let (_context, source) = seeded.source()?;
        check(source.instantiate(), evp::text)?;
        check(source.generate(32, 0, &[]).is_none(), || "zeros came out".to_owned())?;
        let text = evp::text();
        check(text.contains("16 equal bytes in a row (repetition count test"), || text)?;
        check(source.state() == RandomState::Error, || format!("{:?}", source.state()))?;
        check(source.generate(32, 0, &[]).is_none(), || "a failed source goes on".to_owned())?;
        check(evp::text().contains("failed a health test before"), || "no reason".to_owned())?;

        let context = seeded.load();
        for why in ["repetition count test", "failed a health test before"] {
            check(random_bytes(&context, 32).is_none(), || "RAND_bytes goes on".to_owned())?;
            let text = evp::text();
            check(text.contains(SOURCE) && text.contains(why), || text)?;
        }
        let output = seeded.openssl_rand(&openssl);
        check(!output.status.success() && output.stdout.is_empty(), || status_and_output(&output))?;
        // Once in the provider's log line, once in OpenSSL's error queue.
        let complaint = String::from_utf8_lossy(&output.stderr);
        let lines = complaint.lines().filter(|line| line.starts_with("outboard[")).count();
        check(lines == 1 && complaint.matches("repetition count test").count() == 2, || {
            status_and_output(&output)
        })
    });
}

#[test]
fn a_biased_device_is_caught() {
    let Some(seeded) = Seeded::new("a_biased_device_is_caught", &[]) else { return };
    let mut feed = seeded.feed();
    // Every other byte is the same: no run of two, but 256 of a window of 512.
    let biased = bytes(3, 4000).into_iter().enumerate().map(|(i, byte)| if i % 2 == 0 { 7 } else { byte });
    feed.give(&biased.collect::<Vec<u8>>());
    in_child_with(DEVICE, &feed.path, || {
        let (_context, source) = seeded.source()?;
        check(source.instantiate() && source.generate(32, 0, &[]).is_none(), || {
            "biased bytes came out".to_owned()
        })?;
        let text = evp::text();
        check(text.contains("adaptive proportion test"), || text)?;
        check(source.state() == RandomState::Error, || format!("{:?}", source.state()))
    });
}

#[test]
fn a_device_that_was_bad_once_is_used_again_only_after_a_new_start() {
    let test = "a_device_that_was_bad_once_is_used_again_only_after_a_new_start";
    let Some(seeded) = Seeded::new(test, &[]) else { return };
    let mut feed = seeded.feed();
    in_child_with(DEVICE, &feed.path.clone(), || {
        let (_context, source) = seeded.source()?;
        check(source.instantiate(), evp::text)?;
        feed.give(&bytes(4, START_UP + 64));
        check(source.generate(64, 0, &[]).is_some(), evp::text)?;
        feed.give(&[7; 64]);
        check(source.generate(64, 0, &[]).is_none(), || "bad bytes came out".to_owned())?;
        let good = bytes(5, START_UP + 64);
        feed.give(&good);
        check(source.generate(64, 0, &[]).is_none(), || "it goes on by itself".to_owned())?;
        check(feed.left() == good.len(), || "it is still read".to_owned())?;
        check(source.uninstantiate() && source.instantiate(), evp::text)?;
        check(source.generate(64, 0, &[]).is_some_and(|out| out == good[START_UP..]), evp::text)
    });
}

#[test]
fn a_generator_whose_source_goes_bad_cannot_be_seeded_again() {
    let test = "a_generator_whose_source_goes_bad_cannot_be_seeded_again";
    let Some(seeded) = Seeded::new(test, &[("LOG_LEVEL", "off")]) else { return };
    let mut feed = seeded.feed();
    feed.give(&bytes(6, START_UP + SEED + RESEED));
    feed.give(&[0; 4096]);
    in_child_with(DEVICE, &feed.path, || {
        let context = seeded.load();
        random_bytes(&context, 32).ok_or_else(evp::text)?;
        check(reseed(&context), evp::text)?;
        check(feed.left() == 4096, || format!("{} bytes are left", feed.left()))?;
        for attempt in 0..2 {
            check(!reseed(&context), || format!("attempt {attempt}: a bad source gave a seed"))?;
            let text = evp::text();
            check(text.contains(SOURCE), || text)?;
        }
        check(feed.left() == 4096 - RESEED, || "a source that failed is read again".to_owned())
    });
}

/// `openssl rand` when the source is not available: the provider logs the reason. OpenSSL before
/// 4.0 then uses its own seed, 4.0 fails.
fn says_why_it_is_not_seeded(output: &Output, why: &str) -> Result<(), String> {
    let complaint = String::from_utf8_lossy(&output.stderr);
    let seeded = output.status.success() && output.stdout.len() == 65;
    let failed = !output.status.success() && output.stdout.is_empty();
    let reasons = complaint.matches(why).count();
    let right = if evp::major_version() < 4 { seeded && reasons == 1 } else { failed && reasons == 2 };
    check(right && complaint.starts_with("outboard["), || format!("\"{why}\"? {}", status_and_output(output)))
}

#[test]
fn without_the_right_to_read_the_device_it_says_so() {
    let test = "without_the_right_to_read_the_device_it_says_so";
    let (Some(seeded), Some(openssl)) = (Seeded::new(test, &[]), openssl_or_skip(test)) else { return };
    let mode = fs::metadata(DEVICE).expect("the device").permissions().mode();
    assert_eq!(mode & 0o004, 0, "{DEVICE} has mode {mode:o}: the kernel makes it for root alone");
    fs::set_permissions(seeded.folder.path(), fs::Permissions::from_mode(0o755)).expect("our own folder");
    let mut nobody = command(&openssl, &seeded.config, &["rand", "-hex", "32"]);
    let output = nobody.uid(65534).gid(65534).output().expect("openssl");
    says_why_it_is_not_seeded(&output, "OUTBOARD-HWRNG: /dev/hwrng: Permission denied")
        .unwrap_or_else(|problem| panic!("{problem}"));
}

#[test]
fn without_a_generator_it_says_so() {
    let test = "without_a_generator_it_says_so";
    let (Some(seeded), Some(openssl)) = (Seeded::new(test, &[]), openssl_or_skip(test)) else { return };
    let none = seeded.folder.path().join("none");
    fs::write(&none, "none\n").expect("a file");
    in_child_with(CURRENT, &none, || {
        let output = seeded.openssl_rand(&openssl);
        says_why_it_is_not_seeded(&output, "OUTBOARD-HWRNG: /dev/hwrng has no generator")?;
        let (_context, source) = seeded.source()?;
        check(!source.instantiate(), || "it starts".to_owned())?;
        check(evp::text().contains("has no generator"), || "no reason".to_owned())?;
        check(source.state() == RandomState::Uninitialised, || format!("{:?}", source.state()))
    });
}

#[test]
fn a_process_that_has_other_seeds_does_not_open_the_device() {
    let test = "a_process_that_has_other_seeds_does_not_open_the_device";
    let Some(seeded) = Seeded::with(test, &[], "seed = SEED-SRC") else { return };
    let mut feed = seeded.feed();
    feed.give(&bytes(8, 4000));
    in_child_with(DEVICE, &feed.path, || {
        let context = seeded.load();
        random_bytes(&context, 32).ok_or_else(evp::text)?;
        check(feed.left() == 4000, || "it was read".to_owned())?;
        check(openings()? == 0, || "it is open".to_owned())
    });
}

#[test]
fn in_a_sandbox_the_earlier_descriptor_is_used() {
    let test = "in_a_sandbox_the_earlier_descriptor_is_used";
    let Some(seeded) = Seeded::new(test, &[]) else { return };
    in_child(|| {
        let (context, source) = seeded.source()?;
        check(source.instantiate() && source.generate(64, 0, &[]).is_some(), evp::text)?;
        check(random_bytes(&context, 32).is_some(), evp::text)?;
        enter();
        check(source.generate(64, 0, &[]).is_some(), || "the source".to_owned())?;
        check(reseed(&context) && random_bytes(&context, 32).is_some(), || "a new seed".to_owned())
    });
}

#[test]
fn a_child_uses_the_descriptor_and_gets_other_bytes() {
    let test = "a_child_uses_the_descriptor_and_gets_other_bytes";
    let Some(seeded) = Seeded::new(test, &[]) else { return };
    let (context, source) = seeded.source().expect("the source");
    assert!(source.instantiate() && source.generate(64, 0, &[]).is_some(), "{}", evp::text());
    assert!(random_bytes(&context, 32).is_some(), "{}", evp::text());
    let mut pipe = seeded.feed();
    in_child(|| {
        // No further descriptor is available, as in a sandbox: the open one is used, without a
        // second start-up test.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let before = bytes_read();
        source.generate(64, 0, &[]).ok_or_else(evp::text)?;
        let read = bytes_read() - before;
        check((64..START_UP as u64).contains(&read), || format!("{read} bytes were read"))?;
        // SAFETY: the limit is readable.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &none) } == 0, || "setrlimit".to_owned())?;
        let ours = source.generate(64, 0, &[]).ok_or_else(evp::text)?;
        let random = random_bytes(&context, 32).ok_or_else(evp::text)?;
        pipe.give(&[ours, random].concat());
        Ok(())
    });
    let of_the_child = pipe.take();
    let ours = source.generate(64, 0, &[]).expect("the parent goes on");
    let random = random_bytes(&context, 32).expect("the parent goes on");
    assert_eq!(of_the_child.len(), 96);
    assert!(of_the_child[..64] != ours[..] && of_the_child[64..] != random[..]);
}

#[test]
fn a_descriptor_that_the_application_closed_is_opened_anew_and_its_file_left_alone() {
    let test = "a_descriptor_that_the_application_closed_is_opened_anew_and_its_file_left_alone";
    let Some(seeded) = Seeded::new(test, &[]) else { return };
    let path = seeded.folder.path().join("the application's");
    fs::write(&path, bytes(7, 60_000)).expect("a file");
    in_child(|| {
        let (_context, source) = seeded.source()?;
        check(source.instantiate() && source.generate(64, 0, &[]).is_some(), evp::text)?;
        let mut file = File::open(&path).map_err(|error| error.to_string())?;
        let number = std::os::fd::AsRawFd::as_raw_fd(&file);
        for other in (3..64).filter(|&other| other != number) {
            // SAFETY: this process's own numbers; what was open under them is closed, as
            // closefrom(3) does.
            unsafe { libc::dup2(number, other) };
        }
        check(source.generate(64, 0, &[]).is_some(), evp::text)?;
        let position = file.stream_position().map_err(|error| error.to_string())?;
        check(position == 0, || format!("{position} bytes of the application's file were read"))?;
        // When none is available, the reason is logged.
        for other in 3..1024 {
            // SAFETY: as above.
            unsafe { libc::close(other) };
        }
        std::mem::forget(file);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit is readable.
        check(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &none) } == 0, || "setrlimit".to_owned())?;
        check(source.generate(64, 0, &[]).is_none(), || "bytes from nowhere".to_owned())?;
        let text = evp::text();
        check(text.contains("/dev/hwrng: Too many open files"), || text)?;
        check(source.state() == RandomState::Ready, || "a device that is away is no failed test".to_owned())
    });
}

#[test]
fn threads_share_a_source_and_get_different_bytes() {
    let Some(seeded) = Seeded::new("threads_share_a_source_and_get_different_bytes", &[]) else { return };
    let (context, source) = seeded.source().expect("the source");
    assert!(source.instantiate(), "{}", evp::text());
    let draw = || -> Vec<Vec<u8>> {
        let one = |_| [source.generate(32, 0, &[]), random_bytes(&context, 32)];
        (0..20).flat_map(one).map(|bytes| bytes.unwrap_or_else(|| panic!("{}", evp::text()))).collect()
    };
    let all: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(draw)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 8 * 20 * 2);
}

#[test]
fn as_a_drbg_it_is_refused() {
    let test = "as_a_drbg_it_is_refused";
    let Some(seeded) = Seeded::with(test, &[], &format!("random = {SOURCE}")) else { return };
    let context = seeded.load();
    assert_eq!(random_bytes(&context, 32), None, "raw bytes of the device reach an application");
    let text = evp::text();
    assert!(text.contains("takes no parent"), "{text}");
}

#[test]
fn openssl_lists_it_and_its_generators_work() {
    let test = "openssl_lists_it_and_its_generators_work";
    let (Some(seeded), Some(openssl)) = (Seeded::new(test, &[]), openssl_or_skip(test)) else { return };
    let list = ["list", "-random-generators"];
    let output = run(&openssl, &seeded.config, &list);
    assert!(
        succeeded(&output, &list).contains("OUTBOARD-HWRNG @ outboard") && output.stderr.is_empty(),
        "{}",
        status_and_output(&output)
    );
    let mut drawn = BTreeSet::new();
    for generator in ["CTR-DRBG", "HASH-DRBG", "HMAC-DRBG"] {
        let random = format!(
            "random = {generator}\ndigest = SHA256\nseed = {SOURCE}\nseed_properties = provider=outboard"
        );
        let Some(seeded) = Seeded::with(test, &[], &random) else { return };
        let text = succeeded(&seeded.openssl_rand(&openssl), &[generator]);
        assert!(text.len() == 65 && drawn.insert(text), "{generator}");
    }
    let seeded = Seeded::with(test, &[], "seed = OUTBOARD-HWRGN");
    if let Some(seeded) = seeded.filter(|_| evp::major_version() >= 4) {
        failed(&seeded.openssl_rand(&openssl), &["rand"], 1);
    }
}
