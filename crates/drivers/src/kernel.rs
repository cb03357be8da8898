//! Kernel releases, which decide what can be reached.

use crate::root::Root;

/// A kernel's release, e.g. `6.12.57+deb13-amd64`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub text: String,
    pub major: u32,
    pub minor: u32,
}

impl Release {
    /// Parses the first two numbers of a release; `None` if it has fewer.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit());
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Self { text: text.to_string(), major, minor })
    }

    /// The release of the system under `root`, from /proc/sys/kernel/osrelease, or else from
    /// /proc/version.
    pub fn read(root: &Root) -> Option<Self> {
        if let Some(release) = root.text("proc/sys/kernel/osrelease").and_then(|t| Self::parse(&t)) {
            return Some(release);
        }
        let version = root.text("proc/version")?;
        Self::parse(version.strip_prefix("Linux version ")?.split_whitespace().next()?)
    }

    pub fn is_at_least(&self, major: u32, minor: u32) -> bool {
        (self.major, self.minor) >= (major, minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions_are_read() {
        for (text, major, minor) in [
            ("6.1.0-44-amd64", 6, 1),
            ("7.3-rc2+deb14", 7, 3),
            ("6.12.57+deb13-amd64", 6, 12),
            ("10.0", 10, 0),
        ] {
            let release = Release::parse(text).unwrap();
            assert_eq!((release.major, release.minor), (major, minor), "{text}");
        }
        assert!(Release::parse("linux").is_none() && Release::parse("99999999999.1").is_none());
        assert!(Release::parse("7.2.13").unwrap().is_at_least(7, 2));
        assert!(!Release::parse("6.18.1").unwrap().is_at_least(7, 2));
    }

    #[test]
    fn proc_version_is_used_when_osrelease_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("proc")).unwrap();
        std::fs::write(dir.path().join("proc/version"), "Linux version 5.15.137 (builder) #0 SMP\n").unwrap();
        assert_eq!(Release::read(&Root::saved(dir.path()).unwrap()).unwrap().text, "5.15.137");
    }
}
