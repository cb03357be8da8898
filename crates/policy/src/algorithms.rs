//! A selection of algorithms: ALL, NONE or a list, in the syntax of the devcrypto engine's CIPHERS
//! and DIGESTS.

use std::str::FromStr;

use outboard_catalog::{CIPHER_NAMES as CIPHERS, DIGEST_NAMES as DIGESTS};

use crate::Error;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Algorithms {
    #[default]
    All,
    /// The listed algorithms, by OpenSSL's names in capitals. An empty list selects none.
    Only(Vec<&'static str>),
}

impl Algorithms {
    pub fn has(&self, name: &str) -> bool {
        match self {
            Algorithms::All => true,
            Algorithms::Only(names) => names.iter().any(|n| is_name(n, name)),
        }
    }
}

impl Algorithms {
    /// Parses a list of ciphers. Names that outboard does not offer are skipped and added to
    /// `skipped`: lists made for the devcrypto engine, such as OpenWrt's, contain BF-CBC and
    /// others.
    /// Errors: [`Error::EmptyList`] for a list without entries, [`Error::NotAlone`] for ALL or NONE
    /// in a longer list.
    pub fn read(text: &str, skipped: &mut Vec<Error>) -> Result<Self, Error> {
        choose(text, cipher, skipped)
    }
}

/// Strict, for a command line: a name that is not offered is an error.
impl FromStr for Algorithms {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut skipped = Vec::new();
        let read = Self::read(text, &mut skipped)?;
        skipped.pop().map_or(Ok(read), Err)
    }
}

#[inline(never)]
fn choose(
    text: &str,
    named: fn(&str) -> Result<&'static str, Error>,
    skipped: &mut Vec<Error>,
) -> Result<Algorithms, Error> {
    let Some(entries) = chosen(text)? else { return Ok(Algorithms::All) };
    let mut names = Vec::new();
    for entry in entries {
        match named(entry) {
            Ok(name) => names.push(name),
            Err(why @ Error::NotAlone(_)) => return Err(why),
            Err(why) => skipped.push(why),
        }
    }
    Ok(Algorithms::Only(names))
}

/// The entries of a list: none if it is NONE; `None` if it is ALL.
#[inline(never)]
pub(crate) fn chosen(text: &str) -> Result<Option<Vec<&str>>, Error> {
    let entries: Vec<&str> = entries(text).collect();
    match entries[..] {
        [] => Err(Error::EmptyList),
        [one] if is_name(one, "ALL") => Ok(None),
        [one] if is_name(one, "NONE") => Ok(Some(Vec::new())),
        _ => Ok(Some(entries)),
    }
}

/// Key `DIGESTS`: the selected digests; none by default. The CPU computes a digest so fast that
/// hardware is faster only for large messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests(Algorithms);

impl Default for Digests {
    fn default() -> Self {
        Digests(Algorithms::Only(Vec::new()))
    }
}

impl Digests {
    pub fn has(&self, name: &str) -> bool {
        self.0.has(name)
    }

    pub fn are_named(&self) -> bool {
        self.0 != Algorithms::All && *self != Digests::default()
    }
}

impl Digests {
    /// Parses a list of digests. See [`Algorithms::read`], also for the errors.
    pub fn read(text: &str, skipped: &mut Vec<Error>) -> Result<Self, Error> {
        choose(text, digest, skipped).map(Digests)
    }
}

/// The entries of a comma-separated list, without the empty ones.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// OpenSSL's own spelling of the name of a cipher or digest. An unknown or unsupported name is an
/// error.
pub fn known(name: &str) -> Result<&'static str, Error> {
    match digest(name) {
        Err(Error::UnknownAlgorithm { .. }) => cipher(name),
        other => other,
    }
}

fn cipher(name: &str) -> Result<&'static str, Error> {
    let known = CIPHERS.into_iter().find(|cipher| is_name(cipher, name));
    known.ok_or_else(|| refused(name, &CIPHERS))
}

fn digest(name: &str) -> Result<&'static str, Error> {
    digest_called(name).ok_or_else(|| refused(name, &DIGESTS))
}

#[cold]
#[inline(never)]
fn refused(name: &str, known: &[&str]) -> Error {
    let begins_with = |beginning| after(name, beginning).is_some();
    if is_name(name, "ALL") || is_name(name, "NONE") {
        Error::NotAlone(name.to_owned())
    } else if is_name(name, "DES") || (begins_with("DES-") && !begins_with("DES-EDE")) {
        Error::SingleDes(name.to_owned())
    } else if begins_with("MD5") {
        Error::Md5(name.to_owned())
    } else if begins_with("HMAC") {
        Error::Hmac(name.to_owned())
    } else {
        Error::UnknownAlgorithm { name: name.to_owned(), known: known.join(", ") }
    }
}

/// Accepts SHA1, SHA-1, SHA2-256, SHA-256 and SHA256, as OpenSSL does.
fn digest_called(name: &str) -> Option<&'static str> {
    let is_bits = |digest: &&str, bits: &str| digest.strip_prefix("SHA2-") == Some(bits);
    let bits = after(name, "SHA2-").or_else(|| after(name, "SHA-")).or_else(|| after(name, "SHA"))?;
    DIGESTS
        .into_iter()
        .find(|digest| is_bits(digest, bits) || (*digest == "SHA1" && name.len() < 6 && bits == "1"))
}

/// The part of `name` after `beginning`, compared without case.
#[inline(never)]
pub(crate) fn after<'a>(name: &'a str, beginning: &str) -> Option<&'a str> {
    let (head, rest) = name.split_at_checked(beginning.len())?;
    is_name(head, beginning).then_some(rest)
}

/// Whether two names are equal, compared without case.
#[inline(never)]
pub(crate) fn is_name(name: &str, this: &str) -> bool {
    name.eq_ignore_ascii_case(this)
}

/// A number that consists of digits only.
#[inline(never)]
pub(crate) fn number(text: &str) -> Option<u32> {
    let has_digits_only = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| has_digits_only)
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
        let text = "AES-512-CBC".parse::<Algorithms>().unwrap_err().to_string();
        assert!(text.contains("AES-512-CBC") && text.contains("AES-128-CBC"), "{text}");
    }

    #[test]
    fn a_name_that_is_not_offered_is_skipped_with_a_warning() {
        let mut skipped = Vec::new();
        let chosen = Algorithms::read("DES-CBC,BF-CBC,AES-128-CBC,SEED-CBC", &mut skipped).unwrap();
        assert_eq!(chosen, Algorithms::Only(vec!["AES-128-CBC"]));
        let names: Vec<String> = skipped.iter().map(Error::to_string).collect();
        assert!(names.len() == 3 && names[1].starts_with("\"BF-CBC\" is none of AES-128-CBC"), "{names:?}");
        let (none, mut skipped) = (Algorithms::Only(Vec::new()), Vec::new());
        assert_eq!(Algorithms::read("BF-CBC", &mut skipped), Ok(none));
        assert_eq!(Algorithms::read("BF-CBC,ALL", &mut skipped), Err(Error::NotAlone("ALL".into())));
    }

    fn digests(text: &str) -> Result<Digests, Error> {
        let mut skipped = Vec::new();
        let read = Digests::read(text, &mut skipped)?;
        skipped.pop().map_or(Ok(read), Err)
    }

    #[test]
    fn single_des_is_refused_with_the_reason() {
        for name in ["DES-CBC", "des-ecb", "DES"] {
            assert_eq!(name.parse::<Algorithms>(), Err(Error::SingleDes(name.into())));
        }
        assert!(matches!("DES-EDE-CBC".parse::<Algorithms>(), Err(Error::UnknownAlgorithm { .. })));
        assert!("des-ede3-cbc".parse::<Algorithms>().unwrap().has("DES-EDE3-CBC"));
    }

    #[test]
    fn no_digest_is_chosen_by_default() {
        let default = Digests::default();
        assert!(DIGESTS.iter().all(|digest| !default.has(digest)) && !default.are_named());
        assert_eq!(digests("none"), Ok(default));
        let all = digests("ALL").unwrap();
        assert!(DIGESTS.iter().all(|digest| all.has(digest)) && !all.are_named());
    }

    #[test]
    fn digests_answer_to_all_of_openssls_spellings() {
        for (text, name) in [
            ("SHA1", "SHA1"),
            ("sha-1", "SHA1"),
            ("SHA2-256", "SHA2-256"),
            ("SHA-256", "SHA2-256"),
            ("sha256", "SHA2-256"),
            (" SHA384 ,", "SHA2-384"),
        ] {
            let one = digests(text).unwrap();
            assert!(DIGESTS.iter().all(|digest| one.has(digest) == (*digest == name)), "{text}");
            assert!(one.are_named());
        }
        for wrong in ["SHA2-1", "SHA", "SHA3-256", "SHA2256", "SHA2-512/256", "AES-128-CBC", "SHA\u{e9}"] {
            assert!(matches!(digests(wrong), Err(Error::UnknownAlgorithm { .. })), "{wrong}");
        }
        assert_eq!(digests("SHA1,ALL"), Err(Error::NotAlone("ALL".into())));
        assert_eq!(digests(""), Err(Error::EmptyList));
    }

    #[test]
    fn md5_and_hmac_are_refused_with_the_reason() {
        for name in ["MD5", "md5-sha1"] {
            assert_eq!(digests(name), Err(Error::Md5(name.into())));
        }
        for name in ["HMAC-SHA1", "hmac"] {
            assert_eq!(digests(name), Err(Error::Hmac(name.into())));
        }
        assert!(matches!("SHA1".parse::<Algorithms>(), Err(Error::UnknownAlgorithm { .. })));
    }
}
