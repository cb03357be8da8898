//! Parses the lists on the command line.

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use outboard_accel::Direction;
use outboard_accel::primitive::Primitive;
use outboard_catalog::{CIPHER_NAMES, DIGEST_NAMES, HMAC_NAMES, kernel_name};
use outboard_measure::cpu::cpus;
use outboard_policy::known;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(pub Vec<usize>);

/// OpenSSL's names of the ciphers, digests and HMACs that one argument stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(pub Vec<&'static str>);

/// Encryption, decryption or both.
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
    pub fn of(self, primitive: Primitive) -> Vec<Option<Direction>> {
        match (primitive, self) {
            (Primitive::Hash(_), _) => vec![None],
            (_, Directions::Encrypt) => vec![Some(Direction::Encrypt)],
            (_, Directions::Decrypt) => vec![Some(Direction::Decrypt)],
            (_, Directions::Both) => vec![Some(Direction::Encrypt), Some(Direction::Decrypt)],
        }
    }
}

fn all() -> impl Iterator<Item = &'static str> {
    CIPHER_NAMES.into_iter().chain(DIGEST_NAMES).chain(HMAC_NAMES)
}

/// Returns the algorithm of this name; HMAC-SHA256 is accepted too.
fn one(name: &str) -> Option<&'static str> {
    let Some((_, digest)) = name.split_once('-').filter(|(word, _)| word.eq_ignore_ascii_case("HMAC")) else {
        return known(name).ok();
    };
    let digest = known(digest).ok()?;
    HMAC_NAMES.into_iter().find(|hmac| hmac.strip_prefix("HMAC-") == Some(digest))
}

/// Returns OpenSSL's names of a kernel algorithm, one for each key length.
pub fn named(kernel: &str) -> Vec<&'static str> {
    all().filter(|name| kernel_name(name) == Some(kernel)).collect()
}

/// Parses `AES-128-CBC`, or `cbc(aes)` for all its key lengths.
pub fn names(text: &str) -> Result<Names> {
    let of_kernel = named(text);
    if !of_kernel.is_empty() {
        return Ok(Names(of_kernel));
    }
    if text.eq_ignore_ascii_case("ALL") {
        return Ok(Names(all().collect()));
    }
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    match words.map(one).collect::<Option<Vec<_>>>() {
        Some(names) if !names.is_empty() => Ok(Names(names)),
        _ => bail!(
            "it is nothing that outboard measures: write ALL, or some of {}, or a kernel's name such as cbc(aes)",
            all().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Parses `16,1K,1M`.
pub fn sizes(list: &str) -> Result<Numbers> {
    numbers(list, 16, 1 << 20, "a size").and_then(|sizes| {
        let odd = sizes.0.iter().find(|size| *size % 16 != 0);
        if let Some(odd) = odd {
            bail!("{odd} bytes are no whole blocks: write multiples of 16");
        }
        Ok(sizes)
    })
}

/// Parses `1,4,16`.
pub fn depths(list: &str) -> Result<Numbers> {
    numbers(list, 1, 64, "a number of requests")
}

/// Parses `1,2`.
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
    fn a_digest_goes_no_way() {
        let both = |name| Primitive::by_openssl_name(name).map(|found| Directions::Both.of(found));
        assert_eq!([both("SHA1"), both("HMAC-SHA1")], [Some(vec![None]), Some(vec![None])]);
        assert_eq!(both("AES-128-CBC").map(|found| found.len()), Some(2));
    }

    #[test]
    fn a_wrong_value_is_named_with_valid_ones() {
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
        for wrong in [
            "rot13",
            "",
            "NONE",
            "MD5",
            "HMAC",
            "HMAC-",
            "HMAC-AES-128-CBC",
            "hmac(md5)",
            "AES-128-CBC,rot13",
        ] {
            let error = names(wrong).unwrap_err().to_string();
            assert!(
                ["AES-128-CBC", "SHA2-256", "HMAC-SHA1", "cbc(aes)"].iter().all(|says| error.contains(says)),
                "{error}"
            );
        }
    }

    #[test]
    fn all_go_by_both_names() {
        for (text, meant) in [
            ("aes-128-cbc", &["AES-128-CBC"][..]),
            ("cbc(aes)", &["AES-128-CBC", "AES-192-CBC", "AES-256-CBC"]),
            ("AES-128-CTR,sha-1", &["AES-128-CTR", "SHA1"]),
            ("sha256", &["SHA2-256"]),
            ("SHA512", &["SHA2-512"]),
            ("hmac-sha256,HMAC-SHA1", &["HMAC-SHA2-256", "HMAC-SHA1"]),
            ("hmac(sha384)", &["HMAC-SHA2-384"]),
        ] {
            assert_eq!(names(text).unwrap().0, meant, "{text}");
        }
        assert_eq!(names("ALL").unwrap().0, [&CIPHER_NAMES[..], &DIGEST_NAMES, &HMAC_NAMES].concat());
    }
}
