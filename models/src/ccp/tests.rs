use super::*;
use crate::bench::faults;
use crate::block::tests::{GCM_AAD, GCM_KEY, GCM_PLAIN, GCM_SECRET, GCM_TAG, gcm_counter, hex};
use crate::engine::Model;
use crate::vfio::Device;

const RAM: u64 = 0x1_0000_0000;
const SOURCE: u64 = RAM + 0x2000;
const RESULT: u64 = RAM + 0x3000;
/// The first queue.
const QUEUE: usize = PAGE;
/// A ring of four descriptors.
const ORDER: u32 = 1;
const IV: u32 = 0;
const KEY: u32 = 32;
/// The bits of a descriptor's first word: start, end, encryption; the mode and the engine.
const START: u32 = 1 << 3;
const END: u32 = 1 << 4;
const ENCRYPT: u32 = 1 << 12;
const MODE: u32 = 13;
const ENGINE: u32 = 20;
const PASS: u32 = 5 << ENGINE;
const REVERSED: u32 = 2 << 5;
const IN_LSB: u32 = 1 << 16;

struct Machine {
    model: Model,
    memory: Memory,
    tail: u32,
}

impl Machine {
    fn new(options: &[&str]) -> Machine {
        let memory = Memory::of(RAM, &vec![0; 0x4000]);
        let mut machine =
            Machine { model: Model::new(Box::new(Ccp::new()), faults(options)), memory, tail: 0 };
        for (at, value) in
            [(HEAD, 0), (TAIL, 0), (ENABLE, 0xf), (CONTROL, ORDER << ORDER_AT | 1 << ADDRESS_AT)]
        {
            machine.write(QUEUE + at, value);
        }
        machine
    }

    fn write(&mut self, at: usize, value: u32) {
        self.model.write(REGISTERS, at, &value.to_le_bytes(), &self.memory);
    }

    fn register(&mut self, at: usize) -> u32 {
        let mut bytes = [0; 4];
        self.model.read(REGISTERS, at, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        assert!(self.memory.write(at, bytes));
    }

    fn at(&self, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        assert!(self.memory.read(at, &mut bytes));
        bytes
    }

    /// One command. Places are an address, and the upper word of it.
    fn command(&mut self, function: u32, len: usize, from: (u64, u32), to: (u64, u32)) {
        let words = [function | 2, len as u32, from.0 as u32, (from.0 >> 32) as u32 | from.1, to.0 as u32]
            .into_iter()
            .chain([(to.0 >> 32) as u32 | to.1, KEY, IN_LSB]);
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        self.put(RAM | u64::from(self.tail), &bytes);
        self.tail = (self.tail + 32) % (32 << (ORDER + 1));
        self.write(QUEUE + TAIL, self.tail);
        self.write(QUEUE + CONTROL, RUN | ORDER << ORDER_AT | 1 << ADDRESS_AT);
    }

    /// Loads 32 bytes into the LSB, in reverse order.
    fn load(&mut self, entry: u32, bytes: &[u8]) {
        let mut padded = vec![0; ENTRY - bytes.len()];
        padded.extend(bytes);
        self.put(SOURCE, &padded);
        self.command(PASS | REVERSED, ENTRY, (SOURCE, 0), (entry.into(), IN_LSB));
    }

    fn process(&mut self, function: u32, input: &[u8]) -> Vec<u8> {
        self.put(SOURCE, input);
        self.command(function, input.len(), (SOURCE, 0), (RESULT, 0));
        self.at(RESULT, input.len())
    }
}

/// NIST SP 800-38A, F.2.1, F.2.2 and F.5.1.
#[test]
fn cbc_and_ctr_are_those_of_the_standard() {
    let plain = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
    let cbc = hex("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2");
    let ctr = hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff");
    let mut machine = Machine::new(&[]);
    machine.load(KEY, &hex("2b7e151628aed2a6abf7158809cf4f3c"));
    let iv = hex("000102030405060708090a0b0c0d0e0f");
    machine.load(IV, &iv);
    // The chain goes on in the context.
    assert_eq!(machine.process(1 << MODE | ENCRYPT | START, &plain[..16]), cbc[..16]);
    assert_eq!(machine.process(1 << MODE | ENCRYPT | END, &plain[16..]), cbc[16..]);
    machine.load(IV, &iv);
    assert_eq!(machine.process(1 << MODE, &cbc), plain);
    machine.load(IV, &hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"));
    assert_eq!(machine.process(4 << MODE | ENCRYPT | 127 << 5, &plain), ctr);
    assert_eq!(machine.model.faults.counts.dma_errors, 0);
}

#[test]
fn gcm_is_that_of_its_test_vectors() {
    let [plain, cipher, tag] = [GCM_PLAIN, GCM_SECRET, GCM_TAG].map(hex);
    let counter = gcm_counter(1);
    for (direction, input, output) in [(ENCRYPT, &plain, &cipher), (0, &cipher, &plain)] {
        let mut machine = Machine::new(&[]);
        machine.load(KEY, &hex(GCM_KEY));
        machine.load(IV, &counter);
        let aad = hex(GCM_AAD);
        machine.put(SOURCE, &aad);
        machine.command(6 << MODE | START, aad.len(), (SOURCE, 0), (RESULT, 0));
        let mut padded = input.clone();
        padded.resize(64, 0);
        assert_eq!(machine.process(7 << MODE | direction | START, &padded[..32]), output[..32]);
        let rest = 8 * (input.len() as u32 % 16) - 1;
        let last = machine.process(7 << MODE | direction | END | rest << 5, &padded[32..]);
        assert_eq!(last[..28], output[32..]);
        // The first counter again, with the state of the hash.
        machine.put(SOURCE, &counter.iter().rev().copied().collect::<Vec<_>>());
        machine.command(PASS, 16, (SOURCE, 0), (IV.into(), IN_LSB));
        let lengths: Vec<u8> = [8 * 20_u64, 8 * 60].into_iter().flat_map(u64::to_be_bytes).collect();
        assert_eq!(machine.process(6 << MODE | ENCRYPT, &lengths), tag);
    }
}

/// IEEE 1619-2007, annex B, vector 2.
#[test]
fn xts_is_that_of_the_standard_and_goes_on_in_the_next_command() {
    let cipher = hex("c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0");
    for (direction, input, output) in [(ENCRYPT, &vec![0x44; 32], &cipher), (0, &cipher, &vec![0x44; 32])] {
        let mut machine = Machine::new(&[]);
        machine.load(KEY, &[0x11; 16]);
        machine.load(KEY + 32, &[0x22; 16]);
        let mut tweak = [0; ENTRY];
        tweak[..5].fill(0x33);
        machine.put(SOURCE, &tweak);
        machine.command(PASS, ENTRY, (SOURCE, 0), (IV.into(), IN_LSB));
        assert_eq!(machine.process(1 << ENGINE | direction | START, &input[..16]), output[..16]);
        assert_eq!(machine.process(1 << ENGINE | direction | END, &input[16..]), output[16..]);
    }
}

/// NIST SP 800-38B, D.1: the subkey K1 and example 2.
#[test]
fn the_mac_ends_with_the_subkey_of_the_context() {
    let mut machine = Machine::new(&[]);
    machine.load(KEY, &hex("2b7e151628aed2a6abf7158809cf4f3c"));
    let mut context = hex("fbeed618357133667c85e08f7236a8de");
    context.extend([0; 16]);
    machine.load(IV, &context);
    machine.put(SOURCE, &hex("6bc1bee22e409f96e93d7e117393172a"));
    machine.command(5 << MODE | ENCRYPT | START | END, 16, (SOURCE, 0), (RESULT, 0));
    machine.command(PASS | REVERSED, ENTRY, (IV.into(), IN_LSB), (RESULT, 0));
    assert_eq!(machine.at(RESULT + 16, 16), hex("070a16b46b4d4144f79bdd9dd04a287c"));
}

#[test]
fn a_queue_interrupts_when_it_completes_and_again_when_a_pending_cause_is_enabled() {
    let mut machine = Machine::new(&[]);
    machine.process(0, &[1; 16]);
    assert_eq!(machine.model.signal().edges, [0]);
    assert_eq!(machine.register(QUEUE + INTERRUPTS), EMPTY | COMPLETION);
    assert_eq!(machine.model.signal().edges, [0; 0], "once");
    machine.write(QUEUE + ENABLE, 0);
    machine.model.signal();
    machine.write(QUEUE + ENABLE, 0xf);
    assert_eq!(machine.model.signal().edges, [0]);
    machine.write(QUEUE + INTERRUPTS, 0xf);
    assert_eq!(machine.register(QUEUE + INTERRUPTS), 0);
    machine.model.signal();
    // Without the bit for it in the descriptor the queue is only empty.
    let nothing = [PASS, 0, 0, IN_LSB, 0, IN_LSB, 0, IN_LSB].map(u32::to_le_bytes);
    machine.put(RAM | u64::from(machine.tail), nothing.as_flattened());
    machine.tail += 32;
    machine.write(QUEUE + TAIL, machine.tail);
    assert_eq!(machine.register(QUEUE + INTERRUPTS), EMPTY);
}

#[test]
fn a_command_of_a_running_queue_is_one_request() {
    let mut machine = Machine::new(&["overhead-us=1000000"]);
    for requests in 1..=3 {
        machine.command(PASS, 32, (SOURCE, 0), (RESULT, 0));
        assert_eq!(machine.model.faults.counts.requests, requests);
    }
}

#[test]
fn a_command_that_cannot_be_true_stops_the_queue_at_its_descriptor() {
    for (function, len, from) in [
        (PASS, 32, (0x10, 0)),                 // no memory
        (PASS, 64, (32 * 127, IN_LSB)),        // beyond the LSB
        (PASS, 32, (SOURCE, 2 << 16)),         // another memory
        (PASS, 1 << 30, (SOURCE, 0)),          // longer than memory
        (4 << MODE | 3 << 5, 16, (SOURCE, 0)), // a counter of four bits
        (1 << MODE, 15, (SOURCE, 0)),          // a part of a block
        (3 << ENGINE, 16, (SOURCE, 0)),        // SHA
    ] {
        let mut machine = Machine::new(&[]);
        machine.command(function, len, from, (RESULT, 0));
        assert_eq!(machine.model.faults.counts.dma_errors, 1, "{function:#x}");
        assert_eq!(machine.register(QUEUE + STATUS), ILLEGAL_ADDRESS);
        assert_eq!(machine.register(QUEUE + HEAD), 0);
        assert_eq!(machine.register(QUEUE + CONTROL) & (RUN | HALTED), HALTED);
        assert_eq!(machine.register(QUEUE + INTERRUPTS) & ERROR, ERROR);
    }
}

#[test]
fn a_damaged_lost_or_failed_request_is_seen() {
    let mut machine = Machine::new(&["damage=1", "lose=2", "error=3"]);
    let damaged = machine.process(0, &[1; 16]);
    let right = machine.process(0, &[1; 16]);
    let differing: u32 = damaged.iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!(differing, 1);
    machine.write(QUEUE + INTERRUPTS, 0xf);
    machine.model.faults.write_page(0x80, 1);
    machine.process(0, &[1; 16]);
    assert_eq!(machine.register(QUEUE + STATUS), PARITY);
    assert_eq!(machine.register(QUEUE + INTERRUPTS), 0, "lost");
}

#[test]
fn random_numbers_are_never_zero() {
    let mut machine = Machine::new(&[]);
    let mut numbers: Vec<u32> = (0..100).map(|_| machine.register(RANDOM)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert!(numbers.len() > 90 && !numbers.contains(&0));
}
