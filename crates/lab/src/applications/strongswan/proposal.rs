//! Proposals of IKE by strongSwan's name, and the cipher in each by the provider's name.

use std::str::FromStr;

use anyhow::{Error, bail};

/// Ciphers: strongSwan's name, the provider's name, and what completes a proposal. AEADs have no
/// integrity algorithm, and so name a pseudorandom function.
const CIPHERS: [(&str, &str, &str); 9] = [
    ("aes128", "AES-128-CBC", "sha256-x25519"),
    ("aes192", "AES-192-CBC", "sha256-x25519"),
    ("aes256", "AES-256-CBC", "sha256-x25519"),
    ("aes128gcm16", "AES-128-GCM", "prfsha256-x25519"),
    ("aes192gcm16", "AES-192-GCM", "prfsha256-x25519"),
    ("aes256gcm16", "AES-256-GCM", "prfsha256-x25519"),
    ("aes128ctr", "AES-128-CTR", "sha256-x25519"),
    ("aes192ctr", "AES-192-CTR", "sha256-x25519"),
    ("aes256ctr", "AES-256-CTR", "sha256-x25519"),
];

#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// `aes128-sha256-x25519`
    pub name: String,
    /// `AES-128-CBC`
    pub cipher: &'static str,
}

impl FromStr for Proposal {
    type Err = Error;

    fn from_str(name: &str) -> Result<Proposal, Error> {
        let (first, rest) = name.split_once('-').unwrap_or((name, ""));
        let is_word = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let cipher = CIPHERS.into_iter().find(|(known, ..)| *known == first).map(|(_, cipher, _)| cipher);
        match cipher {
            Some(cipher) if rest.split('-').all(is_word) => Ok(Proposal { name: name.to_owned(), cipher }),
            _ => {
                let known: Vec<&str> = CIPHERS.into_iter().map(|(known, ..)| known).collect();
                bail!("write a proposal as aes128-sha256-x25519, with one of {}", known.join(", "))
            }
        }
    }
}

/// Returns the proposals whose cipher the provider offers, else that of AES-128-CBC.
pub fn usual(is_offered: impl Fn(&str) -> bool) -> Vec<Proposal> {
    let of = |(name, cipher, rest)| Proposal { name: format!("{name}-{rest}"), cipher };
    let offered: Vec<Proposal> =
        CIPHERS.into_iter().filter(|(_, cipher, _)| is_offered(cipher)).map(of).collect();
    if offered.is_empty() { vec![of(CIPHERS[0])] } else { offered }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposal_names_its_cipher() {
        let cipher = |name: &str| name.parse::<Proposal>().map(|one| one.cipher);
        assert_eq!(cipher("aes256-sha384-ecp384").unwrap(), "AES-256-CBC");
        assert_eq!(cipher("aes256-sha256-x25519-ke1_mlkem768").unwrap(), "AES-256-CBC");
        assert_eq!(cipher("aes128gcm16-prfsha256-x25519").unwrap(), "AES-128-GCM");
        for wrong in ["", "aes128", "aes128-", "3des-sha1-modp1024", "aes128-sha256 x", "aes128-a--b"] {
            let error = cipher(wrong).unwrap_err().to_string();
            assert!(error.contains("aes128-sha256-x25519"), "{wrong}: {error}");
        }
    }

    #[test]
    fn ciphers_that_the_provider_offers_are_measured_else_cbc() {
        let names = |offered: &[&str]| -> Vec<String> {
            usual(|cipher| offered.contains(&cipher)).into_iter().map(|one| one.name).collect()
        };
        assert_eq!(names(&[]), ["aes128-sha256-x25519"]);
        assert_eq!(
            names(&["AES-256-CBC", "AES-128-GCM", "AES-128-ECB"]),
            ["aes256-sha256-x25519", "aes128gcm16-prfsha256-x25519"]
        );
        assert!(usual(|_| true).iter().all(|one| one.name.parse::<Proposal>().unwrap() == *one));
    }
}
