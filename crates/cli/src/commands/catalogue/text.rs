//! Entries of the catalogue as text.

use outboard_catalog::families::{Bounds, Completion, EngineKind, Family, Nature, values};
use outboard_catalog::search::url;
use outboard_console::aligned;

const MOST_IN_FULL: usize = 3;

pub fn format(found: &[&'static Family]) -> String {
    if found.len() <= MOST_IN_FULL {
        return found.iter().map(|family| full(family)).collect::<Vec<_>>().join("\n");
    }
    let head = ["ID", "VENDOR", "KIND", "ENGINE"].map(String::from);
    let row =
        |family: &&Family| [family.id, family.vendor, family.kind.name(), family.chip].map(String::from);
    let rows: Vec<[String; 4]> = [head].into_iter().chain(found.iter().map(row)).collect();
    aligned(&rows, 0..0, "") + "\noutboard catalogue ID prints an entry in full.\n"
}

fn full(family: &Family) -> String {
    let mut lines = vec![format!("{}: {}", family.id, family.chip)];
    let mut line = |label: &str, text: &str| {
        if !text.is_empty() {
            lines.push(format!("  {label:<12}{text}"));
        }
    };
    line("vendor", family.vendor);
    line("kind", family.kind.name());
    line("found in", family.found_in);
    line("does", &list(family.algorithms));
    line("drivers", &list(family.names));
    line("module", &list(family.modules));
    let options: Vec<String> = values(family.options).map(|option| format!("CONFIG_{option}")).collect();
    match (family.nature, options.is_empty()) {
        (Nature::Software, _) => {}
        (_, true) => line("kernel", "not in mainline"),
        (_, false) => line("kernel", &options.join(", ")),
    }
    line("OpenWrt", family.openwrt);
    match family.debian {
        "" if family.nature == Nature::Accelerator => line("Debian", "in no kernel of Debian"),
        architectures => line("Debian", &list(architectures)),
    }
    line("FreeBSD", family.bsd);
    line("compatible", &family.compatible.join(", "));
    let pci: Vec<String> = family.pci.iter().map(|(v, d)| format!("{v:04x}:{d:04x}")).collect();
    line("PCI", &pci.join(", "));
    line("ACPI", &family.acpi.join(", "));
    line("completes", completion(family));
    if family.needs_fallback {
        line("limit", "the driver computes some requests in software: only interrupts prove what happened");
    }
    if family.allocates_memory {
        line(
            "limit",
            "dm-crypt (LUKS) does not use its drivers since Linux 5.10: they have the flag ALLOCATES_MEMORY",
        );
    }
    if family.bounds != Bounds::NONE {
        line("limit", &format!("outboard allow limits it in the kernel module:{}", family.bounds.words()));
    }
    for limit in family.all_limits() {
        line("limit", limit.text);
        line("", &url(limit.source));
    }
    line("source", &url(family.source));
    lines.join("\n") + "\n"
}

fn completion(family: &Family) -> &'static str {
    match (family.kind, family.completion) {
        (EngineKind::CpuInstructions | EngineKind::Software, _) => "",
        (_, Completion::OwnInterrupt) => "by interrupts of its own",
        (_, Completion::Polled) => "the CPU polls it: no interrupts",
        (_, Completion::Through(device)) => device,
    }
}

fn list(text: &str) -> String {
    values(text).collect::<Vec<_>>().join(", ")
}
