//! Recognises what people paste into forums: files of the kernel, logs of Linux and FreeBSD, and
//! the output of commands, with any text around them. What is a file of the kernel becomes that
//! file; what is not becomes a remark.

mod board;
mod disks;
mod engine_lines;
mod engines;
mod freebsd;
mod freebsd_lists;
mod kernel_files;
mod linux_log;
mod modules;
mod openssl_text;
mod packages;
mod pci;
mod process_time;
mod rngtest;
mod settings;
mod speed;
mod traffic;

use outboard_documents::status::{Pasted, Remark};

/// What [`recognise`] recognises, for messages.
pub const ACCEPTED: &str = "/proc/crypto, /proc/interrupts, /proc/cpuinfo, an openssl.cnf, ciphers in the \
    configuration of nginx, Apache or sshd, a dmesg of Linux or FreeBSD, lines of pfSense's dashboard, or the output of lsmod, uname -a, lspci -nn, kldstat, pciconf -lv, opkg list-installed, \
    apk list --installed, ubus call system board, openssl engine -t -c, openssl list -providers, openssl speed, time -v, \
    cryptsetup benchmark, cryptsetup luksDump, iperf3 or rngtest";

/// Maximum number of remarks; a longer text repeats itself.
const MOST_REMARKS: usize = 40;

/// A line of the text without its indentation, quotation marks and time stamp.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

trait Notes {
    fn remark(&mut self, line: Line, text: impl Into<String>);
    fn shows(&mut self, line: Line, text: impl Into<String>);
    fn file(&mut self, path: &str, text: String);
    fn recognise(&mut self, what: &str, count: usize, unit: &str);
}

impl Notes for Pasted {
    fn remark(&mut self, line: Line, text: impl Into<String>) {
        add(self, line, text.into(), false);
    }

    fn shows(&mut self, line: Line, text: impl Into<String>) {
        add(self, line, text.into(), true);
    }

    fn file(&mut self, path: &str, text: String) {
        self.files.push((path.to_owned(), text));
    }

    fn recognise(&mut self, what: &str, count: usize, unit: &str) {
        let ending = if count == 1 { "" } else { "s" };
        self.text.recognised.push(format!("{what}, {count} {unit}{ending}"));
    }
}

fn add(pasted: &mut Pasted, line: Line, text: String, accelerator: bool) {
    let remarks = &mut pasted.text.remarks;
    if remarks.len() < MOST_REMARKS && !remarks.iter().any(|remark| remark.text == text) {
        let (number, line) = (line.number, line.text.to_owned());
        remarks.push(Remark { text, line, number, accelerator, is_failing_rng: false });
    }
}

pub fn recognise(text: &str) -> Pasted {
    let lines: Vec<Line> =
        text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text: bare(text) }).collect();
    let mut pasted = Pasted::default();
    let lines = kernel_files::take_crypto(&lines, &mut pasted);
    kernel_files::find(&lines, &mut pasted);
    modules::find(&lines, &mut pasted);
    linux_log::find(&lines, &mut pasted);
    freebsd::find(&lines, &mut pasted);
    engines::find(&lines, &mut pasted);
    openssl_text::find(&lines, &mut pasted);
    pci::find(&lines, &mut pasted);
    freebsd_lists::find(&lines, &mut pasted);
    packages::find(&lines, &mut pasted);
    board::find(&lines, &mut pasted);
    disks::find(&lines, &mut pasted);
    speed::find(&lines, &mut pasted);
    process_time::find(&lines, &mut pasted);
    traffic::find(&lines, &mut pasted);
    rngtest::find(&lines, &mut pasted);
    settings::find(&lines, &mut pasted);
    pasted
}

/// A line without what mail, forums and documents put before it.
fn bare(line: &str) -> &str {
    line.trim_end().trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '|' | '\u{a0}'))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
