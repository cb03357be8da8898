//! Requirements, and whether they are met.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

/// Whether a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The requirement is met.
    Met,
    /// The requirement is not met.
    Missed,
    /// A required figure was not measured.
    Unknown,
}

/// A requirement and its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bar {
    /// The figures that are compared.
    pub text: String,
    /// The minimum that is required.
    pub least: f64,
    /// The measured value.
    pub found: Option<f64>,
    /// The error of the measured value, if samples show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Whether the measured value is sufficient.
    pub verdict: Verdict,
}

impl Bar {
    /// Compares `found` with `least`.
    pub fn new(text: String, least: f64, found: Option<f64>) -> Bar {
        let verdict = match found {
            Some(found) if found >= least => Verdict::Met,
            Some(_) => Verdict::Missed,
            None => Verdict::Unknown,
        };
        Bar { text, least, found, error: None, verdict }
    }

    /// As `new`, for the median of samples with its error.
    pub fn measured(text: String, least: f64, found: Option<(f64, f64)>) -> Bar {
        Bar { error: found.map(|(_, error)| error), ..Bar::new(text, least, found.map(|(middle, _)| middle)) }
    }
}

/// Formats the number of requirements that are met, then each requirement.
pub fn render(bars: &[Bar]) -> String {
    let count = |verdict| bars.iter().filter(|bar| bar.verdict == verdict).count();
    let (met, missed, unknown) = (count(Verdict::Met), count(Verdict::Missed), count(Verdict::Unknown));
    let mut text = format!("Bars: {met} met, {missed} missed, {unknown} unknown\n");
    for bar in bars {
        let verdict = match bar.verdict {
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::Unknown => "unknown",
        };
        let found = bar.found.map_or_else(|| "-".to_owned(), |found| format!("{found:.2}"));
        let error = bar.error.map_or_else(String::new, |error| format!(" ±{error:.2}"));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {verdict:<8}{found:>5}{error}  (at least {:.2})  {}", bar.least, bar.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_without_a_measurement_is_not_met() {
        let bars = [Some(0.7), Some(0.69), None].map(|found| Bar::new("x".into(), 0.7, found));
        assert_eq!(bars.each_ref().map(|bar| bar.verdict), [Verdict::Met, Verdict::Missed, Verdict::Unknown]);
        let text = render(&bars);
        assert!(text.starts_with("Bars: 1 met, 1 missed, 1 unknown\n"), "{text}");
        assert!(
            text.contains("  MISSED   0.69  (at least 0.70)  x\n") && text.contains("unknown     -"),
            "{text}"
        );
    }
}
