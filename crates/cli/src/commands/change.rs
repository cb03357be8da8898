//! `outboard-change/1`: what `allow`, `disallow` and `prefer` did with drivers.

use anyhow::Result;
use outboard_console::answer;
use serde::Serialize;

/// The document of `--json`. Fields are only added within a version.
#[derive(Serialize)]
struct Change<'a> {
    schema: &'static str,
    /// The drivers that were changed, before the first one that was not.
    drivers: Vec<ChangedDriver<'a>>,
}

#[derive(Serialize)]
struct ChangedDriver<'a> {
    driver: &'a str,
    text: String,
}

/// Changes each driver until one fails, and prints what was done: a sentence for each, or a document.
pub fn each(drivers: &[String], json: bool, change: impl Fn(&str) -> Result<String>) -> Result<()> {
    let mut document = Change { schema: "outboard-change/1", drivers: Vec::new() };
    let result = drivers.iter().try_for_each(|driver| {
        let text = change(driver)?;
        if json {
            document.drivers.push(ChangedDriver { driver, text });
            return Ok(());
        }
        Ok(answer(&format!("{text}\n"))?)
    });
    if json && !document.drivers.is_empty() {
        answer(&outboard_documents::pretty(&document)?)?;
    }
    result
}
