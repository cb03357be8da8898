//! Options of the command line: each must be known to the model, and is read once.

use std::str::FromStr;

/// NAME=VALUE pairs that were not read yet.
pub struct Options(Vec<(String, String)>);

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Options, String> {
        let pair = |argument: &String| match argument.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(format!("{argument} is not OPTION=VALUE")),
        };
        arguments.iter().map(pair).collect::<Result<_, _>>().map(Options)
    }

    /// Removes an option and returns its value.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// The number that an option has.
    pub fn number<T: FromStr + Default>(&mut self, name: &str) -> Result<T, String> {
        match self.take(name) {
            None => Ok(T::default()),
            Some(value) => value.parse().map_err(|_| format!("{name}={value} is not a number")),
        }
    }

    /// The address that an option has, in hexadecimal.
    pub fn address(&mut self, name: &str) -> Result<u64, String> {
        let value = self.take(name).ok_or_else(|| format!("{name}=ADDRESS is missing"))?;
        let digits = value.trim_start_matches("0x");
        u64::from_str_radix(digits, 16).map_err(|_| format!("{name}={value} is not an address"))
    }

    /// Refuses what no model has read.
    pub fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => Err(format!("this model has no option {name}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Result<Options, String> {
        Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn an_unknown_option_and_a_wrong_value_are_refused() {
        assert!(options(&["lose"]).is_err());
        assert!(options(&["speed=1"]).expect("a pair").finish().is_err());
        assert!(options(&["lose=x"]).expect("a pair").number::<u32>("lose").is_err());
        assert!(options(&[]).expect("none").address("sram").is_err());
        assert_eq!(options(&["sram=0x3e110000"]).expect("a pair").address("sram"), Ok(0x3e11_0000));
    }
}
