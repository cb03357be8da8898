//! Makes requests through outboard that stay in software, and through the default provider alone,
//! for callgrind to count the instructions of each: 16-byte updates, or with GCM messages with a
//! nonce and a tag each. Usage: pass-through-cost OPENSSL_CNF REQUESTS ALGORITHM[/BYTES]...

use std::ffi::CString;
use std::path::Path;
use std::process::ExitCode;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::callgrind::count;
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext};
use outboard_tests::message_stream::{MessageStream, NONCE, StreamMessage};

/// Enough requests to complete all initialization, and the last ones of a context that takes part in
/// look-ahead.
const WARM_UP: usize = 64;

const MEASUREMENTS: [(&str, &str, Direction); 4] = [
    ("outboard", "encrypt", Direction::Encrypt),
    ("default", "encrypt", Direction::Encrypt),
    ("outboard", "decrypt", Direction::Decrypt),
    ("default", "decrypt", Direction::Decrypt),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, requests, algorithms @ ..] = arguments.as_slice() else {
        eprintln!("usage: pass-through-cost OPENSSL_CNF REQUESTS ALGORITHM[/BYTES]...");
        return ExitCode::from(2);
    };
    let requests: usize = requests.parse().expect("REQUESTS is a number");

    let world = LibraryContext::new();
    assert!(world.load_config(Path::new(config)), "the configuration loads");
    for what in algorithms {
        let (algorithm, length) = what.split_once('/').unwrap_or((what, "16"));
        let length = length.parse().expect("BYTES is a number");
        let fetch =
            |provider| Cipher::fetch(&world, algorithm, &format!("provider={provider}")).expect("a cipher");
        let messages =
            algorithm.ends_with("GCM").then(|| sealed(&fetch("default"), WARM_UP + requests, length));
        for (provider, verb, direction) in MEASUREMENTS {
            let name = CString::new(format!("{what} {provider} {verb}")).expect("no NUL byte");
            let cipher = fetch(provider);
            let mut context = Context::keyed(&cipher, &bytes(1, cipher.key_length()), &array(2), direction);
            let Some(messages) = &messages else {
                update(&mut context, WARM_UP, length);
                count(&name, || update(&mut context, requests, length));
                continue;
            };
            let (first, rest) = messages.split_at(WARM_UP);
            process(&mut context, first, direction);
            count(&name, || process(&mut context, rest, direction));
        }
    }
    ExitCode::SUCCESS
}

fn update(context: &mut Context, updates: usize, length: usize) {
    let (input, mut output) = (vec![7; length], vec![0; length + 16]);
    for _ in 0..updates {
        context.update(&input, &mut output).expect("update");
    }
}

/// Messages with nonces that cannot be predicted.
fn sealed(cipher: &Cipher, count: usize, length: usize) -> Vec<StreamMessage> {
    let mut stream = MessageStream::new(cipher, &bytes(1, cipher.key_length()), Direction::Encrypt);
    let message = |seed| StreamMessage::new(seed, array::<NONCE>(seed), length);
    (0..count as u64).map(|seed| stream.process(&message(seed), true).expect("sealed")).collect()
}

/// Encrypts or decrypts the messages. Encryption takes their ciphertext as its text.
fn process(context: &mut Context, messages: &[StreamMessage], direction: Direction) {
    let mut output = vec![0; messages[0].text.len() + 16];
    for message in messages {
        let mut nonce = [0; 16];
        nonce[..NONCE].copy_from_slice(&message.nonce);
        context.init(None, None, Some(&nonce), None).expect("nonce");
        // It has no effect, but some programs set it for each message.
        context.set_padding(false).expect("padding off");
        if direction == Direction::Decrypt {
            context.set_tag(&message.tag).expect("tag");
        }
        context.additional(&message.aad).expect("additional data");
        context.update(&message.text, &mut output).expect("update");
        context.finish(&mut output).expect("final");
        if direction == Direction::Encrypt {
            context.tag(message.tag.len()).1.expect("tag");
        }
    }
}
