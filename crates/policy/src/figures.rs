//! Figures of ciphers and MACs that services may choose between, as `outboard tune` measured them.

use crate::Tuned;

/// Begins a line of the policy file.
pub(crate) const WORD: &str = "figure";

/// Written in place of a driver and of a CPU time that was not measured.
const NONE: &str = "-";

#[derive(Clone, Debug, PartialEq)]
pub struct CipherFigure {
    /// Size of a request in bytes.
    pub bytes: usize,
    /// OpenSSL's name of the cipher, or the name of a MAC.
    pub name: String,
    /// The driver; `None`: in software.
    pub driver: Option<String>,
    pub megabytes_per_second: f64,
    /// Spread of the throughput, relative to it.
    pub spread: f64,
    /// CPU time of the whole system; `None` if it is not known.
    pub cpu_ms_per_megabyte: Option<f64>,
}

impl CipherFigure {
    pub fn line(&self) -> String {
        let cpu = self.cpu_ms_per_megabyte.map_or_else(|| NONE.to_owned(), |cpu| cpu.to_string());
        format!(
            "{WORD} {} {} {} {}/{} {cpu}",
            self.bytes,
            self.name,
            self.driver.as_deref().unwrap_or(NONE),
            self.megabytes_per_second,
            self.spread,
        )
    }

    /// Parses `figure 16384 AES-128-GCM sim-ecb-aes 9.01/0.02 100.2`.
    fn parse(words: [Option<&str>; 6]) -> Option<Self> {
        let [_, bytes, name, driver, rate, cpu] = words;
        let (rate, spread) = rate?.split_once('/')?;
        let known = |word: &&str| *word != NONE;
        Some(Self {
            bytes: bytes?.parse().ok()?,
            name: name?.to_owned(),
            driver: driver.filter(known).map(str::to_owned),
            megabytes_per_second: rate.parse().ok()?,
            spread: spread.parse().ok()?,
            cpu_ms_per_megabyte: cpu.filter(known).and_then(|cpu| cpu.parse().ok()),
        })
    }
}

impl Tuned {
    /// The figures of ciphers and MACs. A line that is not one is left out, since the provider, which
    /// does not use them, does not check the numbers.
    pub fn figures(&self) -> Vec<CipherFigure> {
        self.lines().filter(|words| words[0] == Some(WORD)).filter_map(CipherFigure::parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_read_as_it_was_written() {
        let software = CipherFigure {
            bytes: 16384,
            name: "ChaCha20-Poly1305".to_owned(),
            driver: None,
            megabytes_per_second: 24.01,
            spread: 0.02,
            cpu_ms_per_megabyte: Some(40.5),
        };
        let hardware = CipherFigure {
            name: "AES-128-GCM".to_owned(),
            driver: Some("sim-ecb-aes".to_owned()),
            cpu_ms_per_megabyte: None,
            ..software.clone()
        };
        let lines = format!("outboard-policy 2\n{}\n{}\n", software.line(), hardware.line());
        assert!(lines.contains("figure 16384 AES-128-GCM sim-ecb-aes 24.01/0.02 -\n"), "{lines}");
        let tuned = Tuned::parse(lines).expect("a policy file");
        assert_eq!(tuned.figures(), [software, hardware]);
        assert_eq!(tuned.of("AES-128-GCM"), None, "a figure is not a threshold");
    }

    #[test]
    fn a_line_with_too_few_words_is_refused_and_one_without_numbers_is_left_out() {
        assert_eq!(Tuned::parse("outboard-policy 2\nfigure 16384 AES-128-GCM - 1/1\n".to_owned()), Err(2));
        let odd = "outboard-policy 2\nfigure x AES-128-GCM - 1/1 1\nfigure 16 AES-128-GCM - fast 1\n";
        assert!(Tuned::parse(odd.to_owned()).expect("a policy file").figures().is_empty());
    }
}
