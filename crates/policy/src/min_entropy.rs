//! The assumed entropy of one byte of the hardware random number generator.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// Key `HWRNG_ENTROPY`: min-entropy in bits per byte, H of SP 800-90B, with at most two decimal
/// places.
///
/// The default is 2 of 8. Documented values can exceed measured values: 0.38 bits per bit, which is
/// 3 per byte, were measured where 0.86 were documented. The value that the kernel credits is an
/// estimate of the driver's author. A value that is too low costs time; a value that is too high
/// costs security.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinEntropy {
    hundredths: u16,
}

/// Below this value the adaptive proportion test could hardly ever fail.
const LEAST: u16 = 50;
const MOST: u16 = 800;

impl MinEntropy {
    /// All valid values, in ascending order.
    pub fn all() -> impl Iterator<Item = MinEntropy> {
        (LEAST..=MOST).map(|hundredths| MinEntropy { hundredths })
    }

    /// Hundredths of a bit per byte, 50 to 800.
    pub fn hundredths(self) -> u16 {
        self.hundredths
    }
}

impl Default for MinEntropy {
    fn default() -> Self {
        MinEntropy { hundredths: 200 }
    }
}

impl fmt::Display for MinEntropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = u32::from(self.hundredths);
        write!(f, "{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

impl FromStr for MinEntropy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        hundredths(text.trim().as_bytes())
            .filter(|number| (LEAST..=MOST).contains(number))
            .map(|hundredths| MinEntropy { hundredths })
            .ok_or_else(|| Error::MinEntropy(text.to_owned()))
    }
}

/// Parses one digit, optionally followed by a point and one or two digits.
fn hundredths(text: &[u8]) -> Option<u16> {
    let (whole, tenths, hundredths) = match *text {
        [whole] => (whole, b'0', b'0'),
        [whole, b'.', tenths] => (whole, tenths, b'0'),
        [whole, b'.', tenths, hundredths] => (whole, tenths, hundredths),
        _ => return None,
    };
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u16::from(byte - b'0'));
    Some(digit(whole)? * 100 + digit(tenths)? * 10 + digit(hundredths)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_bits_up_to_a_whole_byte() {
        for (text, hundredths) in [("2", 200), ("0.5", 50), (" 3.04 ", 304), ("8.00", 800), ("0.50", 50)] {
            assert_eq!(text.parse(), Ok(MinEntropy { hundredths }), "{text}");
        }
        let wrong = [
            "", "0", "0.49", "8.01", "9", "10", "-1", "+1", "1.", ".5", "1.234", "1,5", "2 bits", "1e0",
            "1.:",
        ];
        for text in wrong {
            assert_eq!(text.parse::<MinEntropy>(), Err(Error::MinEntropy(text.into())));
        }
    }

    #[test]
    fn every_value_is_read_as_it_is_written() {
        assert_eq!(MinEntropy::all().count(), 751);
        for value in MinEntropy::all() {
            assert_eq!(value.to_string().parse(), Ok(value));
        }
        assert_eq!(MinEntropy::default().to_string(), "2.00");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,12}") {
            let _ = text.parse::<MinEntropy>();
        }
    }
}
