//! The criterion for winning: throughput, CPU time, or both combined.

use outboard_documents::{Goal, LONGEST_WALL_TIME, SpeedVerdict};

use crate::turns::Series;

/// The number of standard errors from which a difference counts. Errors are estimated from few
/// samples and may be too small. With this limit one of two equal contestants appears to win in 7
/// of 100 contests (`equal_contestants_are_seldom_told_apart`).
const LEAST_ERRORS: f64 = 3.0;

/// The largest limit of a difference: if a quarter would not count, the samples decide nothing.
const LARGEST_LIMIT: f64 = 0.25;

/// Compares two series by a goal. Without CPU time, wall time decides.
pub fn judge(goal: Goal, software: &Series, hardware: &Series) -> SpeedVerdict {
    if software.wall.is_empty() || hardware.wall.is_empty() {
        return SpeedVerdict::Unclear;
    }
    let wall = ratio(wall(software), wall(hardware));
    let cpu = software.cpu_per_request().zip(hardware.cpu_per_request());
    let cpu = cpu.map(|((soft, soft_off), (hard, hard_off))| ratio((soft, soft_off), (hard, hard_off)));
    let (cost, error) = relative_cost(goal, wall, cpu);
    match cost.ln() {
        difference if difference.abs() <= LEAST_ERRORS * error && LEAST_ERRORS * error > LARGEST_LIMIT => {
            SpeedVerdict::Unclear
        }
        difference if difference.abs() <= LEAST_ERRORS * error => SpeedVerdict::Even,
        difference if difference < 0.0 => SpeedVerdict::Wins,
        _ => SpeedVerdict::Loses,
    }
}

/// Hardware's cost relative to software's: hardware wins below 1. From the ratios of wall time and
/// of CPU time, hardware's to software's, each with its relative standard error.
fn relative_cost(goal: Goal, wall: Measured, cpu: Option<Measured>) -> Measured {
    match (goal, cpu) {
        (Goal::Throughput, _) | (_, None) => wall,
        (Goal::Cpu, Some(cpu)) => cpu,
        (Goal::Balanced, Some(_)) if wall.0 > LONGEST_WALL_TIME => wall,
        (Goal::Balanced, Some(cpu)) => (wall.0 * cpu.0, wall.1.hypot(cpu.1)),
    }
}

/// A value and its standard error.
type Measured = (f64, f64);

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
        assert_eq!(judge(Goal::Throughput, &soft, &hard), SpeedVerdict::Loses);
        assert_eq!(judge(Goal::Cpu, &soft, &hard), SpeedVerdict::Wins);
        assert_eq!(judge(Goal::Balanced, &soft, &hard), SpeedVerdict::Wins);
        // Too slow for `balanced`, however little CPU time it uses.
        let snail = series(200.0, 0.1, 0.01);
        assert_eq!(judge(Goal::Cpu, &soft, &snail), SpeedVerdict::Wins);
        assert_eq!(judge(Goal::Balanced, &soft, &snail), SpeedVerdict::Loses);
        // Slightly faster, with far more CPU time: it keeps two CPUs busy.
        let greedy = series(95.0, 0.1, 2.0);
        assert_eq!(judge(Goal::Throughput, &soft, &greedy), SpeedVerdict::Wins);
        assert_eq!(judge(Goal::Balanced, &soft, &greedy), SpeedVerdict::Loses);
    }

    #[test]
    fn a_difference_within_the_noise_is_none() {
        let soft = series(100.0, 5.0, 1.0);
        assert_eq!(judge(Goal::Throughput, &soft, &series(101.0, 5.0, 1.0)), SpeedVerdict::Even);
        assert_eq!(judge(Goal::Throughput, &soft, &series(99.0, 5.0, 1.0)), SpeedVerdict::Even);
        assert_eq!(judge(Goal::Throughput, &soft, &series(60.0, 5.0, 1.0)), SpeedVerdict::Wins);
        assert_eq!(judge(Goal::Throughput, &soft, &series(160.0, 5.0, 1.0)), SpeedVerdict::Loses);
        assert_eq!(judge(Goal::Throughput, &Series::default(), &soft), SpeedVerdict::Unclear);
    }

    #[test]
    fn samples_that_vary_too_much_say_nothing_unless_the_difference_is_larger_still() {
        let soft = series(100.0, 20.0, 1.0);
        for even in [90.0, 100.0, 120.0] {
            assert_eq!(
                judge(Goal::Throughput, &soft, &series(even, 20.0, 1.0)),
                SpeedVerdict::Unclear,
                "{even}"
            );
        }
        assert_eq!(judge(Goal::Throughput, &soft, &series(2000.0, 400.0, 1.0)), SpeedVerdict::Loses);
        assert_eq!(judge(Goal::Throughput, &series(2000.0, 400.0, 1.0), &soft), SpeedVerdict::Wins);
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
            let verdicts = [(); 2000].map(|()| judge(Goal::Throughput, &noisy(100.0), &noisy(micros)));
            [SpeedVerdict::Wins, SpeedVerdict::Loses]
                .map(|side| verdicts.iter().filter(|&&v| v == side).count())
        };
        let [wins, loses] = contests(100.0);
        assert!(wins + loses < 200, "{wins} {loses}");
        let [wins, loses] = contests(80.0);
        assert!(wins > 1900 && loses == 0, "{wins} {loses}");
    }

    #[test]
    fn without_cpu_time_wall_time_decides() {
        let blind = |micros| Series { cpu: None, ..series(micros, 0.1, 1.0) };
        assert_eq!(judge(Goal::Cpu, &blind(100.0), &blind(50.0)), SpeedVerdict::Wins);
        assert_eq!(judge(Goal::Balanced, &blind(50.0), &blind(100.0)), SpeedVerdict::Loses);
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
        assert_eq!(judge(Goal::Cpu, &brief(0.0), &brief(0.0)), SpeedVerdict::Unclear);
        assert_eq!(judge(Goal::Cpu, &brief(0.012), &brief(0.02)), SpeedVerdict::Unclear);
    }
}
