//! Enums of other crates in documents, by their names: `#[serde(with = "crate::named")]`.

use outboard_catalog::instructions::Architecture;
use outboard_counters::SoftwareReason;
use outboard_drivers::judge::Verdict;
use outboard_drivers::proc_crypto::{DriverType, Selftest};
use outboard_drivers::reach::{Consumer, Reachable, Route};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub trait Named: Sized {
    fn name(&self) -> &str;
    fn by_name(name: &str) -> Option<Self>;
}

macro_rules! named {
    ($($name:ty)*) => {$(
        impl Named for $name {
            fn name(&self) -> &str {
                <$name>::name(*self)
            }

            fn by_name(name: &str) -> Option<Self> {
                <$name>::ALL.iter().copied().find(|known| known.name() == name)
            }
        }
    )*};
}

named! { Verdict Reachable Consumer Route SoftwareReason Architecture }

impl Named for DriverType {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn by_name(name: &str) -> Option<Self> {
        Some(Self::from_name(name))
    }
}

/// By the words of /proc/crypto.
impl Named for Selftest {
    fn name(&self) -> &str {
        self.word()
    }

    fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "passed" => Self::Passed,
            "pending" => Self::Pending,
            "unknown" => Self::Unknown,
            other => Self::Other(other.to_owned()),
        })
    }
}

pub fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    T::by_name(&text).ok_or_else(|| D::Error::custom(format_args!("{text:?} is not known here")))
}
