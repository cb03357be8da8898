//! A choice of algorithms: ALL, NONE, or a list, as the devcrypto engine's CIPHERS and DIGESTS took it.

use std::str::FromStr;

use crate::Error;

/// OpenSSL's names of the ciphers that outboard can offer.
pub const CIPHERS: [&str; 18] = [
    "AES-128-CBC",
    "AES-192-CBC",
    "AES-256-CBC",
    "AES-128-CTR",
    "AES-192-CTR",
    "AES-256-CTR",
    "AES-128-ECB",
    "AES-192-ECB",
    "AES-256-ECB",
    "AES-128-XTS",
    "AES-256-XTS",
    "DES-EDE3-CBC",
    "AES-128-GCM",
    "AES-192-GCM",
    "AES-256-GCM",
    "AES-128-CCM",
    "AES-192-CCM",
    "AES-256-CCM",
];

/// Which algorithms are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Algorithms {
    /// Each one that a driver does.
    #[default]
    All,
    /// These, under OpenSSL's names in capitals; none at all when the list is empty.
    Only(Vec<&'static str>),
}

impl Algorithms {
    /// Whether the algorithm called `name` by OpenSSL is chosen.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Algorithms::All => true,
            Algorithms::Only(names) => names.iter().any(|n| n.eq_ignore_ascii_case(name)),
        }
    }
}

impl FromStr for Algorithms {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let entries: Vec<&str> = entries(text).collect();
        match entries[..] {
            [] => Err(Error::EmptyList),
            [one] if one.eq_ignore_ascii_case("ALL") => Ok(Algorithms::All),
            [one] if one.eq_ignore_ascii_case("NONE") => Ok(Algorithms::Only(Vec::new())),
            _ => entries.iter().map(|name| known(name)).collect::<Result<_, _>>().map(Algorithms::Only),
        }
    }
}

/// The entries of a comma-separated list, without the empty ones.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// OpenSSL's own spelling of an algorithm's name.
pub(crate) fn known(name: &str) -> Result<&'static str, Error> {
    if ["ALL", "NONE"].iter().any(|alone| name.eq_ignore_ascii_case(alone)) {
        return Err(Error::NotAlone(name.to_owned()));
    }
    CIPHERS.into_iter().find(|cipher| cipher.eq_ignore_ascii_case(name)).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Error {
    let capitals = name.to_ascii_uppercase();
    if capitals == "DES" || (capitals.starts_with("DES-") && !capitals.starts_with("DES-EDE")) {
        return Error::SingleDes(name.to_owned());
    }
    Error::UnknownAlgorithm { name: name.to_owned(), known: CIPHERS.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_none_and_lists() {
        assert!("ALL".parse::<Algorithms>().unwrap().has("AES-128-CBC"));
        assert!(!"none".parse::<Algorithms>().unwrap().has("AES-128-CBC"));
        let two: Algorithms = " aes-128-cbc ,AES-256-CBC,".parse().unwrap();
        assert!(two.has("AES-128-CBC") && two.has("AES-256-CBC") && !two.has("AES-192-CBC"));
    }

    #[test]
    fn wrong_lists_say_what_would_be_right() {
        assert_eq!("".parse::<Algorithms>(), Err(Error::EmptyList));
        assert_eq!(" , ,".parse::<Algorithms>(), Err(Error::EmptyList));
        assert_eq!("ALL,AES-128-CBC".parse::<Algorithms>(), Err(Error::NotAlone("ALL".into())));
        let text = "AES-128-CBB".parse::<Algorithms>().unwrap_err().to_string();
        assert!(text.contains("AES-128-CBB") && text.contains("AES-128-CBC"), "{text}");
    }

    #[test]
    fn single_des_is_refused_with_the_reason() {
        for name in ["DES-CBC", "des-ecb", "DES"] {
            assert_eq!(name.parse::<Algorithms>(), Err(Error::SingleDes(name.into())));
        }
        assert!(matches!("DES-EDE-CBC".parse::<Algorithms>(), Err(Error::UnknownAlgorithm { .. })));
        assert!("des-ede3-cbc".parse::<Algorithms>().unwrap().has("DES-EDE3-CBC"));
    }
}
