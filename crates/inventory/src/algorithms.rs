//! The driver that the kernel selects for each algorithm, and the cases where it selects a slow
//! one.

use outboard_documents::status::{Algorithm, Cpu, Pick};
use outboard_drivers::find::Judged;
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::pick;

const OF_INTEREST: &[&str] = &[
    "cbc(aes)",
    "ctr(aes)",
    "xts(aes)",
    "gcm(aes)",
    "ccm(aes)",
    "ecb(aes)",
    "authenc(hmac(sha1),cbc(aes))",
    "authenc(hmac(sha256),cbc(aes))",
    "cbc(des3_ede)",
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "hmac(sha1)",
    "hmac(sha256)",
];

/// One row for each algorithm that an accelerator offers, or for which the selection is bad.
pub fn list(drivers: &[Judged], cpu: &Cpu) -> Vec<Algorithm> {
    OF_INTEREST.iter().filter_map(|name| row(name, drivers, cpu)).collect()
}

fn row(name: &'static str, drivers: &[Judged], cpu: &Cpu) -> Option<Algorithm> {
    let picked = pick(drivers, name, 0)?;
    let best = |verdict| {
        drivers
            .iter()
            .filter(|j| j.driver.algorithm == name && j.driver.is_usable() && j.judgement.verdict == verdict)
            .max_by_key(|j| j.driver.priority)
    };
    let accelerator = best(Verdict::Accelerator);
    // Vector instructions do not make AES or SHA fast: only the CPU's crypto instructions count
    // (not NEON).
    let instructions =
        best(Verdict::CpuInstructions).filter(|j| j.judgement.family().is_some_and(|f| f.id != "neon"));
    let view = |j: &Judged| Pick {
        driver: j.driver.name.clone(),
        priority: j.driver.priority,
        verdict: j.judgement.verdict,
        around_accelerator: is_around_accelerator(j, drivers),
    };
    let note = match (picked.judgement.verdict, accelerator) {
        (Verdict::Accelerator, _) => None,
        (_, Some(_)) => Some("the kernel's own users do not get the accelerator".to_string()),
        (Verdict::Software | Verdict::Wrapper, None)
            if name.contains("(aes)") && cpu.has_aes() && !uses_instructions(picked, drivers) =>
        {
            // `aes-fixed-time` and `aes-generic` are 26 to 46 times slower than AES-NI for
            // dm-crypt.
            Some("plain code, though the CPU has AES instructions".to_string())
        }
        _ => None,
    };
    if accelerator.is_none() && note.is_none() {
        return None;
    }
    let outranked = instructions.filter(|_| picked.judgement.verdict == Verdict::Accelerator).map(view);
    Some(Algorithm {
        name: name.to_owned(),
        picked: view(picked),
        accelerator: accelerator.map(view),
        outranked,
        note,
    })
}

/// Whether a driver uses CPU instructions, including templates around them or around lib/crypto,
/// which uses them itself.
fn uses_instructions(j: &Judged, drivers: &[Judged]) -> bool {
    let is_fast = |name: &&str| {
        name.ends_with("-lib")
            || drivers
                .iter()
                .any(|d| d.driver.name == *name && d.judgement.verdict == Verdict::CpuInstructions)
    };
    j.driver.name.ends_with("-lib") || j.inner().iter().any(is_fast)
}

fn is_around_accelerator(j: &Judged, drivers: &[Judged]) -> bool {
    j.inner().iter().any(|name| {
        drivers.iter().any(|d| d.driver.name == *name && d.judgement.verdict == Verdict::Accelerator)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cipher_that_the_provider_offers_is_of_interest() {
        for algorithm in outboard_catalog::Algorithm::ALL {
            assert!(OF_INTEREST.contains(&algorithm.kernel_name()), "{algorithm:?}");
        }
    }
}
