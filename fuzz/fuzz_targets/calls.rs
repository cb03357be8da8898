//! Sequences of calls to this provider, compared with OpenSSL's default provider, over a driver with
//! faults.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use outboard_provider::Sequences;

static SEQUENCES: LazyLock<Sequences> = LazyLock::new(|| Sequences::new("calls"));

fuzz_target!(|bytes: &[u8]| SEQUENCES.run(bytes));
