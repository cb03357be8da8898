//! Makes 16-byte updates through outboard, below its threshold, and through the default provider alone, for callgrind to
//! count the instructions of each. Usage: pass-through-cost OPENSSL_CNF UPDATES

use std::ffi::CStr;
use std::path::Path;
use std::process::ExitCode;

use outboard_tests::bytes::{array, bytes};
use outboard_tests::callgrind::count;
use outboard_tests::evp::{Cipher, Context, Direction, LibraryContext};

/// Enough that whatever the first calls set up is set up.
const WARM_UP: u32 = 64;

const MEASUREMENTS: [(&CStr, &str, Direction); 4] = [
    (c"outboard encrypt", "provider=outboard", Direction::Encrypt),
    (c"default encrypt", "provider=default", Direction::Encrypt),
    (c"outboard decrypt", "provider=outboard", Direction::Decrypt),
    (c"default decrypt", "provider=default", Direction::Decrypt),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, updates] = arguments.as_slice() else {
        eprintln!("usage: pass-through-cost OPENSSL_CNF UPDATES");
        return ExitCode::from(2);
    };
    let updates: u32 = updates.parse().expect("UPDATES is a number");

    let world = LibraryContext::new();
    assert!(world.load_config(Path::new(config)), "the configuration loads");
    for (name, query, direction) in MEASUREMENTS {
        let cipher = Cipher::fetch(&world, "AES-128-CBC", query).expect("a cipher");
        let mut context = Context::keyed(&cipher, &bytes(1, 16), &array(2), direction);
        let mut make = |updates| {
            let (input, mut output) = ([7; 16], [0; 32]);
            for _ in 0..updates {
                context.update(&input, &mut output).expect("update");
            }
        };
        make(WARM_UP);
        count(name, || make(updates));
    }
    ExitCode::SUCCESS
}
