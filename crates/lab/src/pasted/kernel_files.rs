//! Files of the kernel within a text: /proc/crypto, /proc/interrupts, /proc/cpuinfo, and small files
//! that a shell prompt names.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _, engine_lines};

/// Keys with which the part of a CPU begins in /proc/cpuinfo, or that only that file has.
const CPU_KEYS: [&str; 12] = [
    "processor",
    "vendor_id",
    "model name",
    "cpu model",
    "system type",
    "machine",
    "Processor",
    "Hardware",
    "Features",
    "flags",
    "CPU implementer",
    "isa",
];

pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    interrupts(lines, pasted);
    cpuinfo(lines, pasted);
    shown(lines, pasted);
}

fn key_value<'a>(line: &Line<'a>) -> Option<(&'a str, &'a str)> {
    let (key, value) = line.text.split_once(':')?;
    Some((key.trim(), value.trim()))
}

/// Finds the entries of /proc/crypto. Returns the other lines: nothing else is in thousands of
/// entries.
pub(super) fn take_crypto<'a>(lines: &[Line<'a>], pasted: &mut Pasted) -> Vec<Line<'a>> {
    let mut others = Vec::new();
    let mut text = String::new();
    let mut drivers = 0;
    let mut rest = lines;
    while let [first, after @ ..] = rest {
        rest = after;
        let is_entry = key_value(first).is_some_and(|(key, _)| key == "name")
            && after.first().and_then(key_value).is_some_and(|(key, _)| key == "driver");
        if !is_entry {
            others.push(*first);
            continue;
        }
        let is_next = |line: &Line| key_value(line).is_none_or(|(key, _)| key == "name" || key.is_empty());
        let len = after.iter().position(is_next).unwrap_or(after.len());
        for line in std::iter::once(first).chain(&after[..len]) {
            text.push_str(line.text);
            text.push('\n');
        }
        text.push('\n');
        drivers += 1;
        rest = &after[len..];
    }
    if drivers > 0 {
        pasted.recognise("/proc/crypto", drivers, "driver");
        pasted.file("proc/crypto", text);
    }
    others
}

fn interrupts(lines: &[Line], pasted: &mut Pasted) {
    let is_header = |line: &Line| {
        let mut words = line.text.split_whitespace().peekable();
        words.peek().is_some() && words.all(|word| word.strip_prefix("CPU").is_some_and(is_number))
    };
    let Some(start) = lines.iter().position(is_header) else { return };
    let is_row = |line: &&Line| {
        let mut words = line.text.split_whitespace();
        let label = words.next().is_some_and(|word| word.ends_with(':'));
        label && words.next().is_some_and(is_number)
    };
    let found: Vec<&Line> = lines[start + 1..].iter().take_while(is_row).collect();
    let rows: Vec<&str> = found.iter().map(|line| line.text).collect();
    engine_lines::find(&found, pasted);
    if !rows.is_empty() {
        // The parser counts the words of the header, so its indentation is needed.
        pasted.recognise("/proc/interrupts", rows.len(), "line");
        pasted.file("proc/interrupts", format!("           {}\n{}\n", lines[start].text, rows.join("\n")));
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn cpuinfo(lines: &[Line], pasted: &mut Pasted) {
    let mut text = String::new();
    let mut is_inside = false;
    let mut cpus = 0;
    for line in lines {
        let pair = key_value(line).filter(|(key, value)| !key.is_empty() && !value.is_empty());
        // A tab before the colon distinguishes the kernel's lines from other lists of keys and values.
        let is_cpu = pair.is_some_and(|(key, _)| CPU_KEYS.contains(&key)) && is_padded(line.text);
        is_inside = is_cpu || (is_inside && pair.is_some());
        if is_inside {
            text.push_str(line.text);
            text.push('\n');
            cpus +=
                usize::from(is_cpu && pair.is_some_and(|(key, _)| matches!(key, "processor" | "Processor")));
        } else if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
    }
    if !text.is_empty() {
        pasted.recognise("/proc/cpuinfo", cpus.max(1), "CPU");
        pasted.file("proc/cpuinfo", text);
    }
}

/// Whether white space stands before the first colon.
fn is_padded(text: &str) -> bool {
    text.split_once(':').is_some_and(|(key, _)| key.ends_with(['\t', ' ']))
}

/// A prompt with `cat /sys/…` or `cat /proc/sys/…`, and the line that it printed.
fn shown(lines: &[Line], pasted: &mut Pasted) {
    for pair in lines.windows(2) {
        let [prompt, value] = pair else { continue };
        let Some((_, path)) = prompt.text.split_once("cat /") else { continue };
        let path = path.trim();
        let is_small = ["sys/class/misc/", "proc/sys/", "sys/firmware/devicetree/", "proc/device-tree/"];
        let is_plain = path.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-".contains(&b));
        if is_plain && is_small.iter().any(|start| path.starts_with(start)) && !value.text.is_empty() {
            pasted.text.recognised.push(format!("/{path}"));
            pasted.file(path, format!("{}\n", value.text));
        }
    }
}
