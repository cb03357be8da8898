//! Compares a cipher with the accelerator with the best software that peers may choose in its place.

use std::path::Path;

use anyhow::{Result, anyhow};
use outboard_bench::openssl_pair::OpensslPair;
use outboard_catalog::kernel_name;
use outboard_documents::Goal;
use outboard_documents::tune::Point;
use outboard_measure::turns::{Error, Stopwatch};

use super::ahead;
use super::contest::DirectContest;

/// A cipher with the accelerator.
#[derive(Clone, Copy, Debug)]
pub struct Accelerated<'a> {
    /// OpenSSL's name.
    pub cipher: &'a str,
    /// The driver that serves it.
    pub driver: &'a str,
    /// The driver computes key stream in advance.
    pub is_ahead: bool,
}

/// The cipher that protocols offer in place of another one, by OpenSSL's name. Both need an
/// authentication code, or both contain it; the HMAC of CBC is left out, in favour of CBC.
#[must_use]
pub fn rival(cipher: &str) -> Option<&'static str> {
    match kernel_name(cipher)? {
        "ctr(aes)" => Some("ChaCha20"),
        "gcm(aes)" | "ccm(aes)" | "cbc(aes)" => Some("ChaCha20-Poly1305"),
        _ => None,
    }
}

/// Measures one size: `software` of the result is the rival's figure. `None`: the measurement was
/// interrupted.
///
/// # Errors
/// If OpenSSL does not have or offer one of both, or a request fails.
pub fn measure(
    module: &Path,
    goal: Goal,
    with: Accelerated<'_>,
    rival: &str,
    bytes: usize,
) -> Result<Option<Point>> {
    let unreadable = |error| anyhow!("/proc/interrupts: {error}");
    let watch = Stopwatch::new().map_err(unreadable)?.of(with.driver).map_err(unreadable)?;
    let measured = match with.is_ahead {
        true => ahead::against(module, &watch, goal, with.cipher, rival, bytes),
        false => direct(module, &watch, goal, with.cipher, rival, bytes)?,
    };
    match measured {
        Err(Error::Stopped) => Ok(None),
        other => other.map(Some).map_err(|error| anyhow!("{}: {error}", with.cipher)),
    }
}

fn direct(
    module: &Path,
    watch: &Stopwatch,
    goal: Goal,
    name: &str,
    rival: &str,
    bytes: usize,
) -> Result<Result<Point, Error<String>>> {
    let lab = OpensslPair::new(module, &[name])?;
    let (hardware, software) = (lab.hardware()?, lab.software()?);
    let hard = hardware.cipher(name, "provider=outboard");
    let hard = hard.ok_or_else(|| anyhow!("{name} is not offered"))?;
    let soft = software.cipher(rival, "").ok_or_else(|| anyhow!("OpenSSL has no {rival}"))?;
    let counts = || lab.counts(name);
    let mut contest = DirectContest {
        watch,
        goal,
        software: soft.work(true, bytes)?,
        hardware: hard.work(true, bytes)?,
        counts: &counts,
    };
    Ok(contest.warm_up().and_then(|()| contest.at(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_protocols_offer_has_a_rival() {
        assert_eq!(rival("AES-256-CTR"), Some("ChaCha20"));
        for cipher in ["AES-128-GCM", "AES-256-CBC"] {
            assert_eq!(rival(cipher), Some("ChaCha20-Poly1305"), "{cipher}");
        }
        for cipher in ["AES-128-XTS", "AES-128-ECB", "DES-EDE3-CBC", "nonsense"] {
            assert_eq!(rival(cipher), None, "{cipher}");
        }
    }
}
