//! The lines of crypto engines in /proc/interrupts.

use outboard_catalog::families::{self, Family};

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// Nodes of engines in device trees of Linux, by the name that their lines have, and the id of their
/// family.
const NODES: &[(&str, &str)] = &[
    ("f1030000.crypto", "marvell-cesa"),
    ("f1090000.crypto", "marvell-cesa"),
    ("10320000.crypto", "safexcel"),
    ("1e004000.crypto", "eip93"),
    ("1e6d0000.crypto", "aspeed-hace"),
    ("40800000.crypto", "dthev2"),
    ("40900000.crypto", "sa2ul"),
    ("4e00000.crypto", "sa2ul"),
    ("8e3a000.crypto", "qce"),
    ("ff060000.crypto", "rockchip"),
];

/// Device-tree nodes of engines are called `crypto` (the Devicetree Specification, "Generic Names
/// Recommendation"); other drivers name their lines. An engine has a line of its own, so a device
/// with two lines has two engines.
pub(super) fn find(lines: &[&Line], pasted: &mut Pasted) {
    let name_of = |line: &Line| line.text.split_whitespace().last().map(str::to_owned);
    let mut seen: Vec<String> = Vec::new();
    for line in lines {
        let Some(name) = name_of(line).filter(|name| !seen.contains(name)) else { continue };
        let family = family_of(&name);
        if family.is_none() && !name.ends_with(".crypto") {
            continue;
        }
        let chip = family.map_or("a crypto engine", |family| family.chip);
        let engines: Vec<(&Line, u64)> = lines
            .iter()
            .filter(|line| name_of(line).as_ref() == Some(&name))
            .map(|line| (*line, total(line)))
            .collect();
        describe(chip, &name, &engines, pasted);
        seen.push(name);
    }
}

fn family_of(name: &str) -> Option<&'static Family> {
    let node = NODES.iter().find(|(node, _)| *node == name).map(|(_, id)| *id);
    families::accelerators().find(|family| Some(family.id) == node || families::fits(family.irqs, name))
}

fn describe(chip: &str, name: &str, engines: &[(&Line, u64)], pasted: &mut Pasted) {
    let [(first, count)] = engines else {
        let used = engines.iter().filter(|(_, count)| *count > 0).count();
        let counts: Vec<String> = engines.iter().map(|(_, count)| count.to_string()).collect();
        let verdict = match used {
            0 => "nothing used them".to_owned(),
            used if used == engines.len() => "all were used".to_owned(),
            used => format!("{used} of them was used"),
        };
        let text = format!(
            "{chip} ({name}) has {} engines, with {} interrupts since boot: {verdict}",
            engines.len(),
            counts.join(" and ")
        );
        let (line, _) = engines.iter().max_by_key(|(_, count)| *count).unwrap_or(&engines[0]);
        return if used > 0 { pasted.shows(**line, text) } else { pasted.remark(**line, text) };
    };
    match count {
        0 => {
            pasted.remark(**first, format!("{chip} ({name}) raised no interrupt since boot: nothing used it"))
        }
        count => {
            pasted
                .shows(**first, format!("{chip} ({name}) raised {count} interrupts since boot: it was used"));
        }
    }
}

fn total(line: &Line) -> u64 {
    let counts = line.text.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok());
    counts.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::super::recognise;
    use super::*;

    fn remarks(rows: &str) -> Vec<(String, bool)> {
        let text = format!("           CPU0       CPU1\n{rows}");
        recognise(&text).text.remarks.into_iter().map(|remark| (remark.text, remark.accelerator)).collect()
    }

    #[test]
    fn two_lines_of_a_device_are_two_engines_of_a_named_chip() {
        let both = remarks(
            " 38:  64000  15  GIC-0  51 Level  f1090000.crypto\n 39:  0  0  GIC-0  52 Level  f1090000.crypto\n",
        );
        let text = "Marvell CESA (f1090000.crypto) has 2 engines, with 64015 and 0 interrupts since boot: 1 of them was used";
        assert_eq!(both, [(text.to_owned(), true)]);
    }

    #[test]
    fn an_engine_without_an_entry_keeps_its_node() {
        let one = remarks(" 38:  0  0  GIC-0  51 Level  12340000.crypto\n");
        let text = "a crypto engine (12340000.crypto) raised no interrupt since boot: nothing used it";
        assert_eq!(one, [(text.to_owned(), false)]);
        assert!(remarks(" 38:  7  0  GIC-0  51 Level  ttyS0\n").is_empty());
    }

    #[test]
    fn every_node_leads_to_an_entry_of_the_catalogue() {
        for (node, id) in NODES {
            assert!(families::accelerators().any(|family| family.id == *id), "{node}");
        }
    }
}
