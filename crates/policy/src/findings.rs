//! Stored results of `outboard check`: a text file with one line for each driver. A finding applies
//! only to the kernel release and the module version with which it was made.
//!
//! Format: `DRIVER exact|wrong|unanswered KERNEL MODULE VERSION WHEN REQUESTS BYTES SEED # what was wrong`

use std::path::Path;

use crate::tuned::{RELEASE, SystemFiles, Unfit, kernel_text, module_version, trusted};

pub const FINDINGS_FILE: &str = "/etc/outboard/checked";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    text: String,
}

outboard_catalog::texts! { name:
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FindingVerdict {
        Exact = "exact",
        /// A result was wrong. This holds whatever a later check finds.
        Wrong = "wrong",
        /// A request was not completed in time. This holds until a check finds the driver exact.
        Unanswered = "unanswered",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding<'a> {
    /// Name of the driver in /proc/crypto.
    pub driver: &'a str,
    pub verdict: FindingVerdict,
    pub kernel: &'a str,
    /// Kernel module of the driver; `kernel` if it is built in.
    pub module: &'a str,
    /// [`module_version`] of that module.
    pub version: &'a str,
    /// Time of the check, in UTC.
    pub made: &'a str,
    pub requests: u64,
    /// Number of bytes in the correct results.
    pub bytes: u64,
    /// Random seed, to repeat the same requests.
    pub seed: u64,
    /// Description of the error; empty if there was none.
    pub fault: &'a str,
}

impl Findings {
    /// Reads a file that only root, or the user of this process, may write. No findings if it does
    /// not exist.
    /// Errors: [`Unfit::Io`] if the file cannot be read, [`Unfit::Owner`] if others may write it or
    /// it is not a regular file of at most 64 KiB.
    pub fn read(path: &Path) -> Result<Findings, Unfit> {
        Ok(Findings::parse(trusted(path)?.unwrap_or_default()))
    }

    /// Findings in a text. Invalid lines are ignored.
    pub fn parse(text: String) -> Findings {
        Findings { text }
    }

    pub fn all(&self) -> impl Iterator<Item = Finding<'_>> {
        self.text.lines().filter_map(Finding::parse)
    }

    /// The last finding about a driver, if it was made with this kernel and this version of its
    /// module. `root` is `/`, or has copies of a system's files.
    pub fn of(&self, driver: &str, root: &(impl SystemFiles + ?Sized)) -> Option<Finding<'_>> {
        let mut last = None;
        for finding in self.all() {
            last = Some(finding).filter(|finding| finding.driver == driver).or(last);
        }
        last.filter(|last| {
            last.kernel == kernel_text(root, RELEASE).trim()
                && last.version == module_version(root, last.module)
        })
    }
}

impl<'a> Finding<'a> {
    fn parse(line: &'a str) -> Option<Finding<'a>> {
        let (line, fault) = line.split_once('#').unwrap_or((line, ""));
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [driver, verdict, kernel, module, version, made, ref numbers @ ..] = words[..] else {
            return None;
        };
        let all = [FindingVerdict::Exact, FindingVerdict::Wrong, FindingVerdict::Unanswered];
        let verdict = all.into_iter().find(|known| known.name() == verdict)?;
        let number = |place: usize| numbers.get(place)?.parse().ok();
        let (requests, bytes, seed) = (number(0)?, number(1)?, number(2)?);
        Some(Finding {
            driver,
            verdict,
            kernel,
            module,
            version,
            made,
            requests,
            bytes,
            seed,
            fault: fault.trim(),
        })
    }

    pub fn line(&self) -> String {
        let Finding { driver, kernel, module, version, made, requests, bytes, seed, fault, .. } = self;
        let verdict = self.verdict.name();
        let mark = if fault.is_empty() { "" } else { " # " };
        let fault = fault.replace('\n', " ");
        format!(
            "{driver} {verdict} {kernel} {module} {version} {made} {requests} {bytes} {seed}{mark}{fault}"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const WRONG: Finding<'_> = Finding {
        driver: "sim-cbc-aes",
        verdict: FindingVerdict::Wrong,
        kernel: "7.2.0-amd64",
        module: "outboard_sim",
        version: "-",
        made: "2026-11-21T12:34:56Z",
        requests: 999,
        bytes: 12345,
        seed: 42,
        fault: "encrypting 4096 bytes: the result is wrong from byte 7 on",
    };

    #[test]
    fn written_findings_are_read_again() {
        let exact =
            Finding { verdict: FindingVerdict::Exact, fault: "", driver: "virtio_crypto_aes_cbc", ..WRONG };
        let silent = Finding { verdict: FindingVerdict::Unanswered, driver: "mv-cbc-aes", ..WRONG };
        let text = [WRONG, exact, silent].map(|finding| finding.line()).join("\nnonsense\n");
        let text = format!("# a comment\n{text}\n\n");
        assert_eq!(Findings::parse(text).all().collect::<Vec<_>>(), [WRONG, exact, silent]);
        let two_lines = Finding { fault: "wrong\nhere", ..WRONG };
        assert!(two_lines.line().ends_with(" 42 # wrong here"));
    }

    #[test]
    fn an_unknown_line_is_not_a_finding() {
        let good = WRONG.line();
        for damaged in
            ["", "sim", "sim exact", &good.replace("wrong ", "perfect "), &good.replace(" 999 ", " -1 ")]
        {
            assert_eq!(Findings::parse(damaged.to_owned()).all().next(), None, "{damaged}");
        }
    }

    #[test]
    fn a_finding_is_of_one_kernel_and_one_version() {
        let root = tempfile::tempdir().unwrap();
        let put = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let exact = Finding { verdict: FindingVerdict::Exact, fault: "", ..WRONG };
        let findings = Findings::parse([exact.line(), WRONG.line()].join("\n"));
        assert_eq!(findings.of(WRONG.driver, root.path()), None, "the kernel is not known");
        put(RELEASE, "7.2.0-amd64\n");
        assert_eq!(findings.of(WRONG.driver, root.path()), Some(WRONG));
        assert_eq!(findings.of("sim-cbc", root.path()), None);
        put("sys/module/outboard_sim/notes/.note.gnu.build-id", "GNU other");
        assert_eq!(findings.of(WRONG.driver, root.path()), None);
        put(RELEASE, "7.3.0-amd64\n");
        assert_eq!(findings.of(WRONG.driver, root.path()), None);
    }

    #[test]
    fn a_file_that_anybody_may_write_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checked");
        assert_eq!(Findings::read(&path).unwrap(), Findings::default());
        fs::write(&path, WRONG.line()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(Findings::read(&path).unwrap().all().count(), 1);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o664)).unwrap();
        assert!(matches!(Findings::read(&path), Err(Unfit::Owner)));
    }
}
