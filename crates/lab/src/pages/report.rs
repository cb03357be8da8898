//! Formats a report as a page.

use crate::documents::Report;

use crate::pages::{html, markdown, sections};

pub trait Pages {
    fn html(&self) -> String;

    fn markdown(&self) -> String;
}

impl Pages for Report {
    fn html(&self) -> String {
        html::page(&title(self), &sections::lead(self), &sections::answers(self), &sections::all(self))
    }

    fn markdown(&self) -> String {
        markdown::page(&title(self), &sections::lead(self), &sections::answers(self), &sections::all(self))
    }
}

fn title(report: &Report) -> String {
    let model = report.status.as_ref().and_then(|status| status.machine.model.clone());
    format!("Crypto accelerators of {}", model.unwrap_or_else(|| "this machine".to_owned()))
}
