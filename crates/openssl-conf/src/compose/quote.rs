//! Writes values and names so that OpenSSL reads them back unchanged, whatever pragmas are in
//! force.

/// A value: without quotes if it is plain, otherwise in double quotes. Line ends are written
/// outside the quotes, because `\n` means a line end only there.
pub(super) fn value(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-,:+=?".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\"\\n\""),
            '\r' => quoted.push_str("\"\\r\""),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The name of a section. Quotes are not allowed there, so special characters get a backslash.
pub(super) fn section(name: &str) -> String {
    let mut escaped = String::new();
    for c in name.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            '\u{8}' => escaped.push_str("\\b"),
            c if c.is_ascii_alphanumeric() || !c.is_ascii() => escaped.push(c),
            '_' | '.' | '-' | '/' => escaped.push(c),
            c => escaped.extend(['\\', c]),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::conf::Conf;
    use proptest::prelude::*;

    #[test]
    fn plain_values_stay_bare() {
        assert_eq!(super::value("ALL:4096,AES-128-CBC:2048"), "ALL:4096,AES-128-CBC:2048");
        assert_eq!(super::value(""), "\"\"");
        assert_eq!(super::value("/a b/$x"), "\"/a b/$x\"");
    }

    proptest! {
        #[test]
        fn values_and_sections_are_read_back(
            section in "[ -~\n\r\t]{1,20}", value in "[ -~\n\r\té]{0,30}", dollar in any::<bool>(),
        ) {
            let pragma = if dollar { ".pragma = dollarid:on\n" } else { "" };
            let text = format!("{pragma}[{}]\nkey = {}\n", super::section(&section), super::value(&value));
            let conf = Conf::parse(text.as_bytes());
            prop_assert!(conf.refused.is_none(), "{:?} in {text:?}", conf.refused);
            prop_assert_eq!(conf.section(&section).and_then(|s| s.get("key")), Some(value.as_str()));
        }
    }
}
