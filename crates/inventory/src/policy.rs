//! The policy that `outboard tune` wrote, and whether the provider applies it.

use std::path::Path;

use outboard_documents::status::Policy;
use outboard_drivers::root::Root;
use outboard_policy::{POLICY_FILE, SystemFiles, Tuned, Unfit};

/// Reads the policy, and its measurements if the provider applies it; `None` if there is none.
pub(crate) fn find(root: &Root) -> Option<(Policy, Option<Tuned>)> {
    let (tuned, problem) = match read(root)? {
        Ok(tuned) => {
            let problem = tuned.is_of(&FilesOf(root)).err().map(|why| why.to_string());
            (Some(tuned), problem)
        }
        Err(why) => (None, Some(why.to_string())),
    };
    let value = |word: &str| tuned.as_ref().map(|tuned| tuned.value(word).to_owned());
    let (made, goal) = (value("made"), value("goal"));
    let policy = Policy { path: POLICY_FILE.to_owned(), made, goal, in_force: problem.is_none(), problem };
    let tuned = tuned.filter(|_| policy.in_force);
    Some((policy, tuned))
}

/// The policy file; `None` if there is none. Copies in a saved tree belong to any user.
fn read(root: &Root) -> Option<Result<Tuned, Unfit>> {
    let text = root.text(POLICY_FILE.trim_start_matches('/'));
    if root.is_live() {
        return Tuned::read(Path::new(POLICY_FILE)).transpose();
    }
    Some(Tuned::parse(text?).map_err(Unfit::Line))
}

/// The files of a [`Root`], for the checks of the policy crate.
pub(crate) struct FilesOf<'a>(pub &'a Root);

impl SystemFiles for FilesOf<'_> {
    fn beginning(&self, file: &str, most: usize) -> Option<Vec<u8>> {
        let mut bytes = self.0.read(file).ok()?;
        bytes.truncate(most);
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_policy_is_in_force_where_it_was_made() {
        let tree = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let root = Root::saved(tree.path()).unwrap();
        assert!(find(&root).is_none());
        write("proc/cpuinfo", "flags : aes\n");
        write("proc/sys/kernel/osrelease", "7.2.0\n");
        let cpu = outboard_policy::cpu_identity("flags : aes\n");
        let text =
            format!("outboard-policy 2\nmade 2026-11-21T12:00:00Z\ngoal cpu\nkernel 7.2.0\ncpu {cpu}\n");
        write("etc/outboard/policy", &text);
        let (policy, tuned) = find(&root).unwrap();
        assert!(policy.in_force && policy.problem.is_none() && tuned.is_some(), "{policy:?}");
        assert_eq!(policy.made.as_deref(), Some("2026-11-21T12:00:00Z"));
        write("proc/sys/kernel/osrelease", "7.3.0\n");
        let (stale, tuned) = find(&root).unwrap();
        assert!(tuned.is_none() && !stale.in_force && stale.problem.unwrap().contains("kernel 7.2.0"));
        write("etc/outboard/policy", "what is this\n");
        let (damaged, _) = find(&root).unwrap();
        assert!(!damaged.in_force && damaged.made.is_none() && damaged.problem.unwrap().contains("line 1"));
    }
}
