//! Fuzzing of look-ahead (`fuzz/`): the predictor of nonces, and the streams of key stream over an
//! engine whose behaviour the input determines. Each function panics where look-ahead is wrong.

mod engine;
mod messages;
mod predictor;
mod stream;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::counters::BLOCK;
use crate::block_cipher::BlockCipher;
use crate::hardware::Hardware;
use crate::in_out::InOut;
use crate::kinds::Mode;
use crate::log::Log;
use crate::sham_driver::libcrypto::provider;
use crate::trust::Trust;
use engine::Engine;
use outboard_accel::Accelerator;
use outboard_counters::Row;

pub use messages::messages;
pub use predictor::predictor;
pub use stream::stream;

/// AES in plain code, for the engine and the expected results.
#[path = "../../../accel/src/check/aes.rs"]
#[allow(dead_code, reason = "decryption is not used here")]
mod aes;

/// The key of all inputs. Its value changes nothing.
const KEY: [u8; 16] = *b"sixteen byte key";

/// Maximum key stream of a stream in bytes: the values to choose from.
const WINDOWS: [usize; 5] = [16, 64, 1024, 16384, 65536];

/// The bytes of an input, read in order. At its end all are 0.
struct Script {
    bytes: Vec<u8>,
    at: usize,
}

impl Script {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes.get(self.at - 1).copied().unwrap_or(0)
    }

    fn number(&mut self) -> u64 {
        let bytes: [u8; 8] = std::array::from_fn(|_| self.byte());
        u64::from_be_bytes(bytes)
    }

    fn is_over(&self) -> bool {
        self.at >= self.bytes.len()
    }
}

/// An engine, its script, and the driver that it is to the provider.
struct Bench {
    script: Arc<Mutex<Script>>,
    engine: Engine,
    hardware: Hardware,
    /// The bytes of each block that were used as key stream.
    used: HashMap<u128, u16>,
}

impl Bench {
    fn new(input: &[u8]) -> Bench {
        let script = Arc::new(Mutex::new(Script { bytes: input.to_vec(), at: 0 }));
        let engine = Engine::new(script.clone());
        let hardware = hardware(&engine);
        Bench { script, engine, hardware, used: HashMap::new() }
    }

    fn byte(&self) -> u8 {
        self.script.lock().expect("one thread").byte()
    }

    fn number(&self) -> u64 {
        self.script.lock().expect("one thread").number()
    }

    fn is_over(&self) -> bool {
        self.script.lock().expect("one thread").is_over()
    }

    /// A length in bytes: short, block by block, or long.
    fn length(&self) -> usize {
        let (unit, count) = (self.byte(), usize::from(self.byte()));
        [1, BLOCK, 50][usize::from(unit) % 3] * count
    }

    /// A wrong result ends the stream. The next one has another driver.
    fn wrong(&mut self) {
        self.hardware = hardware(&self.engine);
        self.used.clear();
    }

    /// Processes a text with `mix` and compares the bytes that were done with plain code.
    /// `counter_at` is the counter block of a byte of the text and its offset in the block.
    fn process<T>(
        &mut self,
        len: usize,
        counter_at: impl Fn(usize) -> (u128, usize),
        mix: impl FnOnce(InOut<'_>, &Hardware) -> (usize, T),
    ) -> (usize, T) {
        let text: Vec<u8> = (0..len).map(|at| at as u8).collect();
        let mut output = vec![0xa5; len];
        let (done, stopped) = mix(InOut::apart(&text, &mut output), &self.hardware);
        assert!(done <= len);
        assert!(output[done..].iter().all(|&byte| byte == 0xa5), "nothing else is written");
        let mut stream = (None, [0; BLOCK]);
        for at in 0..done {
            let (counter, offset) = counter_at(at);
            if stream.0 != Some(counter) {
                stream = (Some(counter), self.engine.encrypt(counter));
            }
            let is_right = output[at] == text[at] ^ stream.1[offset];
            assert!(is_right || self.engine.may_be_wrong(counter), "byte {at} of counter block {counter:x}");
            let mask = self.used.entry(counter).or_default();
            assert!(*mask >> offset & 1 == 0, "byte {offset} of counter block {counter:x} was used before");
            *mask |= 1 << offset;
        }
        (done, stopped)
    }
}

/// The default provider's block cipher with the key.
fn reference() -> BlockCipher {
    let software = provider().software;
    let ecb = software.cipher("AES-128-ECB").expect("the default provider's AES");
    BlockCipher::new(Box::leak(Box::new(ecb)), software.context(), Mode::Ecb, &KEY).expect("a context")
}

/// Counters of an algorithm.
fn row(algorithm: &str) -> &'static Row {
    provider().counters.row(algorithm).expect("an algorithm")
}

fn hardware(engine: &Engine) -> Hardware {
    Trust::of(engine.driver()).restore();
    Hardware::new(Box::new(engine.clone()), 64, Log::silent()).expect("memory")
}
