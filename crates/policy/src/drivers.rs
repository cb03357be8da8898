//! Selection of the kernel drivers that may be used.

use std::str::FromStr;

use crate::Error;
use crate::algorithms::chosen;

/// CRYPTO_MAX_ALG_NAME of linux/crypto.h: bytes of a driver's name with its final NUL.
const LONGEST_NAME: usize = 128;

/// Key `DRIVERS`: ALL, or exact names from `/proc/crypto` in order of preference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Drivers {
    /// Every driver that passes the checks; the kernel's priorities decide between drivers.
    #[default]
    All,
    /// The listed drivers, in this order.
    Only(Vec<String>),
}

impl Drivers {
    pub fn has(&self, driver: &str) -> bool {
        match self {
            Drivers::All => true,
            Drivers::Only(names) => names.iter().any(|name| name == driver),
        }
    }
}

impl FromStr for Drivers {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let Some(names) = chosen(text)? else { return Ok(Drivers::All) };
        let is_one = |name: &str| name.bytes().all(|b| b.is_ascii_graphic()) && name.len() < LONGEST_NAME;
        match names.iter().find(|name| !is_one(name)) {
            Some(&wrong) => Err(Error::DriverName(wrong.to_owned())),
            None => Ok(Drivers::Only(names.into_iter().map(str::to_owned).collect())),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PadlockUse {
    /// ON: the instructions are used as an accelerator is.
    #[default]
    On,
    /// OFF: they are never executed.
    Off,
}

impl FromStr for PadlockUse {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim().to_ascii_uppercase().as_str() {
            "ON" => Ok(PadlockUse::On),
            "OFF" => Ok(PadlockUse::Off),
            _ => Err(Error::Padlock(text.to_owned())),
        }
    }
}

/// Key `USE_SOFTDRIVERS`, with the values of the devcrypto engine (e_devcrypto.c). The default
/// differs: the default of that engine was 2, because it could not detect an accelerator. outboard
/// can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SoftDrivers {
    /// 0: only drivers that are known to be accelerators.
    #[default]
    AcceleratorsOnly,
    /// 1: all drivers, for tests and comparisons.
    All,
    /// 2: all drivers except those known to be software.
    RejectSoftware,
}

impl FromStr for SoftDrivers {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim() {
            "0" => Ok(SoftDrivers::AcceleratorsOnly),
            "1" => Ok(SoftDrivers::All),
            "2" => Ok(SoftDrivers::RejectSoftware),
            _ => Err(Error::SoftDrivers(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_in_their_order() {
        let drivers: Drivers = "cbc-aes-caam, mv-cbc-aes".parse().unwrap();
        assert_eq!(drivers, Drivers::Only(vec!["cbc-aes-caam".into(), "mv-cbc-aes".into()]));
        assert_eq!("all".parse(), Ok(Drivers::All));
        assert_eq!("NONE".parse(), Ok(Drivers::Only(vec![])));
        assert!(drivers.has("mv-cbc-aes") && !drivers.has("mv-cbc") && Drivers::All.has("mv-cbc"));
    }

    #[test]
    fn impossible_names_are_refused() {
        for text in ["a b", "a\u{7f}", &"x".repeat(128)] {
            assert_eq!(text.parse::<Drivers>(), Err(Error::DriverName(text.into())));
        }
    }

    #[test]
    fn padlock_is_on_or_off() {
        let read = |text: &str| text.parse::<PadlockUse>();
        assert_eq!([read("on"), read("OFF ")], [Ok(PadlockUse::On), Ok(PadlockUse::Off)]);
        assert_eq!(read("auto"), Err(Error::Padlock("auto".into())));
    }

    #[test]
    fn the_engines_three_values() {
        assert_eq!("0".parse(), Ok(SoftDrivers::AcceleratorsOnly));
        assert_eq!(" 1 ".parse(), Ok(SoftDrivers::All));
        assert_eq!("2".parse(), Ok(SoftDrivers::RejectSoftware));
        for text in ["", "3", "yes", "-1", "00"] {
            assert_eq!(text.parse::<SoftDrivers>(), Err(Error::SoftDrivers(text.into())));
        }
    }
}
