//! `outboard metrics` as a command.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Output};

fn metrics(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outboard-lab")).arg("metrics").args(arguments).output().unwrap()
}

#[test]
fn the_file_is_replaced_in_one_step() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("outboard.prom");
    fs::write(&path, "old").unwrap();
    let old = fs::metadata(&path).unwrap().ino();
    let output = metrics(&["--output", path.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    let (text, about) = (fs::read_to_string(&path).unwrap(), fs::metadata(&path).unwrap());
    assert!(text.contains("\noutboard_module_loaded "), "{text}");
    assert!(about.ino() != old && about.mode() & 0o777 == 0o644);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    let missing = dir.path().join("none/outboard.prom");
    let failed = metrics(&["--output", missing.to_str().unwrap()]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("none/outboard.prom"), "{failed:?}");
    let directory = metrics(&["--output", dir.path().to_str().unwrap()]);
    assert_eq!(directory.status.code(), Some(1));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left");
}

#[test]
fn every_metric_that_is_printed_is_documented() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/metrics.md")).unwrap();
    let text = String::from_utf8(metrics(&[]).stdout).unwrap();
    let names: Vec<&str> =
        text.lines().filter_map(|l| l.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    assert!(names.contains(&"outboard_build_info"), "{text}");
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "docs/metrics.md lacks {name}");
    }
}
