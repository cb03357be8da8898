//! The engine as a driver uses it: tasks, with results computed by RustCrypto.

use super::*;
use crate::allwinner::{Case, cases};
use crate::bench::{Bench, RAM};
use crate::block::Cipher;
use crate::vfio::Device;

const KEY_AT: u32 = RAM + 0x100;
const IV_AT: u32 = RAM + 0x140;
const DATA: u32 = RAM + 0x1000;
const PLACE: u32 = RAM + 0x2000;
const KEY_BYTES: [u8; 32] = *b"a key of 32 bytes for the engine";
const IV_BYTES: [u8; 16] = *b"an IV of a block";
const BOTH: u32 = 3;
const FLOW_0: u32 = 1 << 30;
/// AES in ECB mode with a key of 16 bytes, by flow 0.
const PLAIN: u32 = START | FLOW_0;

fn bench(options: &[&str]) -> Bench {
    Bench::new(Sun8iSs::new(), 0, options)
}

impl Bench {
    /// Starts a task.
    fn flow_task(&mut self, control: u32, data: &[u8]) {
        self.put(DATA, data);
        self.put(KEY_AT, &KEY_BYTES);
        self.put(IV_AT, &IV_BYTES);
        self.set(ICR, BOTH);
        self.registers(&[(LEN, data.len() as u32 / 4)]);
        self.set(CTL, control);
    }

    /// Writes the registers of a task, but for these changes.
    fn registers(&mut self, changes: &[(usize, u32)]) {
        let usual = [(KEY, KEY_AT), (IV, IV_AT), (SOURCE, DATA), (RESULT, PLACE), (LEN, 8)];
        usual.iter().chain(changes).for_each(|(at, value)| self.set(*at, *value));
    }
}

#[test]
fn aes_des_and_triple_des_are_those_of_rustcrypto_in_both_directions() {
    let plain: Vec<u8> = (0..960_u32).map(|i| i as u8).collect();
    for Case { method, key_size, key_len, mode, secret, .. } in cases(&KEY_BYTES, &IV_BYTES, &plain) {
        let mut bench = bench(&[]);
        let both = [(FLOW_0, 0, &plain, &secret), (FLOW_1, DECRYPTION, &secret, &plain)];
        for (flow, (select, direction, from, to)) in both.into_iter().enumerate() {
            bench.flow_task(START | select | direction | method << 2 | key_size << 7 | mode << 13, from);
            assert!(&bench.get(PLACE, 960) == to, "{method} {key_len} {mode} {direction}");
            assert_eq!(bench.register(ISR), 1 << flow);
            assert!(bench.model.signal().level);
            bench.set(ISR, 1 << flow);
            assert!(!bench.model.signal().level);
        }
        let counts = &bench.model.faults.counts;
        assert_eq!((counts.requests, counts.bytes, counts.unsupported, counts.dma_errors), (2, 1920, 0, 0));
    }
}

#[test]
fn a_start_keeps_the_registers_of_its_task() {
    let mut bench = bench(&["late=1", "late-ms=30"]);
    bench.flow_task(PLAIN, &[3; 320]);
    assert_eq!(bench.register(CTL) & IDLE, 0);
    // The other flow's task ends before it.
    bench.registers(&[(RESULT, PLACE + 0x800)]);
    bench.set(CTL, START | FLOW_1);
    assert_eq!((bench.register(ISR), bench.get(PLACE, 16)), (2, vec![0; 16]));
    assert_ne!(bench.get(PLACE + 0x800, 16), [0; 16]);
    std::thread::sleep(std::time::Duration::from_millis(40));
    bench.model.tick(&bench.memory);
    let mut right = vec![3; 320];
    assert!(crypt(Cipher::Aes, &KEY_BYTES[..16], Direction::Encrypt, None, &mut right));
    assert_eq!((bench.register(ISR), bench.get(PLACE, 320)), (BOTH, right));
    assert_eq!(bench.register(CTL) & IDLE, IDLE);
}

#[test]
fn only_enabled_interrupts_raise_the_line() {
    let mut bench = bench(&[]);
    bench.flow_task(PLAIN, &[3; 32]);
    assert!(bench.model.signal().level);
    bench.set(ICR, 2);
    assert!(!bench.model.signal().level);
    assert_eq!(bench.register(ISR), 1);
    // Without the bit, nothing starts.
    bench.set(CTL, FLOW_1);
    assert_eq!((bench.register(ISR), bench.model.faults.counts.requests), (1, 1));
}

#[test]
fn a_damaged_failed_or_lost_request_is_seen() {
    let mut right = vec![3; 320];
    assert!(crypt(Cipher::Aes, &KEY_BYTES[..16], Direction::Encrypt, None, &mut right));
    let mut bench = bench(&["damage=1", "error=2", "lose=3"]);
    for (wrong, ends) in [(1, 1), (1, 1), (0, 0)] {
        bench.flow_task(PLAIN, &[3; 320]);
        let bits = bench.get(PLACE, 320).iter().zip(&right).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        assert_eq!((bits, bench.register(ISR)), (wrong, ends));
        bench.set(ISR, BOTH);
    }
}

#[test]
fn operations_that_the_model_lacks_end_without_a_result_and_are_counted() {
    // MD5, a random number, RSA; CTR mode of AES; a key of no size.
    for control in [3 << 2, 4 << 2, 9 << 2, 2 << 13, 3 << 7] {
        let mut bench = bench(&[]);
        bench.flow_task(PLAIN | control, &[3; 32]);
        assert_eq!((bench.register(ISR), bench.get(PLACE, 32)), (1, vec![0; 32]), "{control:#x}");
        assert_eq!(bench.model.faults.counts.unsupported, 1);
    }
}

#[test]
fn tasks_that_cannot_be_true_end_without_a_result_and_are_counted() {
    let wrong = [
        (KEY, 0),
        (KEY + 4, 1),
        (IV, 0),
        (SOURCE, 0),
        (SOURCE + 4, 1),
        (RESULT, 0),
        (RESULT + 4, 1),
        (LEN, u32::MAX),
        (LEN, MOST_WORDS),
    ];
    for change in wrong {
        let mut bench = bench(&[]);
        bench.registers(&[change]);
        bench.set(CTL, PLAIN | CBC << 13);
        assert_eq!((bench.register(ISR), bench.get(PLACE, 32)), (1, vec![0; 32]), "{change:?}");
        assert_eq!(bench.model.faults.counts.dma_errors, 1, "{change:?}");
    }
    let mut part = bench(&[]);
    part.registers(&[(LEN, 7)]);
    part.set(CTL, PLAIN);
    assert_eq!((part.register(ISR), part.model.faults.counts.unsupported), (1, 1));
}
