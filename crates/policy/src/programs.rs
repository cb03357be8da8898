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
        self.is_all() || self.has_file(OsStr::new(EVERY_PROGRAM)) || self.listed(name).is_some()
    }

    /// Whether no directory selects the programs.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// The name of a program that has a file of its own in the directory.
    #[must_use]
    pub fn listed<'name>(&self, name: Option<&'name OsStr>) -> Option<&'name OsStr> {
        name.filter(|name| self.has_file(name))
    }

    fn has_file(&self, name: &OsStr) -> bool {
        Path::new(name).file_name() == Some(name)
            && self.0.as_ref().is_some_and(|directory| directory.join(name).exists())
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
        let listed = |name: &str| programs.listed(Some(OsStr::new(name))).is_some();
        assert!(
            listed("nginx") && !listed("openvpn") && !listed("../nginx") && programs.listed(None).is_none()
        );
        assert!(!programs.is_all() && Programs::default().is_all());
        assert_eq!(Programs::default().listed(Some(OsStr::new("nginx"))), None);
    }
}
