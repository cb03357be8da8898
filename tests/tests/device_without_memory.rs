//! Allocations of the provider that fail, over /dev/outboard with the simulated accelerator, and over
//! AF_ALG: the process goes on, the bytes are right or the call returns an error, and the context can
//! be used again.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::Duration;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::child::{Exit, ForkedChild, fork, in_own_process};
use outboard_tests::evp::{
    Cipher, Context, Digest, DigestContext, Direction, Hmac, HmacContext, Outcome, file,
};
use outboard_tests::failing_memory::{Failing, ObjectMemory};
use outboard_tests::lane::is_full_lane;
use outboard_tests::module::module;
use outboard_tests::simulated::{DRIVERS, Reachable, Simulated};
use outboard_tests::world::{DriverChoice, Order, World, world_of_every_cipher};

const BLOCK: usize = 16;

/// Length of a nonce and of a tag in bytes.
const NONCE: usize = 12;
const TAG: usize = 16;

/// Settings with which each request goes to a driver.
const DIRECT: [(&str, &str); 3] = [("THRESHOLDS", "ALL:1"), ("DIGESTS", "ALL"), ("LOG_LEVEL", "debug")];

/// Settings with which key stream is computed from the first byte on, by the driver of ECB mode.
const AHEAD: [(&str, &str); 3] = [("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0"), ("LOG_LEVEL", "debug")];

/// The output of a life, or the outcome of the first call that failed.
type Lived = Result<Vec<u8>, Outcome>;

/// One test of many parts, because loading the simulation takes long.
#[test]
fn a_failed_allocation_never_ends_the_process_and_never_changes_a_result() {
    let test = "a_failed_allocation_never_ends_the_process_and_never_changes_a_result";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    let memory = ObjectMemory::of(&module().expect("it is reachable"));
    simulated.allow(&DRIVERS);

    let world = world(&DRIVERS.join(","), &DIRECT);
    for name in ["AES-128-CBC", "AES-128-CTR", "AES-128-XTS"] {
        each_allocation_fails_once(&memory, &world, name, &of_a_stream);
    }
    each_allocation_fails_once(&memory, &world, "AES-128-GCM", &of_messages);
    each_allocation_fails_once(&memory, &world, "AES-128-CCM", &of_messages);
    for name in ["AES-128-CBC", "AES-128-CTR", "AES-128-XTS", "AES-128-GCM", "AES-128-CCM"] {
        a_request_allocates_nothing(&memory, &world, name);
        calls_for_a_context_that_could_not_be_made_fail(&memory, &world, name);
    }
    each_allocation_of_a_digest_fails_once(&memory, &world);
    each_allocation_of_an_hmac_fails_once(&memory, &world);
    drop(world);

    let world = self::world("sim-ecb-aes", &AHEAD);
    each_allocation_fails_once(&memory, &world, "AES-128-CTR", &of_a_stream);
    each_allocation_fails_once(&memory, &world, "AES-128-GCM", &of_messages);
    a_long_message_needs_no_memory(&world);
    drop(world);

    allocations_of_the_start_fail(&memory);
}

#[test]
fn a_check_for_which_libcrypto_has_no_memory_leaves_no_error_on_the_queue() {
    let test = "a_check_for_which_libcrypto_has_no_memory_leaves_no_error_on_the_queue";
    let Some(Reachable { simulated, .. }) = Simulated::reachable(test) else { return };
    simulated.allow(&DRIVERS);
    // libcrypto's functions stay replaced.
    in_own_process(verify_without_memory_of_libcrypto);
}

fn verify_without_memory_of_libcrypto() {
    let memory = ObjectMemory::of(&file());
    let world = world(&DRIVERS.join(","), &DIRECT);
    for name in ["AES-128-CBC", "AES-128-CTR", "AES-128-GCM"] {
        let (hard, soft) = (world.hard(name), world.soft(name));
        let (key, text) = (bytes(1, 16), bytes(2, 4096));
        let first_update = |cipher: &Cipher, failing| {
            let mut context = Context::keyed(cipher, &key, &array(3), Direction::Encrypt);
            let mut output = vec![0; text.len() + 16];
            let (outcome, _) = memory.with(failing, || context.update(&text, &mut output));
            (outcome, output)
        };
        let expected = first_update(&soft, Failing::Nothing);
        // libcrypto initialises asynchronous jobs when they are first asked for.
        assert_eq!(first_update(&hard, Failing::Nothing), expected, "{name}");
        let assert_right = |failing| {
            let child = fork(Exit::Quick, || first_update(&hard, failing) == expected);
            child.wait().unwrap_or_else(|problem| panic!("{name}, {failing:?}: {problem}"));
        };
        assert_right(Failing::Nothing);
        let count = memory.count();
        assert!(count > 0, "{name}: the first result is verified by libcrypto");
        (1..=count).for_each(|number| assert_right(Failing::Single(number)));
        assert_right(Failing::From(1));
    }
}

#[test]
fn a_failed_allocation_over_af_alg_changes_no_result() {
    let Some(world) = world_of_every_cipher("a_failed_allocation_over_af_alg_changes_no_result", &DIRECT)
    else {
        return;
    };
    let memory = ObjectMemory::of(&module().expect("the world has it"));
    for name in ["AES-128-CBC", "AES-128-CTR", "AES-128-XTS"] {
        each_allocation_fails_once(&memory, &world, name, &of_a_stream);
        a_request_allocates_nothing(&memory, &world, name);
    }
}

fn world(drivers: &str, settings: &[(&str, &str)]) -> World {
    World::new(DriverChoice::Simulated(drivers.to_owned()), settings, Order::DefaultFirst)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn done(outcome: Outcome) -> Result<(), Outcome> {
    if outcome.returned == 1 { Ok(()) } else { Err(outcome) }
}

/// Gives the driver time to compute key stream.
fn pause() {
    sleep(Duration::from_millis(1));
}

/// A stream of CBC, CTR or data units of XTS in a context: updates of any length, a copy in the
/// middle, a new direction.
fn of_a_stream(context: &mut Context, cipher: &Cipher) -> Lived {
    let mut output = Vec::new();
    let key: Vec<u8> = (0..cipher.key_length() as u8).collect();
    let mut process = |context: &mut Context, length: usize| {
        let mut room = vec![0; length + BLOCK];
        let outcome = context.update(&bytes(length as u64, length), &mut room);
        done(outcome.clone())?;
        output.extend_from_slice(&room[..outcome.expect("update")]);
        Ok::<(), Outcome>(())
    };
    done(context.init(Some(cipher), Some(&key), Some(&array(2)), Some(Direction::Encrypt)))?;
    for number in 0..8 {
        process(context, 4096 + number * BLOCK)?;
        if number == 4 {
            let (mut copy, outcome) = context.copy();
            done(outcome)?;
            process(&mut copy, 4096)?;
        }
        pause();
    }
    process(context, 144 * 1024)?;
    done(context.init(None, Some(&key), Some(&array(3)), Some(Direction::Decrypt)))?;
    process(context, 8192)?;
    process(context, 100 * BLOCK)?;
    Ok(output)
}

/// Messages of GCM or CCM in a context: encrypted, then decrypted, with a copy in the middle.
fn of_messages(context: &mut Context, cipher: &Cipher) -> Lived {
    let is_ccm = cipher.is_ccm();
    let key: Vec<u8> = (0..cipher.key_length() as u8).collect();
    let text = |number: usize| bytes(number as u64, [4096, 1000, 40_000, 2048][number % 4]);
    let mut output = Vec::new();
    let mut sealed = Vec::new();
    begin(context, cipher, &key, Direction::Encrypt, is_ccm)?;
    for number in 0..8 {
        let (secret, tag) = seal(context, number, &text(number), is_ccm)?;
        output.extend_from_slice(&tag);
        sealed.push((secret, tag));
        if number == 4 && !is_ccm {
            let (mut copy, outcome) = context.copy();
            done(outcome)?;
            let (secret, tag) = seal(&mut copy, 100, &text(0), is_ccm)?;
            output.extend([secret, tag].concat());
        }
        pause();
    }
    done(context.reset())?;
    begin(context, cipher, &key, Direction::Decrypt, is_ccm)?;
    for (number, (secret, tag)) in sealed.iter().enumerate() {
        nonce_of(context, number)?;
        done(context.set_tag(tag))?;
        let opened = text_of(context, secret, is_ccm)?;
        if !is_ccm {
            done(context.finish(&mut [0; BLOCK]))?;
        }
        assert_eq!(opened, text(number), "message {number}");
        output.extend(opened);
        pause();
    }
    Ok(output)
}

fn begin(
    context: &mut Context,
    cipher: &Cipher,
    key: &[u8],
    direction: Direction,
    is_ccm: bool,
) -> Result<(), Outcome> {
    done(context.init(Some(cipher), None, None, Some(direction)))?;
    if is_ccm {
        done(context.set_nonce_length(NONCE))?;
        done(context.set_tag_length(TAG))?;
    }
    done(context.init(None, Some(key), None, None))
}

fn nonce_of(context: &mut Context, number: usize) -> Result<(), Outcome> {
    let mut iv = [3; BLOCK];
    iv[NONCE - 8..NONCE].copy_from_slice(&(number as u64).to_be_bytes());
    done(context.init(None, None, Some(&iv), None))
}

fn seal(
    context: &mut Context,
    number: usize,
    text: &[u8],
    is_ccm: bool,
) -> Result<(Vec<u8>, Vec<u8>), Outcome> {
    nonce_of(context, number)?;
    let secret = text_of(context, text, is_ccm)?;
    done(context.finish(&mut [0; BLOCK]))?;
    let (tag, outcome) = context.tag(TAG);
    done(outcome)?;
    Ok((secret, tag))
}

/// The additional data and the text of a message.
fn text_of(context: &mut Context, text: &[u8], is_ccm: bool) -> Lived {
    if is_ccm {
        done(context.announce(text.len()))?;
    }
    done(context.additional(&bytes(9, 13)))?;
    let mut room = vec![0; text.len() + BLOCK];
    done(context.update(text, &mut room))?;
    room.truncate(text.len());
    Ok(room)
}

/// Runs `live` in child processes in which one allocation after the other fails, then all from some
/// on. `again` runs after a call that failed, with memory, and must give the same output.
fn each_fails_once(
    memory: &ObjectMemory,
    what: &str,
    expected: &[u8],
    live: impl Fn() -> Lived,
    again: impl Fn() -> Lived,
) {
    let child = |failing: Failing| -> ForkedChild {
        fork(Exit::Quick, || {
            let (lived, _) = memory.with(failing, &live);
            let is_right = match lived {
                Ok(output) => output == expected,
                Err(outcome) => outcome.returned <= 0 && !outcome.reasons.is_empty(),
            };
            is_right && again().is_ok_and(|output| output == expected)
        })
    };
    let assert_ends = |failing: Failing| {
        let ended = child(failing).wait();
        ended.unwrap_or_else(|problem| panic!("{what}, {failing:?} of its allocations fails: {problem}"));
    };
    assert_ends(Failing::Nothing);
    let count = memory.count();
    assert!(count > 0, "{what} allocates at least its context");
    for number in 1..=count {
        assert_ends(Failing::Single(number));
    }
    for number in [1, 2, count / 4, count / 2].into_iter().filter(|&number| number > 0) {
        assert_ends(Failing::From(number));
    }
    eprintln!("{what}: each of {count} allocations failed");
}

fn each_allocation_fails_once(
    memory: &ObjectMemory,
    world: &World,
    name: &str,
    live: &dyn Fn(&mut Context, &Cipher) -> Lived,
) {
    let (hard, soft) = (world.hard(name), world.soft(name));
    let expected = live(&mut Context::new(), &soft).unwrap_or_else(|outcome| panic!("{name}: {outcome:?}"));
    let before = world.counts_of(name);
    // The context outlives the failure: it is reset, used again, and freed.
    let context = std::cell::RefCell::new(Context::new());
    let again = || {
        let mut context = context.borrow_mut();
        done(context.reset())?;
        live(&mut context, &hard)
    };
    each_fails_once(memory, name, &expected, || live(&mut context.borrow_mut(), &hard), again);
    let after = world.counts_of(name);
    let served = |counts: outboard_counters::Counts| counts.hw_requests + counts.ahead_requests;
    assert!(served(after) > served(before), "{name} is served by the driver: {after:?}");
    assert_eq!(after.mismatches, 0, "{name}");
}

/// As in an application that ignores what initialisation and copy return.
fn calls_for_a_context_that_could_not_be_made_fail(memory: &ObjectMemory, world: &World, name: &str) {
    let hard = world.hard(name);
    let key = bytes(1, hard.key_length());
    let start = |context: &mut Context| {
        context.init(Some(&hard), Some(&key), Some(&[7; 16]), Some(Direction::Encrypt))
    };
    let calls_fail = |context: &mut Context| {
        let mut output = [0; 200];
        let (update, last) = (context.update(&[1; 100], &mut output), context.finish(&mut output));
        let (copy, copied) = context.copy();
        drop(copy);
        let (iv, num) = (context.updated_iv().1, context.set_num(0));
        [update, last, copied, iv, num].iter().all(|outcome| outcome.returned <= 0)
    };
    let in_process = |body: &dyn Fn() -> bool| fork(Exit::Quick, body).wait();
    let made = in_process(&|| {
        let mut context = Context::new();
        let (started, _) = memory.with(Failing::From(1), || start(&mut context));
        started.returned == 0 && calls_fail(&mut context)
    });
    made.unwrap_or_else(|problem| panic!("{name}, after newctx: {problem}"));
    let copied = in_process(&|| {
        let mut context = Context::new();
        start(&mut context).expect("init");
        let ((mut copy, outcome), _) = memory.with(Failing::From(1), || context.copy());
        outcome.returned == 0 && calls_fail(&mut copy)
    });
    copied.unwrap_or_else(|problem| panic!("{name}, after dupctx: {problem}"));
}

/// After the first requests of a context, which allocate its session and its buffers.
fn a_request_allocates_nothing(memory: &ObjectMemory, world: &World, name: &str) {
    const FIRST: usize = 3;
    let cipher = world.hard(name);
    let (key, text) = (bytes(3, cipher.key_length()), bytes(4, 8192));
    let is_aead = name.ends_with("GCM") || name.ends_with("CCM");
    let mut context = Context::new();
    let before = world.counts_of(name).hw_requests;
    if is_aead {
        begin(&mut context, &cipher, &key, Direction::Encrypt, cipher.is_ccm()).expect("a key");
    } else {
        let start = context.init(Some(&cipher), Some(&key), Some(&array(2)), Some(Direction::Encrypt));
        start.expect("a key");
    }
    let mut room = vec![0; text.len() + BLOCK];
    let mut requests = |numbers: std::ops::Range<usize>| {
        for number in numbers {
            if is_aead {
                seal(&mut context, number, &text, cipher.is_ccm()).expect("memory");
            } else {
                context.update(&text, &mut room).expect("update");
            }
        }
    };
    requests(0..FIRST);
    let ((), count) = memory.with(Failing::Nothing, || requests(FIRST..50));
    assert_eq!(count, 0, "{name}: allocations of 47 requests");
    assert!(world.counts_of(name).hw_requests >= before + 50, "{name} went to the driver");
}

fn each_allocation_of_a_digest_fails_once(memory: &ObjectMemory, world: &World) {
    let live = |digest: &Digest| -> Lived {
        let mut output = Vec::new();
        let mut context = DigestContext::new(digest);
        for length in [100, 9000, 200_000] {
            done(context.begin(digest))?;
            done(context.update(&bytes(1, length)))?;
            let (mut copy, outcome) = context.copy();
            done(outcome)?;
            for context in [&mut copy, &mut context] {
                let (outcome, digest) = context.finish();
                done(outcome)?;
                output.extend(digest);
            }
        }
        Ok(output)
    };
    let hard = world.hard_digest("SHA2-256").expect("it is offered");
    let expected = live(&world.soft_digest("SHA2-256")).expect("memory");
    each_fails_once(memory, "SHA2-256", &expected, || live(&hard), || live(&hard));
}

fn each_allocation_of_an_hmac_fails_once(memory: &ObjectMemory, world: &World) {
    let live = |mac: &Hmac| -> Lived {
        let mut output = Vec::new();
        let mut context = HmacContext::try_new(mac)?;
        for (length, key) in [(100, Some(bytes(5, 32))), (9000, None), (100_000, Some(bytes(6, 20)))] {
            done(context.begin(key.as_ref().map(|_| "SHA2-256"), key.as_deref()))?;
            done(context.update(&bytes(1, length)))?;
            let mut copy = context.try_copy()?;
            for context in [&mut copy, &mut context] {
                let (outcome, mac) = context.finish();
                done(outcome)?;
                output.extend(mac);
            }
        }
        Ok(output)
    };
    let hard = world.hard_hmac().expect("it is offered");
    let expected = live(&world.soft_hmac()).expect("memory");
    each_fails_once(memory, "HMAC", &expected, || live(&hard), || live(&hard));
}

/// Memory in bytes that is left to a process, and the length of a message that is longer.
const LEFT: usize = 4 << 20;
const LONG: usize = 24 << 20;

fn a_long_message_needs_no_memory(world: &World) {
    let (hard, soft) = (world.hard("AES-256-GCM"), world.soft("AES-256-GCM"));
    let key = bytes(7, 32);
    let length = if is_full_lane() { 64 << 20 } else { LONG };
    let mut text = vec![0x5a; length + BLOCK];
    // In place.
    let mut seal_long = |cipher: &Cipher, limited: bool| -> Result<Vec<u8>, Outcome> {
        let mut context = Context::new();
        begin(&mut context, cipher, &key, Direction::Encrypt, false)?;
        for number in 0..6 {
            seal(&mut context, number, &bytes(1, 4096), false)?;
            pause();
        }
        if limited {
            limit_memory(LEFT);
        }
        nonce_of(&mut context, 6)?;
        done(context.update_in_place(&mut text, length))?;
        done(context.finish(&mut [0; BLOCK]))?;
        let (tag, outcome) = context.tag(TAG);
        done(outcome)?;
        Ok(tag)
    };
    let mut tag_of = |cipher: &Cipher, limited| fork_for_tag(|| seal_long(cipher, limited));
    assert_eq!(tag_of(&hard, true), tag_of(&soft, false), "the tag of {length} bytes");
}

/// The tag that `seal` returns, which runs in a child process.
fn fork_for_tag(seal: impl FnOnce() -> Result<Vec<u8>, Outcome>) -> Vec<u8> {
    let (mut from, mut to) = UnixStream::pair().expect("two sockets");
    let child = fork(Exit::Quick, || seal().is_ok_and(|tag| to.write_all(&tag).is_ok()));
    drop(to);
    child.wait().unwrap_or_else(|problem| panic!("a long message with little memory: {problem}"));
    let mut tag = Vec::new();
    from.read_to_end(&mut tag).expect("the tag");
    tag
}

/// Leaves this process `left` bytes of address space (RLIMIT_AS).
fn limit_memory(left: usize) {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("proc is mounted");
    let pages: usize = statm.split(' ').next().and_then(|size| size.parse().ok()).expect("a number");
    // SAFETY: the limit is readable; no pointer is passed to sysconf.
    let done = unsafe {
        let limit = pages * libc::sysconf(libc::_SC_PAGESIZE) as usize + left;
        let limit = libc::rlimit { rlim_cur: limit as libc::rlim_t, rlim_max: libc::RLIM_INFINITY };
        libc::setrlimit(libc::RLIMIT_AS, &limit)
    };
    assert_eq!(done, 0, "setrlimit");
}

/// Allocations while the provider is loaded, reads its configuration, and finds the drivers.
fn allocations_of_the_start_fail(memory: &ObjectMemory) {
    let key = bytes(4, 16);
    let start = || -> Result<(World, Cipher), String> {
        let settings = [("THRESHOLDS", "ALL:1"), ("DIGESTS", "ALL"), ("LOG_LEVEL", "off")];
        let choice = DriverChoice::Simulated(DRIVERS.join(","));
        let world = World::new(choice, &settings, Order::DefaultFirst)?;
        let cipher = Cipher::fetch(&world.context, "AES-128-CBC", "provider=outboard").ok_or("no cipher")?;
        Ok((world, cipher))
    };
    let encrypted = |cipher: &Cipher| {
        let mut text = vec![0; 4096 + BLOCK];
        let mut context = Context::keyed(cipher, &key, &array(2), Direction::Encrypt);
        context.update(&[1; 4096], &mut text).expect("update");
        text
    };
    let assert_starts = |failing: Failing| {
        let child = fork(Exit::Quick, || {
            let (started, _) = memory.with(failing, start);
            let (world, cipher) = started.unwrap_or_else(|problem| panic!("{problem}"));
            encrypted(&cipher) == encrypted(&world.soft("AES-128-CBC"))
        });
        child.wait().unwrap_or_else(|problem| panic!("{failing:?} of the start fails: {problem}"));
    };
    assert_starts(Failing::Nothing);
    let count = memory.count();
    let runs = if is_full_lane() { 200 } else { 40 };
    for number in (1..=count).step_by((count / runs).max(1)) {
        assert_starts(Failing::Single(number));
    }
    for number in (1..=count).step_by((count / 8).max(1)) {
        assert_starts(Failing::From(number));
    }
    eprintln!("start: some of {count} allocations failed");
}
