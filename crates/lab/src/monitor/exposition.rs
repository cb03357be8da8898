//! The text format of Prometheus, version 0.0.4:
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>.

use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricType {
    Counter,
    Gauge,
}

#[derive(Debug, Default)]
pub(crate) struct Exposition(String);

pub(crate) struct Metric<'a> {
    page: &'a mut Exposition,
    name: &'static str,
    help: &'static str,
    kind: MetricType,
    has_header: bool,
}

impl Exposition {
    /// Begins a metric. Its header is written with its first sample.
    pub(crate) fn metric(&mut self, name: &'static str, kind: MetricType, help: &'static str) -> Metric<'_> {
        Metric { page: self, name, help, kind, has_header: false }
    }

    pub(crate) fn text(self) -> String {
        self.0
    }
}

impl Metric<'_> {
    pub(crate) fn sample(&mut self, labels: &[(&str, &str)], value: impl Into<Option<u64>>) {
        let Some(value) = value.into() else { return };
        let out = &mut self.page.0;
        if !self.has_header {
            let kind = match self.kind {
                MetricType::Counter => "counter",
                MetricType::Gauge => "gauge",
            };
            let _ = writeln!(out, "# HELP {} {}\n# TYPE {} {kind}", self.name, self.help, self.name);
            self.has_header = true;
        }
        out.push_str(self.name);
        for (place, (name, value)) in labels.iter().enumerate() {
            let _ = write!(out, "{}{name}=\"{}\"", if place == 0 { '{' } else { ',' }, escaped(value));
        }
        if !labels.is_empty() {
            out.push('}');
        }
        let _ = writeln!(out, " {value}");
    }
}

/// A label's value: `\`, `"` and line feeds are escaped.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}
