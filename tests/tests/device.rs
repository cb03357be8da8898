//! /dev/outboard through outboard-accel: batches, chunks, threads, and a descriptor that the
//! application closed.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::thread;

use outboard_accel::device::Device;
use outboard_accel::{Algorithm, Direction, Request};
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::device::{count, driver_count, reached};
use outboard_tests::processes::descriptors;
use outboard_tests::sessions::{assert_right, by_software};
use outboard_tests::threads::join;
use outboard_tests::time_limit::wait_until;
use outboard_uapi::DEVICE;

#[test]
fn every_length_gives_correct_results_in_both_directions() {
    let Some(reached) = reached("every_length_gives_correct_results_in_both_directions") else { return };
    for key in [bytes(1, 16), bytes(2, 24), bytes(3, 32)] {
        let mut session = reached.open(&key);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let most = session.max_request(direction);
            for len in [0, 16, 32, 1008, 4096, 16_368, 16_384, 16_400, 65_536, most] {
                let (iv, input) = (bytes(len as u64, 16), bytes(9, len));
                let request = Request::new(direction, &iv, &input);
                assert_right(&mut *session, &key, &request, &format!("{direction:?}, {len} bytes"));
                let (head, input) = input.split_at(len.min(16));
                let headed = Request { head, input, ..request };
                assert_right(
                    &mut *session,
                    &key,
                    &headed,
                    &format!("{direction:?}, 16 of {len} bytes first"),
                );
            }
        }
    }
}

#[test]
fn an_oversized_request_is_rejected_and_the_session_remains_usable() {
    let Some(reached) = reached("an_oversized_request_is_rejected_and_the_session_remains_usable") else {
        return;
    };
    let key = bytes(1, 16);
    let mut session = reached.open(&key);
    let (iv, long) = (bytes(2, 16), bytes(3, 1 << 20));
    for (iv, len) in [(&iv[..], 15), (&iv[..15], 16), (&iv[..], session.max_request(Direction::Decrypt) + 16)]
    {
        assert!(session.crypt(&Request::new(Direction::Decrypt, iv, &long[..len])).is_err());
    }
    let request = Request::new(Direction::Encrypt, &iv, &long[..64]);
    assert!(session.submit(&vec![request; session.max_batch() + 1]).is_err());
    assert!(session.result(0).is_err(), "what was refused has no result");
    assert_right(&mut *session, &key, &request, "after refusals");
}

#[test]
fn a_batch_has_each_result_in_its_place() {
    let Some(reached) = reached("a_batch_has_each_result_in_its_place") else { return };
    let key = bytes(4, 16);
    let mut session = reached.open(&key);
    let texts: Vec<_> = (0..session.max_batch() as u64)
        .map(|n| (bytes(n, 16), bytes(100 + n, 16 * (n as usize * 7))))
        .collect();
    let requests: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(n, (iv, input))| {
            let direction = if n % 3 == 0 { Direction::Decrypt } else { Direction::Encrypt };
            Request::new(direction, iv, input)
        })
        .collect();
    for _ in 0..3 {
        let before = driver_count("requests");
        session.submit(&requests).expect("a batch");
        for (n, request) in requests.iter().enumerate().rev() {
            let result = session.result(n).expect("a result");
            assert_same(result, &by_software(&key, request), &format!("request {n}"));
        }
        assert!(session.is_done());
        // The first has no data, so it has no slot.
        let submitted = requests.len() as u64 - 1;
        assert_eq!(driver_count("requests"), before + submitted);
    }
}

#[test]
fn a_large_decryption_is_sent_in_chunks() {
    let Some(reached) = reached("a_large_decryption_is_sent_in_chunks") else { return };
    let key = bytes(5, 32);
    let mut session = reached.open(&key);
    let input = bytes(6, session.max_request(Direction::Decrypt));
    let before = driver_count("requests");
    let iv = bytes(7, 16);
    let request = Request::new(Direction::Decrypt, &iv, &input);
    assert_right(&mut *session, &key, &request, "a large decryption");
    let submitted = driver_count("requests") - before;
    assert!(submitted >= 4, "{submitted} requests for {} bytes", input.len());
}

#[test]
fn threads_share_a_session_and_need_more_than_one_arena() {
    let Some(reached) = reached("threads_share_a_session_and_need_more_than_one_arena") else {
        return;
    };
    let key = bytes(8, 16);
    let first = reached.open(&key);
    let sessions = count("sessions");
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..16 {
            let (mut session, key) = (first.share().expect("another session"), &key);
            threads.push(scope.spawn(move || {
                for round in 0..4 {
                    let input = bytes(number, session.max_request(Direction::Decrypt));
                    let iv = bytes(round, 16);
                    let request = Request::new(Direction::Decrypt, &iv, &input);
                    assert_right(&mut *session, key, &request, &format!("thread {number}, round {round}"));
                }
            }));
        }
        join(threads);
    });
    assert_eq!(count("sessions"), sessions, "the threads share one session of the module");
}

#[test]
fn nothing_is_left_in_the_module_when_the_last_session_is_gone() {
    let Some(_alone) = reached("nothing_is_left_in_the_module_when_the_last_session_is_gone") else {
        return;
    };
    let alive = || ["files", "sessions", "arenas", "requests"].map(count);
    let before = alive();
    {
        let device = Device::reach("virtio_crypto_aes_cbc", Algorithm::CbcAes).expect("reached before");
        let mut session = outboard_accel::Accelerator::open(&device, &bytes(1, 16)).expect("a session");
        let (iv, input) = (bytes(2, 16), bytes(3, 4096));
        let request = Request::new(Direction::Encrypt, &iv, &input);
        // One whose result was read, one dropped in flight.
        session.crypt(&request).expect("a request");
        session.submit(&[request]).expect("a request");
        // The process has one descriptor and its arenas, whatever the number of sessions.
        assert_eq!(alive()[1], before[1] + 1);
    }
    // Objects whose release may sleep are freed by a workqueue.
    wait_until("freed", || alive() == before);
}

#[test]
fn no_byte_is_written_to_a_reused_descriptor_number() {
    let Some(reached) = reached("no_byte_is_written_to_a_reused_descriptor_number") else {
        return;
    };
    let key = bytes(1, 16);
    let mut session = reached.open(&key);
    let (iv, input) = (bytes(2, 16), bytes(3, 4096));
    let request = Request::new(Direction::Encrypt, &iv, &input);
    assert_right(&mut *session, &key, &request, "before");
    let mut file = tempfile::tempfile().expect("a temporary file");
    for fd in descriptors(DEVICE) {
        // SAFETY: this test is the application; nothing else in the process uses the device now.
        assert!(unsafe { libc::dup2(file.as_raw_fd(), fd) } >= 0);
    }
    assert_right(&mut *session, &key, &request, "after");
    assert_eq!(
        file.seek(SeekFrom::End(0)).expect("a file"),
        0,
        "something was written to the application's file"
    );
    assert_eq!(descriptors(DEVICE).len(), 1, "the device was opened again, once");
}

#[test]
fn another_open_file_of_the_device_under_the_same_number_gives_no_wrong_result() {
    let test = "another_open_file_of_the_device_under_the_same_number_gives_no_wrong_result";
    let Some(reached) = reached(test) else { return };
    let key = bytes(1, 16);
    let mut session = reached.open(&key);
    let (iv, input) = (bytes(2, 16), bytes(3, 4096));
    let request = Request::new(Direction::Encrypt, &iv, &input);
    assert_right(&mut *session, &key, &request, "before");
    let other = File::options().read(true).write(true).open(DEVICE).expect("the device");
    for fd in descriptors(DEVICE).into_iter().filter(|fd| *fd != other.as_raw_fd()) {
        // SAFETY: as above.
        assert!(unsafe { libc::dup2(other.as_raw_fd(), fd) } >= 0);
    }
    // fstat(2) does not distinguish the two open files, so the request goes to the other one. It
    // has neither the arena nor the session: the request fails.
    assert!(session.crypt(&request).is_err());
}
