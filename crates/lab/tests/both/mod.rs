//! The command and the laboratory next to each other, as they are installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The `outboard` command.
pub fn outboard() -> &'static Path {
    static OUTBOARD: LazyLock<PathBuf> = LazyLock::new(|| {
        let laboratory = Path::new(env!("CARGO_BIN_EXE_outboard-lab"));
        let command = laboratory.with_file_name("examples").join("outboard");
        assert!(command.is_file(), "{}: cargo build -p outboard-lab --examples", command.display());
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("both");
        fs::create_dir_all(&place).expect("a directory");
        link(laboratory, &place.join("outboard-lab"));
        link(&command, &place.join("outboard"));
        place.join("outboard")
    });
    &OUTBOARD
}

/// Replaces a link at once: other tests run meanwhile.
fn link(program: &Path, at: &Path) {
    let new = at.with_extension(std::process::id().to_string());
    let _ = fs::remove_file(&new);
    fs::hard_link(program, &new).expect("a link");
    fs::rename(&new, at).expect("a link");
    // rename(2) leaves both names of the same file.
    let _ = fs::remove_file(&new);
}
