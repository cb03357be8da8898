//! Lines of configuration files with includes.

use std::path::{Path, PathBuf};

use super::SuiteSetting;
use crate::enable::Tree;

/// The maximum number of files, so that includes end.
const MOST_FILES: usize = 500;

/// A line that is neither empty nor a comment.
pub struct ConfigurationLine {
    pub file: PathBuf,
    pub number: usize,
    pub text: String,
}

impl ConfigurationLine {
    pub fn setting(&self, value: &str) -> SuiteSetting {
        SuiteSetting { file: self.file.clone(), line: self.number, value: value.to_owned() }
    }
}

/// The lines of a file and of those that it includes by one of the directives `includes`, in lower
/// case. Relative names are relative to `root`. Files that cannot be read are left out: the service
/// itself reports them.
pub fn read(tree: &Tree, file: &str, root: &str, includes: &[&str]) -> Vec<ConfigurationLine> {
    let (mut lines, mut seen) = (Vec::new(), vec![PathBuf::from(file)]);
    follow(tree, Path::new(file), (root, includes), &mut seen, &mut lines);
    lines
}

fn follow(
    tree: &Tree,
    file: &Path,
    rule: (&str, &[&str]),
    seen: &mut Vec<PathBuf>,
    lines: &mut Vec<ConfigurationLine>,
) {
    for line in read_one(tree, file) {
        let (root, includes) = rule;
        let words = words(line.text.trim_end_matches(';'));
        match &words[..] {
            [directive, pattern] if includes.contains(&directive.to_ascii_lowercase().as_str()) => {
                let pattern = Path::new(root).join(pattern);
                for included in matching(tree, &pattern.to_string_lossy()) {
                    if seen.len() < MOST_FILES && !seen.contains(&included) {
                        seen.push(included.clone());
                        follow(tree, &included, rule, seen, lines);
                    }
                }
            }
            _ => lines.push(line),
        }
    }
}

pub fn read_one(tree: &Tree, file: &Path) -> Vec<ConfigurationLine> {
    let text = tree.read(file).ok().flatten().unwrap_or_default();
    let line = |(number, text): (usize, &str)| {
        // A comment begins at the start of a word, outside of quotes.
        let mut quoted = None;
        let end = text.char_indices().find(|&(at, c)| match (c, quoted) {
            ('#', None) => text[..at].chars().next_back().is_none_or(char::is_whitespace),
            ('"' | '\'', None) => {
                quoted = Some(c);
                false
            }
            (c, Some(q)) if c == q => {
                quoted = None;
                false
            }
            _ => false,
        });
        let text = text[..end.map_or(text.len(), |(at, _)| at)].trim();
        (!text.is_empty() && !text.starts_with(';')).then(|| ConfigurationLine {
            file: file.to_owned(),
            number: number + 1,
            text: text.to_owned(),
        })
    };
    text.lines().enumerate().filter_map(line).collect()
}

/// The files that a path with `*` in its last component names, sorted; of a directory those in it.
pub fn matching(tree: &Tree, pattern: &str) -> Vec<PathBuf> {
    let path = Path::new(pattern);
    let (Some(directory), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
    else {
        return Vec::new();
    };
    let Some((before, after)) = name.split_once('*') else { return vec![path.to_owned()] };
    let fits = |name: &String| {
        name.len() >= before.len() + after.len()
            && name.starts_with(before)
            && name.ends_with(after)
            && !name.starts_with('.')
    };
    tree.names(directory).into_iter().filter(fits).map(|name| directory.join(name)).collect()
}

/// The words of a line; quotes are removed.
pub fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_open) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => (quote, is_open) = (Some(c), true),
            (c, None) if c.is_whitespace() => {
                if is_open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            (c, _) => word.push(c),
        }
    }
    if is_open || !word.is_empty() {
        words.push(word);
    }
    words
}
