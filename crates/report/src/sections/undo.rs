//! How to undo it? Text of the files is used in commands only for names of drivers, quoted.

use outboard_documents::Report;
use outboard_documents::shell;

use super::switched_on::allowed;
use crate::page::Section;

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("undo", "How to undo it");
    let drivers = allowed(report);
    if !drivers.is_empty() {
        let names: String = drivers.iter().map(|name| format!(" {}", shell::word(name))).collect();
        section.command(
            "Stop programs from using the accelerator; they continue in software:",
            format!("sudo outboard disallow --{names}"),
        );
    }
    let has_policy = report.status.as_ref().is_some_and(|status| status.policy.is_some())
        || report.tunes.iter().any(|tune| tune.written.is_some());
    if has_policy {
        section.command(
            "Forget what was measured; the built-in thresholds apply again:",
            "sudo rm /etc/outboard/policy",
        );
    }
    let is_loaded = |status: &outboard_documents::status::Status| {
        status.openssl.providers.iter().any(|name| name == "outboard")
    };
    if report.status.as_ref().is_some_and(is_loaded) {
        section.text("To keep OpenSSL from loading the provider, take its section out of openssl.cnf, or unset OPENSSL_CONF.");
    }
    if section.blocks.is_empty() {
        section.text("Nothing in this report was switched on, and writing it changed nothing.");
    }
    section.command(
        "Remove outboard itself, in the directory that it was installed from:",
        "sudo make uninstall",
    );
    section
}
