//! Jobs that are paused while the simulated accelerator works: many requests of one thread in
//! flight.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use outboard_tests::child::{Exit, fork, in_own_process, text_of_own_process};
use outboard_tests::command::{on_path, run, status_and_output};
use outboard_tests::evp::{Cipher, Job, run_to_their_end, version, without_pauses};
use outboard_tests::machine::set_patience;
use outboard_tests::module::module;
use outboard_tests::simulated::Simulated;
use outboard_tests::skip::skip;
use outboard_tests::stream::Stream;
use outboard_tests::threads::join;
use outboard_tests::time_limit::TIME_LIMIT;
use outboard_tests::world::{DriverChoice, Order, World};
use outboard_uapi::{DEVICE, SYSFS};

const JOBS: usize = 8;

fn world() -> World {
    world_with(&[])
}

fn world_with(settings: &[(&str, &str)]) -> World {
    let drivers = DriverChoice::Simulated("sim-cbc-aes,sim-ctr-aes".to_owned());
    let usual = [("THRESHOLDS", "ALL:1024"), ("CIPHERS", "AES-128-CBC,AES-256-CTR")];
    let settings: Vec<_> = usual.iter().chain(settings).copied().collect();
    World::new(drivers, &settings, Order::DefaultFirst).unwrap_or_else(|error| panic!("{error}"))
}

/// One test of many parts, because loading the simulation takes long.
#[test]
fn jobs_are_paused_while_the_accelerator_works() {
    let test = "jobs_are_paused_while_the_accelerator_works";
    if !Path::new(DEVICE).exists() {
        return skip(test, format!("{DEVICE} (insmod outboard.ko)"));
    }
    if let Err(missing) = module() {
        return skip(test, missing);
    }
    let Some(file) = Simulated::find(test) else { return };
    let simulated = Simulated::load(&file);
    for driver in ["sim-cbc-aes", "sim-ctr-aes"] {
        fs::write(format!("{SYSFS}/allow"), driver).expect("root may allow it");
    }

    all_are_in_flight_at_the_same_time(&simulated);
    a_job_without_requests_in_flight_is_not_called(&simulated);
    threads_do_not_take_each_others_answers(&simulated);
    a_job_that_must_not_pause_waits(&simulated);
    a_random_generator_of_ours_is_never_paused(&simulated);
    failures_end_in_right_bytes(&simulated);
    a_lost_request_delays_its_job_by_less_than_a_second(&simulated);
    a_child_does_not_take_its_parents_answers(&simulated);
    a_child_and_its_parent_both_end_the_jobs_that_were_paused_at_the_fork(&simulated);
    a_wait_context_may_outlive_the_provider(&simulated);
    openssl_speed_does_many_at_once();
}

/// Resumes a paused job whenever its descriptor is readable.
#[track_caller]
fn when_called(job: &mut Job<'_>) {
    loop {
        assert!(job.is_called_within(TIME_LIMIT), "it is never called");
        if job.goes_to_its_end() {
            break;
        }
    }
}

fn streams(soft: &Cipher, count: usize, pieces: usize) -> Vec<Stream> {
    (0..count).map(|seed| Stream::new(soft, seed as u64, pieces, 4096)).collect()
}

fn job<'w>(stream: &'w Stream, hard: &'w Cipher) -> Job<'w> {
    Job::new(move || assert!(stream.runs_right(hard), "wrong bytes"))
}

fn all_are_in_flight_at_the_same_time(simulated: &Simulated) {
    let world = world();
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let streams = streams(&soft, JOBS, 1);
    let held = simulated.hold("sim-cbc-aes");
    let mut jobs: Vec<Job<'_>> = streams.iter().map(|stream| job(stream, &hard)).collect();
    for job in &mut jobs {
        assert!(!job.goes_to_its_end(), "it was not paused");
        assert_eq!(job.descriptors().len(), 1, "as openssl speed demands");
    }
    assert_eq!(simulated.outstanding() as usize, JOBS);
    drop(held);
    run_to_their_end(jobs);
    let counts = world.counts();
    assert_eq!((counts.hw_requests, counts.failures, counts.mismatches), (JOBS as u64, 0, 0), "{counts:?}");
}

/// An event loop keeps the descriptor of a connection as long as the connection lives.
fn a_job_without_requests_in_flight_is_not_called(simulated: &Simulated) {
    let world = world();
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let streams = streams(&soft, 2, 1);
    let mut idle = job(&streams[0], &hard);
    let held = simulated.hold("sim-cbc-aes");
    assert!(!idle.goes_to_its_end());
    drop(held);
    when_called(&mut idle);
    run_to_their_end(vec![job(&streams[1], &hard)]);
    assert_eq!(idle.descriptors().len(), 1);
    assert!(!idle.is_called_within(Duration::ZERO), "called by another's answer");
    // Nor by its own completion after it has ended.
    let mut hurried = job(&streams[0], &hard);
    let held = simulated.hold("sim-cbc-aes");
    assert!(!hurried.goes_to_its_end());
    drop(held);
    while !hurried.goes_to_its_end() {}
    assert!(!hurried.is_called_within(Duration::from_millis(100)), "called by what is over");
    assert_eq!(world.counts().failures, 0);
}

fn threads_do_not_take_each_others_answers(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(1));
    let world = world();
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let streams = streams(&soft, 4, 20);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for _ in 0..3 {
            threads.push(
                scope.spawn(|| run_to_their_end(streams.iter().map(|stream| job(stream, &hard)).collect())),
            );
        }
        join(threads);
    });
    let counts = world.counts();
    assert_eq!((counts.failures, counts.mismatches), (0, 0), "{counts:?}");
    assert!(counts.hw_requests > 0);
}

fn a_job_that_must_not_pause_waits(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(20));
    let world = world();
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let stream = Stream::new(&soft, 1, 2, 4096);
    let mut blocked = Job::new(|| without_pauses(|| assert!(stream.runs_right(&hard), "wrong bytes")));
    assert!(blocked.goes_to_its_end(), "paused where it must not be");
    assert_eq!(world.counts().hw_requests, 2);
    // A caller that resumes a job early makes it block in the end.
    let mut hurried = job(&stream, &hard);
    let mut times = 0;
    while !hurried.goes_to_its_end() {
        times += 1;
        assert!(times < 100, "paused again and again");
    }
    assert_eq!(world.counts().failures, 0);
}

/// OpenSSL before 3.5 may use this provider's cipher in its random generator, and calls it with a
/// lock held.
fn a_random_generator_of_ours_is_never_paused(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(20));
    let world = world();
    let (hard, soft) = (world.hard("AES-256-CTR"), world.soft("AES-256-CTR"));
    let stream = Stream::new(&soft, 1, 1, 4096);
    let mut job = job(&stream, &hard);
    if version().starts_with("OpenSSL 3.0") {
        assert!(job.goes_to_its_end(), "paused, perhaps with the generator's lock");
    } else {
        let held = simulated.hold("sim-ctr-aes");
        assert!(!job.goes_to_its_end(), "it was not paused");
        drop(held);
        when_called(&mut job);
    }
    assert_eq!(world.counts().hw_requests, 1);
}

fn failures_end_in_right_bytes(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(1));
    for rule in ["sim-cbc-aes error 5 every=5", "sim-cbc-aes wrong every=7"] {
        simulated.fault(rule);
        in_own_process(|| {
            // Without it the 16 results after a failure are compared in full, and a job whose wrong result
            // is read after that many others would let a wrong bit through.
            let world = world_with(&[("SHADOW_CHECKS", "1")]);
            let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
            let streams = streams(&soft, JOBS, 5);
            run_to_their_end(streams.iter().map(|stream| job(stream, &hard)).collect());
            let counts = world.counts();
            assert!(counts.failures + counts.mismatches > 0, "{rule}: {counts:?}");
        });
        simulated.fault("clear");
    }
}

/// The module gives it up after its patience, but signals no eventfd then.
fn a_lost_request_delays_its_job_by_less_than_a_second(simulated: &Simulated) {
    set_patience(Duration::from_millis(30));
    let longest = text_of_own_process(|| {
        let world = world();
        let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
        let streams = streams(&soft, 2, 1);
        run_to_their_end(vec![job(&streams[0], &hard)]);
        simulated.fault("sim-cbc-aes never count=1");
        let start = Instant::now();
        run_to_their_end(vec![job(&streams[1], &hard)]);
        let took = start.elapsed();
        let counts = world.counts();
        assert_eq!((counts.failures, counts.mismatches), (1, 0), "{counts:?}");
        took.as_millis().to_string()
    });
    simulated.let_go();
    set_patience(Duration::from_secs(600));
    assert!(longest.parse::<u64>().expect("milliseconds") < 1000, "{longest} ms");
}

fn a_child_does_not_take_its_parents_answers(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(1));
    let world = world();
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let streams = streams(&soft, 2, 1);
    let mut first = job(&streams[0], &hard);
    let held = simulated.hold("sim-cbc-aes");
    assert!(!first.goes_to_its_end());
    drop(held);
    when_called(&mut first);
    let ours = first.descriptors();
    // The next request of that connection: in a child, and then here.
    let mut next = job(&streams[1], &hard).on(first.into_wait_context());
    let held = simulated.hold("sim-cbc-aes");
    let child = fork(Exit::Quick, || {
        let paused = !next.goes_to_its_end();
        simulated.let_go();
        when_called(&mut next);
        paused
    });
    child.wait().expect("the child's request");
    drop(held);
    assert_eq!(next.descriptors(), ours);
    assert!(!next.is_called_within(Duration::from_millis(100)), "called by a child's answer");
    let held = simulated.hold("sim-cbc-aes");
    assert!(!next.goes_to_its_end());
    drop(held);
    when_called(&mut next);
    assert_eq!(world.counts().failures, 0);
}

fn a_child_and_its_parent_both_end_the_jobs_that_were_paused_at_the_fork(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(1));
    let world = world();
    let (hard, soft) = (world.hard("AES-128-CBC"), world.soft("AES-128-CBC"));
    let streams = streams(&soft, 3, 1);
    for child_is_first in [false, true] {
        let mut jobs: Vec<Job<'_>> = streams.iter().map(|stream| job(stream, &hard)).collect();
        let held = simulated.hold("sim-cbc-aes");
        jobs.iter_mut().for_each(|job| assert!(!job.goes_to_its_end(), "it was not paused"));
        let (mut parent, mut others) = UnixStream::pair().expect("a pair of sockets");
        let child = fork(Exit::Quick, || {
            let begins = if child_is_first {
                simulated.let_go();
                true
            } else {
                // Until the parent has resumed its jobs.
                others.read_exact(&mut [0]).is_ok()
            };
            jobs.iter_mut().for_each(when_called);
            // An event loop keeps the descriptors.
            begins && !jobs.iter().any(|job| job.is_called_within(Duration::ZERO))
        });
        if child_is_first {
            child.wait().expect("the child's jobs");
            drop(held);
            jobs.iter_mut().for_each(when_called);
        } else {
            drop(held);
            jobs.iter_mut().for_each(when_called);
            parent.write_all(&[0]).expect("the child");
            child.wait().expect("the child's jobs, which the parent has resumed");
        }
        assert!(!jobs.iter().any(|job| job.is_called_within(Duration::ZERO)), "called by what is over");
    }
    let counts = world.counts();
    assert_eq!((counts.hw_requests, counts.failures), (12, 0), "three jobs, twice in both: {counts:?}");
}

fn a_wait_context_may_outlive_the_provider(simulated: &Simulated) {
    simulated.takes(Duration::from_millis(50));
    let world = world();
    let stream = Stream::new(&world.soft("AES-128-CBC"), 1, 1, 4096);
    let (context, hard) = (&world, world.hard("AES-128-CBC"));
    let mut job = Job::new(|| assert!(stream.runs_right(&hard), "wrong bytes"));
    while !job.goes_to_its_end() {
        assert!(job.is_called_within(TIME_LIMIT));
    }
    assert_eq!((context.counts().hw_requests, job.descriptors().len()), (1, 1));
    // The work has ended, so the cipher can be borrowed again.
    let left = job.into_wait_context();
    drop((hard, world));
    drop(left);
}

fn openssl_speed_does_many_at_once() {
    let Some(openssl) = on_path("openssl") else {
        return skip("openssl_speed_does_many_at_once", "the openssl command");
    };
    let world = world();
    // Longer if the machine stops for a whole second.
    for seconds in ["1", "3", "10"] {
        let mut arguments = vec!["speed", "-elapsed", "-async_jobs", "8", "-seconds", seconds];
        arguments.extend(["-bytes", "4096", "-evp", "aes-128-cbc"]);
        let output = run(&openssl, &world.config(), &arguments);
        assert!(output.status.success(), "{}", status_and_output(&output));
        let counts = world.counts_of("AES-128-CBC");
        assert_eq!(counts.failures, 0, "{counts:?}");
        if counts.hw_requests >= 8 {
            return;
        }
    }
    panic!("less than one request for each job: {:?}", world.counts_of("AES-128-CBC"));
}
