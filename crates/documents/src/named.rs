//! Enums of other crates in documents, by their names: `#[serde(with = "crate::named")]`.

use outboard_counters::SoftwareReason;
use outboard_drivers::judge::Verdict;
use outboard_drivers::reach::{Consumer, Reachable, Route};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// An enum whose values have names in output and JSON.
pub trait Named: Copy + 'static {
    /// All values.
    const ALL: &'static [Self];
    /// The name of a value.
    fn name(self) -> &'static str;
}

macro_rules! named {
    ($($name:ty: $all:expr;)*) => {$(
        impl Named for $name {
            const ALL: &'static [Self] = &$all;
            fn name(self) -> &'static str {
                <$name>::name(self)
            }
        }
    )*};
}

named! {
    Verdict: Verdict::ALL;
    Reachable: Reachable::ALL;
    Consumer: Consumer::ALL;
    Route: Route::ALL;
    SoftwareReason: SoftwareReason::ALL;
}

/// Writes the name.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<T: Named, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.name())
}

/// Reads the name.
///
/// # Errors
/// If no value has it.
pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let found = T::ALL.iter().copied().find(|known| known.name() == text);
    found.ok_or_else(|| D::Error::custom(format_args!("{text:?} is not known here")))
}
