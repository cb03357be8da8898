//! What must hold before `setup` and `undo` change the system.

use anyhow::{Result, bail};
use outboard_console::{advice, confirm};
use rustix::io::Errno;

/// Whether the user agrees: by `--yes`, or by an answer on the terminal if the result is not JSON,
/// which is for a program.
pub fn is_agreed(yes: bool, json: bool, question: &str) -> bool {
    yes || (!json && confirm(question))
}

/// Errors: if the user is not root. Nothing has been changed then.
pub fn only_root() -> Result<()> {
    if rustix::process::geteuid().is_root() {
        return Ok(());
    }
    bail!("nothing was changed: {}", advice(&Errno::PERM.into(), None))
}
