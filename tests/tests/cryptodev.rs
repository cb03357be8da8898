//! /dev/crypto through outboard-accel. Debian does not package cryptodev-linux; README.md has the
//! steps to build it. Any driver that the kernel selects will do, so the tests also run on machines
//! without an accelerator.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::chroot;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use outboard_accel::cryptodev::Cryptodev;
use outboard_accel::cryptodev::abi::{self, CryptAuthOp, SessionOp};
use outboard_accel::{Accelerator, Algorithm, Direction, Request, Session};
use outboard_tests::bytes::{assert_same, bytes};
use outboard_tests::child::{Exit, fork};
use outboard_tests::machine::cbc_aes_drivers;
use outboard_tests::processes::descriptors;
use outboard_tests::sessions::{assert_right, assert_right_after_forks, by_software, is_right};
use outboard_tests::skip::skip;
use outboard_tests::threads::join;

const NODE: &str = "/dev/crypto";
const KEY: [u8; 16] = [7; 16];

/// One test at a time: some close descriptors.
static ALONE: Mutex<()> = Mutex::new(());

fn alone(test: &str) -> Option<MutexGuard<'static, ()>> {
    if !Path::new(NODE).exists() {
        skip(test, format!("{NODE} (insmod cryptodev.ko)"));
        return None;
    }
    Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The driver that the device reaches, for one test at a time.
fn reached(test: &str) -> Option<(Cryptodev, MutexGuard<'static, ()>)> {
    let alone = alone(test)?;
    let drivers = cbc_aes_drivers();
    let found = drivers.iter().find_map(|driver| Cryptodev::reach(driver, Algorithm::CbcAes).ok());
    Some((found.unwrap_or_else(|| panic!("{NODE} leads to none of {drivers:?}")), alone))
}

#[track_caller]
fn open(device: &Cryptodev, key: &[u8]) -> Box<dyn Session> {
    device.open(key).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn it_leads_to_what_the_kernel_picks_and_the_refusal_of_all_others_names_that() {
    let test = "it_leads_to_what_the_kernel_picks_and_the_refusal_of_all_others_names_that";
    let Some((device, _alone)) = reached(test) else { return };
    let picked = device.driver();
    for other in cbc_aes_drivers().iter().map(String::as_str).chain(["no-such-driver"]) {
        match Cryptodev::reach(other, Algorithm::CbcAes) {
            Ok(reached) => assert_eq!((other, reached.driver()), (picked, picked)),
            Err(error) => {
                let text = error.to_string();
                assert!(other != picked && text.contains(other) && text.contains(picked), "{text}");
                assert!(text.contains("/dev/outboard"), "no next step: {text}");
            }
        }
    }
}

#[test]
fn every_length_gives_correct_results_and_an_oversized_request_is_rejected() {
    let test = "every_length_gives_correct_results_and_an_oversized_request_is_rejected";
    let Some((device, _alone)) = reached(test) else { return };
    let long = bytes(9, 1 << 20);
    for key in [bytes(1, 16), bytes(2, 24), bytes(3, 32)] {
        let mut session = open(&device, &key);
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let most = session.max_request(direction);
            for len in [0, 16, 32, 1008, 4080, 4096, 4112, 16_400, most - 16, most] {
                // At every offset in a page, and across pages.
                let input = &long[len % 4097..][..len];
                let iv = bytes(len as u64, 16);
                let request = Request::new(direction, &iv, input);
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
            for (iv, len) in [(16, 15), (15, 16), (16, most + 16)] {
                assert!(session.crypt(&Request::new(direction, &long[..iv], &long[..len])).is_err());
                assert!(session.result(0).is_err(), "what was refused has no result");
            }
        }
    }
    assert!(device.open(&long[..17]).is_err(), "no key of AES has 17 bytes");
}

#[test]
fn threads_share_a_key() {
    let Some((device, _alone)) = reached("threads_share_a_key") else { return };
    let first = open(&device, &KEY);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..16 {
            let mut session = first.share().expect("another session");
            threads.push(scope.spawn(move || {
                for round in 0..8 {
                    assert!(
                        is_right(&mut *session, &KEY, 100 * number + round),
                        "thread {number}, round {round}"
                    );
                }
            }));
        }
        join(threads);
    });
}

#[test]
fn parent_child_and_grandchild_go_on_with_one_session() {
    let Some((device, _alone)) = reached("parent_child_and_grandchild_go_on_with_one_session") else {
        return;
    };
    for exit in [Exit::Quick, Exit::Clean] {
        assert_right_after_forks(open(&device, &KEY), &KEY, exit);
    }
}

#[test]
fn sessions_of_a_child_end_with_it_and_those_of_its_parent_stay() {
    let test = "sessions_of_a_child_end_with_it_and_those_of_its_parent_stay";
    let Some((device, _alone)) = reached(test) else { return };
    let mut session = Some(open(&device, &KEY));
    fork(Exit::Quick, || {
        session = None;
        true
    })
    .wait()
    .expect("the child");
    assert!(is_right(&mut **session.as_mut().expect("the parent's"), &KEY, 1));
    // More keys than the accelerator of the test machines can hold, none of them freed by its
    // creator.
    for child in 0..40 {
        let body = || (0..4).all(|_| device.open(&KEY).map(std::mem::forget).is_ok());
        fork(Exit::Quick, body).wait().unwrap_or_else(|problem| panic!("child {child}: {problem}"));
    }
    assert!(is_right(&mut **session.as_mut().expect("the parent's"), &KEY, 2));
}

#[test]
fn a_child_without_permission_to_open_the_device_works_concurrently_with_its_parent() {
    let test = "a_child_without_permission_to_open_the_device_works_concurrently_with_its_parent";
    let Some((device, _alone)) = reached(test) else { return };
    let mut session = open(&device, &KEY);
    let request = Request::new(Direction::Encrypt, &[1; 16], &[2; 4096]);
    let expected = by_software(&KEY, &request);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let child = fork(Exit::Quick, || {
        // As a daemon after chroot(2).
        let locked_in = chroot(folder.path()).and_then(|()| std::env::set_current_dir("/"));
        locked_in.is_ok()
            && !Path::new(NODE).exists()
            && session.crypt(&request).is_ok_and(|result| result == expected)
    });
    child.wait().expect("the child, as root");
    assert!(is_right(&mut *session, &KEY, 1));
}

#[test]
fn a_reused_descriptor_number_gets_no_request() {
    let test = "a_reused_descriptor_number_gets_no_request";
    let Some((device, _alone)) = reached(test) else { return };
    let mut session = open(&device, &KEY);
    assert!(is_right(&mut *session, &KEY, 1));
    let mut file = tempfile::tempfile().expect("a temporary file");
    let put = |what: &File| {
        for fd in descriptors(NODE).into_iter().filter(|&fd| fd != what.as_raw_fd()) {
            // SAFETY: this test is the application; nothing else in the process uses the device
            // now.
            assert!(unsafe { libc::dup2(what.as_raw_fd(), fd) } >= 0);
        }
    };
    put(&file);
    assert!(is_right(&mut *session, &KEY, 2));
    assert_eq!(file.seek(SeekFrom::End(0)).expect("a file"), 0);
    assert_eq!(descriptors(NODE).len(), 1, "the device was opened again, once");
    // fstat(2) does not distinguish two open files of the device; but a failure there is not used
    // as a result.
    put(&File::options().read(true).write(true).open(NODE).expect("the device"));
    let request = Request::new(Direction::Encrypt, &[1; 16], &[2; 4096]);
    assert!(session.crypt(&request).is_err());
}

/// Calls with authentication are not used yet: this test checks their structure and number.
#[test]
fn a_request_with_authentication_is_understood() {
    let test = "a_request_with_authentication_is_understood";
    let Some(_alone) = alone(test) else { return };
    let device = File::options().read(true).write(true).open(NODE).expect("the device");
    let call = |number, with: *mut libc::c_void| {
        // SAFETY: below, each number comes with its structure, which lives on.
        let done = unsafe { libc::ioctl(device.as_raw_fd(), number, with) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    let none = std::ptr::null::<u8>();
    let zeros = [0_u8; 16];
    let mut made = SessionOp {
        cipher: Algorithm::GcmAes.cryptodev_number(),
        mac: 0,
        key_len: 16,
        key: zeros.as_ptr(),
        mac_key_len: 0,
        mac_key: none,
        session: 0,
    };
    call(abi::GSESSION, (&raw mut made).cast()).expect("a session of gcm(aes)");
    // Test case 2 of "The Galois/Counter Mode of Operation (GCM)", McGrew and Viega.
    let expected =
        [0x0388_dace_60b6_a392_f328_c2b9_71b2_fe78_u128, 0xab6e_47d4_2cec_13bd_f53a_67b2_1257_bddf];
    let expected = expected.map(u128::to_be_bytes).concat();
    let mut text = [0_u8; 32];
    let at = text.as_mut_ptr();
    let mut asked = CryptAuthOp {
        session: made.session,
        op: abi::ENCRYPT,
        flags: 0,
        len: 16,
        auth_len: 0,
        auth_source: none,
        source: at.cast_const(),
        destination: at.cast_const(),
        tag: none,
        tag_len: 16,
        iv: zeros.as_ptr(),
        iv_len: 12,
    };
    call(abi::AUTHCRYPT, (&raw mut asked).cast()).expect("encryption");
    assert_same(&text, &expected, "the ciphertext and its tag");
    (asked.op, asked.len) = (abi::DECRYPT, 32);
    call(abi::AUTHCRYPT, (&raw mut asked).cast()).expect("decryption");
    assert_same(&text[..16], &zeros, "the plaintext");
    let error = call(abi::AUTHCRYPT, (&raw mut asked).cast()).expect_err("the tag is that of another text");
    assert_eq!(error.raw_os_error(), Some(libc::EBADMSG));
}
