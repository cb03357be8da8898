//! What a model does beyond its registers: faults on demand, the time that requests take, counters
//! and a trace. The same for every engine.

use std::time::Duration;

use crate::options::Options;

/// The size of the region that shows the counters and accepts faults.
pub const PAGE: u32 = 4096;
/// The base address register of that region. No driver of a modelled engine uses it.
pub const PAGE_BAR: usize = 5;
/// The offset of the faults in the page; the counters begin at 0. Each is a 32-bit word.
const FAULTS_AT: usize = 0x80;
/// A fault that happens at random to one request in N.
const AT_RANDOM: u32 = 1 << 31;

/// What can go wrong with a request. The order is that of the words in the page.
pub const FAULTS: [&str; 5] = ["lose", "damage", "late", "error", "stop"];
const LOSE: usize = 0;
const DAMAGE: usize = 1;
const LATE: usize = 2;
const ERROR: usize = 3;
const STOP: usize = 4;

/// What is counted. The order is that of the words in the page.
pub const COUNTERS: [&str; 7] =
    ["requests", "operations", "bytes", "faults", "unsupported", "dma-errors", "accesses"];

/// Numbers since the start; they survive a reset.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// What the driver has started.
    pub requests: u32,
    /// Uses of a cipher, of which a request can have many.
    pub operations: u32,
    /// What these have processed.
    pub bytes: u32,
    /// Requests with a fault of this file.
    pub faults: u32,
    /// Uses of what the model does not implement.
    pub unsupported: u32,
    /// Accesses to an address that is not memory, and descriptors that cannot be true.
    pub dma_errors: u32,
    /// Accesses to registers.
    pub accesses: u32,
}

/// Why a request has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// What the model does not implement.
    Unsupported,
    /// An address without memory, or a descriptor that cannot be true.
    Wrong,
}

impl Counts {
    /// Counts a request without a result.
    pub fn failed(&mut self, failure: Failure) {
        match failure {
            Failure::Unsupported => self.unsupported += 1,
            Failure::Wrong => self.dma_errors += 1,
        }
    }
}

/// The faults of one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestFaults {
    /// It completes without an interrupt.
    pub lose: bool,
    /// One bit of its result is wrong.
    pub damage: bool,
    /// It completes later.
    pub late: bool,
    /// It ends with the engine's error bit, and without a right result (`damage`).
    pub error: bool,
    /// It and all following ones never complete, until a reset.
    pub stop: bool,
}

/// The faults of a model that are to come, its times, counters and trace.
pub struct Faults {
    pub counts: Counts,
    overhead: Duration,
    seconds_per_byte: f64,
    late: Duration,
    faults: [u32; FAULTS.len()],
    random: u64,
    trace: bool,
}

impl Faults {
    pub fn new(options: &mut Options) -> Result<Faults, String> {
        let mut faults = [0; FAULTS.len()];
        for (fault, name) in faults.iter_mut().zip(FAULTS) {
            *fault = options.take(name).map_or(Ok(0), |value| {
                parse_fault(&value).ok_or_else(|| format!("{name}={value} is neither N nor 1/N"))
            })?;
        }
        let rate: f64 = options.number("mb-per-s")?;
        let seconds_per_byte = if rate > 0.0 { 1e-6 / rate } else { 0.0 };
        let late = options
            .take("late-ms")
            .map_or(Ok(200), |value| value.parse().map_err(|_| format!("late-ms={value} is not a number")))?;
        Ok(Faults {
            counts: Counts::default(),
            overhead: Duration::from_micros(options.number("overhead-us")?),
            seconds_per_byte,
            late: Duration::from_millis(late),
            faults,
            random: options.number::<u64>("seed")?.max(1),
            trace: options.number::<u32>("trace")? > 0,
        })
    }

    /// The value of a write of a whole register; a write of another size is counted as unsupported.
    pub fn word(&mut self, data: &[u8]) -> Option<u32> {
        let value = data.try_into().map(u32::from_le_bytes).ok();
        self.counts.unsupported += u32::from(value.is_none());
        value
    }

    /// Decides what happens to the next request.
    pub fn next_request(&mut self) -> RequestFaults {
        self.counts.requests += 1;
        let mut hit = [false; FAULTS.len()];
        for (fault, hit) in self.faults.clone().iter().zip(&mut hit) {
            *hit = match *fault {
                0 => false,
                fault if fault & AT_RANDOM != 0 => self.random() % u64::from(fault & !AT_RANDOM) == 0,
                fault => fault == 1,
            };
        }
        for fault in &mut self.faults {
            if *fault & AT_RANDOM == 0 {
                *fault = fault.saturating_sub(1);
            }
        }
        self.counts.faults += u32::from(hit.contains(&true));
        RequestFaults {
            lose: hit[LOSE],
            damage: hit[DAMAGE] || hit[ERROR],
            late: hit[LATE],
            error: hit[ERROR],
            stop: hit[STOP],
        }
    }

    /// The time before a request moves data.
    pub fn time_to_start(&self, fate: RequestFaults) -> Duration {
        self.overhead + if fate.late { self.late } else { Duration::ZERO }
    }

    /// The time that the data take.
    pub fn time_of(&self, bytes: u32) -> Duration {
        Duration::from_secs_f64(f64::from(bytes) * self.seconds_per_byte)
    }

    /// Inverts one bit, if the fate of the request is to be damaged and nothing was yet.
    pub fn damage(&mut self, fate: &mut RequestFaults, data: &mut [u8]) {
        if std::mem::take(&mut fate.damage) && !data.is_empty() {
            let at = self.random() as usize % data.len();
            data[at] ^= 1 << (self.random() % 8);
            self.trace(|| format!("byte {at} of {} damaged", data.len()));
        }
    }

    /// A step of xorshift64 (Marsaglia, "Xorshift RNGs", 2003): a seed repeats a run.
    fn random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    /// A word of the page.
    pub fn read_page(&self, at: usize) -> u32 {
        let index = at.wrapping_sub(FAULTS_AT) / 4;
        self.counts.words().get(at / 4).or_else(|| self.faults.get(index)).copied().unwrap_or(0)
    }

    /// Sets a fault: N for the N-th request from now on, with the highest bit for one in N.
    pub fn write_page(&mut self, at: usize, word: u32) {
        if let Some(fault) = self.faults.get_mut(at.wrapping_sub(FAULTS_AT) / 4) {
            *fault = if word == AT_RANDOM { 0 } else { word };
        }
    }

    /// Prints a line of the trace.
    pub fn trace(&self, line: impl FnOnce() -> String) {
        if self.trace {
            eprintln!("{}", line());
        }
    }

    /// All counters, as one line.
    pub fn summary(&self) -> String {
        let pairs = COUNTERS.iter().zip(self.counts.words());
        pairs.map(|(name, count)| format!("{name}={count}")).collect::<Vec<_>>().join(" ")
    }
}

impl Counts {
    fn words(&self) -> [u32; COUNTERS.len()] {
        let Counts { requests, operations, bytes, faults, unsupported, dma_errors, accesses } = *self;
        [requests, operations, bytes, faults, unsupported, dma_errors, accesses]
    }
}

fn parse_fault(value: &str) -> Option<u32> {
    let (random, number) = match value.strip_prefix("1/") {
        Some(number) => (AT_RANDOM, number),
        None => (0, value),
    };
    number.parse().ok().filter(|n| (1..AT_RANDOM).contains(n)).map(|n| n | random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::faults;

    #[test]
    fn a_fault_hits_the_request_with_its_number_and_no_other() {
        let mut faults = faults(&["lose=3", "stop=1"]);
        let fates: Vec<RequestFaults> = (0..5).map(|_| faults.next_request()).collect();
        assert_eq!(
            fates.iter().map(|fate| fate.lose).collect::<Vec<_>>(),
            [false, false, true, false, false]
        );
        assert!(fates[0].stop && !fates[1].stop);
        assert_eq!((faults.counts.requests, faults.counts.faults), (5, 2));
    }

    #[test]
    fn a_request_that_ends_with_an_error_has_a_wrong_result() {
        let mut faults = faults(&["error=1"]);
        let fates = [faults.next_request(), faults.next_request()];
        assert_eq!(fates.map(|fate| (fate.error, fate.damage)), [(true, true), (false, false)]);
    }

    #[test]
    fn a_seed_repeats_the_random_faults() {
        let run = |seed: &str| -> Vec<bool> {
            let mut faults = faults(&["error=1/10", seed]);
            (0..1000).map(|_| faults.next_request().error).collect()
        };
        assert_eq!(run("seed=7"), run("seed=7"));
        assert_ne!(run("seed=7"), run("seed=8"));
        let hits = run("seed=7").iter().filter(|hit| **hit).count();
        assert!((60..140).contains(&hits), "{hits} of 1000");
    }

    #[test]
    fn a_damaged_result_differs_in_one_bit_and_once() {
        let mut faults = faults(&["damage=1"]);
        let mut fate = faults.next_request();
        let mut data = [0; 64];
        faults.damage(&mut fate, &mut data);
        assert_eq!(data.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
        let before = data;
        faults.damage(&mut fate, &mut data);
        assert_eq!(data, before);
    }

    #[test]
    fn the_page_shows_counters_and_accepts_faults() {
        let mut faults = faults(&[]);
        faults.next_request();
        assert_eq!(faults.read_page(0), 1);
        faults.write_page(FAULTS_AT + 4 * ERROR, 2);
        assert_eq!(faults.read_page(FAULTS_AT + 4 * ERROR), 2);
        assert!(!faults.next_request().error);
        assert!(faults.next_request().error);
        faults.write_page(0, 77);
        faults.write_page(4092, 77);
        assert_eq!((faults.read_page(0), faults.read_page(4092)), (3, 0));
    }

    #[test]
    fn a_fault_that_cannot_happen_is_refused() {
        for word in ["lose=0", "lose=1/0", "damage=x", "late-ms=x"] {
            assert!(Faults::new(&mut Options::parse(&[word.to_owned()]).expect("a pair")).is_err(), "{word}");
        }
    }
}
