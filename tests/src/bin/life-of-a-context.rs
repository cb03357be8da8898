//! All operations of a cipher context and of the provider, to run under valgrind.
//! Usage: life-of-a-context OPENSSL_CNF [ALGORITHM...]. The file must activate the default provider
//! and outboard; the algorithms (AES in CBC mode) are of CBC, CTR or GCM.

use std::path::PathBuf;
use std::process::ExitCode;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext, TlsRecords};
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};
use outboard_tests::stream::Stream;

fn main() -> ExitCode {
    let Some(config) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: life-of-a-context OPENSSL_CNF [ALGORITHM...]");
        return ExitCode::from(2);
    };
    let mut algorithms: Vec<String> = std::env::args().skip(2).collect();
    if algorithms.is_empty() {
        algorithms = ["AES-128-CBC", "AES-256-CBC"].map(str::to_owned).to_vec();
    }
    // Twice, so that the second run finds state that the first one left.
    for _ in 0..2 {
        let world = LibraryContext::new();
        assert!(world.load_config(&config) && world.has_provider("outboard"), "outboard loads");
        live(&world, &algorithms);
        outlive(world, &algorithms);
    }
    ExitCode::SUCCESS
}

/// Contexts that are freed after the library context.
fn outlive(world: LibraryContext, algorithms: &[String]) {
    let mut contexts = Vec::new();
    for algorithm in algorithms {
        let cipher = Cipher::fetch(&world, algorithm, "?provider=outboard").expect("a cipher");
        let mut context =
            Context::keyed(&cipher, &bytes(1, cipher.key_length()), &array(2), Direction::Encrypt);
        let (text, mut output) = (bytes(3, 8192), vec![0; 8208]);
        context.update(&text, &mut output).expect("update");
        contexts.push((cipher, context));
    }
    world.free_before_its_objects();
    drop(contexts);
}

fn live(world: &LibraryContext, algorithms: &[String]) {
    for algorithm in algorithms {
        let fetch = |query| Cipher::fetch(world, algorithm, query).expect("a cipher");
        let (chosen, soft) = (fetch("?provider=outboard"), fetch("provider=default"));
        if algorithm.ends_with("GCM") {
            seal_and_open_messages(&chosen);
            continue;
        }
        // Short and long chunks: software, hardware, and both in one stream.
        for piece in [5, 16, 100, 5000] {
            let stream = Stream::new(&soft, 1, 4, piece);
            let mut journey = stream.start(&chosen);
            journey.go();
            let copy = journey.copy();
            assert!(journey.ends_right() && copy.ends_right(), "the bytes are right");
        }
        if algorithm.ends_with("CTR") {
            // Long enough for look-ahead, in chunks for its short and its long lane.
            for piece in [100, 3000] {
                assert!(Stream::new(&soft, 2, 120, piece).runs_right(&chosen), "the bytes are right");
            }
            continue;
        }
        start_again_and_again(&chosen);
        seal_and_open_records(&chosen);
    }
}

/// Enough for look-ahead, with a copy, a forged message and another key in the middle.
fn seal_and_open_messages(cipher: &Cipher) {
    let start = |direction| MessageStream::new(cipher, &bytes(1, cipher.key_length()), direction);
    let (mut seal, mut open) = (start(Direction::Encrypt), start(Direction::Decrypt));
    for number in 0..120_u64 {
        let mut nonce = [3; NONCE];
        nonce[4..].copy_from_slice(&number.to_be_bytes());
        let message = StreamMessage::new(number, nonce, 900);
        if number == 80 {
            seal.copy().process(&message, true).expect("the copy seals");
            [&mut seal, &mut open].into_iter().for_each(|side| side.set_key(&bytes(2, cipher.key_length())));
        }
        let sealed = seal.process(&message, number % 2 == 0).expect("sealed");
        if number == 60 {
            let mut forged = sealed.clone();
            forged.tag[0] ^= 1;
            assert!(open.process(&forged, true).is_err(), "a forged message");
        }
        assert_eq!(open.process(&sealed, true).expect("opened").text, message.text);
    }
}

fn start_again_and_again(cipher: &Cipher) {
    let key = bytes(1, cipher.key_length());
    let mut output = vec![0; 9000];
    let mut context = Context::keyed(cipher, &key, &array(2), Direction::Encrypt);
    for length in [8000, 30] {
        context.update(&bytes(3, length), &mut output).expect("update");
        context.init(None, None, Some(&array(4)), None).expect("a new IV");
        context.update(&bytes(3, length), &mut output).expect("update");
        context.init(None, Some(&key), None, Some(Direction::Decrypt)).expect("a new key");
        context.update(&bytes(3, length), &mut output).expect("update");
        assert_eq!(context.finish(&mut output).returned, 0, "padding that is not there");
        context.init(None, Some(&key), Some(&array(5)), Some(Direction::Encrypt)).expect("a new start");
        context.original_iv();
        context.updated_iv();
    }
    context.reset().expect("reset");
    // Never keyed, never used, never finished.
    Context::new().init(Some(cipher), None, None, Some(Direction::Encrypt)).expect("init");
}

fn seal_and_open_records(cipher: &Cipher) {
    let key = bytes(6, cipher.key_length());
    let start = |direction| {
        let mut context = Context::keyed(cipher, &key, &array(7), direction);
        context.set_tls_records(TlsRecords { version: 0x0303, mac_size: 20 }).expect("TLS parameters");
        context
    };
    let (mut seal, mut open) = (start(Direction::Encrypt), start(Direction::Decrypt));
    for length in [60, 8000] {
        let mut record = bytes(8, length + 32);
        let sealed = seal.update_in_place(&mut record, length).expect("a record is sealed");
        open.update_in_place(&mut record, sealed).expect("a record is opened");
        assert!(open.tls_mac(20).0.is_some(), "its MAC");
    }
}
