//! Look-ahead as a contestant: OpenSSL with the provider, which uses key stream that a driver of ECB
//! mode computes in advance.
//!
//! CTR is one stream of updates, GCM a message with the next nonce and a tag. Key stream is used
//! from the first byte on, and direct requests are never made.

use std::sync::{Mutex, PoisonError};

use crate::documents::bench::{Contestant, ContestantKind};
use anyhow::{Context as _, Result, anyhow};
use outboard_accel::Direction;
use outboard_catalog::CIPHER_NAMES;
use outboard_counters::Counts;
use outboard_measure::clock::Clock;
use outboard_measure::evp::{Cipher, Context, Work};
use outboard_measure::interrupts::Interrupts;
use outboard_openssl_conf::{installation::OpenSsl, provider_file};

use super::MeasurementOptions;
use super::contestants::{DriverBackend, Interface, note};
use super::driver_interface::Probe;
use super::software::Software;
use super::worker::{Worker, one_by_one};
use outboard_measure::openssl_pair::{
    OpensslPair, ahead_percent, has_key_stream, sample_requests, too_little_ahead, window_requests,
};

/// Number of bytes that are compared with software before anything is timed.
const COMPARED: usize = 256 << 10;

pub fn lab() -> Result<OpensslPair> {
    let module = provider_file::find(None, &OpenSsl::find())?;
    let ciphers: Vec<&str> = CIPHER_NAMES.into_iter().filter(|name| has_key_stream(name)).collect();
    let never = format!("ALL:{}", u32::MAX);
    let keys = [("THRESHOLDS", never.as_str()), ("LOOKAHEAD", "ON"), ("LOOKAHEAD_START", "0")];
    OpensslPair::with_keys(&module, &ciphers, &keys)
}

/// Returns look-ahead as a contestant for a cipher; `None`, and a note, if no driver can compute its
/// key stream.
pub fn backend(
    name: &str,
    options: &MeasurementOptions,
    notes: &mut Vec<String>,
) -> Result<Option<(DriverBackend, Probe)>> {
    let is_wanted = options.drivers.is_empty()
        && (options.interfaces.is_empty() || options.interfaces.contains(&Interface::Outboard));
    if !is_wanted || !has_key_stream(name) {
        return Ok(None);
    }
    let driver = lab().and_then(|lab| {
        let context = lab.hardware()?;
        let _ = context.cipher(name, "provider=outboard");
        lab.key_stream().ok_or_else(|| anyhow!("no driver of ecb(aes) can be used"))
    });
    let driver = match driver {
        Ok(driver) => driver,
        Err(error) => {
            note(notes, format!("look-ahead was not measured: {error:#}"));
            return Ok(None);
        }
    };
    let interrupts = Interrupts::of(&driver).context("/proc/interrupts")?;
    let contestant = Contestant {
        name: format!("look-ahead by {driver}"),
        kind: ContestantKind::Lookahead,
        driver: Some(driver),
        interface: Some("/dev/outboard".to_owned()),
    };
    let probe = Probe::Lookahead { is_gcm: name.ends_with("-GCM") };
    Ok(Some((DriverBackend { contestant, interrupts }, probe)))
}

pub struct LookaheadCipher<'a> {
    cipher: Cipher<'a>,
    lab: &'a OpensslPair,
    name: String,
    /// Number of bytes that all workers have processed. Each adds its own after timed requests.
    processed: Mutex<u64>,
}

impl<'a> LookaheadCipher<'a> {
    pub fn find(
        lab: &'a OpensslPair,
        context: &'a Context<'a>,
        name: &str,
    ) -> Result<LookaheadCipher<'a>, String> {
        let cipher = context.cipher(name, "provider=outboard").filter(|_| lab.key_stream().is_some());
        let why = || format!("the provider has no key stream for {name}: {}", lab.notes().join("; "));
        let cipher = cipher.ok_or_else(why)?;
        Ok(LookaheadCipher { cipher, lab, name: name.to_owned(), processed: Mutex::new(0) })
    }

    pub fn worker(
        &'a self,
        software: &'a Software<'a>,
        direction: Option<Direction>,
        bytes: usize,
    ) -> Result<Box<dyn Worker + 'a>, String> {
        let Software::Cipher(software) = software else { return Err("it is no cipher".to_owned()) };
        let encrypt = direction != Some(Direction::Decrypt);
        let work = |cipher: &'a Cipher<'a>| {
            let mut work = cipher.work(encrypt, bytes)?;
            work.count_nonces();
            work.run((COMPARED / bytes).max(4) as u32)?;
            Ok(work)
        };
        let failed = |error: outboard_measure::evp::Error| error.to_string();
        let (ours, theirs) = (work(&self.cipher).map_err(failed)?, work(software).map_err(failed)?);
        if ours.output() != theirs.output() {
            return Err("a result is wrong: run outboard check".to_owned());
        }
        Ok(Box::new(LookaheadWorker { work: ours, cipher: self, own: 0, before: self.amounts(0) }))
    }

    /// Adds the bytes that a worker has processed. Returns the bytes of all workers, and those for
    /// which key stream was used or is in advance.
    fn amounts(&self, own: u64) -> (u64, u64) {
        let mut processed = self.processed.lock().unwrap_or_else(PoisonError::into_inner);
        *processed += own;
        // A context adds the requests that used key stream to the table much later.
        let Counts { key_stream_generated, key_stream_discarded, .. } = self.lab.counts(&self.name);
        (*processed, key_stream_generated.saturating_sub(key_stream_discarded))
    }
}

struct LookaheadWorker<'a> {
    work: Work<'a>,
    cipher: &'a LookaheadCipher<'a>,
    /// Number of bytes that it has processed since it added them to those of all workers.
    own: u64,
    before: (u64, u64),
}

impl Worker for LookaheadWorker<'_> {
    fn run(&mut self, batches: u32) -> Result<Option<f64>, String> {
        self.work.run(batches).map_err(|error| error.to_string())?;
        self.own += u64::from(batches) * self.work.bytes() as u64;
        Ok(None)
    }

    fn timed(&mut self, batches: u32, clock: Clock) -> Result<Vec<f64>, String> {
        let latencies = one_by_one(self, batches, clock)?;
        let (processed, used) = self.cipher.amounts(std::mem::take(&mut self.own));
        let (processed, used) = (processed - self.before.0, used.saturating_sub(self.before.1));
        match too_little_ahead(ahead_percent(used, processed)) {
            Some(why) if processed > 0 => Err(why),
            _ => Ok(latencies),
        }
    }

    fn settle(&mut self) -> Result<(), String> {
        self.run(window_requests(self.work.bytes())).map(drop)
    }

    /// Less could be served by the key stream that was computed during [`settle`](Worker::settle),
    /// without a request to the driver and without an interrupt.
    fn fewest_batches(&self) -> u32 {
        sample_requests(self.work.bytes())
    }
}
