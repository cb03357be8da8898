//! Minimum sizes for offloading.

use std::str::FromStr;

use crate::Error;
use crate::algorithms::{entries, is_name, known, number};

/// Thresholds by algorithm: `ALL:4096,AES-128-CBC:2048`. A value for a name takes precedence over
/// ALL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thresholds {
    all: Option<usize>,
    own: Vec<(&'static str, usize)>,
}

impl Thresholds {
    /// Smallest request in bytes that is offloaded for the algorithm with OpenSSL's name `name`;
    /// for a digest the smallest message. `None` if the configuration sets no threshold.
    pub fn explicit(&self, name: &str) -> Option<usize> {
        let own = self.own.iter().find(|(algorithm, _)| is_name(algorithm, name));
        own.map(|&(_, bytes)| bytes).or(self.all)
    }
}

impl FromStr for Thresholds {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut thresholds = Thresholds::default();
        for entry in entries(text) {
            let (name, number) = entry.split_once(':').ok_or_else(|| Error::Threshold(entry.to_owned()))?;
            let (name, bytes) = (name.trim(), bytes(number.trim())?);
            if is_name(name, "ALL") {
                thresholds.all = Some(bytes);
            } else {
                let name = known(name)?;
                thresholds.own.retain(|(other, _)| *other != name);
                thresholds.own.push((name, bytes));
            }
        }
        if thresholds == Thresholds::default() { Err(Error::EmptyList) } else { Ok(thresholds) }
    }
}

pub(crate) fn bytes(text: &str) -> Result<usize, Error> {
    number(text).and_then(|n| n.try_into().ok()).ok_or_else(|| Error::Bytes(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_own_value_wins_over_all_and_the_last_over_the_first() {
        let t: Thresholds = "AES-128-CBC:1, ALL:4096 ,aes-128-cbc:2048".parse().unwrap();
        assert_eq!(t.explicit("AES-128-CBC"), Some(2048));
        assert_eq!(t.explicit("AES-256-CBC"), Some(4096));
        assert_eq!(Thresholds::default().explicit("AES-256-CBC"), None);
    }

    #[test]
    fn digests_have_thresholds_of_their_own() {
        let t: Thresholds = "sha256:100,SHA-1:300".parse().unwrap();
        let thresholds = ["SHA2-256", "SHA1", "SHA2-512", "AES-128-CBC"].map(|name| t.explicit(name));
        assert_eq!(thresholds, [Some(100), Some(300), None, None]);
        let all: Thresholds = "ALL:5".parse().unwrap();
        assert_eq!((all.explicit("SHA2-512"), all.explicit("SHA1")), (Some(5), Some(5)));
    }

    #[test]
    fn wrong_values_are_named() {
        assert_eq!("".parse::<Thresholds>(), Err(Error::EmptyList));
        assert_eq!("4096".parse::<Thresholds>(), Err(Error::Threshold("4096".into())));
        for number in ["", "-1", "+1", "1k", "4294967296", "1.5"] {
            assert_eq!(format!("ALL:{number}").parse::<Thresholds>(), Err(Error::Bytes(number.into())));
        }
        assert_eq!("MD5:1".parse::<Thresholds>(), Err(Error::Md5("MD5".into())));
        assert!(matches!("RC4:1".parse::<Thresholds>(), Err(Error::UnknownAlgorithm { .. })));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,80}") {
            let _ = text.parse::<Thresholds>();
        }

        #[test]
        fn a_written_threshold_applies(bytes in any::<u32>()) {
            let t: Thresholds = format!("AES-192-CBC:{bytes}").parse().unwrap();
            prop_assert_eq!(t.explicit("AES-192-CBC"), Some(bytes as usize));
        }
    }
}
