//! Sessions of an accelerator, without the provider: results compared with those of software.

use outboard_accel::{Direction, Request, Session};

use crate::bytes::{assert_same, bytes};
use crate::child::{Exit, fork};
use crate::evp::{self, Cipher, LibraryContext};
use crate::messages::unpadded;

/// The result of OpenSSL's own code for a request.
pub fn by_software(key: &[u8], request: &Request<'_>) -> Vec<u8> {
    let world = LibraryContext::new();
    let cipher = Cipher::fetch(&world, &format!("AES-{}-CBC", key.len() * 8), "provider=default");
    let iv = request.iv.try_into().expect("16 bytes");
    let direction = match request.direction {
        Direction::Encrypt => evp::Direction::Encrypt,
        Direction::Decrypt => evp::Direction::Decrypt,
    };
    let text = [request.head, request.input].concat();
    unpadded(&cipher.expect("OpenSSL has it"), key, iv, direction, &text)
}

/// The result of a session with this key is that of software.
#[track_caller]
pub fn assert_right(session: &mut dyn Session, key: &[u8], request: &Request<'_>, what: &str) {
    let result = session.crypt(request).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_same(result, &by_software(key, request), what);
    session.release();
}

/// Whether a session with this key gives the results of software, in both directions.
pub fn is_right(session: &mut dyn Session, key: &[u8], seed: u64) -> bool {
    let (iv, input) = (bytes(seed, 16), bytes(seed + 1, 16 * 1024 + 16));
    [Direction::Encrypt, Direction::Decrypt].into_iter().all(|direction| {
        let request = Request::new(direction, &iv, &input);
        session.crypt(&request).is_ok_and(|result| result == by_software(key, &request))
    })
}

/// A process, its child and its grandchild use one session, which has this key.
#[track_caller]
pub fn assert_right_after_forks(mut session: Box<dyn Session>, key: &[u8], exit: Exit) {
    assert!(is_right(&mut *session, key, 1));
    let child = fork(exit, || {
        let right = is_right(&mut *session, key, 2);
        right
            && fork(exit, || is_right(&mut *session, key, 3)).wait().is_ok()
            && is_right(&mut *session, key, 4)
    });
    assert!(is_right(&mut *session, key, 5), "{exit:?}");
    child.wait().unwrap_or_else(|problem| panic!("{exit:?}: {problem}"));
    assert!(is_right(&mut *session, key, 6), "{exit:?}: after the child has ended");
}
