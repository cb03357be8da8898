//! `outboard rng test`: tests blocks by FIPS 140-2, with the counts of rngtest(1).

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::documents::rng::{BlockSpeed, FailureCounts, RngTest, RngVerdict};
use anyhow::{Result, bail};
use clap::Args;
use outboard_console as console;
use outboard_console::{INTERRUPTED, counted, duration};
use outboard_documents::{json, now};
use outboard_entropy::{BLOCK, EXPECTED_FAILURES, Fips, FipsFailures};
use outboard_measure::stop;

use super::input::InputOptions;
use super::verdict::{self, is_bad, sentence};

/// Test output with the block tests of FIPS 140-2.
///
/// The standard withdrew these tests in 2002. They find a stuck or grossly biased generator and nothing else: outboard rng assess
/// estimates entropy. Of the blocks of a good source about 8 in 10,000 fail; the verdict depends on whether more do.
///
/// The first 4 bytes are only compared with, and an incomplete last block is not tested, as rngtest does it.
///
/// Exit code 0 when the number of failures is that of a good source, 1 when it is not, 2 when the input cannot be read, 130 after ^C.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    input: InputOptions,
    /// Stop after this number of blocks [default for devices: 1000]
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = clap::value_parser!(u64).range(1..))]
    blocks: Option<u64>,
    /// Stop after this time: 90s, 10m, 2h
    #[arg(long = "for", id = "time", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
    /// Exit with code 1 when any block fails, as rngtest does
    #[arg(long)]
    strict: bool,
    /// Print JSON (schema outboard-rng-test/1)
    #[arg(long)]
    json: bool,
}

const DEVICE_BLOCKS: u64 = 1000;

fn count(counts: &mut FailureCounts, failures: FipsFailures) {
    counts.monobit += u64::from(failures.monobit);
    counts.poker += u64::from(failures.poker);
    counts.runs += u64::from(failures.runs);
    counts.long_run += u64::from(failures.long_run);
    counts.continuous_run += u64::from(failures.continuous_run);
}

/// Measures the speed of blocks.
#[derive(Default)]
struct SpeedMeter {
    speed: BlockSpeed,
    blocks: u64,
    time: Duration,
}

impl SpeedMeter {
    fn add(&mut self, time: Duration) {
        let time = time.max(Duration::from_nanos(1));
        let megabits =
            |blocks: u64, time: Duration| (8 * BLOCK) as f64 * blocks as f64 / 1e6 / time.as_secs_f64();
        let this = megabits(1, time);
        self.speed.min = if self.blocks == 0 { this } else { self.speed.min.min(this) };
        self.speed.max = self.speed.max.max(this);
        (self.blocks, self.time) = (self.blocks + 1, self.time + time);
        self.speed.average = megabits(self.blocks, self.time);
    }
}

fn speed_text(speed: BlockSpeed) -> String {
    let [min, average, max] = [speed.min, speed.average, speed.max].map(|speed| format!("{speed:.3}"));
    format!("min {min}, avg {average}, max {max} Mbit/s")
}

pub fn test(options: &Options) -> Result<ExitCode> {
    stop::listen();
    let start = Instant::now();
    let mut input = options.input.open()?;
    let limited = options.blocks.is_some() || options.time.is_some();
    let most = options.blocks.or((options.input.is_device() && !limited).then_some(DEVICE_BLOCKS));
    let mut first = [0; 4];
    let got = input.fill(&mut first)?;
    let mut answer = RngTest {
        made: now(),
        source: input.name.clone(),
        bits_received: 8 * got as u64,
        successes: 0,
        failures: 0,
        expected_failures: 0.0,
        failed_tests: FailureCounts::default(),
        input_speed: BlockSpeed::default(),
        test_speed: BlockSpeed::default(),
        seconds: 0.0,
        verdict: RngVerdict::Pass,
        interrupted: false,
    };
    let (mut input_speed, mut test_speed) = (SpeedMeter::default(), SpeedMeter::default());
    let (mut fips, mut block, mut shown) = (Fips::new(first), [0; BLOCK], start);
    while most.is_none_or(|most| answer.successes + answer.failures < most)
        && options.time.is_none_or(|time| start.elapsed() < time)
    {
        let before = Instant::now();
        let got = input.fill(&mut block)?;
        answer.bits_received += 8 * got as u64;
        if got < BLOCK {
            break;
        }
        let read = Instant::now();
        let failures = fips.test(&block);
        let tested = Instant::now();
        input_speed.add(read - before);
        test_speed.add(tested - read);
        count(&mut answer.failed_tests, failures);
        if failures.any() {
            answer.failures += 1
        } else {
            answer.successes += 1
        }
        if tested - shown > Duration::from_millis(500) {
            shown = tested;
            let count = answer.successes + answer.failures;
            console::progress(&format!("{} tested, {} failed", counted(count, "block"), answer.failures));
        }
    }
    console::progress("");
    answer.interrupted = stop::asked();
    let count = answer.successes + answer.failures;
    if count == 0 {
        if answer.interrupted {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        bail!("{}: it has less than the {} bytes of one block", answer.source, BLOCK + 4);
    }
    (answer.input_speed, answer.test_speed) = (input_speed.speed, test_speed.speed);
    answer.seconds = start.elapsed().as_secs_f64();
    answer.expected_failures = count as f64 * EXPECTED_FAILURES;
    answer.verdict = verdict::of(answer.failures, count);
    console::answer(&if options.json { json(&answer)? } else { text(&answer) })?;
    Ok(match answer.verdict {
        verdict if is_bad(verdict) => ExitCode::FAILURE,
        _ if options.strict && answer.failures > 0 => ExitCode::FAILURE,
        _ if answer.interrupted => ExitCode::from(INTERRUPTED),
        _ => ExitCode::SUCCESS,
    })
}

fn text(answer: &RngTest) -> String {
    let RngTest { successes, failures, failed_tests: failed, .. } = answer;
    // Too few blocks for a verdict, unless they are bad already.
    let count = successes + failures;
    let verdict = match !is_bad(answer.verdict) && (answer.interrupted || count < DEVICE_BLOCKS) {
        true => format!(
            "{} after {}: no verdict, {failures} of them failed. It takes {DEVICE_BLOCKS} blocks.",
            if answer.interrupted { "INTERRUPTED" } else { "ENDED" },
            counted(count, "block")
        ),
        false => sentence(answer.verdict).to_owned(),
    };
    format!(
        "FIPS 140-2 tests of {} (withdrawn in 2002: a sanity check)\n\n  \
           bits received   {}\n  \
           blocks passed   {successes}\n  \
           blocks failed   {failures} (about {:.1} expected of a good source)\n  \
           monobit         {}\n  \
           poker           {}\n  \
           runs            {}\n  \
           long run        {}\n  \
           continuous run  {}\n  \
           input speed     {}\n  \
           test speed      {}\n  \
           run time        {:.3} s\n\n{verdict}\n",
        answer.source,
        answer.bits_received,
        answer.expected_failures,
        failed.monobit,
        failed.poker,
        failed.runs,
        failed.long_run,
        failed.continuous_run,
        speed_text(answer.input_speed),
        speed_text(answer.test_speed),
        answer.seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(successes: u64, failures: u64, interrupted: bool) -> RngTest {
        RngTest {
            made: now(),
            source: "x".into(),
            bits_received: 0,
            successes,
            failures,
            expected_failures: 0.0,
            failed_tests: FailureCounts::default(),
            input_speed: BlockSpeed::default(),
            test_speed: BlockSpeed::default(),
            seconds: 1.0,
            verdict: verdict::of(failures, failures + successes),
            interrupted,
        }
    }

    #[test]
    fn a_test_of_few_blocks_has_no_verdict_unless_it_is_bad() {
        assert!(
            text(&answer(1, 0, true)).contains("INTERRUPTED after 1 block: no verdict, 0 of them failed")
        );
        assert!(text(&answer(8, 0, false)).contains("ENDED after 8 blocks: no verdict"));
        assert!(text(&answer(DEVICE_BLOCKS, 0, false)).contains("PASS"));
        assert!(text(&answer(1, 50, true)).contains("FAIL"));
    }
}
