//! Makes 16-byte updates through outboard, below its threshold, and through the default provider
//! alone, for callgrind to count the instructions of each. Usage: pass-through-cost OPENSSL_CNF
//! UPDATES ALGORITHM...

use std::ffi::CString;
use std::path::Path;
use std::process::ExitCode;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::callgrind::count;
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext};

/// Enough calls to complete all initialization.
const WARM_UP: u32 = 64;

const MEASUREMENTS: [(&str, &str, Direction); 4] = [
    ("outboard", "encrypt", Direction::Encrypt),
    ("default", "encrypt", Direction::Encrypt),
    ("outboard", "decrypt", Direction::Decrypt),
    ("default", "decrypt", Direction::Decrypt),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, updates, algorithms @ ..] = arguments.as_slice() else {
        eprintln!("usage: pass-through-cost OPENSSL_CNF UPDATES ALGORITHM...");
        return ExitCode::from(2);
    };
    let updates: u32 = updates.parse().expect("UPDATES is a number");

    let world = LibraryContext::new();
    assert!(world.load_config(Path::new(config)), "the configuration loads");
    for algorithm in algorithms {
        for (provider, verb, direction) in MEASUREMENTS {
            let query = format!("provider={provider}");
            let cipher = Cipher::fetch(&world, algorithm, &query).expect("a cipher");
            let mut context = Context::keyed(&cipher, &bytes(1, cipher.key_length()), &array(2), direction);
            let mut make = |updates| {
                let (input, mut output) = ([7; 16], [0; 32]);
                for _ in 0..updates {
                    context.update(&input, &mut output).expect("update");
                }
            };
            make(WARM_UP);
            let name = CString::new(format!("{algorithm} {provider} {verb}")).expect("no NUL byte");
            count(&name, || make(updates));
        }
    }
    ExitCode::SUCCESS
}
