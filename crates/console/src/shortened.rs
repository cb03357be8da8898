//! Lists that would be too long for a person, and numbers of things.

/// Maximum number of notes or warnings under a result, without --verbose.
const MOST: usize = 2;

/// The first of several notes or warnings.
#[derive(Debug, PartialEq, Eq)]
pub struct First {
    pub shown: Vec<String>,
    /// How many more there are, and the option that shows them.
    pub more: Option<String>,
}

/// The first two of several notes or warnings, all where `all` is. `option` shows the others. One
/// cause has one line: `AES-128-CBC: CAUSE` and `AES-256-CBC: CAUSE` are put together.
pub fn first_of(notes: &[impl AsRef<str>], unit: &str, option: &str, all: bool) -> First {
    let mut shown = by_cause(notes);
    let most = if all { shown.len() } else { MOST };
    let more = shown.len().saturating_sub(most) as u64;
    shown.truncate(most);
    First {
        shown,
        more: (more > 0).then(|| format!("{} ({option})", counted(more, &format!("more {unit}")))),
    }
}

/// The notes; those with the same cause as one, with all their subjects.
fn by_cause(notes: &[impl AsRef<str>]) -> Vec<String> {
    let mut causes: Vec<(Vec<&str>, &str)> = Vec::new();
    for note in notes.iter().map(AsRef::as_ref) {
        let parts = note.split_once(": ").filter(|(subject, _)| !subject.contains(' '));
        let (subject, cause) = parts.map_or((None, note), |(subject, cause)| (Some(subject), cause));
        match causes
            .iter_mut()
            .find(|(subjects, known)| *known == cause && subjects.is_empty() == subject.is_none())
        {
            Some((subjects, _)) => subjects.extend(subject.filter(|subject| !subjects.contains(subject))),
            None => causes.push((subject.into_iter().collect(), cause)),
        }
    }
    let text = |(subjects, cause): (Vec<&str>, &str)| match subjects.is_empty() {
        true => cause.to_owned(),
        false => format!("{}: {cause}", subjects.join(", ")),
    };
    causes.into_iter().map(text).map(|note| without_numbers(&note)).collect()
}

/// The text without the numbers of the kernel's errors, whose words stand before them:
/// `No such file or directory (os error 2)`.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (os error ") {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(before);
        match after[digits..].strip_prefix(')') {
            Some(after) if digits > 0 => rest = after,
            _ => {
                out.push_str(" (os error ");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A number of things: `1 CPU`, `2 CPUs`.
pub fn counted(number: u64, unit: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_notes_are_shown_and_the_others_counted() {
        let notes = ["a", "b", "a", "c", "d"];
        let first = first_of(&notes, "note", "--verbose", false);
        assert_eq!(first.shown, ["a", "b"]);
        assert_eq!(first.more.as_deref(), Some("2 more notes (--verbose)"));
        let all = first_of(&notes, "note", "--verbose", true);
        assert_eq!((all.shown, all.more), (["a", "b", "c", "d"].map(String::from).into(), None));
        assert_eq!(first_of(&notes[..3], "note", "--verbose", false).more, None);
        assert_eq!(
            first_of(&["a", "b", "c"], "warning", "--json", false).more.unwrap(),
            "1 more warning (--json)"
        );
    }

    #[test]
    fn one_cause_has_one_line() {
        let notes = [
            "AES-128-CBC: no driver",
            "AES-256-CBC: no driver",
            "a note: no driver",
            "AES-128-CBC: no driver",
        ];
        assert_eq!(
            first_of(&notes, "note", "--verbose", false).shown,
            ["AES-128-CBC, AES-256-CBC: no driver", "a note: no driver"]
        );
    }

    #[test]
    fn numbers_of_errors_are_left_out() {
        let text = "a: No such file or directory (os error 2); b: denied (os error 13)";
        assert_eq!(without_numbers(text), "a: No such file or directory; b: denied");
        assert_eq!(without_numbers("x (os error y)"), "x (os error y)");
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!(
            [counted(1, "CPU"), counted(0, "block"), counted(2, "block")],
            ["1 CPU", "0 blocks", "2 blocks"]
        );
    }
}
