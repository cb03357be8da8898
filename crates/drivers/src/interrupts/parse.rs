//! The text of /proc/interrupts.

use crate::proc_crypto::Warning;

/// More columns than any kernel has CPUs (NR_CPUS).
const MOST_CPUS: usize = 8192;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The label before the colon: a number, or a word such as `NMI` or `IPI0`.
    pub label: String,
    /// Interrupts per CPU that is online.
    pub counts: Vec<u64>,
    /// The interrupt controller; empty for the lines of the architecture.
    pub chip: String,
    /// Names of the handlers; several when the line is shared.
    pub actions: Vec<String>,
}

impl Line {
    /// Interrupts of all CPUs since boot.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, n| sum.saturating_add(*n))
    }
}

/// All lines, and what was wrong with those that are left out.
pub fn parse(bytes: &[u8]) -> (Vec<Line>, Vec<Warning>) {
    let mut lines = Vec::new();
    let mut warnings = Vec::new();
    let mut cpus = None;
    for (index, raw) in bytes.split(|b| *b == b'\n').enumerate() {
        let text = String::from_utf8_lossy(raw);
        if text.trim().is_empty() {
            continue;
        }
        if cpus.is_none() && index == 0 && text.trim_start().starts_with("CPU") {
            cpus = Some(text.split_whitespace().count().min(MOST_CPUS));
            continue;
        }
        match line(&text, cpus) {
            Ok(line) => lines.push(line),
            Err(what) => warnings.push(Warning {
                file: "/proc/interrupts",
                line: index + 1,
                text: format!("{what}; the line is left out"),
            }),
        }
    }
    (lines, warnings)
}

fn line(text: &str, cpus: Option<usize>) -> Result<Line, &'static str> {
    let (label, rest) = text.split_once(':').ok_or("a line without a colon")?;
    let label = label.trim();
    if label.is_empty() || label.contains(char::is_whitespace) {
        return Err("no label before the colon");
    }
    let most = cpus.unwrap_or(MOST_CPUS);
    let mut counts = Vec::new();
    let mut rest = rest.trim_start();
    while counts.len() < most {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        counts.push(word.parse().map_err(|_| "a count out of range")?);
        rest = after.trim_start();
    }
    let is_numbered = label.bytes().all(|b| b.is_ascii_digit());
    if is_numbered && (counts.is_empty() || cpus.is_some_and(|n| counts.len() != n)) {
        return Err("fewer counts than CPUs");
    }
    let (chip, actions) = if is_numbered { chip_and_actions(rest.trim_end()) } else { ("", rest.trim_end()) };
    Ok(Line {
        label: label.to_string(),
        counts,
        chip: chip.to_string(),
        actions: actions.split(", ").map(str::trim).filter(|a| !a.is_empty()).map(String::from).collect(),
    })
}

/// `MPIC   8 Level     eth0`: the chip, its number for the line, perhaps the trigger, then the handlers' names. A chip's
/// name may be two words (`MIPS GIC`); old kernels leave the number out (`XT-PIC  cascade`).
fn chip_and_actions(text: &str) -> (&str, &str) {
    let mut at = 0;
    let mut chip_end = 0;
    for word in text.split_whitespace() {
        let start = at + text[at..].find(word).unwrap_or(0);
        at = start + word.len();
        if chip_end > 0 && is_hwirq(word) {
            return (&text[..chip_end], without_trigger(text[at..].trim_start()));
        }
        chip_end = at;
    }
    let (chip, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (chip, rest.trim_start())
}

fn without_trigger(text: &str) -> &str {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if matches!(word, "Level" | "Edge" | "None") { rest.trim_start() } else { text }
}

/// `8`, `2-edge`, `524288-fasteoi`.
fn is_hwirq(word: &str) -> bool {
    let number = word.split_once('-').map_or(word, |(number, _)| number);
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn only(text: &str) -> Line {
        let (mut lines, warnings) = parse(format!("           CPU0       CPU1\n{text}\n").as_bytes());
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
            (" 60: 3 4 ITS-MSI 524289 Edge", "ITS-MSI", vec![], 7),
            ("IPI0:          0          1  CPU wakeup interrupts", "", vec!["CPU wakeup interrupts"], 1),
            ("NMI:          3          1   Non-maskable interrupts", "", vec!["Non-maskable interrupts"], 4),
            ("Err:          6", "", vec![], 6),
        ] {
            let line = only(text);
            assert_eq!((line.chip.as_str(), line.total()), (chip, total), "{text}");
            assert_eq!(line.actions, actions, "{text}");
        }
    }

    #[test]
    fn damage_costs_one_line() {
        let text = "  CPU0  CPU1\n 1: 1 1 GIC 1 Edge a\n 2: 1 GIC 2 Edge b\n 3: 99999999999999999999 0 GIC 3 Edge c\n\
            nonsense\n\0\u{fffd}: 1\n : 1 1\n 4: 1 1 GIC 4 Edge d";
        let (lines, warnings) = parse(text.as_bytes());
        let labels: Vec<&str> = lines.iter().map(|l| l.label.as_str()).collect();
        assert_eq!(labels, ["1", "\0\u{fffd}", "4"]);
        assert_eq!(warnings.iter().map(|w| w.line).collect::<Vec<_>>(), [3, 4, 5, 7]);
    }

    #[test]
    fn sums_do_not_overflow() {
        assert_eq!(only(&format!(" 1: {0} {0} GIC 1 Edge a", u64::MAX)).total(), u64::MAX);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            parse(&bytes);
        }

        #[test]
        fn text_that_looks_right_is_survived(line in " {0,3}[0-9A-Z]{0,4}: [0-9 ]{0,30}[ -~]{0,30}") {
            let (lines, warnings) = parse(format!("  CPU0  CPU1\n{line}").as_bytes());
            prop_assert_eq!(lines.len() + warnings.len(), 1);
        }
    }
}
