//! Key `POLICY`: the policy file to read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::algorithms::is_name;
use crate::{Error, POLICY_FILE};

/// Path of a file written by `outboard tune`, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFile(Option<PathBuf>);

impl PolicyFile {
    /// The path, or `None` if no policy file is to be read.
    pub fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }
}

impl Default for PolicyFile {
    fn default() -> Self {
        PolicyFile(Some(POLICY_FILE.into()))
    }
}

impl FromStr for PolicyFile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.trim() {
            none if is_name(none, "NONE") => Ok(PolicyFile(None)),
            path if path.starts_with('/') => Ok(PolicyFile(Some(path.into()))),
            _ => Err(Error::PolicyFile(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absolute_path_or_none() {
        assert_eq!(PolicyFile::default().path(), Some(Path::new("/etc/outboard/policy")));
        assert_eq!("none".parse::<PolicyFile>().unwrap().path(), None);
        assert_eq!(" /a/b ".parse::<PolicyFile>().unwrap().path(), Some(Path::new("/a/b")));
        for wrong in ["", "policy", "./policy"] {
            assert_eq!(wrong.parse::<PolicyFile>(), Err(Error::PolicyFile(wrong.into())));
        }
    }
}
