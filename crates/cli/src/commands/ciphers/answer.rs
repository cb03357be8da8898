//! The provider's decisions together with the kernel's drivers. Serialized, this is the schema
//! `outboard-ciphers/1`.

use std::collections::BTreeMap;

use outboard_accel::HashAlgorithm;
use outboard_catalog::kernel_name;
use outboard_counters::Decision;
use outboard_drivers::Judged;
use serde::Serialize;

/// The document of `--json`. Fields are only added within a version; sizes are in bytes.
#[derive(Debug, Serialize)]
pub struct Answer {
    /// `outboard-ciphers/1`.
    pub schema: &'static str,
    #[serde(flatten)]
    pub machine: Machine,
    /// The algorithms, in the provider's order.
    pub algorithms: Vec<Algorithm>,
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Machine {
    /// OpenSSL's version.
    pub openssl: String,
    pub kernel: String,
    /// The openssl.cnf in force; null without one.
    pub configuration: Option<String>,
    pub enabled: bool,
    /// The provider's file.
    pub module: String,
}

#[derive(Debug, Serialize)]
pub struct Algorithm {
    /// OpenSSL's name.
    pub name: String,
    /// The kernel's name; null if outboard does not support the algorithm.
    pub kernel_name: Option<&'static str>,
    pub offered: bool,
    /// The driver that large requests go to; null if it is not offered.
    pub driver: Option<String>,
    /// Classification of that driver: `accelerator`, `software`, `cpu-instructions`, `wrapper` or
    /// `unknown`; null if it is not offered.
    pub verdict: Option<&'static str>,
    /// The interface to that driver; null if it is not offered.
    pub interface: Option<String>,
    /// The driver that computes key stream for look-ahead; null if it is not used. `driver` may be
    /// the same one.
    pub key_stream: Option<String>,
    /// The smallest request in bytes that uses look-ahead; null if it is not used.
    pub key_stream_from: Option<u32>,
    /// The largest request in bytes that uses look-ahead; null if there is no limit.
    pub key_stream_to: Option<u32>,
    /// The smallest request in bytes that is sent to the driver, by operation: `encrypt` and
    /// `decrypt`, `digest`, or `mac`. Null: no request is.
    pub from: BTreeMap<&'static str, Option<u32>>,
    /// Why it is not offered; null if it is.
    pub reason: Option<String>,
    /// All usable drivers of /proc/crypto for the algorithm, in the kernel's order of preference.
    pub drivers: Vec<Driver>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Driver {
    pub name: String,
    /// Classification of the driver, with the values of [`Algorithm::verdict`].
    pub verdict: &'static str,
}

impl Answer {
    /// Combines the decisions with the kernel's drivers.
    pub fn new(
        machine: Machine,
        decisions: Vec<(String, Decision)>,
        candidates: &[Judged],
        notes: Vec<String>,
    ) -> Answer {
        let algorithms =
            decisions.into_iter().map(|(name, decision)| algorithm(name, decision, candidates)).collect();
        Answer { schema: "outboard-ciphers/1", machine, algorithms, notes }
    }
}

fn algorithm(name: String, decision: Decision, candidates: &[Judged]) -> Algorithm {
    let kernel_name = kernel_name(&name);
    let drivers: Vec<Driver> = candidates
        .iter()
        .filter(|candidate| Some(candidate.driver.algorithm.as_str()) == kernel_name)
        .map(|candidate| Driver {
            name: candidate.driver.name.clone(),
            verdict: candidate.judgement.verdict.name(),
        })
        .collect();
    let one_way = [("SHA", "digest"), ("HMAC-", "mac")].into_iter().find(|(kind, _)| name.starts_with(kind));
    match decision {
        Decision::Offered { driver, interface, from: [encrypt, decrypt], key_stream } => Algorithm {
            name,
            kernel_name,
            offered: true,
            // A driver that only computes key stream has another algorithm.
            verdict: candidates
                .iter()
                .find(|known| known.driver.name == driver)
                .map(|known| known.judgement.verdict.name()),
            key_stream_from: key_stream.as_ref().map(|source| source.from),
            key_stream_to: key_stream.as_ref().and_then(|source| source.to),
            key_stream: key_stream.map(|source| source.driver),
            driver: Some(driver),
            interface: Some(interface),
            from: match one_way {
                Some((_, what)) => BTreeMap::from([(what, encrypt)]),
                None => BTreeMap::from([("encrypt", encrypt), ("decrypt", decrypt)]),
            },
            reason: None,
            drivers,
        },
        Decision::Left { why, .. } => Algorithm {
            name,
            kernel_name,
            offered: false,
            driver: None,
            verdict: None,
            interface: None,
            key_stream: None,
            key_stream_from: None,
            key_stream_to: None,
            from: BTreeMap::new(),
            reason: Some(why),
            drivers,
        },
    }
}

/// Returns the kernel's names of the algorithms in `decisions`, each once.
pub fn kernel_names(decisions: &[(String, Decision)]) -> Vec<&'static str> {
    let ciphers = outboard_accel::Algorithm::ALL.iter().map(|algorithm| algorithm.kernel_name());
    let digests = HashAlgorithm::all().map(HashAlgorithm::kernel_name);
    let known: Vec<&str> = decisions.iter().filter_map(|(name, _)| kernel_name(name)).collect();
    ciphers.chain(digests).filter(|name| known.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_catalog::{CIPHER_NAMES, DIGEST_NAMES, HMAC_NAMES};
    use outboard_counters::SoftwareReason;

    #[test]
    fn every_algorithm_of_the_providers_has_a_name_in_the_kernel() {
        let left = |name: &&str| {
            (
                (*name).to_owned(),
                Decision::Left { reason: SoftwareReason::NoDriver, why: "a test".to_owned() },
            )
        };
        let all: Vec<_> = CIPHER_NAMES.iter().chain(&DIGEST_NAMES).chain(&HMAC_NAMES).map(left).collect();
        assert!(all.iter().all(|(name, _)| kernel_name(name).is_some()));
        let names = kernel_names(&all);
        assert!(
            names.contains(&"cbc(des3_ede)") && names.contains(&"sha224") && names.contains(&"hmac(sha1)")
        );
        assert_eq!(names.len(), outboard_accel::Algorithm::ALL.len() + 2 * DIGEST_NAMES.len());
    }
}
