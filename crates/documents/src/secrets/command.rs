//! Command lines: programs, options, algorithms and sizes are shown.

use outboard_catalog::shown::{is_algorithm, is_name};

use super::script::script;
use super::{REMOVED, is_removed, removed};

/// Programs that run the command that follows their options.
const WRAPPERS: &str = "env sudo doas nice ionice chrt time timeout setsid nohup stdbuf taskset exec command xargs \
    strace ltrace perf then do else if elif while until !";
const SHELLS: &str = "sh bash dash ash ksh zsh";
/// Options and keys with numbers that describe a measurement, without dashes.
const NUMBERS: &str = "bytes seconds multi async_jobs n c num count size bs ibs obs length len time threads jobs \
    numjobs runtime iodepth depth blocksize misalign primes bits iter loops repeat requests connections \
    clients duration";
/// Options with digits, without dashes.
const WITH_DIGITS: &str = "base64 tls1 tls1_1 tls1_2 tls1_3 no_tls1 no_tls1_1 no_tls1_2 no_tls1_3 dtls1 dtls1_2 \
    x509 pkcs7 pkcs8 pkcs12 p12 pbkdf2 sess_out4 alpn2 http0 http1 http2 http3";
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
];

/// The words of a command that may be shown. A word is a program, an option, an algorithm, or a
/// number that belongs to an option such as `-bytes`; everything else is replaced, since only the
/// program knows what it means.
pub fn command(words: &[String]) -> Vec<String> {
    let mut line = Line::default();
    words.iter().map(|word| line.word(word)).collect()
}

pub struct Line {
    expects: Expects,
    program: String,
    option: Option<String>,
}

#[derive(PartialEq, Eq)]
enum Expects {
    Program,
    First,
    Argument,
    Script,
}

impl Default for Line {
    fn default() -> Self {
        Line { expects: Expects::Program, program: String::new(), option: None }
    }
}

impl Line {
    pub fn word(&mut self, word: &str) -> String {
        let option = self.option.take();
        if is_removed(word) || word.is_empty() {
            if self.expects != Expects::Script {
                self.expects = Expects::Argument;
            }
            return word.to_owned();
        }
        if is_option(word) {
            return self.options(word);
        }
        match self.expects {
            Expects::Script => {
                self.expects = Expects::Argument;
                script(word)
            }
            Expects::Program => self.program(word),
            Expects::First | Expects::Argument => {
                let is_first = self.expects == Expects::First;
                self.expects = Expects::Argument;
                if is_first && self.program == "openssl" && is_subcommand(word) {
                    return word.to_owned();
                }
                pair(word).unwrap_or_else(|| value(option.as_deref(), word))
            }
        }
    }

    /// A word after the redirection of a shell.
    pub fn file(word: &str) -> String {
        value(None, word)
    }

    fn program(&mut self, word: &str) -> String {
        if let Some(assignment) = pair(word) {
            return assignment;
        }
        let base = word.rsplit('/').next().unwrap_or(word);
        if has(WRAPPERS, base) {
            return base.to_owned();
        }
        // As `timeout 10`.
        if is_size(word) && word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 4 {
            return word.to_owned();
        }
        self.expects = Expects::First;
        if !is_name(base) {
            self.program.clear();
            return removed(word.len());
        }
        base.clone_into(&mut self.program);
        let is_known = word.split('/').all(|part| matches!(part, "" | "." | "..") || is_name(part));
        if is_known { word.to_owned() } else { base.to_owned() }
    }

    fn options(&mut self, word: &str) -> String {
        let (name, given) = word.split_once('=').map_or((word, None), |(name, given)| (name, Some(given)));
        let bare = name.trim_start_matches('-');
        if !is_option_name(bare) {
            return removed(word.len());
        }
        let is_script = has(SHELLS, &self.program) && !name.starts_with("--") && bare.ends_with('c');
        if is_script && self.expects != Expects::Program {
            self.expects = Expects::Script;
        } else if self.expects == Expects::First && self.program != "openssl" {
            self.expects = Expects::Argument;
        }
        match given {
            Some(given) => format!("{name}={}", value(Some(bare), given)),
            None => {
                self.option = Some(bare.to_owned());
                word.to_owned()
            }
        }
    }
}

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

fn is_option(word: &str) -> bool {
    word.starts_with('-')
}

/// Lower-case letters, perhaps after upper-case ones, as in `-CAfile`; `-9`; algorithms. A value
/// that is glued to an option of one letter, as in `-pSecret1`, is none of these.
fn is_option_name(bare: &str) -> bool {
    let rest = bare.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '-' || c == '_';
    let is_number = || bare.len() <= 2 && bare.chars().all(|c| c.is_ascii_digit());
    (bare.len() <= 28 && bare.len() - rest.len() <= 4 && rest.chars().all(is_plain))
        || is_number()
        || has(WITH_DIGITS, bare)
        || is_algorithm(bare)
}

/// `enc`, `s_client`, `aes-128-cbc`.
fn is_subcommand(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '_';
    (word.len() <= 10 && word.chars().all(is_plain)) || has(WITH_DIGITS, word) || is_algorithm(word)
}

/// `NAME=VALUE`: an assignment of the environment, an operand of dd(1).
fn pair(word: &str) -> Option<String> {
    let (name, given) = word.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.len() <= 40
        && name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let shown = if given.is_empty() { String::new() } else { value(Some(name), given) };
    Some(if is_name { format!("{name}={shown}") } else { format!("{REMOVED}={shown}") })
}

fn value(option: Option<&str>, word: &str) -> String {
    let is_number = |word: &str| word.len() <= 12 && word.chars().all(|c| c.is_ascii_digit());
    let is_shown = is_algorithm(word)
        || is_removed(word)
        || is_size(word)
        || DEVICES.contains(&word)
        || is_variable(word)
        || (option.is_some_and(|option| has(NUMBERS, option)) && is_number(word));
    if is_shown { word.to_owned() } else { removed(word.len()) }
}

/// A number with a unit: `16k`, `10s`; a power of two; or one of at most three digits.
fn is_size(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - unit.len();
    match unit {
        "" => (1..=3).contains(&digits) || word.parse().is_ok_and(u64::is_power_of_two),
        _ => (1..=6).contains(&digits) && has("k K M G KB MB GB KiB MiB GiB s m h ms", unit),
    }
}

/// `$KEY`, `${KEY}`: the name of a variable, not its value.
fn is_variable(word: &str) -> bool {
    let Some(name) = word.strip_prefix('$') else { return false };
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    name.len() <= 40 && !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
}
