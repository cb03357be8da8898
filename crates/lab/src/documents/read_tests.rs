use super::*;

fn error(text: &str) -> String {
    read(text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn damage_is_named_with_its_place_and_the_next_step() {
    for (text, cause, step) in [
        ("", "empty", "again"),
        (" \n", "empty", "again"),
        ("Machine  QEMU", "not JSON", "--json"),
        (r#"{"schema":"outboard-check/1","seed":1,"#, "ends in the middle (line 1)", "run it again"),
        (
            "{\n\"schema\":\"outboard-check/1\",\n\"drivers\":[{\"name\":\"x",
            "ends in the middle (line 3)",
            "again",
        ),
        ("[]", "no \"schema\"", "--json"),
        ("{}", "no \"schema\"", "--json"),
        (r#"{"schema":7}"#, "no \"schema\"", "--json"),
        (r#"{"schema":"outboard-status/2"}"#, "\"outboard-status/2\"", "use the outboard that wrote it"),
        ("{\"schema\":\"a\\u001b[2J<b>\"}", r#""a\u{1b}[2J<b>""#, "give one of those"),
        (r#"{"schema":"outboard-status/1"}"#, "missing field `kernel`", "outboard status --json"),
        (
            r#"{"schema":"outboard-check/1","seed":"7","drivers":[],"interrupted":false}"#,
            "expected u64",
            "outboard check",
        ),
        (
            r#"{"schema":"outboard-check/1","seed":-7,"drivers":[],"interrupted":false}"#,
            "expected u64",
            "outboard check",
        ),
        (r#"{"schema":"outboard-tune/1","made":[]}"#, "expected a string at line 1", "outboard tune"),
    ] {
        let error = error(text);
        assert!(error.contains(cause) && error.contains(step), "{text}: {error}");
    }
}

#[test]
fn text_of_a_file_has_no_escape_sequences() {
    let text = "{\"schema\":\"outboard-check/1\",\"seed\":1,\"interrupted\":false,\"drivers\":[{\"name\":\"x\",\
        \"algorithm\":\"x\",\"selftest\":\"x\",\"verdict\":\"\\u001b]0;x\\u0007\"}]}";
    let error = error(text);
    assert!(!error.contains(char::is_control) && error.contains("unknown variant"), "{error}");
}

#[test]
fn deep_and_long_files_are_refused() {
    let deep = format!("{{\"schema\":\"outboard-check/1\",\"x\":{}", "[".repeat(100_000));
    assert!(error(&deep).contains("ends in the middle"));
    assert!(matches!(read(&vec![b' '; LARGEST as usize + 1]), Err(Unfit::Large)));
}

#[test]
fn control_characters_are_escaped_in_json() {
    let text = outboard_documents::pretty(&["a\u{1b}[2J\u{202e}\u{7f}\u{9b}", "Zürich"]).unwrap();
    assert_eq!(text, "[\n  \"a\\u001b[2J\\u202e\\u007f\\u009b\",\n  \"Zürich\"\n]\n");
    let read: Vec<String> = serde_json::from_str(&text).unwrap();
    assert_eq!(read[0], "a\u{1b}[2J\u{202e}\u{7f}\u{9b}");
}
