//! What the screen shows.

use std::time::Duration;

use crate::documents::watch::Watch;
use outboard_console::printable_line;

use super::tables;

/// The lines of a screen of this size: a title and a sample, or that the first one is awaited. Of
/// tables that do not fit the first rows.
pub fn lines(watch: Option<&Watch>, interval: Duration, columns: usize, height: usize) -> Vec<String> {
    let title = format!("outboard watch, every {} s; q quits\n", interval.as_secs());
    let text = match watch {
        None => "taking the first sample ...".to_owned(),
        Some(watch) => {
            let within = |most| tables::text_within(watch, Some(columns), most);
            let fits = |text: &String| text.lines().count() < height;
            (1..=height).rev().map(within).find(fits).unwrap_or_else(|| within(1))
        }
    };
    let shown = |line: &str| printable_line(line).chars().take(columns).collect();
    (title + &text).lines().take(height).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::watch::{
        DeviceRates, DriverRates, GroupWork, KernelCpu, ModuleState, ProcessGroup,
    };

    fn watch(drivers: usize) -> Watch {
        let driver = |number: usize| DriverRates {
            name: format!("driver-{number}-cbc-aes"),
            requests: Some(12_345.0),
            bytes: Some(81_920_000.0),
            in_flight: Some(16),
            errors: None,
            ..DriverRates::default()
        };
        let work = GroupWork {
            direct: 50_000_000.0,
            ahead: 1024.0,
            software: 90.0,
            requests: 4000.0,
            hardware_percent: Some(99.6),
            key_stream: 1 << 20,
            errors: 0,
        };
        Watch {
            seconds: 1.0,
            module: Some(ModuleState { sessions: Some(3), requests: Some(17), arena_bytes: Some(4 << 20) }),
            drivers: (0..drivers).map(driver).collect(),
            devices: Some(vec![DeviceRates {
                name: "virtio1".to_owned(),
                driver: "virtio_crypto".to_owned(),
                chip: None,
                interrupts: 8000.4,
            }]),
            kernel_cpu: Some(KernelCpu { interrupts: 0.5, softirqs: 12.25, threads: 3.0 }),
            processes: vec![
                ProcessGroup { name: "nginx.service".to_owned(), pids: vec![1, 2], work: Some(work) },
                ProcessGroup { name: "openssl".to_owned(), pids: vec![3], work: None },
            ],
            unreadable_processes: 0,
        }
    }

    fn screen(watch: Option<&Watch>, columns: usize, height: usize) -> String {
        let lines = lines(watch, Duration::from_secs(1), columns, height);
        assert!(lines.len() <= height && lines.iter().all(|line| line.chars().count() <= columns));
        lines.join("\n")
    }

    #[test]
    fn all_fits_on_80_by_24() {
        insta::assert_snapshot!("screen", screen(Some(&watch(2)), 80, 24));
        let text = screen(Some(&watch(12)), 80, 24);
        assert!(
            text.contains("and 3 more: outboard watch --once") && text.contains("nginx.service"),
            "{text}"
        );
    }

    #[test]
    fn on_a_narrow_screen_nothing_is_cut() {
        let text = screen(Some(&watch(2)), 40, 60);
        for words in ["driver-0-cbc-aes", "requests/s: 12345", "software/s: 90", "hw: 99.6 %", "4.0 MiB"] {
            assert!(text.replace('\n', " ").contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn any_size_and_no_sample_can_be_drawn() {
        for (columns, lines) in [(1, 1), (20, 3), (80, 8), (300, 100)] {
            screen(Some(&watch(3)), columns, lines);
            screen(None, columns, lines);
        }
        let nothing = screen(Some(&Watch::default()), 80, 24);
        assert!(nothing.contains("the module outboard is not loaded"), "{nothing}");
        insta::assert_snapshot!("once", tables::text(&watch(1)));
    }
}
