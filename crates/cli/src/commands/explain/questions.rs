//! The answers of docs/questions.md, by the names of their headings.

/// The page, of which this command prints parts.
const PAGE: &str = include_str!("../../../../../docs/questions.md");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The anchor of its heading, such as `wireguard`.
    pub name: String,
    pub title: String,
    pub answer: String,
}

pub fn all() -> Vec<Question> {
    PAGE.split("\n## ").skip(1).filter_map(parse).collect()
}

fn parse(section: &str) -> Option<Question> {
    let (heading, text) = section.split_once('\n')?;
    let (title, answer) = text.trim().strip_prefix("**")?.split_once("**")?;
    let (_, answer) = answer.split_once("\n\n")?;
    Some(Question { name: anchor(heading), title: plain(title), answer: plain(answer) })
}

fn anchor(heading: &str) -> String {
    heading.trim().to_lowercase().replace(' ', "-")
}

/// The text without the marks of Markdown: of a link its words and its file stay.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        let link = after.split_once("](").and_then(|(words, after)| {
            let (target, after) = after.split_once(')')?;
            (!words.contains(']')).then_some((words, target, after))
        });
        rest = match link {
            Some((words, target, after)) if words.contains(target) => {
                out.push_str(words);
                after
            }
            Some((words, target, after)) => {
                out.push_str(&format!("{words} (docs/{})", target.trim_start_matches("../")));
                after
            }
            None => {
                out.push('[');
                after
            }
        };
    }
    out.push_str(rest);
    out.replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_short_dated_and_has_a_command() {
        let sections: Vec<&str> = PAGE.split("\n## ").skip(1).collect();
        assert_eq!(all().len(), sections.len());
        assert!(sections.len() >= 17, "{}", sections.len());
        for section in sections {
            let question = parse(section).unwrap_or_else(|| panic!("{section}"));
            let (_, answer) = section.split_once("**\n").or_else(|| section.split_once(")\n")).unwrap();
            let lines = answer.lines().filter(|line| !line.is_empty()).count();
            assert!(lines <= 8, "{}: {lines} lines", question.name);
            assert!(section.contains("(2026-"), "{}: no date", question.name);
            assert!(section.contains("outboard "), "{}: no command", question.name);
        }
    }

    #[test]
    fn the_headings_that_other_pages_link_to_exist() {
        let names: Vec<String> = all().into_iter().map(|question| question.name).collect();
        for name in
            ["wireguard", "certificates", "openwrt", "costs", "undo", "luks-on-helios4", "which-process"]
        {
            assert!(names.iter().any(|one| one == name), "{name}");
        }
        for page in
            [include_str!("../../../../../README.md"), include_str!("../../../../../docs/coming-from.md")]
        {
            for link in page.split("questions.md#").skip(1) {
                let name = link.split(')').next().unwrap();
                assert!(names.iter().any(|one| one == name), "{name}");
            }
        }
    }

    #[test]
    fn links_and_marks_become_plain_text() {
        assert_eq!(plain("see [why](../SECURITY.md) and `x [y]`"), "see why (docs/SECURITY.md) and x [y]");
        assert_eq!(plain("[docs/a.md](docs/a.md)"), "docs/a.md");
    }

    #[test]
    fn no_question_has_the_name_of_a_problem() {
        for question in all() {
            assert!(outboard_advice::rules::by_id(&question.name).is_none(), "{}", question.name);
        }
    }
}
