//! docs/requirements.md names the tests that show its answers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The requirements whose answers `outboard status` and its relatives give.
const WITH_A_TEST: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 16, 19, 21, 22, 23, 27];

/// The words between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn each_named_test_exists() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(repository.join("docs/requirements.md")).unwrap();
    let (_, tests) = page.split_once("## Tests").unwrap();
    let mut found = BTreeSet::new();
    for row in tests.lines().filter(|line| line.starts_with("| R")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let numbers = cells[1].split(", ").map(|name| name[1..].parse::<u32>().unwrap());
        found.extend(numbers);
        let names: Vec<&str> = quoted(cells[2]).collect();
        assert!(!names.is_empty() && names.len() % 2 == 0, "{row}: a file and a function each");
        for pair in names.chunks(2) {
            let text = fs::read_to_string(repository.join(pair[0])).unwrap_or_default();
            let is_test = text.contains(&format!("#[test]\nfn {}(", pair[1]))
                || text.contains(&format!("#[test]\n    fn {}(", pair[1]));
            assert!(is_test, "{} has no test {}", pair[0], pair[1]);
        }
    }
    assert_eq!(found, BTreeSet::from(WITH_A_TEST));
}
