//! One pass: every case once, in a process of its own.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use outboard_benchmarks::configuration::configure;
use outboard_benchmarks::ratio::ratio;
use outboard_counters::Table;
use outboard_measure::evp::{Cipher, Context, Library, Work};
use outboard_measure::stop;
use outboard_measure::turns::{Plan, Series, Stopwatch};

use crate::cases::{self, Case, NonceOrder};
use crate::rows::PassRow;

/// Duration of a sample, and the samples of each contestant in a pass.
const PLAN: Plan = Plan { sample: Duration::from_millis(15), rounds: 5 };

/// Key stream of one context at most, in bytes: the default of LOOKAHEAD_WINDOW. As many bytes are
/// used untimed before each sample, because the engine fills the window while software is measured,
/// which no busy stream can count on.
const WINDOW: usize = 512 << 10;

/// Measures all cases under the policy in force.
pub fn measure(module: &Path) -> Result<Vec<PassRow>> {
    stop::listen();
    let folder = tempfile::tempdir().context("a directory for a few small files")?;
    let library = Library::open()?;
    let (configuration, counters) = (folder.path().join("openssl.cnf"), folder.path().join("counters"));
    let table = Table::create(&counters)?;
    configure(&configuration, module, &[("COUNTERS", counters.to_str().context("TMPDIR is not UTF-8")?)])?;
    let (software, outboard) = (Context::software(&library)?, Context::configured(&library, &configuration)?);
    let watch = Stopwatch::new().context("/proc/interrupts")?;
    cases::all()
        .map(|case| {
            let soft = software.cipher(case.cipher, "");
            let soft = soft.with_context(|| format!("OpenSSL has no {}", case.cipher))?;
            // Where tune left all of a cipher to software, the provider does not offer it.
            let hard = outboard.cipher(case.cipher, "?provider=outboard");
            let hard = hard.with_context(|| format!("OpenSSL has no {}", case.cipher))?;
            measure_case(&case, &watch, [&soft, &hard], &table)
        })
        .collect()
}

fn measure_case(
    case: &Case<'_>,
    watch: &Stopwatch,
    [soft, hard]: [&Cipher<'_>; 2],
    table: &Table,
) -> Result<PassRow> {
    let before = counts(table, case.cipher);
    let (mut soft, mut hard) = (work(soft, case)?, work(hard, case)?);
    let failed = |error| anyhow!("{} of {} bytes: {error}", case.cipher, case.bytes);
    let mut used = [0; 2];
    for (work, used) in [&mut soft, &mut hard].into_iter().zip(&mut used) {
        *used = watch.requests(&mut |requests| work.run(requests), PLAN).map_err(failed)?;
    }
    let series = || Series { cpu: Some(0.0), ..Series::default() };
    let (mut of_soft, mut of_hard) = (series(), series());
    for _ in 0..PLAN.rounds {
        // The engine ends what the other contestant left.
        soft.run(used[0].div_ceil(2))?;
        let one = watch.turns(&mut [&mut |requests| soft.run(requests)], &used[..1], 1).map_err(failed)?;
        hard.run((WINDOW / case.bytes) as u32)?;
        let other = watch.turns(&mut [&mut |requests| hard.run(requests)], &used[1..], 1).map_err(failed)?;
        one.into_iter().for_each(|one| of_soft.extend(one));
        other.into_iter().for_each(|other| of_hard.extend(other));
    }
    // A context adds its counts to the table from time to time, and when it is freed.
    drop(hard);
    let done = counts(table, case.cipher) - before;
    let by_key_stream = done.ahead_bytes as f64 / done.bytes().max(1) as f64;
    ensure!(
        by_key_stream < 0.5 || of_hard.interrupts > 0,
        "{} of {} bytes: no interrupt came, so the driver computed on the CPU",
        case.cipher,
        case.bytes
    );
    let cpu =
        |series: &Series| series.cpu.map(|cpu| cpu / (series.requests.max(1) * case.bytes as u64) as f64);
    Ok(PassRow {
        cipher: case.cipher.to_owned(),
        nonces: case.nonces,
        bytes: case.bytes,
        software: case.bytes as f64 / of_soft.summary().median / 1e6,
        ratio: ratio(&of_hard, &of_soft),
        cpu: cpu(&of_hard).zip(cpu(&of_soft)),
        by_key_stream,
        interrupts: of_hard.interrupts,
    })
}

fn counts(table: &Table, cipher: &str) -> outboard_counters::Counts {
    table
        .snapshot()
        .into_iter()
        .find(|(name, _)| name == cipher)
        .map(|(_, counts)| counts)
        .unwrap_or_default()
}

fn work<'a>(cipher: &'a Cipher<'a>, case: &Case<'_>) -> Result<Work<'a>> {
    let mut work = cipher.work(true, case.bytes)?;
    match case.nonces {
        NonceOrder::None => {}
        NonceOrder::Counting => work.count_nonces(),
        NonceOrder::Scattered => work.scatter_nonces(),
    }
    Ok(work)
}
