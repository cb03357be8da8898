//! Tests of the configuration format, with typical files and with arbitrary bytes.

use outboard_openssl_conf::conf::Conf;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

fn parse(text: &str) -> Conf {
    Conf::parse(text.as_bytes())
}

fn value(text: &str) -> Result<String, String> {
    let conf = parse(text);
    match conf.refused {
        Some(why) => Err(why.to_string()),
        None => Ok(conf.get("s", "k").unwrap_or("(none)").to_owned()),
    }
}

#[test]
fn quotes_escapes_comments_and_continuations() {
    let same = |text: &str, expected: &str| {
        assert_eq!(value(&format!("[s]\n{text}\n")).as_deref(), Ok(expected), "{text}");
    };
    same("k = a b  # comment", "a b");
    same("k=\"a # b\" 'c d'", "a # b c d");
    same("k = `x`", "x");
    same(r"k = a\#b\n\tc\q", "a#b\n\tcq");
    same(r#"k = "a\"b\n""#, "a\"bn");
    same("k = one \\\n  two\\\nthree", "one   twothree");
    same("k = c:\\\\", "c:\\");
    same("k =", "");
    same("   k   =   v   ", "v");
    same("k = v\r", "v");
    same("k = \"open", "open");
    same("k = first\nk = second", "second");
    same("s::k = here", "here");
    same("[ t ]\ns::k = there", "there");
}

#[test]
fn variables_are_looked_up_in_their_section_then_in_the_default_section() {
    assert_eq!(value("d = D\n[s]\nk = $d${d}$(d)/x").as_deref(), Ok("DDD/x"));
    assert_eq!(value("[t]\na=1\n[s]\nk = ${t::a}$t::a").as_deref(), Ok("11"));
    assert_eq!(value("[s]\nk = $none").unwrap_err(), "line 2: a variable has no value");
    assert_eq!(value("[s]\nk = ${d").unwrap_err(), "line 2: the closing } of a variable is missing");
    assert_eq!(value(".pragma dollarid:on\nd=D\n[s]\nk = $d${d}").as_deref(), Ok("$dD"));
    assert_eq!(value("[s]\nk = '$none'").as_deref(), Ok("$none"));
}

#[test]
fn lines_that_openssl_refuses_are_remarked_and_the_rest_is_read() {
    let conf = parse("[s\nk = 1\n[ s ]\nno equal sign\nk = 2\n");
    assert_eq!(conf.refused.unwrap().to_string(), "line 1: the section's closing ] is missing");
    let conf = parse("[s]\nno equal sign\nk = 2\n");
    assert_eq!(conf.refused.as_ref().unwrap().to_string(), "line 2: the = after the name is missing");
    assert_eq!(conf.get("s", "k"), Some("2"));
    assert!(parse("\u{feff}k = 1").refused.is_none());
    assert!(parse("\n\u{feff}k = 1").refused.is_some());
}

#[test]
fn sections_merge_and_a_repeated_key_moves_to_the_end() {
    let conf = parse("[a]\nx=1\ny=2\n[b]\nz=1\n[a]\nx=3\nw=4\n[ two words ]\nk=1");
    let entries = |name: &str| conf.section(name).unwrap().entries();
    assert_eq!(entries("a"), [("y", "2"), ("x", "3"), ("w", "4")]);
    assert_eq!(entries("two words"), [("k", "1")]);
    assert_eq!(conf.sections().collect::<Vec<_>>(), ["a", "b", "default", "two words"]);
}

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn load(dir: &Path, env: &[(&str, &str)]) -> Conf {
    let env = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
    Conf::load(&dir.join("main.cnf"), &env).unwrap()
}

#[test]
fn includes_follow_the_pragma_the_environment_and_directories() {
    let dir = tree(&[
        ("main.cnf", "[s]\n.include one.cnf\n.include = parts\nafter = 1\n"),
        ("a/one.cnf", "k = a\n"),
        ("b/one.cnf", "k = b\n[t]\nend = no newline"),
        ("b/parts/x.cnf", "[x]\nk = x\n.include inner.txt\nlast = x\n"),
        ("b/parts/ignored.txt", "[ignored]\nk=1"),
        ("b/inner.txt", "inner = 1"),
    ]);
    let d = dir.path().display().to_string();
    let conf = load(dir.path(), &[("OPENSSL_CONF_INCLUDE", &format!("{d}/b"))]);
    assert!(conf.refused.is_none() && conf.warnings.is_empty(), "{conf:?}");
    assert_eq!(conf.get("s", "k"), Some("b"));
    assert_eq!(conf.section("t").unwrap().entries(), [("end", "no newline")]);
    let x = [("k", "x"), ("inner", "1"), ("last", "x"), ("after", "1")];
    assert_eq!(conf.section("x").unwrap().entries(), x, "the section stays what the last file left");
    assert!(conf.section("ignored").is_none());

    fs::write(dir.path().join("main.cnf"), format!(".pragma includedir:{d}/a\n[s]\n.include one.cnf\n"))
        .unwrap();
    assert_eq!(load(dir.path(), &[]).get("s", "k"), Some("a"));
    fs::write(dir.path().join("main.cnf"), format!(".include '{d}/none.cnf'\n[s]\nk = $ENV::HERE\n"))
        .unwrap();
    let conf = load(dir.path(), &[("HERE", "yes")]);
    assert_eq!(conf.get("s", "k"), Some("yes"));
    assert!(conf.warnings[0].to_string().contains("main.cnf:1: "), "{}", conf.warnings[0]);
    fs::write(dir.path().join("main.cnf"), ".pragma = abspath:true\n.include one.cnf\n").unwrap();
    assert!(load(dir.path(), &[]).refused.unwrap().what.contains("must be absolute"));
}

#[test]
fn a_file_that_includes_itself_ends() {
    let dir = tree(&[("main.cnf", "[s]\nk=1\n")]);
    let path = dir.path().join("main.cnf");
    fs::write(&path, format!(".include {0}\n.include {0}\n[s]\nk=1\n", path.display())).unwrap();
    let conf = load(dir.path(), &[]);
    assert_eq!(conf.get("s", "k"), Some("1"));
    assert!(!conf.warnings.is_empty());
}

#[test]
fn variables_cannot_make_a_file_grow_without_end() {
    let mut text = format!("a = {}\n", "x".repeat(60_000));
    for i in 0..10_000 {
        text.push_str(&format!("b{i} = $a\nc{i} = $a$a\n"));
    }
    let conf = parse(&text);
    assert!(conf.warnings.iter().any(|w| w.what.contains("too large")));
    assert!(conf.refused.unwrap().what.contains("grows beyond"));
}

#[test]
fn a_path_that_is_not_a_file_is_refused() {
    for path in ["/dev/zero", "/", "/nonexistent/openssl.cnf"] {
        let error = Conf::load(Path::new(path), &|_| None).unwrap_err().to_string();
        assert!(error.contains(path) && error.contains("OPENSSL_CONF"), "{error}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Conf::parse(&bytes);
    }

    #[test]
    fn any_text_of_the_special_characters_is_survived(text in "[\\[\\]=\\\\\"'`$\\{\\}():#. ab\n\r\u{0}é]{0,120}") {
        let conf = parse(&text);
        for name in conf.sections().map(str::to_owned).collect::<Vec<_>>() {
            let _ = conf.section(&name).unwrap().entries();
        }
    }

    #[test]
    fn plain_files_are_read_as_written(keys in prop::collection::btree_map("[a-z]{1,8}", "[a-zA-Z0-9/_.-]{1,20}", 1..20)) {
        let text: String = keys.iter().map(|(k, v)| format!("{k} = {v}\n")).collect();
        let conf = parse(&format!("[plain]\n{text}"));
        let read = conf.section("plain").unwrap().entries();
        prop_assert!(read.into_iter().eq(keys.iter().map(|(k, v)| (k.as_str(), v.as_str()))));
    }
}

#[test]
fn each_value_has_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (dir.path().join("openssl.cnf"), dir.path().join("more.cnf"));
    fs::write(&second, "# a comment\n[s]\nk = two \\\n  lines\n").unwrap();
    fs::write(&first, format!("[s]\nk = one\nother = x\n.include {}\n[s]\nlast = y\n", second.display()))
        .unwrap();
    let conf = Conf::load(&first, &|_| None).unwrap();
    assert_eq!(conf.files, [first.clone(), second.clone()]);
    let section = conf.section("s").unwrap();
    let origin = |key: &str| section.origin(key).unwrap().to_string();
    assert_eq!(origin("k"), format!("{}:4", second.display()));
    assert_eq!((origin("other"), origin("last")), (at(&first, 3), at(&first, 6)));
    assert!(section.origin("none").is_none());
}

fn at(file: &Path, line: usize) -> String {
    format!("{}:{line}", file.display())
}
