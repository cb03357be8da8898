//! `outboard-config/1`: the document of `outboard config`.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use crate::status::Policy;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Config {
    /// That of programs which the calling shell starts; null if only services were requested.
    pub shell: Option<Configuration>,
    pub services: Vec<Service>,
    /// The drivers that root has allowed for /dev/outboard; null without the module.
    pub allowed: Option<Vec<String>>,
    pub findings: Findings,
}

/// What an openssl.cnf with its included files sets for outboard.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Configuration {
    pub file: Option<PathBuf>,
    /// What names it: `OPENSSL_CONF`, `OPENSSLDIR`, or `enable`.
    pub named_by: String,
    /// All files that were read, in this order.
    pub files: Vec<PathBuf>,
    pub activated: bool,
    pub preferred: bool,
    pub settings: Vec<Setting>,
    /// The thresholds that follow from the keys and the policy file; empty
    /// if the provider is not activated.
    pub thresholds: Vec<Threshold>,
    pub policy_file: Option<Policy>,
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Setting {
    pub section: String,
    pub key: String,
    pub value: String,
    #[serde(flatten)]
    pub line: Line,
    pub overridden: Vec<Overridden>,
    /// Why the provider does not use it, or null.
    pub problem: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Line {
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Overridden {
    pub value: String,
    #[serde(flatten)]
    pub line: Line,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Threshold {
    pub cipher: String,
    /// Bytes, for encryption; null: none.
    pub encrypt: Option<usize>,
    /// Bytes, for decryption; null: none.
    pub decrypt: Option<usize>,
    /// The line that sets it; null if none does.
    #[serde(flatten)]
    pub line: Option<Line>,
    /// Whether a driver serves it, and which; null if the provider was not asked.
    #[serde(default)]
    pub served: Option<Served>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Served {
    pub driver: Option<String>,
    /// The driver that computes key stream for look-ahead; null if it is not used.
    pub key_stream: Option<String>,
    /// The smallest request in bytes that uses look-ahead; null if it is not used.
    pub key_stream_from: Option<u32>,
    /// Why no driver serves it; null if one does.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Findings {
    pub path: PathBuf,
    /// Drivers whose results were correct, checked in their current form.
    pub exact: Vec<String>,
    /// Drivers with a wrong result: the provider does not use them.
    pub wrong: Vec<String>,
    /// Drivers that did not answer: the provider does not use them until a check finds them exact.
    #[serde(default)]
    pub unanswered: Vec<String>,
    /// Drivers checked with another kernel or module: these findings do not count.
    pub outdated: Vec<String>,
    /// Why the file is not used, or null.
    pub problem: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Service {
    pub name: String,
    /// `enabled`, `incomplete`, `edited` or `not enabled`.
    pub state: String,
    pub files: Vec<PathBuf>,
    pub configurations: Vec<Configuration>,
    pub processes: Vec<ServiceProcess>,
    pub problems: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ServiceProcess {
    pub pid: u32,
    pub name: String,
    /// Its OPENSSL_CONF; null if it is not set or cannot be read.
    pub openssl_conf: Option<String>,
    /// Whether that is the value of its unit, because the process has mapped the provider and
    /// overwrote its environment with its title, as nginx does.
    #[serde(default)]
    pub openssl_conf_of_unit: bool,
    pub environment_readable: bool,
    /// The provider that it has mapped; null if it has not, or its mappings cannot be read.
    pub provider: Option<String>,
    pub mappings_readable: bool,
}
