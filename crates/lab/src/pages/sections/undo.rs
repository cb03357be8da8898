//! How to undo it? Text of the files is used in commands only for names of drivers, quoted.

use crate::documents::Report;
use outboard_documents::shell;

use super::switched_on::allowed;
use crate::pages::page::{Section, listed};

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("undo", "How to undo it");
    let drivers = allowed(report);
    let policy = report.status.as_ref().and_then(|status| status.policy.as_ref());
    let has_policy = policy.is_some() || report.tunes.iter().any(|tune| tune.written.is_some());
    let is_loaded = |status: &outboard_documents::status::Status| {
        status.openssl.providers.iter().any(|name| name == "outboard")
    };
    let mut changed = Vec::new();
    if !drivers.is_empty() {
        changed.push(format!("Programs are allowed to use {}.", listed(&drivers)));
    }
    if has_policy {
        changed.push("A policy was measured; without it software does all.".to_owned());
    }
    if report.status.as_ref().is_some_and(is_loaded) {
        changed.push("OpenSSL loads the provider.".to_owned());
    }
    if changed.is_empty() {
        section.text("Nothing in this report was switched on, and writing it changed nothing.");
    } else {
        section.list(changed);
        section.command(
            "Show and take back all that outboard changed on that machine, services included; /etc is restored:",
            "sudo outboard undo",
        );
    }
    if !drivers.is_empty() {
        let names: String = drivers.iter().map(|name| format!(" {}", shell::word(name))).collect();
        section.command(
            "Only stop programs from using the accelerator; they continue in software:",
            format!("sudo outboard disallow --{names}"),
        );
    }
    section.text(
        "outboard itself goes as it came: by the package manager, or by make uninstall in the directory that it was installed from.",
    );
    section
}
