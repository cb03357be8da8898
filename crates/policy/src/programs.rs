//! Key `PROGRAMS`: which programs use outboard.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::Error;
use crate::algorithms::is_name;

/// The file that stands for every program in the directory of `PROGRAMS`.
pub const EVERY_PROGRAM: &str = "_all";

/// The programs that use outboard: all, or those that have a file of their name in a directory.
///
/// Where a system has one openssl.cnf for all programs and no place for the environment of a
/// single service, as OpenWrt has, this selects the services.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs(Option<PathBuf>);

impl Programs {
    /// Whether a program uses outboard. `name` is the name of its executable without a directory;
    /// `None` if that is unknown.
    #[must_use]
    pub fn contains(&self, name: Option<&OsStr>) -> bool {
        let Some(directory) = &self.0 else { return true };
        let is_there =
            |name: &OsStr| Path::new(name).file_name() == Some(name) && directory.join(name).exists();
        is_there(OsStr::new(EVERY_PROGRAM)) || name.is_some_and(is_there)
    }
}

impl FromStr for Programs {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim() {
            all if is_name(all, "ALL") => Ok(Programs(None)),
            path if path.starts_with('/') => Ok(Programs(Some(path.into()))),
            _ => Err(Error::Programs(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_or_the_names_of_files_in_a_directory() {
        let of = |text: &str| text.parse::<Programs>();
        assert!(Programs::default().contains(None) && of(" all ").unwrap().contains(None));
        for wrong in ["", "nginx", "./programs.d"] {
            assert_eq!(of(wrong), Err(Error::Programs(wrong.to_owned())));
        }
        let directory = tempfile::tempdir().unwrap();
        let programs = of(directory.path().to_str().unwrap()).unwrap();
        let contains = |name: &str| programs.contains(Some(OsStr::new(name)));
        std::fs::write(directory.path().join("nginx"), "").unwrap();
        assert!(contains("nginx") && !contains("openvpn") && !programs.contains(None));
        // These exist, and are not names of programs.
        assert!(!contains("") && !contains(".") && !contains("..") && !contains("/etc"));
        std::fs::write(directory.path().join(EVERY_PROGRAM), "").unwrap();
        assert!(contains("openvpn") && programs.contains(None));
    }
}
