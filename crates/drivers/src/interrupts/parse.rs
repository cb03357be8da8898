//! Parses the text of /proc/interrupts.

use crate::proc_crypto::{Damage, Warning};

/// The maximum number of columns, which is more than any kernel has CPUs (NR_CPUS).
const MOST_CPUS: usize = 8192;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// The label before the colon: a number, or a word such as `NMI` or `IPI0`.
    pub label: &'a str,
    /// Interrupts since boot, summed over all online CPUs.
    pub total: u64,
    /// The interrupt controller; empty for the lines of the architecture.
    pub chip: &'a str,
    /// Names of the handlers; several if the line is shared.
    pub actions: Vec<&'a str>,
}

/// All lines, and the damage of lines that were skipped.
pub fn parse(text: &str) -> (Vec<Line<'_>>, Vec<Warning>) {
    let mut lines = Vec::new();
    let mut warnings = Vec::new();
    let mut cpus = None;
    for (number, text) in (1..).zip(text.split('\n')) {
        let text = text.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if number == 1 && text.starts_with("CPU") {
            cpus = Some(text.split_ascii_whitespace().count().min(MOST_CPUS));
            continue;
        }
        match line(text, cpus) {
            Ok(line) => lines.push(line),
            Err(what) => warnings.push(Warning { line: number, damage: Damage::Line(what) }),
        }
    }
    (lines, warnings)
}

fn line(text: &str, cpus: Option<usize>) -> Result<Line<'_>, &'static str> {
    let (label, mut rest) = text.split_once(':').ok_or("a line without a colon")?;
    let label = label.trim_ascii_end();
    if first_word(label) != (label, "") || label.is_empty() {
        return Err("no label before the colon");
    }
    let most = cpus.unwrap_or(MOST_CPUS);
    let (mut counts, mut total) = (0, 0_u64);
    while counts < most {
        let (word, after) = first_word(rest);
        if !is_number(word) {
            break;
        }
        total = total.saturating_add(word.parse().map_err(|_| "a count out of range")?);
        counts += 1;
        rest = after;
    }
    let rest = rest.trim_ascii();
    let is_numbered = is_number(label);
    if is_numbered && (counts == 0 || cpus.is_some_and(|n| counts != n)) {
        return Err("fewer counts than CPUs");
    }
    let (chip, actions) = if is_numbered { chip_and_actions(rest) } else { ("", rest) };
    Ok(Line { label, total, chip, actions: names(actions) })
}

/// `virtio2, uhci_hcd:usb1`: names separated by a comma and a space.
fn names(actions: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = actions;
    while !rest.is_empty() {
        let end = rest.as_bytes().windows(2).position(|pair| pair == b", ").unwrap_or(rest.len());
        names.push(rest[..end].trim_ascii());
        rest = rest.get(end + 2..).unwrap_or_default();
    }
    names.retain(|name| !name.is_empty());
    names
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let end = text.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
    (&text[..end], text[end..].trim_ascii_start())
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `MPIC   8 Level     eth0`: the chip, its number for the line, an optional trigger, then the
/// handlers' names. A chip's name may have two words (`MIPS GIC`); old kernels, and chips without an
/// interrupt domain, have no number (`XT-PIC  cascade`).
fn chip_and_actions(text: &str) -> (&str, &str) {
    let (first, mut rest) = first_word(text);
    let without_number = (first, without_trigger(rest));
    while !rest.is_empty() {
        let chip = text[..text.len() - rest.len()].trim_ascii_end();
        let (word, after) = first_word(rest);
        if is_hwirq(word) {
            return (chip, without_trigger(after));
        }
        rest = after;
    }
    without_number
}

fn without_trigger(text: &str) -> &str {
    let (word, rest) = first_word(text);
    if matches!(word, "Level" | "Edge" | "None") { rest } else { text }
}

/// `8`, `2-edge`, `524288-fasteoi`.
fn is_hwirq(word: &str) -> bool {
    is_number(word.split_once('-').map_or(word, |(number, _)| number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(line: &str) -> String {
        format!("           CPU0       CPU1\n{line}\n")
    }

    fn only(text: &str) -> Line<'_> {
        let (mut lines, warnings) = parse(text);
        assert_eq!((lines.len(), &warnings[..]), (1, &[][..]), "{text}");
        lines.remove(0)
    }

    #[test]
    fn lines_of_many_platforms_are_read() {
        for (text, chip, actions, total) in [
            (
                " 38:      64015          1     GIC-0  51 Level     f1090000.crypto",
                "GIC-0",
                vec!["f1090000.crypto"],
                64016,
            ),
            (
                " 49:  5  0  f1018100.gpio  20 Edge      f10d8000.sdhci cd",
                "f1018100.gpio",
                vec!["f10d8000.sdhci cd"],
                5,
            ),
            (
                " 27: 0 9 PCI-MSIX-0000:00:03.0   1-edge      virtio1-dataq.0",
                "PCI-MSIX-0000:00:03.0",
                vec!["virtio1-dataq.0"],
                9,
            ),
            (
                " 10: 1 1 IO-APIC  10-fasteoi   virtio2, uhci_hcd:usb1",
                "IO-APIC",
                vec!["virtio2", "uhci_hcd:usb1"],
                2,
            ),
            (" 23: 7 0  MIPS GIC  23  1e004000.crypto", "MIPS GIC", vec!["1e004000.crypto"], 7),
            (" 22: 7 0 GICv3 142 Level     30901000.jr", "GICv3", vec!["30901000.jr"], 7),
            ("  5: 7 0 XT-PIC      geode-mfgpt", "XT-PIC", vec!["geode-mfgpt"], 7),
            ("  2: 0 0 XT-PIC      cascade", "XT-PIC", vec!["cascade"], 0),
            (" 46: 7 0 outboard_sim     Edge      outboard-sim.0", "outboard_sim", vec!["outboard-sim.0"], 7),
            (" 60: 3 4 ITS-MSI 524289 Edge", "ITS-MSI", vec![], 7),
            ("IPI0:          0          1  CPU wakeup interrupts", "", vec!["CPU wakeup interrupts"], 1),
            ("NMI:          3          1   Non-maskable interrupts", "", vec!["Non-maskable interrupts"], 4),
            ("Err:          6", "", vec![], 6),
        ] {
            let file = file(text);
            let line = only(&file);
            assert_eq!((line.chip, line.total), (chip, total), "{text}");
            assert_eq!(line.actions, actions, "{text}");
        }
    }

    #[test]
    fn damage_costs_one_line() {
        let text = "  CPU0  CPU1\n 1: 1 1 GIC 1 Edge a\n 2: 1 GIC 2 Edge b\n 3: 99999999999999999999 0 GIC 3 Edge c\n\
            nonsense\n\0\u{fffd}: 1\n : 1 1\n 4: 1 1 GIC 4 Edge d";
        let (lines, warnings) = parse(text);
        let labels: Vec<&str> = lines.iter().map(|l| l.label).collect();
        assert_eq!(labels, ["1", "\0\u{fffd}", "4"]);
        assert_eq!(warnings.iter().map(|w| w.line).collect::<Vec<_>>(), [3, 4, 5, 7]);
    }

    #[test]
    fn sums_do_not_overflow() {
        assert_eq!(only(&file(&format!(" 1: {0} {0} GIC 1 Edge a", u64::MAX))).total, u64::MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            parse(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn text_that_looks_right_is_survived(line in " {0,3}[0-9A-Z]{0,4}: [0-9 ]{0,30}[ -~]{0,30}") {
            let file = file(&line);
            let (lines, warnings) = parse(&file);
            prop_assert_eq!(lines.len() + warnings.len(), 1);
        }
    }
}
