//! /dev/outboard and fork(2): the descriptor is inherited, arenas and sessions are not.

use outboard_accel::{Direction, Request};
use outboard_tests::bytes::bytes;
use outboard_tests::child::{Exit, fork};
use outboard_tests::device::reached;
use outboard_tests::sessions::{assert_right_after_forks, by_software, is_right};

const KEY: [u8; 16] = [7; 16];

#[test]
fn parent_child_and_grandchild_go_on_with_one_session() {
    let Some(reached) = reached("parent_child_and_grandchild_go_on_with_one_session") else { return };
    for exit in [Exit::Quick, Exit::Clean] {
        assert_right_after_forks(reached.open(&KEY), &KEY, exit);
    }
}

#[test]
fn a_session_that_one_process_frees_stays_in_the_other() {
    let Some(reached) = reached("a_session_that_one_process_frees_stays_in_the_other") else { return };
    let mut session = Some(reached.open(&KEY));
    // The child frees first.
    let child = fork(Exit::Quick, || {
        session = None;
        true
    });
    child.wait().expect("the child");
    assert!(is_right(&mut **session.as_mut().expect("the parent's"), &KEY, 1));
    // The parent frees first; the child waits for that.
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    let child = fork(Exit::Quick, || {
        let mut byte = 0_u8;
        // SAFETY: room for one byte; the parent writes it.
        let read = unsafe { libc::read(ends[0], (&raw mut byte).cast(), 1) };
        read == 1 && is_right(&mut **session.as_mut().expect("the child's"), &KEY, 2)
    });
    session = None;
    // SAFETY: one byte to read, and descriptors of our own.
    unsafe {
        assert_eq!(libc::write(ends[1], c"x".as_ptr().cast(), 1), 1);
        libc::close(ends[0]);
        libc::close(ends[1]);
    }
    child.wait().expect("the child goes on");
    drop(session);
}

#[test]
fn a_request_in_flight_stays_with_the_parent() {
    let Some(reached) = reached("a_request_in_flight_stays_with_the_parent") else { return };
    let mut session = reached.open(&KEY);
    let (iv, input) = (bytes(1, 16), bytes(2, 65_536));
    let request = Request::new(Direction::Encrypt, &iv, &input);
    session.submit(&[request]).expect("a request");
    let child = fork(Exit::Quick, || session.result(0).is_err() && is_right(&mut *session, &KEY, 3));
    assert!(session.result(0).expect("the parent's result") == by_software(&KEY, &request));
    child.wait().expect("the child");
}

#[test]
fn many_children_choose_session_numbers_that_do_not_clash() {
    let Some(reached) = reached("many_children_choose_session_numbers_that_do_not_clash") else { return };
    let children: Vec<_> = (0..8)
        .map(|_| fork(Exit::Quick, || (0..10).all(|n| is_right(&mut *reached.open(&KEY), &KEY, n))))
        .collect();
    for child in children {
        child.wait().expect("a child");
    }
}
