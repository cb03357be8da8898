//! Whether another cipher that a service offers wins over those that the accelerator serves: without
//! AES instructions ChaCha20 in software often does.

use std::path::Path;

use anyhow::Result;
use outboard_bench::Measuring;
use outboard_catalog::kernel_name;
use outboard_console::progress;
use outboard_documents::tune::Point;
use outboard_documents::{Figure, Goal, SpeedVerdict};
use outboard_services::enable::Tree;
use outboard_tune::rival::{self, Accelerated};

use super::suitability::{Outlook, Suitability};
use crate::commands::ciphers::service::{OtherSuite, chacha20};

/// A cipher with the accelerator, and its rival in software, measured side by side.
#[derive(Debug)]
pub struct Rivalry {
    /// OpenSSL's name of the cipher.
    pub cipher: String,
    pub driver: String,
    /// OpenSSL's name of the rival.
    pub rival: &'static str,
    /// `software` has the rival's figure.
    pub point: Point,
}

impl Rivalry {
    /// Whether the rival needs less time and less CPU time, beyond the spread of both.
    pub fn is_lost(&self) -> bool {
        let Point { software, hardware, verdict, refused, .. } = &self.point;
        let cpu = software.cpu_ms_per_megabyte.zip(hardware.cpu_ms_per_megabyte);
        refused.is_none()
            && *verdict == SpeedVerdict::Loses
            && software.megabytes_per_second > hardware.megabytes_per_second
            && cpu.is_none_or(|(software, hardware)| software < hardware)
    }

    /// Both figures in one sentence.
    pub fn sentence(&self) -> String {
        let Point { bytes, software, hardware, refused, .. } = &self.point;
        let Self { cipher, driver, rival, .. } = self;
        match refused {
            Some(why) => format!("{cipher} by {driver} could not be compared with {rival}: {why}"),
            None => format!(
                "{cipher} by {driver} {}, {rival} in software {} ({bytes} bytes)",
                words(hardware),
                words(software)
            ),
        }
    }
}

fn words(figure: &Figure) -> String {
    let cpu = figure.cpu_ms_per_megabyte.map(|cpu| format!(" and {cpu:.1} ms of CPU time per MB"));
    format!("{:.1} MB/s{}", figure.megabytes_per_second, cpu.unwrap_or_default())
}

/// Measures one cipher of each mode that the accelerator serves and the service offers against
/// ChaCha20, if the service offers that too. Refuses the service if all of them lose. Nothing is
/// measured for a service that is refused anyway.
pub fn compare(service: &str, tree: &Tree, module: &Path, goal: Goal, found: &mut Suitability) -> Result<()> {
    let other = chacha20(service, tree, found).filter(|_| found.refusal.is_none());
    let Some((other, bytes)) = other.zip(found.bytes) else { return Ok(()) };
    let _measuring = Measuring::begin()?;
    for (one, rival) in candidates(&found.ciphers, bytes, &other.ciphers) {
        let Ok((driver, _)) = &one.by else { continue };
        progress(&format!("{service}: measuring {} against {rival}", one.cipher));
        let with = Accelerated { cipher: &one.cipher, driver, is_ahead: one.is_ahead };
        let measured = rival::measure(module, goal, with, rival, bytes as usize);
        progress("");
        let Some(point) = measured? else { break };
        found.rivals.push(Rivalry { cipher: one.cipher.clone(), driver: driver.clone(), rival, point });
    }
    crate::signals::check()?;
    found.refusal = refusal(service, &found.rivals, &other);
    Ok(())
}

/// The first cipher of each mode that goes to the accelerator, with its rival.
fn candidates<'a>(ciphers: &'a [Outlook], bytes: u32, offered: &[&str]) -> Vec<(&'a Outlook, &'static str)> {
    let mut all: Vec<(&Outlook, &'static str)> = Vec::new();
    for one in ciphers.iter().filter(|one| one.measured && one.wins(Some(bytes))) {
        let is_new = all.iter().all(|(known, _)| kernel_name(&known.cipher) != kernel_name(&one.cipher));
        let rival = rival::rival(&one.cipher).filter(|_| is_new && offered.contains(&one.cipher.as_str()));
        all.extend(rival.map(|rival| (one, rival)));
    }
    all
}

fn refusal(service: &str, rivals: &[Rivalry], other: &OtherSuite) -> Option<String> {
    if rivals.is_empty() || !rivals.iter().all(Rivalry::is_lost) {
        return None;
    }
    let figures: Vec<String> = rivals.iter().map(Rivalry::sentence).collect();
    let remedy = match &other.settings[..] {
        [] => format!("peers negotiate {} already", other.suite),
        lines => format!("prefer {}: `{}`", other.suite, lines.join("` `")),
    };
    Some(format!(
        "another cipher that {service} offers is faster without the accelerator: {}; {remedy}; where AES is required, \
         --aes-required enables it all the same",
        figures.join("; ")
    ))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A cipher that needs more than twice the time and the CPU time of its rival.
    pub fn lost(cipher: &str) -> Rivalry {
        rivalry(cipher, [(24.0, Some(40.0)), (9.0, Some(100.0))], SpeedVerdict::Loses)
    }

    fn rivalry(cipher: &str, [soft, hard]: [(f64, Option<f64>); 2], verdict: SpeedVerdict) -> Rivalry {
        let figure = |(megabytes_per_second, cpu_ms_per_megabyte)| Figure {
            megabytes_per_second,
            cpu_ms_per_megabyte,
            ..Figure::default()
        };
        Rivalry {
            cipher: cipher.to_owned(),
            driver: "eng".to_owned(),
            rival: "ChaCha20-Poly1305",
            point: Point {
                bytes: 16384,
                software: figure(soft),
                hardware: figure(hard),
                verdict,
                refused: None,
            },
        }
    }

    #[test]
    fn a_cipher_that_loses_by_time_and_cpu_time_is_refused_with_what_to_set() {
        let other = OtherSuite {
            suite: "TLS_CHACHA20_POLY1305_SHA256".to_owned(),
            settings: vec!["ssl_prefer_server_ciphers on;".to_owned()],
            ciphers: Vec::new(),
        };
        let of = |rivals: &[Rivalry]| refusal("nginx", rivals, &other);
        let lost = || lost("AES-128-GCM");
        let text = of(&[lost()]).expect("refused");
        for part in [
            "AES-128-GCM by eng 9.0 MB/s and 100.0 ms of CPU time per MB",
            "ChaCha20-Poly1305 in software 24.0 MB/s and 40.0 ms",
            "prefer TLS_CHACHA20_POLY1305_SHA256: `ssl_prefer_server_ciphers on;`",
            "--aes-required",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let without_cpu = rivalry("AES-128-GCM", [(24.0, None), (9.0, None)], SpeedVerdict::Loses);
        assert!(of(&[without_cpu]).is_some());
        assert_eq!(of(&[]), None);
        for (soft, hard, verdict) in [
            // Within the spread; by time only; by CPU time only.
            ((10.0, Some(90.0)), (9.0, Some(100.0)), SpeedVerdict::Even),
            ((24.0, Some(101.0)), (9.0, Some(100.0)), SpeedVerdict::Loses),
            ((8.0, Some(10.0)), (9.0, Some(100.0)), SpeedVerdict::Loses),
            ((8.0, Some(120.0)), (9.0, Some(100.0)), SpeedVerdict::Wins),
        ] {
            let even = rivalry("AES-128-CTR", [soft, hard], verdict);
            assert!(!even.is_lost());
            assert_eq!(of(&[lost(), even]), None, "one that does not lose is enough");
        }
        let mut silent = lost();
        silent.point.refused = Some("no interrupt".to_owned());
        assert!(silent.sentence().contains("could not be compared"));
        assert_eq!(of(&[silent]), None);
        let default = OtherSuite { settings: Vec::new(), ..other };
        assert!(refusal("sshd", &[lost()], &default).is_some_and(|text| text.contains("already")));
    }

    #[test]
    fn one_cipher_of_each_mode_that_the_service_offers_is_measured() {
        let outlook = |cipher: &str, from, measured| Outlook {
            cipher: cipher.to_owned(),
            by: Ok(("eng".to_owned(), from)),
            measured,
            is_ahead: true,
        };
        let ciphers = [
            outlook("AES-128-GCM", Some(512), false),
            outlook("AES-192-GCM", Some(512), true),
            outlook("AES-256-GCM", Some(512), true),
            outlook("AES-128-CTR", Some(512), true),
            outlook("AES-128-CBC", Some(65536), true),
            outlook("AES-256-CBC", None, true),
        ];
        let offered = ["AES-128-GCM", "AES-256-GCM", "AES-128-CTR", "AES-128-CBC", "AES-256-CBC"];
        let found = candidates(&ciphers, 16384, &offered);
        let names: Vec<_> = found.iter().map(|(one, rival)| (one.cipher.as_str(), *rival)).collect();
        assert_eq!(names, [("AES-256-GCM", "ChaCha20-Poly1305"), ("AES-128-CTR", "ChaCha20")]);
    }
}
