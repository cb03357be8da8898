//! An engine by its registers, and what makes a device of it: the order of a request, time, and the
//! page of counters and faults.

use std::time::{Duration, Instant};

use crate::faults::{Faults, PAGE, PAGE_BAR, RequestFaults};
use crate::vfio::{Device, Identity, Memory, Signal};

/// What differs between engines. A channel is a part of an engine that works on its own.
pub trait Engine {
    fn identity(&self) -> Identity;
    /// Reads registers; the range is within the region.
    fn read(&mut self, bar: usize, at: usize, data: &mut [u8], faults: &mut Faults);
    /// Writes registers. Returns the channel that this write starts.
    fn write(&mut self, bar: usize, at: usize, data: &[u8], faults: &mut Faults) -> Option<usize>;
    /// The channel that descriptors in memory start, of an engine that polls them. It is running then.
    fn poll(&mut self, _memory: &Memory) -> Option<usize> {
        None
    }
    /// How often the engine polls now.
    fn poll_interval(&self) -> Option<Duration> {
        None
    }
    /// Does what the channel was started for, and returns the number of bytes. `fate` is to be passed
    /// to `Faults::damage` with each result.
    fn compute(
        &mut self,
        channel: usize,
        fate: &mut RequestFaults,
        faults: &mut Faults,
        memory: &Memory,
    ) -> u32;
    /// Sets the status of the end. Without `interrupt`, nothing that raises one.
    fn complete(&mut self, channel: usize, error: bool, interrupt: bool);
    /// Whether a request of the channel was withdrawn by a register since it was started.
    fn is_running(&self, channel: usize) -> bool;
    /// The interrupt lines.
    fn signal(&mut self) -> Signal;
    fn reset(&mut self);
}

/// A request that was started.
struct Request {
    channel: usize,
    fate: RequestFaults,
    /// None for one that will never complete.
    next: Option<Instant>,
    computed: bool,
}

/// A device for vfio-user.
pub struct Model {
    engine: Box<dyn Engine>,
    pub faults: Faults,
    requests: Vec<Request>,
    stopped: bool,
    polled: Instant,
    /// The channel that the last poll has found.
    found: Option<usize>,
}

impl Model {
    pub fn new(engine: Box<dyn Engine>, faults: Faults) -> Model {
        Model { engine, faults, requests: Vec::new(), stopped: false, polled: Instant::now(), found: None }
    }

    fn start(&mut self, channel: usize) {
        let fate = self.faults.next_request();
        self.stopped |= fate.stop;
        let next = (!self.stopped).then(|| Instant::now() + self.faults.time_to_start(fate));
        self.faults.trace(|| format!("channel {channel} starts, {fate:?}"));
        self.requests.push(Request { channel, fate, next, computed: false });
    }

    /// Computes and completes what is due.
    fn advance(&mut self, memory: &Memory) {
        let Model { engine, faults, requests, .. } = self;
        // Without a due date: those that a register has ended.
        requests.retain(|request| engine.is_running(request.channel));
        loop {
            let now = Instant::now();
            let Some(at) = requests.iter().position(|request| request.next.is_some_and(|at| at <= now))
            else {
                return;
            };
            let request = &mut requests[at];
            if request.computed {
                let Request { channel, fate, .. } = requests.remove(at);
                engine.complete(channel, fate.error, !fate.lose);
                continue;
            }
            let bytes = engine.compute(request.channel, &mut request.fate, faults, memory);
            faults.counts.bytes = faults.counts.bytes.wrapping_add(bytes);
            request.computed = true;
            request.next = Some(now + faults.time_of(bytes));
        }
    }
}

impl Device for Model {
    fn identity(&self) -> Identity {
        let mut identity = self.engine.identity();
        identity.bars[PAGE_BAR] = PAGE;
        identity
    }

    fn read(&mut self, bar: usize, at: usize, data: &mut [u8]) {
        if bar == PAGE_BAR {
            let word = self.faults.read_page(at & !3).to_le_bytes();
            data.iter_mut().zip(&word[at & 3..]).for_each(|(to, from)| *to = *from);
            return;
        }
        self.faults.counts.accesses = self.faults.counts.accesses.wrapping_add(1);
        self.engine.read(bar, at, data, &mut self.faults);
        self.faults.trace(|| format!("read {bar} {at:#x} {data:02x?}"));
    }

    fn write(&mut self, bar: usize, at: usize, data: &[u8], memory: &Memory) {
        if bar == PAGE_BAR {
            if let Ok(word) = data.try_into() {
                self.faults.write_page(at, u32::from_le_bytes(word));
            }
            return;
        }
        self.faults.counts.accesses = self.faults.counts.accesses.wrapping_add(1);
        self.faults.trace(|| format!("write {bar} {at:#x} {data:02x?}"));
        if let Some(channel) = self.engine.write(bar, at, data, &mut self.faults) {
            self.start(channel);
        }
        self.advance(memory);
    }

    fn signal(&mut self) -> Signal {
        self.engine.signal()
    }

    fn deadline(&self) -> Option<Instant> {
        let interval = self.found.map_or(self.engine.poll_interval(), |_| Some(Duration::ZERO));
        let poll = interval.map(|interval| self.polled + interval);
        self.requests.iter().filter_map(|request| request.next).chain(poll).min()
    }

    /// What a poll finds begins with the next tick: the writes to registers that the driver has made
    /// before it, as that which acknowledges the last interrupt, arrive first.
    fn tick(&mut self, memory: &Memory) {
        if let Some(channel) = self.found.take().filter(|channel| self.engine.is_running(*channel)) {
            self.start(channel);
        }
        self.advance(memory);
        self.found = self.engine.poll(memory);
        self.polled = Instant::now();
    }

    fn reset(&mut self) {
        self.requests.clear();
        self.found = None;
        self.stopped = false;
        self.engine.reset();
    }
}
