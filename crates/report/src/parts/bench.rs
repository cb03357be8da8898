//! `outboard-bench/1`: as `outboard bench` writes it, and reports keep it. Sizes in bytes, throughput in 10^6 bytes in a second, fields
//! are only added.

use std::fmt;

use serde::{Deserialize, Serialize};

pub use super::tune::{Figure, Machine};

/// All of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Bench {
    /// When, in UTC.
    pub made: String,
    /// Where.
    pub machine: Machine,
    /// OpenSSL's version, or that of the application's program where OpenSSL takes no part.
    pub openssl: String,
    /// Who took part.
    pub contestants: Vec<Contestant>,
    /// What was measured.
    pub rows: Vec<Row>,
    /// What applications did.
    #[serde(default)]
    pub applications: Vec<Application>,
    /// What was not measured, and why.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Why figures may be worth less.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// ^C came first: rows are missing, or have fewer samples.
    pub interrupted: bool,
}

/// Who takes part.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Contestant {
    /// What rows call it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its name in /proc/crypto; null for OpenSSL.
    pub driver: Option<String>,
    /// What leads there; null for OpenSSL and tcrypt.
    pub interface: Option<String>,
}

/// What a contestant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// OpenSSL's own code, with what the CPU has.
    Openssl,
    /// The same without the CPU's instructions for cryptography.
    OpensslWithout,
    /// A driver of an accelerator.
    Accelerator,
    /// A driver of the kernel's that computes on the CPU.
    KernelSoftware,
    /// The kernel's own benchmark of the driver that it prefers.
    Tcrypt,
}

/// One contestant at one kind of request.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Row {
    /// OpenSSL's name of the cipher or the digest; of an HMAC `HMAC-` and its digest's.
    pub cipher: String,
    /// Which way; null for a digest or an HMAC.
    pub direction: Option<Way>,
    /// Of a request.
    pub bytes: u64,
    /// That make requests at the same time.
    pub threads: u64,
    /// Requests in flight of each thread.
    pub depth: u64,
    /// Its name.
    pub contestant: String,
    /// Null when it failed, or was wrong.
    pub figure: Option<Figure>,
    /// How far the CPU time may be off for being counted in ticks, in milliseconds for a megabyte.
    pub cpu_off_ms_per_megabyte: Option<f64>,
    /// From the submission to the result, in microseconds: half of the requests took no longer.
    pub latency_p50_us: Option<f64>,
    /// 99 of 100 took no longer; null for fewer than 100.
    pub latency_p99_us: Option<f64>,
    /// Requests that were timed one by one for that.
    pub latency_requests: u64,
    /// Context switches of the whole system for each request; null where nobody counted them.
    pub context_switches_per_request: Option<f64>,
    /// What interrupts say; null for software.
    pub evidence: Option<Evidence>,
    /// Why this is no figure of the contestant's, or why there is none; else null.
    pub fault: Option<String>,
}

/// An application's job, by each way to do it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Application {
    /// The command.
    pub name: String,
    /// As the application calls it.
    pub cipher: String,
    /// Of the job, all transfers together.
    pub bytes: u64,
    /// Transfers at the same time.
    pub at_once: u64,
    /// One for each way.
    pub runs: Vec<Run>,
}

/// An application's job, done some times.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    /// Without or with outboard, or what the kernel was told to take.
    pub who: String,
    /// The kernel driver that was chosen; null where OpenSSL's own code does it.
    pub driver: Option<String>,
    /// A request is the whole job here.
    pub figure: Figure,
    /// Time of the processes that encrypt, in percent of the wall time; where the kernel encrypts, that of the whole system.
    pub user_percent: f64,
    /// The same in the kernel.
    pub system_percent: f64,
    /// Bytes that the provider gave to hardware, in percent; null where it takes no part.
    pub hardware_percent: Option<f64>,
    /// What interrupts say; null where nothing went to hardware.
    pub evidence: Option<Evidence>,
    /// Why this is no figure of hardware, or null.
    pub fault: Option<String>,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

/// What interrupts say of a figure that is said to be an accelerator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// It was the accelerator.
    Interrupts,
    /// They can say nothing.
    Unverified,
    /// The driver computed on the CPU.
    Contradicted,
}

impl Way {
    /// For people.
    pub fn noun(self) -> &'static str {
        match self {
            Way::Encrypt => "encryption",
            Way::Decrypt => "decryption",
        }
    }
}

/// What rows are about: a cipher one way, a digest, or an HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// As in [`Row::cipher`].
    pub name: &'a str,
    /// Which way; none for a digest or an HMAC.
    pub way: Option<Way>,
}

/// `AES-128-CBC encryption`, `SHA2-256`
impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.way.map_or(Ok(()), |way| write!(f, " {}", way.noun()))
    }
}

impl Row {
    /// What it is about.
    pub fn subject(&self) -> Subject<'_> {
        Subject { name: &self.cipher, way: self.direction }
    }
}

impl Bench {
    /// Whether all that was to be measured is what it says.
    pub fn is_sound(&self) -> bool {
        let mut runs = self.applications.iter().flat_map(|one| &one.runs);
        self.rows.iter().all(|row| row.fault.is_none()) && runs.all(|run| run.fault.is_none())
    }

    /// In the order of the rows.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects = Vec::new();
        for subject in self.rows.iter().map(Row::subject) {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        subjects
    }
}
