//! Writes the policy file as [`Tuned`](crate::Tuned) parses it.

use std::fmt;

use crate::tuned::MAGIC;
use crate::{CipherFigure, CipherRow, LookaheadRow};

#[derive(Debug)]
pub struct PolicyText(String);

#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    pub made: &'a str,
    pub goal: &'a str,
    pub kernel: &'a str,
    /// The CPU, by [`cpu_identity`](crate::cpu_identity), and its name.
    pub cpu: [&'a str; 2],
}

impl PolicyText {
    pub fn new(measured: Measured) -> Self {
        let mut text = Self(String::from(
            "# From which size in bytes on requests go to the accelerator: measured by `outboard tune`, which replaces this file;
# applied by the provider as long as kernel, CPU and drivers are the same. THRESHOLDS in openssl.cnf wins over it.
",
        ));
        let Measured { made, goal, kernel, cpu: [identity, name] } = measured;
        text.line(format_args!("{} {}", MAGIC[0], MAGIC[1]));
        text.line(format_args!("made {made}\ngoal {goal}\nkernel {kernel}\ncpu {identity} {}", plain(name)));
        text
    }

    /// A driver that was measured; `version` is that of [`module_version`](crate::module_version).
    pub fn driver(&mut self, driver: &str, module: &str, version: &str) {
        self.line(format_args!("driver {driver} {module} {version}"));
    }

    pub fn ciphers(&mut self) {
        self.line(format_args!("\n# cipher encrypt decrypt driver pieces key-bytes"));
    }

    pub fn cipher(&mut self, name: &str, row: CipherRow) {
        self.line(format_args!("{}", row.line(name)));
    }

    pub fn lookaheads(&mut self) {
        self.line(format_args!("\n# {} cipher from driver start", LookaheadRow::WORD));
    }

    pub fn lookahead(&mut self, name: &str, row: LookaheadRow) {
        self.line(format_args!("{}", row.line(name)));
    }

    pub fn figures(&mut self, figures: &[CipherFigure]) {
        if !figures.is_empty() {
            self.line(format_args!("\n# What services may choose between; the provider does not use it."));
            self.line(format_args!("# figure bytes name driver MB/s/spread CPU-ms/MB"));
        }
        figures.iter().for_each(|figure| self.line(format_args!("{}", figure.line())));
    }

    pub fn comment(&mut self, text: &str) {
        self.line(format_args!("# {}", plain(text)));
    }

    pub fn blank(&mut self) {
        self.line(format_args!(""));
    }

    pub fn finish(self) -> String {
        self.0
    }

    fn line(&mut self, words: fmt::Arguments<'_>) {
        self.0 += &format!("{words}\n");
    }
}

/// Replaces line breaks and the start of a comment.
fn plain(text: &str) -> String {
    text.replace(['\n', '#'], " ")
}
