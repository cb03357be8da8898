//! `outboard report` as a command: input files, one output file, and error messages.

mod both;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    /// Creates a directory with these documents of a virtual machine.
    fn with(names: &[&str]) -> Place {
        let place = Place::new();
        for name in names {
            fs::copy(data(name), place.path(name)).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn files(&self) -> usize {
        fs::read_dir(self.0.path()).unwrap().count()
    }

    fn report(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(both::outboard());
        command.current_dir(self.0.path()).arg("report").args(arguments);
        command
    }

    fn fails(&self, arguments: &[&str], says: &[&str]) {
        let output = self.report(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.starts_with("outboard report: ") && output.stdout.is_empty(), "{error}");
        says.iter().for_each(|words| assert!(error.contains(words), "{arguments:?}: {words}: {error}"));
    }
}

#[test]
fn files_become_a_page_beside_them() {
    let parts = ["status.json", "check.json", "tune.json", "bench.json", "prove.json"];
    let place = Place::with(&parts);
    let output = place.report(&parts).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("report.html is written"));
    let page = place.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg ") && page.ends_with("</html>\n"));
    assert!(!page.contains("Not known: ") && place.files() == 6);
    let mode = fs::metadata(place.path("report.html")).unwrap().permissions().mode();
    assert_eq!(mode & 0o133, 0, "{mode:o}");
}

#[test]
fn a_directory_stands_for_its_json_and_other_files_are_left_out() {
    let place = Place::with(&["status.json", "tune.json"]);
    place.write("package.json", "{\"name\":\"x\"}");
    place.write("notes.txt", "no JSON");
    place.report(&["--format", "json", "."]).assert().success();
    // The report is in the directory now, and is not an input of the next one.
    let output = place.report(&["--format", "markdown", "."]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && error.contains("package.json is left out"), "{error}");
    assert!(error.contains("report.json is left out"), "{error}");
    assert!(place.read("report.md").contains("of status.json and tune.json."));
}

#[test]
fn a_document_becomes_a_page_later() {
    let place = Place::with(&["check.json"]);
    place.report(&["--format=json", "check.json"]).assert().success();
    place.report(&["check.json", "-o", "direct.html"]).assert().success();
    place.report(&["report.json", "-o", "later.html"]).assert().success();
    let without_day = |page: String| {
        page.lines().filter(|line| !line.contains("Made 20")).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(without_day(place.read("direct.html")), without_day(place.read("later.html")));
}

#[test]
fn the_fault_of_a_file_is_reported_with_the_next_step() {
    let place = Place::with(&["status.json"]);
    let status = place.read("status.json");
    place.write("cut.json", &status[..status.len() / 2]);
    place.write("text.json", "Machine  QEMU");
    place.write("empty.json", "");
    place.write("other.json", "{\"schema\":\"outboard-status/2\"}");
    place.write("types.json", status.replace("\"cpus\": 1", "\"cpus\": \"<b>1</b>\""));
    place.write("bytes.json", b"{\"schema\":\"\xff\xfe\"}");
    for (file, cause, step) in [
        ("none.json", "No such file", "write it first"),
        ("cut.json", "ends in the middle", "run it again"),
        ("text.json", "is not JSON", "--json"),
        ("empty.json", "is empty", "again"),
        ("other.json", "outboard-status/2", "use the outboard that wrote it"),
        ("types.json", "expected u64 at line", "outboard status --json"),
        ("bytes.json", "is not JSON", "--json"),
    ] {
        place.write("report.html", "the old one");
        place.fails(&[file], &[file, cause, step]);
        assert_eq!(place.read("report.html"), "the old one");
    }
    place.fails(&["status.json", "status.json"], &["status.json is a status already"]);
    let empty = Place::new();
    empty.fails(&["."], &[".json", "outboard status --json"]);
}

#[test]
fn a_huge_file_is_refused_without_being_read() {
    let place = Place::new();
    fs::File::create(place.path("huge.json")).unwrap().set_len(100 << 30).unwrap();
    place.fails(&["huge.json"], &["huge.json", "larger than 16 MiB", "give a file"]);
    place.fails(&["/dev/zero"], &["/dev/zero", "larger than 16 MiB"]);
}

#[test]
fn nothing_is_lost_to_a_report() {
    let place = Place::with(&["status.json"]);
    let before = place.read("status.json");
    place.fails(&["status.json", "-o", "status.json"], &["would replace it", "--output"]);
    place.fails(&["status.json", "-o", "."], &["directory", "--output"]);
    place.fails(&["status.json", "-o", "none/report.html"], &["none/report.html", "make that directory"]);
    assert_eq!(place.read("status.json"), before);
    // A device or a symbolic link must not be replaced.
    place.report(&["status.json", "-o", "/dev/null"]).assert().success();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    std::os::unix::fs::symlink("real.html", place.path("link.html")).unwrap();
    place.write("real.html", "old");
    place.report(&["status.json", "-o", "link.html"]).assert().success();
    assert!(place.path("link.html").is_symlink() && place.read("real.html").starts_with("<!DOCTYPE"));
}

#[test]
fn a_full_disk_leaves_the_old_report() {
    let place = Place::with(&["status.json"]);
    place.write("report.html", "the old one");
    // `ulimit -f 1` simulates a full disk: with SIGXFSZ ignored, write(2) fails.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" report status.json";
    let binary = both::outboard();
    let mut command = Command::new("sh");
    let output = command.current_dir(place.0.path()).args(["-c", script]).arg(binary).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.contains("report.html: cannot be written: File too large") && error.contains("not changed"),
        "{error}"
    );
    assert_eq!(place.read("report.html"), "the old one");
    assert_eq!(place.files(), 2, "nothing half-written is left");
}

#[test]
fn stdout_gets_the_document_alone() {
    let place = Place::with(&["check.json"]);
    let output = place.report(&["check.json", "--format", "json", "-o", "-"]).output().unwrap();
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["schema"], "outboard-report/1");
    assert_eq!(place.files(), 1);
}

#[test]
fn without_files_the_status_is_taken_now() {
    let place = Place::new();
    let output = place.report(&[]).output().unwrap();
    if !Path::new("/proc/crypto").exists() {
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains("/proc/crypto"));
        return;
    }
    assert!(output.status.success());
    let page = place.read("report.html");
    assert!(page.contains("of outboard status, run now.") && page.contains("outboard check --for"));
}
