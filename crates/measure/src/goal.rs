//! The criterion for winning: throughput, CPU time, or both combined.

use serde::{Deserialize, Serialize};

use crate::turns::Series;

/// The user's goal for an accelerator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Less wall time.
    Throughput,
    /// Less CPU time of the whole system, whatever the wall time.
    Cpu,
    /// A smaller product of both, with at most [`PATIENCE`] times the wall time.
    #[default]
    Balanced,
}

/// The maximum ratio of hardware's wall time to software's for the goal `balanced`.
pub const PATIENCE: f64 = 1.5;

/// The number of standard errors from which a difference counts. Errors are estimated from few
/// samples and may be too small. With this limit one of two equal contestants appears to win in 7
/// of 100 contests (`equal_contestants_are_seldom_told_apart`).
const SURE: f64 = 3.0;

/// If a difference of a quarter would not count, the samples decide nothing.
const BLUR: f64 = 0.25;

/// The comparison of hardware with software at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Hardware wins.
    Wins,
    /// The difference is within the error.
    Even,
    /// Software wins.
    Loses,
    /// The samples vary so much that even a large difference would not be significant.
    Unclear,
}

impl Goal {
    /// The name for output and for the command line.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Throughput => "throughput",
            Goal::Cpu => "cpu",
            Goal::Balanced => "balanced",
        }
    }

    /// Compares two series. Without CPU time, wall time decides.
    pub fn judge(self, software: &Series, hardware: &Series) -> Verdict {
        if software.wall.is_empty() || hardware.wall.is_empty() {
            return Verdict::Unclear;
        }
        let wall = ratio(wall(software), wall(hardware));
        let cpu = software.cpu_per_request().zip(hardware.cpu_per_request());
        let cpu = cpu.map(|((soft, soft_off), (hard, hard_off))| ratio((soft, soft_off), (hard, hard_off)));
        let (cost, error) = self.cost(wall, cpu);
        match cost.ln() {
            difference if difference.abs() <= SURE * error && SURE * error > BLUR => Verdict::Unclear,
            difference if difference.abs() <= SURE * error => Verdict::Even,
            difference if difference < 0.0 => Verdict::Wins,
            _ => Verdict::Loses,
        }
    }

    /// Hardware's cost relative to software's: hardware wins below 1. From the ratios of wall time
    /// and of CPU time, hardware's to software's, each with its relative standard error.
    pub fn cost(self, wall: Measured, cpu: Option<Measured>) -> Measured {
        match (self, cpu) {
            (Goal::Throughput, _) | (_, None) => wall,
            (Goal::Cpu, Some(cpu)) => cpu,
            (Goal::Balanced, Some(_)) if wall.0 > PATIENCE => wall,
            (Goal::Balanced, Some(cpu)) => (wall.0 * cpu.0, wall.1.hypot(cpu.1)),
        }
    }
}

/// A value and its standard error.
pub type Measured = (f64, f64);

fn wall(series: &Series) -> Measured {
    let summary = series.summary();
    (summary.median, summary.median * summary.error(series.wall.len()))
}

/// The ratio of hardware's value to software's, and its relative standard error. No value counts as
/// less than its standard error.
fn ratio(software: Measured, hardware: Measured) -> Measured {
    let [soft, hard] = [software, hardware].map(|(value, off)| (value.max(off).max(f64::MIN_POSITIVE), off));
    (hard.0 / soft.0, (hard.1 / hard.0).hypot(soft.1 / soft.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(micros: f64, noise: f64, awake: f64) -> Series {
        let wall: Vec<f64> =
            [-2.0, -1.0, 0.0, 1.0, 2.0].map(|step| (micros + step * noise) * 1e-6).into_iter().collect();
        // Enough requests that ticks are negligible.
        let requests = 10_000_000_u64;
        Series {
            cpu: Some(micros * 1e-6 * awake * requests as f64),
            wall,
            requests,
            interrupts: 1,
            ..Series::default()
        }
    }

    #[test]
    fn each_goal_has_its_own_winner() {
        // A fifth slower, at a third of the CPU time.
        let (soft, hard) = (series(100.0, 0.1, 1.0), series(120.0, 0.1, 0.33));
        assert_eq!(Goal::Throughput.judge(&soft, &hard), Verdict::Loses);
        assert_eq!(Goal::Cpu.judge(&soft, &hard), Verdict::Wins);
        assert_eq!(Goal::Balanced.judge(&soft, &hard), Verdict::Wins);
        // Too slow for `balanced`, however little CPU time it uses.
        let snail = series(200.0, 0.1, 0.01);
        assert_eq!(Goal::Cpu.judge(&soft, &snail), Verdict::Wins);
        assert_eq!(Goal::Balanced.judge(&soft, &snail), Verdict::Loses);
        // Slightly faster, with far more CPU time: it keeps two CPUs busy.
        let greedy = series(95.0, 0.1, 2.0);
        assert_eq!(Goal::Throughput.judge(&soft, &greedy), Verdict::Wins);
        assert_eq!(Goal::Balanced.judge(&soft, &greedy), Verdict::Loses);
    }

    #[test]
    fn a_difference_within_the_noise_is_none() {
        let soft = series(100.0, 5.0, 1.0);
        assert_eq!(Goal::Throughput.judge(&soft, &series(101.0, 5.0, 1.0)), Verdict::Even);
        assert_eq!(Goal::Throughput.judge(&soft, &series(99.0, 5.0, 1.0)), Verdict::Even);
        assert_eq!(Goal::Throughput.judge(&soft, &series(60.0, 5.0, 1.0)), Verdict::Wins);
        assert_eq!(Goal::Throughput.judge(&soft, &series(160.0, 5.0, 1.0)), Verdict::Loses);
        assert_eq!(Goal::Throughput.judge(&Series::default(), &soft), Verdict::Unclear);
    }

    #[test]
    fn samples_that_vary_too_much_say_nothing_unless_the_difference_is_larger_still() {
        let soft = series(100.0, 20.0, 1.0);
        for even in [90.0, 100.0, 120.0] {
            assert_eq!(Goal::Throughput.judge(&soft, &series(even, 20.0, 1.0)), Verdict::Unclear, "{even}");
        }
        assert_eq!(Goal::Throughput.judge(&soft, &series(2000.0, 400.0, 1.0)), Verdict::Loses);
        assert_eq!(Goal::Throughput.judge(&series(2000.0, 400.0, 1.0), &soft), Verdict::Wins);
    }

    #[test]
    fn equal_contestants_are_seldom_told_apart() {
        let mut state = 1_u64;
        let mut uniform = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        // The sum of twelve is close enough to normal.
        let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let mut noisy = |micros: f64| {
            let wall = (0..5).map(|_| micros * (1.0 + 0.03 * normal())).collect();
            Series { wall, ..Series::default() }
        };
        let mut contests = |micros: f64| {
            let verdicts = [(); 2000].map(|()| Goal::Throughput.judge(&noisy(100.0), &noisy(micros)));
            [Verdict::Wins, Verdict::Loses].map(|side| verdicts.iter().filter(|&&v| v == side).count())
        };
        let [wins, loses] = contests(100.0);
        assert!(wins + loses < 200, "{wins} {loses}");
        let [wins, loses] = contests(80.0);
        assert!(wins > 1900 && loses == 0, "{wins} {loses}");
    }

    #[test]
    fn without_cpu_time_wall_time_decides() {
        let blind = |micros| Series { cpu: None, ..series(micros, 0.1, 1.0) };
        assert_eq!(Goal::Cpu.judge(&blind(100.0), &blind(50.0)), Verdict::Wins);
        assert_eq!(Goal::Balanced.judge(&blind(50.0), &blind(100.0)), Verdict::Loses);
    }

    #[test]
    fn ticks_are_not_taken_for_measurements() {
        // Both used no tick of CPU time in a sample, or one and two ticks: the cheaper one cannot
        // be determined.
        let brief = |cpu| Series {
            wall: vec![1e-4; 5],
            cpu: Some(cpu),
            requests: 50,
            interrupts: 1,
            ..Series::default()
        };
        assert_eq!(Goal::Cpu.judge(&brief(0.0), &brief(0.0)), Verdict::Unclear);
        assert_eq!(Goal::Cpu.judge(&brief(0.012), &brief(0.02)), Verdict::Unclear);
    }
}
