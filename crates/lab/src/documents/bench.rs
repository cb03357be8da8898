//! `outboard-bench/1`: the document of `outboard bench`. Sizes in bytes, throughput in 10^6 bytes per
//! second.

use std::fmt;

use serde::{Deserialize, Serialize};

use outboard_documents::{Figure, Machine};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Bench {
    /// Time of the run, in UTC.
    pub made: String,
    pub machine: Machine,
    /// OpenSSL's version, or that of the application's program if OpenSSL is not used.
    pub openssl: String,
    pub contestants: Vec<Contestant>,
    /// The results for ciphers, digests and HMACs.
    pub rows: Vec<Row>,
    #[serde(default)]
    pub applications: Vec<Application>,
    /// What was not measured, with the reasons.
    #[serde(default)]
    pub notes: Vec<String>,
    #[serde(default)]
    pub warnings: Vec<String>,
    /// ^C ended the run: rows are missing, or have fewer samples.
    pub interrupted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Contestant {
    pub name: String,
    pub kind: ContestantKind,
    /// Its name in /proc/crypto; null for OpenSSL.
    pub driver: Option<String>,
    /// The interface to the driver; null for OpenSSL and tcrypt.
    pub interface: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContestantKind {
    /// OpenSSL's own code, with the CPU's cryptographic instructions.
    Openssl,
    /// OpenSSL's own code without these instructions.
    OpensslWithout,
    Accelerator,
    /// OpenSSL with the provider, which uses key stream that an accelerator's driver computes in
    /// advance.
    Lookahead,
    KernelSoftware,
    /// The kernel's own benchmark of the driver that it prefers.
    Tcrypt,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Row {
    /// OpenSSL's name of the cipher or the digest; for an HMAC, `HMAC-` and the digest.
    pub cipher: String,
    /// The direction; null for a digest or an HMAC.
    pub direction: Option<CipherDirection>,
    pub bytes: u64,
    pub threads: u64,
    /// Requests in flight per thread.
    pub depth: u64,
    pub contestant: String,
    /// The figure; null if the contestant failed or was wrong.
    pub figure: Option<Figure>,
    /// Error of the CPU time because it is counted in ticks, in milliseconds per megabyte.
    pub cpu_off_ms_per_megabyte: Option<f64>,
    /// Median latency from submission to result, in microseconds.
    pub latency_p50_us: Option<f64>,
    /// 99th percentile of the latency, in microseconds; null for fewer than 100 requests.
    pub latency_p99_us: Option<f64>,
    pub latency_requests: u64,
    /// Context switches of the whole system per request; null if they were not counted.
    pub context_switches_per_request: Option<f64>,
    /// The evidence from interrupts; null for software.
    pub evidence: Option<Evidence>,
    /// The reason why this is not a valid figure of the contestant, or why there is none; otherwise
    /// null.
    pub fault: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Application {
    pub name: String,
    pub cipher: String,
    /// Bytes of the job, all transfers together.
    pub bytes: u64,
    /// Number of concurrent transfers.
    pub at_once: u64,
    pub runs: Vec<Run>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Run {
    /// The contestant: without or with outboard, or the driver selection of the kernel.
    pub contestant: String,
    /// The kernel driver that was chosen; null if OpenSSL's own code does the work.
    pub driver: Option<String>,
    /// The figure, with the whole job as one request.
    pub figure: Figure,
    /// User time of the processes that encrypt, in percent of the wall time; if the kernel
    /// encrypts, that of the whole system.
    pub user_percent: f64,
    /// System time, with the same scope.
    pub system_percent: f64,
    /// Share of the bytes that the provider sent to hardware, in percent; null if the provider is
    /// not used.
    pub hardware_percent: Option<f64>,
    /// The evidence from interrupts; null if nothing was sent to hardware.
    pub evidence: Option<Evidence>,
    /// The reason why this is not a valid figure of hardware, or null.
    pub fault: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CipherDirection {
    Encrypt,
    Decrypt,
}

/// The evidence from interrupts for a figure of an accelerator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Interrupts confirm that the accelerator did the work.
    Interrupts,
    /// Interrupts can neither confirm nor refute it.
    Unverified,
    /// Interrupts refute it: the driver computed on the CPU.
    Contradicted,
}

impl CipherDirection {
    pub fn noun(self) -> &'static str {
        match self {
            CipherDirection::Encrypt => "encryption",
            CipherDirection::Decrypt => "decryption",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    pub name: &'a str,
    /// The direction; `None` for a digest or an HMAC.
    pub direction: Option<CipherDirection>,
}

/// Formats `AES-128-CBC encryption`, `SHA2-256`.
impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        self.direction.map_or(Ok(()), |direction| write!(f, " {}", direction.noun()))
    }
}

impl Row {
    pub fn subject(&self) -> Subject<'_> {
        Subject { name: &self.cipher, direction: self.direction }
    }
}

impl Bench {
    pub fn is_sound(&self) -> bool {
        let mut runs = self.applications.iter().flat_map(|one| &one.runs);
        self.rows.iter().all(|row| row.fault.is_none()) && runs.all(|run| run.fault.is_none())
    }

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
