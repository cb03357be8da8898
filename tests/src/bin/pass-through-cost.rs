//! Encrypts or decrypts so many updates of 16 bytes, for callgrind to count instructions.
//! Usage: pass-through-cost OPENSSL_CNF PROVIDER encrypt|decrypt UPDATES

use std::path::Path;
use std::process::ExitCode;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, provider, direction, updates] = arguments.as_slice() else {
        eprintln!("usage: pass-through-cost OPENSSL_CNF PROVIDER encrypt|decrypt UPDATES");
        return ExitCode::from(2);
    };
    let direction = if direction == "decrypt" { Direction::Decrypt } else { Direction::Encrypt };
    let updates: u32 = updates.parse().expect("UPDATES is a number");

    let world = LibraryContext::new();
    assert!(world.load_config(Path::new(config)), "the configuration loads");
    let cipher = Cipher::fetch(&world, "AES-128-CBC", &format!("provider={provider}")).expect("a cipher");
    let mut context = Context::keyed(&cipher, &bytes(1, 16), &array(2), direction);
    let (input, mut output) = ([7; 16], [0; 32]);
    for _ in 0..updates {
        context.update(&input, &mut output).expect("update");
    }
    ExitCode::SUCCESS
}
