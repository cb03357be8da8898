//! When two figures differ: the one rule of all commands.

use std::cmp::Ordering;

use outboard_documents::Figure;

/// Compares two positive values. They are equal unless they differ by more than `spread`, a fraction.
#[must_use]
pub fn compare(one: f64, other: f64, spread: f64) -> Ordering {
    let limit = 1.0 + spread;
    match () {
        () if one > other * limit => Ordering::Greater,
        () if other > one * limit => Ordering::Less,
        () => Ordering::Equal,
    }
}

/// The spread of two figures together.
#[must_use]
pub fn of_both(one: &Figure, other: &Figure) -> f64 {
    one.spread + other.spread
}

/// Compares the throughput of two figures.
#[must_use]
pub fn compare_speed(one: &Figure, other: &Figure) -> Ordering {
    compare(one.megabytes_per_second, other.megabytes_per_second, of_both(one, other))
}

/// Compares the CPU time of two figures; `None` where one has none.
#[must_use]
pub fn compare_cpu(one: &Figure, other: &Figure) -> Option<Ordering> {
    Some(compare(one.cpu_ms_per_megabyte?, other.cpu_ms_per_megabyte?, of_both(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_within_the_spread_of_both_is_none() {
        let figure = |speed, spread| Figure {
            megabytes_per_second: speed,
            spread,
            cpu_ms_per_megabyte: Some(1000.0 / speed),
            ..Figure::default()
        };
        let software = figure(100.0, 0.15);
        for (speed, spread, order) in [
            (110.0, 0.12, Ordering::Equal),
            (128.0, 0.12, Ordering::Greater),
            (90.0, 0.12, Ordering::Equal),
            (75.0, 0.12, Ordering::Less),
        ] {
            let hardware = figure(speed, spread);
            assert_eq!(compare_speed(&hardware, &software), order, "{speed}");
            assert_eq!(compare_cpu(&software, &hardware), Some(order), "{speed}");
        }
    }
}
