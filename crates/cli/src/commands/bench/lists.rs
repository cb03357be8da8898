//! What is to be measured, as the command line says it.

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use outboard_accel::Direction;
use outboard_measure::cpu::cpus;
use outboard_policy::{Algorithms, CIPHERS};

use crate::lab::kernel_name;

/// Numbers in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(pub Vec<usize>);

/// OpenSSL's names of ciphers that go by one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphers(pub Vec<&'static str>);

/// Which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Directions {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
    /// One after the other.
    #[default]
    Both,
}

impl Directions {
    /// One or two.
    pub fn all(self) -> Vec<Direction> {
        match self {
            Directions::Encrypt => vec![Direction::Encrypt],
            Directions::Decrypt => vec![Direction::Decrypt],
            Directions::Both => vec![Direction::Encrypt, Direction::Decrypt],
        }
    }
}

/// `AES-128-CBC`, or `cbc(aes)` for all its lengths of keys.
pub fn ciphers(name: &str) -> Result<Ciphers> {
    let of_kernel: Vec<_> =
        CIPHERS.into_iter().filter(|cipher| kernel_name(cipher).as_deref() == Some(name)).collect();
    if !of_kernel.is_empty() {
        return Ok(Ciphers(of_kernel));
    }
    match name.parse() {
        Ok(Algorithms::Only(names)) if !names.is_empty() => Ok(Ciphers(names)),
        Ok(Algorithms::All) => Ok(Ciphers(CIPHERS.to_vec())),
        _ => bail!(
            "it is no cipher that outboard measures: write ALL, or some of {}, or a kernel's name such as cbc(aes)",
            CIPHERS.join(", ")
        ),
    }
}

/// `16,1K,1M`
pub fn sizes(list: &str) -> Result<Numbers> {
    numbers(list, 16, 1 << 20, "a size").and_then(|sizes| {
        let odd = sizes.0.iter().find(|size| *size % 16 != 0);
        if let Some(odd) = odd {
            bail!("{odd} bytes are no whole blocks: write multiples of 16");
        }
        Ok(sizes)
    })
}

/// `1,4,16`
pub fn depths(list: &str) -> Result<Numbers> {
    numbers(list, 1, 64, "a number of requests")
}

/// `1,2`
pub fn threads(list: &str) -> Result<Numbers> {
    let most = cpus();
    numbers(list, 1, most, "a number of threads").with_context(|| {
        format!("this machine has {most} CPUs, and more threads than CPUs measure the scheduler")
    })
}

fn numbers(list: &str, least: usize, most: usize, what: &str) -> Result<Numbers> {
    let mut found = Vec::new();
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let (digits, unit) = match word.strip_suffix(['K', 'k']) {
            Some(digits) => (digits, 1 << 10),
            None => word.strip_suffix(['M', 'm']).map_or((word, 1), |digits| (digits, 1 << 20)),
        };
        let number = digits.parse().ok().and_then(|number: usize| number.checked_mul(unit));
        let number = number
            .with_context(|| format!("{word:?} is not {what}: write numbers such as {least},{most}"))?;
        ensure!((least..=most).contains(&number), "{word} is out of range: write {least} to {most}");
        found.push(number);
    }
    ensure!(!found.is_empty(), "the list is empty: write numbers such as {least},{most}");
    found.sort_unstable();
    found.dedup();
    Ok(Numbers(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_have_units() {
        assert_eq!(sizes("1M, 16,4K,4096,").unwrap().0, [16, 4096, 1 << 20]);
        assert_eq!(depths("64,1").unwrap().0, [1, 64]);
        assert_eq!(threads("1").unwrap().0, [1]);
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        for (found, says) in [
            (sizes("17"), "multiples of 16"),
            (sizes("15"), "16 to 1048576"),
            (sizes("2M"), "16 to 1048576"),
            (sizes("many"), "\"many\" is not a size"),
            (sizes("99999999999999M"), "is not a size"),
            (sizes(","), "the list is empty"),
            (depths("0"), "1 to 64"),
            (depths("-1"), "not a number of requests"),
            (threads("100000"), "CPUs"),
        ] {
            let error = format!("{:#}", found.unwrap_err());
            assert!(error.contains(says), "{says}: {error}");
        }
        let error = ciphers("rot13").unwrap_err().to_string();
        assert!(error.contains("AES-128-CBC") && error.contains("cbc(aes)"), "{error}");
    }

    #[test]
    fn ciphers_go_by_both_names() {
        assert_eq!(ciphers("aes-128-cbc").unwrap().0, ["AES-128-CBC"]);
        assert_eq!(ciphers("cbc(aes)").unwrap().0, ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"]);
        assert_eq!(ciphers("AES-128-CTR,AES-128-GCM").unwrap().0.len(), 2);
        assert_eq!(ciphers("ALL").unwrap().0, CIPHERS);
        assert!(ciphers("NONE").is_err() && ciphers("SHA2-256").is_err());
    }
}
