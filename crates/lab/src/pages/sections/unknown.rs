//! What is not known?

use crate::documents::Report;

use super::correct::is_checked;
use crate::pages::page::Section;

pub fn section(report: &Report) -> Section {
    let mut section = Section::new("unknown", "What is not known");
    let mut files = Vec::new();
    let mut missing = |is_missing: bool, what: &str, command: &str, file: &'static str| {
        if is_missing {
            section.command(what, format!("{command} >{file}"));
            files.push(file);
        }
    };
    missing(
        report.status.is_none(),
        "What is here and what reaches it, because no status was given:",
        "outboard status --json",
        "status.json",
    );
    missing(
        !is_checked(report),
        "Whether it computes right, because no check was given:",
        "sudo outboard check --for 1m --json",
        "check.json",
    );
    missing(
        report.tunes.is_empty(),
        "Where it wins and at what cost, because no measurement was given (--dry-run switches nothing on):",
        "sudo outboard tune --dry-run --json",
        "tune.json",
    );
    missing(
        report.benches.is_empty(),
        "How fast it is at every size and number of requests at once, with latencies, because no benchmark was given:",
        "sudo outboard bench --json",
        "bench.json",
    );
    if report.proofs.is_empty() {
        section.command(
            "Whether an application uses it, because no proof was given:",
            "outboard prove --json prove.json -- COMMAND",
        );
        files.push("prove.json");
    }
    if !files.is_empty() {
        let have = if report.is_empty() { "" } else { " and those that this report was made of" };
        section.command(
            format!("Then, with these files{have}:"),
            format!("outboard report {}", files.join(" ")),
        );
    }
    let mut rows = report.benches.iter().flat_map(|bench| &bench.rows);
    if !rows.any(|row| row.direction.is_none()) {
        section.text(
            "The speed of digests and of HMAC is measured when they are named: outboard bench SHA2-256 HMAC-SHA2-256.",
        );
    }
    section
}
