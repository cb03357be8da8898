use proptest::prelude::*;

use super::*;

const CBC: &str = "name         : cbc(aes)\ndriver       : mv-cbc-aes\nmodule       : kernel\npriority     : 300\n\
refcnt       : 1\nselftest     : passed\ninternal     : no\ntype         : skcipher\nasync        : yes\n\
blocksize    : 16\nmin keysize  : 16\nmax keysize  : 32\nivsize       : 16\nchunksize    : 16\nwalksize     : 16\n\n";

fn entry(name: &str) -> String {
    CBC.replace("mv-cbc-aes", name)
}

fn names(bytes: &[u8]) -> Vec<String> {
    parse(bytes).0.into_iter().map(|d| d.name).collect()
}

#[test]
fn every_field_of_an_entry_is_read() {
    let (drivers, warnings) = parse(CBC.as_bytes());
    assert_eq!(warnings, []);
    let expected = CryptoDriver {
        algorithm: "cbc(aes)".into(),
        name: "mv-cbc-aes".into(),
        module: "kernel".into(),
        priority: 300,
        refcnt: Some(1),
        selftest: Selftest::Passed,
        internal: false,
        kind: DriverType::Skcipher,
        is_async: Some(true),
        blocksize: Some(16),
        min_keysize: Some(16),
        max_keysize: Some(32),
        ivsize: Some(16),
        maxauthsize: None,
        digestsize: None,
        line: 1,
    };
    assert_eq!(drivers, [expected]);
}

#[test]
fn a_missing_blank_line_loses_nothing() {
    let two = format!("{}{}", entry("a").trim_end(), format_args!("\n{}", entry("b")));
    assert_eq!(names(two.as_bytes()), ["a", "b"]);
}

#[test]
fn damage_costs_one_entry_and_names_its_line() {
    for (good, bad, line, says) in [
        ("priority     : 300", "priority     : 99999999999", 20, "\"priority\" is no number in range"),
        ("driver       : b\n", "", 17, "no \"driver\""),
        ("internal     : no", "internal     : perhaps", 23, "neither yes nor no"),
        ("async        : yes", "async", 25, "without a colon"),
        ("module       : kernel", "module       : ker\0nel", 19, "contains a NUL"),
        ("type         : skcipher\n", "", 17, "no \"type\""),
        ("ivsize       : 16", "ivsize       : 16\nivsize       : 16", 30, "a second \"ivsize\""),
    ] {
        let text = format!("{}{}{}", entry("a"), entry("b").replace(good, bad), entry("c"));
        let (drivers, warnings) = parse(text.as_bytes());
        assert_eq!(drivers.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["a", "c"], "{bad}");
        assert_eq!(warnings.len(), 1, "{bad}");
        assert_eq!(warnings[0].line, line, "{bad}");
        assert!(warnings[0].to_string().contains(says), "{bad}: {}", warnings[0]);
    }
}

#[test]
fn a_file_cut_in_a_line_loses_the_last_entry_only() {
    let text = format!("{}{}", entry("a"), entry("b"));
    let cut = &text.as_bytes()[..text.len() - 4];
    let (drivers, warnings) = parse(cut);
    assert_eq!(drivers.len(), 1);
    assert!(warnings[0].to_string().contains("ends in the middle of a line"), "{}", warnings[0]);
}

#[test]
fn unknown_lines_and_types_are_kept_out_of_the_way() {
    let text = CBC.replace("skcipher", "qcipher").replace("refcnt       : 1\n", "fips         : yes\n");
    let (drivers, warnings) = parse(text.as_bytes());
    assert_eq!((drivers[0].kind.name(), drivers[0].refcnt, warnings.len()), ("qcipher", None, 0));
}

#[test]
fn a_driver_is_usable_only_when_tested_and_not_internal() {
    for (from, to, usable) in [
        ("passed", "passed", true),
        ("passed", "unknown", false),
        ("passed", "odd", false),
        ("internal     : no", "internal     : yes", false),
    ] {
        assert_eq!(parse(CBC.replace(from, to).as_bytes()).0[0].is_usable(), usable, "{to}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..4000)) {
        parse(&bytes);
    }

    #[test]
    fn text_that_looks_right_is_survived(
        lines in proptest::collection::vec("(name|driver|module|priority|type|async|internal|selftest|ivsize|) *:? ?[ -~]{0,9}", 0..60),
    ) {
        let text = lines.join("\n");
        let (drivers, warnings) = parse(text.as_bytes());
        prop_assert!(drivers.len() + warnings.len() <= lines.len());
    }

    /// A byte that is overwritten within one entry damages at most that entry (a newline may split
    /// it in two).
    #[test]
    fn damage_stays_in_its_entry(at in 0usize..CBC.len() - 2, byte in any::<u8>()) {
        let mut text = format!("{}{}{}", entry("first-one"), CBC, entry("last-one")).into_bytes();
        let start = entry("first-one").len();
        text[start + at] = byte;
        let found = names(&text);
        prop_assert!(found.contains(&"first-one".to_string()) && found.contains(&"last-one".to_string()));
    }
}

#[test]
fn a_placeholder_without_a_driver_name_is_no_damage() {
    // As crypto_larval_alloc() creates it while a driver that was just loaded is looked up.
    let larval = "name         : cbc(aes)\ndriver       : \nmodule       : kernel\npriority     : -1\nrefcnt       : 3\n\
                  selftest     : unknown\ninternal     : no\ntype         : larval\nflags        : 0xc\n\n";
    let (drivers, warnings) = parse(larval.as_bytes());
    assert!(drivers.is_empty() && warnings.is_empty(), "{warnings:?}");
    let (_, warnings) = parse(larval.replace("larval", "skcipher").as_bytes());
    assert_eq!(warnings.len(), 1);
}

#[test]
fn a_list_of_drivers_without_end_is_not_read_to_its_end() {
    let entry = "name : x\ndriver : x-a\nmodule : m\npriority : 1\nselftest : passed\ntype : cipher\n\n";
    let (drivers, warnings) = parse(entry.repeat(2 * MOST_DRIVERS).as_bytes());
    assert_eq!((drivers.len(), warnings.len()), (MOST_DRIVERS, 1));
    let said = "/proc/crypto line 28673: more than 4096 entries; the entry and all others are left out";
    assert_eq!(warnings[0].to_string(), said);
    let (drivers, warnings) = parse("damaged\n\n".repeat(2 * MOST_DRIVERS).as_bytes());
    assert_eq!((drivers.len(), warnings.len()), (0, MOST_DRIVERS + 1));
}
