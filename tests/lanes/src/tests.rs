//! Tests of the reader of `tests/legs.toml`, and of the file itself.

use super::{Lane, LegsFile};

const EXAMPLE: &str = r#"
[[legs]]
name = "old"
cpu = "qemu64"

[[legs]]
name = "new"
cpu = "max"

[[legs]]
name = "other_processor"
cpu = "cortex-a15"
fast = ["lanes"]

[themes.everywhere]

[themes.one_leg]
only = ["new"]
why = "the image of old has no Python"

[themes.lanes]
fast = ["old"]

[themes.slow]
only = ["new"]
fast_tests = ["first", "third"]
why = "it takes long"

[themes.unit]
machine = "host"

[themes.engine]
model = "cesa,tests=yes"
only = ["new"]
why = "the driver is in its kernel"

[themes.engine_too]
model = "cesa,tests=yes"
only = ["new"]
fast = []
why = "the driver is in its kernel"

[themes.noise]
machine = "module"
seconds = { fast = 5, all = 30 }

[[skips]]
themes = ["lanes"]
tests = ["first", "second"]
missing = "a device"
legs = ["old"]
reason = "Debian has none"

[[skips]]
themes = ["slow"]
tests = ["second", "third"]
missing = "a clock"
reason = "virtual machines have none"

[[skips]]
themes = ["unit"]
missing = "root"
reason = "mounting needs root"
when = "the user is not root"
"#;

fn example() -> LegsFile {
    LegsFile::parse(EXAMPLE).unwrap()
}

fn problems(leg: &str, boot: &str, log: &str) -> Vec<String> {
    example().problems(Lane::Fast, leg, boot, log)
}

#[test]
fn each_lane_has_its_themes_in_the_order_of_their_names() {
    let boots = |lane, leg| {
        let boots = example().boots(lane, leg);
        boots.into_iter().map(|(boot, themes)| format!("{boot} {}", themes.join(" "))).collect::<Vec<_>>()
    };
    assert_eq!(boots(Lane::Fast, "old"), ["end-to-end everywhere lanes", "module noise=5"]);
    assert_eq!(
        boots(Lane::Fast, "new"),
        ["end-to-end everywhere one_leg slow:first,third", "model-cesa,tests=yes engine", "module noise=5"]
    );
    assert_eq!(
        boots(Lane::All, "new"),
        [
            "end-to-end everywhere lanes one_leg slow",
            "model-cesa,tests=yes engine engine_too",
            "module noise=30"
        ]
    );
    assert_eq!(boots(Lane::Fast, "host"), ["host unit"]);
    assert_eq!(boots(Lane::Fast, "other_processor"), ["end-to-end lanes"]);
    assert_eq!(boots(Lane::All, "other_processor"), ["end-to-end everywhere lanes", "module noise=30"]);
}

#[test]
fn a_slow_leg_has_several_boots_and_each_is_judged_by_its_own_themes() {
    let text = EXAMPLE.replace("cpu = \"max\"", "cpu = \"max\"\nthemes_per_boot = 3");
    let file = LegsFile::parse(&text).unwrap();
    let boots = file.boots(Lane::All, "new");
    let names: Vec<_> = boots.iter().map(|(name, themes)| format!("{name} {}", themes.join(" "))).collect();
    assert_eq!(
        names,
        [
            "end-to-end-1 everywhere lanes one_leg",
            "end-to-end-2 slow",
            "model-cesa,tests=yes engine engine_too",
            "module noise=30"
        ]
    );
    let log = "     Running slow\nSKIP: second: a clock\nSKIP: third: a clock\n     Ended slow: 1 s\n";
    assert_eq!(file.problems(Lane::All, "new", "end-to-end-2", log), [""; 0]);
    let missing = ["everywhere did not run", "lanes did not run", "one_leg did not run"];
    assert_eq!(file.problems(Lane::All, "new", "end-to-end-1", ""), missing);
}

#[test]
fn a_leg_without_themes_in_the_fast_lane_is_not_started_there() {
    let text = EXAMPLE.replace("fast = [\"lanes\"]", "fast = []");
    let file = LegsFile::parse(&text).unwrap();
    let legs = |lane| file.legs(lane).map(|(leg, _)| leg).collect::<Vec<_>>();
    assert_eq!(legs(Lane::Fast), ["old", "new"]);
    assert_eq!(legs(Lane::All), ["old", "new", "other_processor"]);
}

#[test]
fn a_skip_has_to_be_listed_with_its_test_and_its_reason() {
    let log = |skips: &str| {
        format!(
            "     Running everywhere\n     Ended everywhere: 1 s\n     Running lanes\n{skips}     Ended lanes: 1 s\n"
        )
    };
    let both = "SKIP: first: a device (insmod)\ntest second ... ignored, a device\n";
    assert!(problems("old", "end-to-end", &log(both)).is_empty());
    let found = problems("old", "end-to-end", &log(&format!("{both}SKIP: third: a device\n")));
    assert_eq!(found, ["lanes: not listed: skip of third: a device"]);
    let found = problems("old", "end-to-end", &log(&format!("{both}SKIP: first: time\n")));
    assert_eq!(found, ["lanes: not listed: skip of first: time"]);
}

#[test]
fn a_listed_skip_has_to_happen() {
    let log =
        "     Ended everywhere: 1 s\n     Running lanes\nSKIP: first: a device\n     Ended lanes: 1 s\n";
    let found = problems("old", "end-to-end", log);
    assert_eq!(found, ["lanes: listed, but did not happen: skip of second: a device"]);
    // Not where it depends on the machine that runs the tests.
    assert!(problems("host", "host", "     Running unit\n     Ended unit: 1 s\n").is_empty());
    let found = problems("host", "host", "     Running unit\nSKIP: x: root\n     Ended unit: 1 s\n");
    assert!(found.is_empty());
}

#[test]
fn a_listed_skip_of_a_test_that_the_lane_leaves_out_need_not_happen() {
    let log = |skips: &str| {
        format!(
            "     Ended everywhere\n     Ended one_leg\n     Ended lanes\n     Running slow\n{skips}     Ended slow\n"
        )
    };
    let third = "SKIP: third: a clock\n";
    assert!(problems("new", "end-to-end", &log(third)).is_empty());
    let found = problems("new", "end-to-end", &log(""));
    assert_eq!(found, ["slow: listed, but did not happen: skip of third: a clock"]);
    let found = example().problems(Lane::All, "new", "end-to-end", &log(third));
    assert!(
        found.contains(&"slow: listed, but did not happen: skip of second: a clock".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_theme_that_did_not_end_is_a_problem() {
    let found = problems(
        "new",
        "end-to-end",
        "     Ended everywhere\n     Running slow\nSKIP: third: a clock\n     Ended slow\n     Running one_leg\n",
    );
    assert_eq!(found, ["one_leg did not run"]);
}

#[test]
fn contradictions_are_refused() {
    for (row, problem) in [
        ("fast = [\"trixy\"]", "theme t: no leg named trixy"),
        ("only = [\"a\"]", "theme t: it needs a reason (why) for the legs that it does not run on"),
        ("only = [\"a\"]\nwhy = \"x\"\nfast = [\"b\"]", "theme t: it never runs on b"),
        ("fast = []", "theme t: it needs a reason (why) to be in no leg of the fast lane"),
        (
            "fast_tests = [\"x\"]",
            "theme t: it needs a reason (why) for the tests that the fast lane leaves out",
        ),
        (
            "machine = \"module\"\nfast_tests = [\"x\"]\nwhy = \"x\"",
            "theme t: only tests of the end-to-end program can be chosen",
        ),
    ] {
        let text = format!(
            "[[legs]]\nname = \"a\"\ncpu = \"max\"\n[[legs]]\nname = \"b\"\ncpu = \"max\"\n[themes.t]\n{row}\n"
        );
        assert_eq!(LegsFile::parse(&text).unwrap_err(), problem);
    }
    let text = EXAMPLE.replace("fast = [\"lanes\"]", "fast = [\"one_leg\"]");
    let problem = LegsFile::parse(&text).unwrap_err();
    assert_eq!(problem, "leg other_processor: no theme named one_leg runs on it");
    assert!(
        LegsFile::parse("legs = []\n[themes.t]\nfats = []\n").unwrap_err().contains("unknown field `fats`")
    );
}

/// A theme without a row would never run, and one that main.rs lacks would not even be compiled.
#[test]
fn each_theme_is_a_file_a_module_and_a_row() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests");
    let names =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<_> = names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned)).collect();
    files.retain(|name| name != "main");
    files.sort();
    let main = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    let modules = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let mut modules: Vec<_> = modules.map(str::to_owned).collect();
    modules.sort();
    assert_eq!(modules, files, "tests/tests/main.rs and the files next to it");

    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../legs.toml")).unwrap();
    let file = LegsFile::parse(&text).unwrap();
    assert!(file.end_to_end().eq(files.iter().map(String::as_str)), "tests/legs.toml and tests/tests");
    let legs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vm/legs");
    let mut legs: Vec<_> =
        std::fs::read_dir(legs).unwrap().map(|leg| leg.unwrap().file_name().into_string().unwrap()).collect();
    legs.sort();
    let mut listed: Vec<_> = file.legs(Lane::All).map(|(leg, _)| leg).collect();
    listed.sort();
    assert_eq!(listed, legs, "tests/legs.toml and vm/legs");
}
