//! Parses a page as strict XML and returns its tags.

/// Elements that a report may contain.
const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "nav",
    "main",
    "section",
    "h1",
    "h2",
    "p",
    "ul",
    "li",
    "a",
    "div",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "pre",
    "code",
    "figure",
    "figcaption",
    "details",
    "summary",
    "svg",
    "desc",
    "path",
    "circle",
    "rect",
    "text",
];

/// Attributes that elements may have.
const ATTRIBUTES: &[&str] = &[
    "lang",
    "charset",
    "name",
    "content",
    "http-equiv",
    "id",
    "aria-label",
    "aria-labelledby",
    "href",
    "class",
    "tabindex",
    "role",
    "scope",
    "xmlns",
    "viewBox",
    "d",
    "cx",
    "cy",
    "r",
    "x",
    "y",
    "width",
    "height",
    "text-anchor",
    "data-label",
];

/// Returns the opening and closing tags in order with the names of their attributes. Strings of a
/// file must not change them.
pub fn skeleton(page: &str) -> Result<Vec<String>, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no doctype")?;
    let (mut tags, mut open, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(at) = rest.find('<') {
        text(&rest[..at], open.last())?;
        let end = at + rest[at..].find('>').ok_or("a tag has no end")?;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let expected = open.pop();
            if expected.as_deref() != Some(name) {
                return Err(format!("</{name}> where {expected:?} is open"));
            }
            tags.push(format!("/{name}"));
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !ELEMENTS.contains(&name) {
            return Err(format!("<{name}> is none of a report's"));
        }
        let mut shape = name.to_owned();
        while !attributes.is_empty() {
            let (key, value) =
                attributes.split_once("=\"").ok_or_else(|| format!("{attributes} in <{name}>"))?;
            let (value, more) = value.split_once('"').ok_or_else(|| format!("{key} has no end"))?;
            if !ATTRIBUTES.contains(&key) {
                return Err(format!("{key} in <{name}>"));
            }
            text(value, None)?;
            if key == "id" {
                if ids.contains(&value) {
                    return Err(format!("two elements are {value}"));
                }
                ids.push(value);
            }
            if key == "href" && !value.starts_with('#') {
                return Err(format!("a link to {value}"));
            }
            // The class may depend on the length of a name.
            if key != "class" {
                shape += &format!(" {key}");
            }
            attributes = more.trim_start();
        }
        tags.push(shape);
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    if !open.is_empty() {
        return Err(format!("{open:?} are not closed"));
    }
    Ok(tags)
}

/// Checks that a text contains no markup and no character that XML forbids.
fn text(text: &str, within: Option<&String>) -> Result<(), String> {
    if within.is_some_and(|name| name == "style") {
        return if text.contains("url(") || text.contains("@import") {
            Err("the style loads something".into())
        } else {
            Ok(())
        };
    }
    const NAMED: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
    for (at, c) in text.char_indices() {
        let is_wrong = match c {
            '&' => !NAMED.iter().any(|name| text[at..].starts_with(name)),
            '>' | '"' => true,
            '\n' => false,
            c => c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'),
        };
        if is_wrong {
            return Err(format!("{c:?} in {text:?}"));
        }
    }
    Ok(())
}
