use std::cell::Cell;
use std::rc::Rc;

use outboard_abi::name;

use crate::kinds::Kind;
use crate::sham_driver::{Bench, bytes, interrupting, kind, software, update};
use crate::software::SoftContext;

const LEN: usize = 1400;

/// Messages of a connection under one key.
struct Connection {
    context: SoftContext,
    encrypt: bool,
    number: u64,
}

impl Connection {
    /// Of [`LEN`] bytes, of which the next one uses key stream.
    fn with_key_stream(bench: &Bench, kind: &Kind, encrypt: bool) -> Connection {
        let mut connection = Connection { context: bench.context(kind), encrypt, number: 0 };
        for _ in 0..8 {
            let text = connection.text(kind);
            let expected = connection.expected(kind, &text);
            connection.begin(&expected.1);
            assert!(update(&connection.context, &text) == Some(expected.0));
            assert!(connection.context.end());
        }
        connection
    }

    fn nonce(&self) -> [u8; 12] {
        let mut nonce = [3; 12];
        nonce[4..].copy_from_slice(&self.number.to_be_bytes());
        nonce
    }

    /// The input of the next message.
    fn text(&self, kind: &Kind) -> Vec<u8> {
        let plain = bytes(LEN, self.number as usize);
        if self.encrypt { plain } else { self.sealed(kind, &plain).0 }
    }

    fn sealed(&self, kind: &Kind, plain: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let (soft, mut tag) = (software(kind), [0; 16]);
        assert!(soft.init(true, Some(&bytes(16, 1)), Some(&self.nonce())));
        let secret = update(&soft, plain).expect("a text");
        assert!(soft.end() && soft.get_octets(name::AEAD_TAG, &mut tag));
        (secret, tag)
    }

    /// The output of the next message, and its tag.
    fn expected(&self, kind: &Kind, text: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let plain = bytes(LEN, self.number as usize);
        let (secret, tag) = self.sealed(kind, &plain);
        (
            if self.encrypt {
                secret
            } else {
                assert_eq!(secret, text);
                plain
            },
            tag,
        )
    }

    fn begin(&mut self, tag: &[u8; 16]) {
        let key = bytes(16, 1);
        let key = Some(&key[..]).filter(|_| self.number == 0);
        assert!(self.context.init(self.encrypt, key, Some(&self.nonce())));
        assert!(self.encrypt || self.context.set_octets(name::AEAD_TAG, tag));
        self.number += 1;
    }
}

fn bench(test: &str, lines: &[(&str, &str)]) -> (Bench, &'static Kind) {
    let ahead = [("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")];
    (Bench::new(test, &[&ahead[..], lines].concat()), kind("AES-128-GCM"))
}

/// Whether a block of the plaintext is in the output.
fn reveals(output: &[u8], plain: &[u8]) -> bool {
    output.chunks_exact(16).zip(plain.chunks_exact(16)).any(|(one, other)| one == other)
}

#[test]
fn a_default_provider_that_fails_leaves_no_plaintext_in_a_separate_output() {
    let (bench, kind) = bench("plaintext", &[("THRESHOLDS", "ALL:1048576")]);
    let mut outcomes = [0; 2];
    // The calls for a message are fewer. Each of them fails, and those after it.
    for right in 0..12 {
        for in_place in [false, true] {
            let mut connection = Connection::with_key_stream(&bench, kind, true);
            let (plain, before) = (connection.text(kind), bench.counts(kind).ahead_requests);
            let (expected, tag) = connection.expected(kind, &plain);
            connection.begin(&tag);
            let mut output = if in_place { plain.clone() } else { vec![0xa5; LEN] };
            let input = if in_place { output.as_ptr() } else { plain.as_ptr() };
            let mut left = right;
            let before_call = move || {
                left -= 1;
                left >= 0
            };
            let context = &connection.context;
            let is_done = interrupting(before_call, || {
                // SAFETY: both have this length, or are the same.
                unsafe { context.update(output.as_mut_ptr(), LEN, input, LEN) }.is_some()
            });
            let what = format!("{right} calls, in place: {in_place}");
            assert_eq!(is_done, output == expected, "{what}");
            assert!(in_place || !reveals(&output, &plain), "{what}");
            // What the caller may pass again.
            assert!(!in_place || is_done || output == plain, "{what}");
            outcomes[usize::from(is_done)] += 1;
            drop(connection);
            assert!(!is_done || bench.counts(kind).ahead_requests > before);
        }
    }
    assert!(outcomes.iter().all(|count| *count >= 4), "{outcomes:?}");
}

#[test]
fn the_ciphertext_that_is_decrypted_is_the_one_that_was_verified() {
    let (bench, kind) = bench("read-once", &[("THRESHOLDS", "ALL:1048576")]);
    let mut connection = Connection::with_key_stream(&bench, kind, false);
    let secret = connection.text(kind);
    let (plain, tag) = connection.expected(kind, &secret);
    connection.begin(&tag);
    // The peer changes the text in shared memory, at each call that software makes for the message.
    let (text, calls) =
        (Rc::new(secret.into_iter().map(Cell::new).collect::<Vec<_>>()), Rc::new(Cell::new(0)));
    let before_call = {
        let (text, calls) = (Rc::clone(&text), Rc::clone(&calls));
        move || {
            text.iter().for_each(|byte| byte.set(byte.get().wrapping_add(1)));
            calls.set(calls.get() + 1);
            true
        }
    };
    let mut output = vec![0; LEN];
    let before = bench.counts(kind).ahead_requests;
    let written = interrupting(before_call, || {
        // SAFETY: both have this length.
        unsafe { connection.context.update(output.as_mut_ptr(), LEN, text.as_ptr().cast(), LEN) }
    });
    assert!(written == Some(LEN) && output == plain && calls.get() > 0);
    assert!(connection.context.end());
    drop(connection);
    assert!(bench.counts(kind).ahead_requests > before, "with key stream");
}

#[test]
fn no_message_waits_for_a_driver_that_computes_key_stream() {
    let (bench, kind) = bench("no-wait", &[("THRESHOLDS", "ALL:256")]);
    for encrypt in [true, false] {
        let mut connection = Connection::with_key_stream(&bench, kind, encrypt);
        let direct = bench.sham.state().submitted.len();
        bench.sham.state().is_late = true;
        // Messages for which there is key stream, for which there is none yet, and of another length.
        for _ in 0..500 {
            let text = connection.text(kind);
            let (expected, tag) = connection.expected(kind, &text);
            connection.begin(&tag);
            assert!(update(&connection.context, &text) == Some(expected));
            assert!(connection.context.end());
        }
        drop(connection);
        let mut state = bench.sham.state();
        state.is_late = false;
        assert_eq!(state.submitted.len(), direct, "no direct request");
    }
}
