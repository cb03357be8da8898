use super::*;
use crate::bench::{Bench, RAM};
use crate::block::tests::hex;
use crate::block::{Cipher, Direction, crypt};
use crate::vfio::Device;

/// Where a driver has its rings, of four descriptors and a jump each, and its buffers.
const RING_BYTES: u32 = 0x100;
const COMMANDS: u32 = RAM + 0x1000;
const RESULTS: u32 = RAM + 0x1800;
const PLAIN: u32 = RAM + 0x2000;
const SECRET: u32 = RAM + 0x3000;
const LENGTH_OF_RING: u32 = 4;
/// Of a descriptor: valid, last, without interrupt; a jump.
const VALID: u32 = 1 << 31;
const MORE: u32 = VALID | 1 << 25;
const END: u32 = MORE | 1 << 29;
const JUMP: u32 = MORE | 1 << 30;
/// Control bits that enable all rings, and the status bits that drivers enable.
const ENABLE: u32 = 0x8080_8080;
const R_DONE: u32 = 1 << 20;
const C_WAIT: u32 = 1 << 2;
const ABORTS: u32 = 0x2020_2020;
/// The commands of a cipher.
const AES_128: u32 = 3;
const AES_192: u32 = 3 | 1 << 9;
const AES_256: u32 = 3 | 2 << 9;
const DES: u32 = 0;
const TRIPLE_DES: u32 = 1;
const CBC: u32 = 1 << 3 | IV;
const KEY: u32 = 1 << 11;
const IV: u32 = 1 << 12;
const ENCRYPT: u32 = 0x800;
const DECRYPT: u32 = 0x2800;
/// NIST SP 800-38A, F.2.1, two blocks.
const NIST_KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const NIST_IV: &str = "000102030405060708090a0b0c0d0e0f";
const NIST_PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51";
const NIST_SECRET: &str = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2";

/// The engine with a driver's rings.
struct Driver {
    bench: Bench,
    /// The number of descriptors that each ring has had.
    used: [u32; 4],
}

impl Driver {
    fn new(options: &[&str]) -> Driver {
        let mut bench = Bench::new(Hifn::new(), 1, options);
        bench.model.write(0, PUCTRL2, &PUCTRL_DMAENA.to_le_bytes(), &bench.memory);
        bench.set(CNFG, NO_RESET | 1 << 16);
        for ring in RINGS {
            bench.set(ADDRESSES + ADDRESS_STEP * ring as usize, ring_at(ring));
        }
        bench.set(CSR, ENABLE | !(3 * 0x4040_4040));
        bench.set(IER, R_DONE | ABORTS);
        Driver { bench, used: [0; 4] }
    }

    fn unit(&mut self, at: usize) -> u32 {
        let mut data = [0; 4];
        self.bench.model.read(UNIT, at, &mut data);
        u32::from_le_bytes(data)
    }

    fn set_unit(&mut self, at: usize, value: u32) {
        self.bench.model.write(UNIT, at, &value.to_le_bytes(), &self.bench.memory);
    }

    /// Adds a descriptor, and the jump after the last one, without a write to a register. Returns
    /// where it is.
    fn add(&mut self, ring: Ring, flags: u32, address: u32) -> u32 {
        let at = self.used[ring as usize] % LENGTH_OF_RING;
        self.used[ring as usize] += 1;
        if at == LENGTH_OF_RING - 1 {
            let jump = ring_at(ring) + 8 * LENGTH_OF_RING;
            self.bench.put_words(jump, &[JUMP | flags & 1 << 29, ring_at(ring)]);
        }
        self.bench.put_words(ring_at(ring) + 8 * at, &[flags, address]);
        ring_at(ring) + 8 * at
    }

    fn add_command(&mut self, command: &[u8]) -> u32 {
        let to = COMMANDS + 0x100 * (self.used[Ring::Command as usize] % LENGTH_OF_RING);
        self.bench.put(to, command);
        self.add(Ring::Command, END | command.len() as u32, to)
    }

    /// One request as Linux's driver makes it: the source, the destination, the command, the
    /// result.
    fn request(&mut self, command: &[u8], from: u32, to: u32, len: u32) {
        self.add(Ring::Source, END | len, from);
        self.add(Ring::Destination, END | len, to);
        self.add_command(command);
        self.add(Ring::Result, END & !(1 << 25) | 12, RESULTS);
        self.poll();
    }

    /// The interval of the engine passes: a tick that finds a command, and one that begins it.
    fn poll(&mut self) {
        (0..2).for_each(|_| self.bench.model.tick(&self.bench.memory));
    }

    fn is_interrupting(&mut self) -> bool {
        self.bench.model.signal().level
    }

    fn is_valid(&self, ring: Ring, index: u32) -> bool {
        word(&self.bench.get(ring_at(ring) + 8 * index, 4), 0) & VALID != 0
    }

    fn counts(&self) -> (u32, u32, u32) {
        let counts = &self.bench.model.faults.counts;
        (counts.operations, counts.unsupported, counts.dma_errors)
    }

    fn encrypts(&mut self) -> Vec<u8> {
        self.bench.put(PLAIN, &hex(NIST_PLAIN));
        self.request(&nist(ENCRYPT), PLAIN, SECRET, 32);
        self.bench.get(SECRET, 32)
    }
}

fn ring_at(ring: Ring) -> u32 {
    RAM + RING_BYTES * ring as u32
}

/// A command for `len` bytes.
fn command(base: u32, cipher: u32, len: u32, key: &[u8], iv: &[u8]) -> Vec<u8> {
    let upper = (len >> 16) << 14;
    let words = [base, upper | (len >> 16) << 12, len, len, cipher | upper, 0, len, 0];
    let mut bytes = words.map(|word| (word as u16).to_le_bytes()).concat();
    bytes.extend(key);
    bytes.extend(iv);
    bytes
}

fn nist(base: u32) -> Vec<u8> {
    command(base, AES_128 | CBC | KEY, 32, &hex(NIST_KEY), &hex(NIST_IV))
}

#[test]
fn cbc_is_as_the_standard_shows_and_interrupts() {
    let mut driver = Driver::new(&[]);
    assert_eq!(driver.encrypts(), hex(NIST_SECRET));
    assert!(driver.is_interrupting());
    assert_eq!(driver.bench.register(CSR) & R_DONE, R_DONE);
    assert_eq!(driver.bench.get(RESULTS, 12), hex("000000002000200000000000"));
    driver.bench.set(CSR, R_DONE);
    assert!(!driver.is_interrupting());
    driver.request(&nist(DECRYPT), SECRET, SECRET, 32);
    assert_eq!(driver.bench.get(SECRET, 32), hex(NIST_PLAIN));
}

#[test]
fn each_cipher_and_key_is_that_of_rustcrypto() {
    let key: Vec<u8> = (1..=32).map(|byte| byte * 7).collect();
    let (iv, plain) = (hex(NIST_IV), hex(NIST_PLAIN));
    for (cipher, bits, key_len, block) in [
        (Cipher::Aes, AES_128, 16, 16),
        (Cipher::Aes, AES_192, 24, 16),
        (Cipher::Aes, AES_256, 32, 16),
        (Cipher::Des, DES, 8, 8),
        (Cipher::Des, TRIPLE_DES, 24, 8),
    ] {
        for mode in [0, CBC] {
            let mut driver = Driver::new(&[]);
            driver.bench.put(PLAIN, &plain);
            let (key, mut iv) = (&key[..key_len], iv[..block].to_vec());
            // Bytes after the IV are not used.
            let mut bytes = command(ENCRYPT, bits | mode | KEY, 32, key, if mode == 0 { &[] } else { &iv });
            bytes.extend([0x55; 16]);
            driver.request(&bytes, PLAIN, SECRET, 32);
            let mut expected = plain.clone();
            let chain = (mode != 0).then_some(&mut iv[..]);
            assert!(crypt(cipher, key, Direction::Encrypt, chain, &mut expected));
            assert_eq!(driver.bench.get(SECRET, 32), expected, "{cipher:?} {bits:#x} {mode:#x}");
            assert_eq!(driver.counts(), (1, 0, 0));
        }
    }
}

#[test]
fn descriptors_are_followed_over_the_ends_of_the_rings() {
    let mut driver = Driver::new(&[]);
    driver.bench.put(PLAIN, &hex(NIST_PLAIN));
    for round in 0..6 {
        // Two chunks of the source, at any address, and three of the destination.
        driver.bench.put(PLAIN + 0x101, &hex(NIST_PLAIN)[..5]);
        driver.add(Ring::Source, MORE | 5, PLAIN + 0x101);
        driver.add(Ring::Source, END | 27, PLAIN + 5);
        for (to, len, flags) in [(0, 4, MORE), (4, 0, MORE), (4, 28, END)] {
            driver.add(Ring::Destination, flags | len, SECRET + to);
        }
        driver.add_command(&nist(ENCRYPT));
        driver.add(Ring::Result, END & !(1 << 25) | 12, RESULTS);
        driver.poll();
        assert_eq!(driver.bench.get(SECRET, 32), hex(NIST_SECRET), "round {round}");
        driver.bench.put(SECRET, &[0; 32]);
    }
    assert_eq!(driver.counts(), (6, 0, 0));
    for ring in RINGS {
        assert!((0..LENGTH_OF_RING).all(|index| !driver.is_valid(ring, index)), "{ring:?}");
    }
}

#[test]
fn a_command_waits_for_each_ring_and_begins_without_a_register() {
    let mut driver = Driver::new(&[]);
    driver.bench.put(PLAIN, &hex(NIST_PLAIN));
    driver.bench.set(CSR, C_WAIT);
    driver.poll();
    assert_eq!(driver.bench.register(CSR) & C_WAIT, C_WAIT, "the ring is empty still");
    driver.add_command(&nist(ENCRYPT));
    driver.add(Ring::Source, MORE | 16, PLAIN);
    driver.add(Ring::Destination, END | 32, SECRET);
    driver.add(Ring::Result, END & !(1 << 25) | 12, RESULTS);
    driver.poll();
    assert_eq!(driver.bench.model.faults.counts.requests, 0);
    assert!(driver.bench.model.deadline().is_some(), "it is polled");
    driver.add(Ring::Source, END | 16, PLAIN + 16);
    driver.poll();
    assert_eq!(driver.bench.get(SECRET, 32), hex(NIST_SECRET));
    assert!(driver.is_interrupting());
}

#[test]
fn rings_that_are_disabled_or_in_reset_are_not_polled() {
    let disable = |driver: &mut Driver| driver.bench.set(CSR, 0x40);
    let reset = |driver: &mut Driver| driver.bench.set(CNFG, 4);
    let no_dma = |driver: &mut Driver| driver.set_unit(PUCTRL, 0);
    for stop in [disable as fn(&mut Driver), reset, no_dma] {
        let mut driver = Driver::new(&[]);
        stop(&mut driver);
        assert_eq!(driver.encrypts(), [0; 32]);
        assert!(driver.bench.model.deadline().is_none());
    }
    let mut driver = Driver::new(&[]);
    disable(&mut driver);
    driver.encrypts();
    driver.bench.set(CSR, 0x80);
    driver.poll();
    assert_eq!(driver.bench.get(SECRET, 32), hex(NIST_SECRET), "begins when it is enabled");
}

#[test]
fn many_commands_are_one_request_each() {
    let mut driver = Driver::new(&[]);
    driver.bench.put(PLAIN, &hex(NIST_PLAIN));
    driver.bench.set(CSR, 0x40);
    for n in 0..3 {
        driver.request(&nist(ENCRYPT), PLAIN, SECRET + 32 * n, 32);
    }
    driver.bench.set(CSR, 0x80);
    (0..2).for_each(|_| driver.poll());
    assert_eq!(driver.bench.get(SECRET, 96), hex(NIST_SECRET).repeat(3));
    assert_eq!(driver.bench.model.faults.counts.requests, 3);
}

#[test]
fn a_write_that_arrives_after_the_next_command_was_found_leaves_its_interrupt() {
    let mut driver = Driver::new(&[]);
    driver.encrypts();
    driver.add(Ring::Source, END | 32, PLAIN);
    driver.add(Ring::Destination, END | 32, SECRET);
    driver.add_command(&nist(ENCRYPT));
    driver.add(Ring::Result, END & !(1 << 25) | 12, RESULTS);
    driver.bench.model.tick(&driver.bench.memory);
    driver.bench.set(CSR, R_DONE);
    assert!(!driver.is_interrupting());
    driver.poll();
    assert!(driver.is_interrupting());
}

#[test]
fn a_short_destination_is_an_overrun() {
    let mut driver = Driver::new(&[]);
    driver.bench.put(PLAIN, &hex(NIST_PLAIN));
    driver.set_unit(PUIER, DSTOVER);
    driver.add(Ring::Source, END | 32, PLAIN);
    driver.add(Ring::Destination, END | 16, SECRET);
    driver.add_command(&nist(ENCRYPT));
    driver.add(Ring::Result, END | 12, RESULTS);
    driver.poll();
    assert_eq!(driver.bench.get(SECRET, 32), [&hex(NIST_SECRET)[..16], &[0; 16]].concat());
    assert_eq!(driver.bench.get(RESULTS, 2), [0, 2]);
    assert_eq!(driver.bench.register(CSR) & (1 << 25 | ENGINE), 1 << 25 | ENGINE);
    driver.set_unit(PUISR, DSTOVER);
    assert_eq!(driver.bench.register(CSR) & ENGINE, 0);
}

#[test]
fn an_address_without_memory_aborts_its_ring() {
    for (broken, bit) in RINGS.into_iter().zip([1 << 5, 1 << 13, 1 << 21, 1 << 29]) {
        let mut driver = Driver::new(&[]);
        driver.add(Ring::Source, END | 32, PLAIN);
        driver.add(Ring::Destination, END | 32, SECRET);
        driver.add_command(&nist(ENCRYPT));
        driver.add(Ring::Result, END | 12, RESULTS);
        driver.bench.put_words(ring_at(broken) + 4, &[0x10]);
        driver.poll();
        assert_eq!(driver.bench.register(CSR) & ABORTS, bit, "{broken:?}");
        assert!(driver.is_interrupting() && driver.is_valid(Ring::Result, 0));
        assert_eq!(driver.counts().2, 1);
        driver.encrypts();
        assert_eq!(driver.bench.model.faults.counts.requests, 1, "halted");
    }
}

#[test]
fn a_ring_without_memory_or_without_an_end_is_aborted() {
    for (jump, bit) in [(0x10, 1 << 13), (ring_at(Ring::Source), 1 << 13)] {
        let mut driver = Driver::new(&[]);
        driver.add(Ring::Destination, END | 32, SECRET);
        driver.add_command(&nist(ENCRYPT));
        driver.add(Ring::Result, END | 12, RESULTS);
        // To itself, and to where no memory is.
        driver.bench.put_words(ring_at(Ring::Source), &[JUMP, jump]);
        driver.poll();
        assert_eq!(driver.bench.register(CSR) & ABORTS, bit, "{jump:#x}");
        assert_eq!(driver.counts(), (0, 0, 1));
    }
    // A circle of valid descriptors without the last one.
    let mut driver = Driver::new(&[]);
    driver.add_command(&nist(ENCRYPT));
    for _ in 0..LENGTH_OF_RING {
        driver.add(Ring::Source, MORE | 4, PLAIN);
    }
    driver.poll();
    assert_eq!(driver.bench.register(CSR) & ABORTS, 1 << 13);
}

#[test]
fn a_command_that_cannot_be_is_invalid_and_has_no_result() {
    let cipher = |bits| command(ENCRYPT, bits, 32, &hex(NIST_KEY), &hex(NIST_IV));
    let with = |n: usize, value: u16| {
        let mut bytes = nist(ENCRYPT);
        bytes[2 * n..2 * n + 2].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    for (bytes, is_unsupported) in [
        (nist(0xc00), true),                   // with a MAC
        (nist(0x4800), true),                  // reads the context memory
        (cipher(2 | KEY), true),               // RC4
        (cipher(AES_128 | 0x10 | KEY), true),  // CFB mode
        (cipher(AES_128), true),               // the key of the context memory
        (cipher(AES_128 | 0x8 | KEY), true),   // its IV
        (cipher(3 | 3 << 9 | KEY), false),     // a key size that does not exist
        (nist(ENCRYPT)[..47].to_vec(), false), // a part of an IV
        (nist(ENCRYPT)[..20].to_vec(), false), // a part of a key
        (nist(ENCRYPT)[..12].to_vec(), false),
        (Vec::new(), false),
        (with(2, 16), false), // another length of the source,
        (with(3, 16), false), // of the destination,
        (with(1, 1 << 14), false),
        (with(6, 31), false), // a part of a block
        (with(6, 48), false), // beyond the end
        (with(5, 16), false),
    ] {
        let mut driver = Driver::new(&[]);
        driver.bench.put(PLAIN, &hex(NIST_PLAIN));
        driver.request(&bytes, PLAIN, SECRET, 32);
        let expected = (0, u32::from(is_unsupported), u32::from(!is_unsupported));
        assert_eq!(driver.counts(), expected, "{bytes:02x?}");
        assert_eq!(driver.unit(PUISR), CMDINVAL);
        assert!(!driver.is_interrupting() && driver.is_valid(Ring::Result, 0));
        assert_eq!(driver.bench.get(SECRET, 32), [0; 32]);
    }
}

#[test]
fn a_part_of_the_source_is_passed_on() {
    let mut driver = Driver::new(&[]);
    let mut bytes = command(ENCRYPT, AES_128 | CBC | KEY, 40, &hex(NIST_KEY), &hex(NIST_IV));
    bytes[10..14].copy_from_slice(&[8, 0, 32, 0]);
    driver.bench.put(PLAIN, &[&[7; 8], &hex(NIST_PLAIN)[..]].concat());
    driver.request(&bytes, PLAIN, SECRET, 40);
    assert_eq!(driver.bench.get(SECRET, 40), [&[7; 8], &hex(NIST_SECRET)[..]].concat());
}

#[test]
fn a_damaged_lost_or_failed_request_is_seen() {
    let mut driver = Driver::new(&["damage=1", "lose=2", "error=3"]);
    let differing = |a: &[u8]| a.iter().zip(hex(NIST_SECRET)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    assert_eq!(differing(&driver.encrypts()), 1);
    assert!(driver.is_interrupting());
    driver.bench.set(CSR, R_DONE);
    assert_eq!(differing(&driver.encrypts()), 0);
    assert!(!driver.is_interrupting() && !driver.is_valid(Ring::Result, 1), "lost");
    assert_eq!(differing(&driver.encrypts()), 1);
    assert!(driver.is_interrupting());
    assert_eq!(driver.unit(PUISR), DATAERR);
}

#[test]
fn a_stopped_engine_completes_nothing_until_it_is_reset() {
    let mut driver = Driver::new(&["stop=1"]);
    assert_eq!(driver.encrypts(), [0; 32]);
    assert!(driver.is_valid(Ring::Result, 0) && !driver.is_interrupting());
    driver.bench.set(CNFG, 4);
    assert!(driver.bench.model.deadline().is_none());
    assert_eq!(driver.bench.register(CSR), 0);
}

#[test]
fn a_late_request_is_pending_until_its_time() {
    let mut driver = Driver::new(&["late=1", "late-ms=30"]);
    assert_eq!(driver.encrypts(), [0; 32]);
    std::thread::sleep(Duration::from_millis(40));
    driver.poll();
    assert_eq!(driver.bench.get(SECRET, 32), hex(NIST_SECRET));
}

#[test]
fn registers_that_end_at_once_or_cannot_be_written_keep_their_value() {
    let mut driver = Driver::new(&[]);
    driver.set_unit(PUCTRL, PUCTRL_DMAENA | PUCTRL_RESET);
    driver.set_unit(PUSTAT, 0);
    driver.bench.set(PUB_RESET, 1);
    driver.bench.set(REVID, 7);
    assert_eq!((driver.unit(PUCTRL), driver.unit(PUSTAT)), (PUCTRL_DMAENA, ENABLED_CIPHERS));
    assert_eq!((driver.bench.register(PUB_RESET), driver.bench.register(REVID)), (0, 1));
    assert_ne!(driver.bench.register(RNG_DATA), driver.bench.register(RNG_DATA));
    assert_eq!(driver.counts(), (0, 0, 0));
    driver.set_unit(PUCNFG, PUCNFG_BIGENDIAN);
    assert_eq!(driver.counts(), (0, 1, 0));
}
