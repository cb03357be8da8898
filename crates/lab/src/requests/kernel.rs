//! The kernel's own benchmark of the driver that it prefers: loads tcrypt and parses its output.

use std::collections::BTreeSet;

use super::tcrypt::{Line, ROUNDS, Tcrypt, Tests};
use crate::documents::bench::{Bench, CipherDirection, Contestant, ContestantKind, Evidence, Row};
use anyhow::Result;
use outboard_accel::primitive::Primitive;
use outboard_accel::{Algorithm, Direction, HashAlgorithm};
use outboard_console::progress;
use outboard_drivers::find::Survey;
use outboard_drivers::judge::Verdict;
use outboard_measure::clock::Clock;
use outboard_measure::evidence::NO_INTERRUPT;
use outboard_measure::evp::Context;
use outboard_measure::figure;
use outboard_measure::interrupts::Interrupts;
use outboard_measure::stop;
use outboard_measure::turns::Series;

use super::MeasurementOptions;
use super::contestants::note;
use super::row::evidence_of;
use super::software::Software;

pub const LEFT_OUT: &str = "--kernel: the time of --for left none for tcrypt, whose first run does not count: give it more, or 0 \
    for no limit";

const TURNS: usize = 5;

struct Subject {
    cipher: &'static str,
    primitive: Primitive,
    /// Size of a cipher's key in bits.
    bits: usize,
}

struct Runs {
    depth: usize,
    lines: Vec<Vec<Line>>,
    interrupts: u64,
    lost: bool,
    requests: u64,
}

pub fn add(
    options: &MeasurementOptions,
    names: &[&'static str],
    context: &Context<'_>,
    clock: Clock,
    found: &Survey,
    bench: &mut Bench,
) -> Result<()> {
    let mut tcrypt = match Tcrypt::open(&clock) {
        Ok(tcrypt) => tcrypt,
        Err(error) => {
            note(&mut bench.notes, format!("--kernel: {error}"));
            return Ok(());
        }
    };
    let subjects: Vec<Subject> = names.iter().filter_map(|cipher| subject(cipher, context)).collect();
    let mut done = Vec::new();
    for one in &subjects {
        let name = one.primitive.kernel_name();
        let Some(tests) = tests(one.primitive) else {
            let text = format!("--kernel: tcrypt's tests of {name} tell no cycles of single requests");
            note(&mut bench.notes, text);
            continue;
        };
        if options.depths.0.iter().any(|&depth| !tests.can_do(depth)) {
            note(&mut bench.notes, format!("--kernel: tcrypt does one message of {name} at a time"));
        }
        if done.contains(&tests) || bench.interrupted {
            continue;
        }
        done.push(tests);
        let own = || subjects.iter().filter(|one| self::tests(one.primitive) == Some(tests));
        for runs in runs(&mut tcrypt, tests, options, found, bench)? {
            for subject in own() {
                rows(subject, &runs, options, found, tcrypt.cycles_per_second(), bench);
            }
        }
    }
    Ok(())
}

fn subject(cipher: &'static str, context: &Context<'_>) -> Option<Subject> {
    let primitive = Primitive::by_openssl_name(cipher)?;
    let bits = match primitive {
        Primitive::Cipher(_) => Software::find(context, cipher)?.key().len() * 8,
        Primitive::Hash(_) => 0,
    };
    Some(Subject { cipher, primitive, bits })
}

fn tests(primitive: Primitive) -> Option<Tests> {
    match primitive {
        Primitive::Cipher(algorithm) if algorithm.has_tags() => None,
        Primitive::Cipher(Algorithm::CbcDes3Ede) => Some(Tests::TripleDes),
        Primitive::Cipher(_) => Some(Tests::Aes),
        Primitive::Hash(algorithm) => {
            let HashAlgorithm { hash, hmac } = algorithm;
            let key = if hmac { hash.digest_len() } else { 0 };
            Some(Tests::Hash { algorithm: algorithm.kernel_name(), key })
        }
    }
}

/// Runs all depths, interleaved. The first run of each, in which the kernel instantiates its
/// templates, does not count.
fn runs(
    tcrypt: &mut Tcrypt,
    tests: Tests,
    options: &MeasurementOptions,
    found: &Survey,
    bench: &mut Bench,
) -> Result<Vec<Runs>> {
    let interrupts = Interrupts::find()?;
    let accelerators = found.drivers.iter().filter(|one| one.judgement.verdict == Verdict::Accelerator);
    let accelerators: Vec<&str> = accelerators.map(|one| one.driver.name.as_str()).collect();
    // The accelerator can be nested in a template: cts(virtio_crypto_aes_cbc).
    let is_accelerators = |line: &&Line| accelerators.iter().any(|name| line.driver.contains(name));
    let none = |&depth: &usize| Runs { depth, lines: Vec::new(), interrupts: 0, lost: false, requests: 0 };
    let depths = options.depths.0.iter().filter(|&&depth| tests.can_do(depth));
    let mut all: Vec<Runs> = depths.map(none).collect();
    for turn in 0..=TURNS {
        for runs in &mut all {
            progress(&format!("tcrypt, {} at once: run {turn} of {TURNS}", runs.depth));
            let before = interrupts.count()?;
            let lines = match tcrypt.run(tests, runs.depth) {
                Ok(lines) => lines,
                Err(error) => {
                    progress("");
                    note(&mut bench.notes, format!("--kernel: {error}"));
                    return Ok(Vec::new());
                }
            };
            if stop::asked() {
                bench.interrupted = true;
                if all.iter().all(|runs| runs.lines.is_empty()) && !stop::by_signal() {
                    note(&mut bench.notes, LEFT_OUT.to_owned());
                }
                return Ok(all);
            }
            if turn > 0 {
                let after = interrupts.count()?;
                let asked: u64 = lines.iter().filter(is_accelerators).map(|line| line.requests).sum();
                runs.requests += asked * ROUNDS * runs.depth as u64;
                runs.interrupts += after.saturating_sub(before);
                runs.lost |= after < before;
                runs.lines.push(lines);
            }
        }
    }
    progress("");
    Ok(all)
}

fn verdict(found: &Survey, driver: &str) -> Option<Verdict> {
    found.drivers.iter().find(|one| one.driver.name == driver).map(|one| one.judgement.verdict)
}

fn rows(
    subject: &Subject,
    runs: &Runs,
    options: &MeasurementOptions,
    found: &Survey,
    cycles_per_second: f64,
    bench: &mut Bench,
) {
    let is_ours =
        |line: &&Line| line.algorithm == subject.primitive.kernel_name() && line.bits == subject.bits;
    let ours = || runs.lines.iter().flatten().filter(is_ours);
    let name = subject.primitive.kernel_name();
    let Some(driver) = ours().next().map(|line| line.driver.clone()) else {
        let text = format!("--kernel: tcrypt has no test of {name} with a key of {} bits", subject.bits);
        return note(&mut bench.notes, text);
    };
    if !ours().any(|line| line.requests == 1 && options.sizes.0.contains(&line.bytes)) {
        let sizes: BTreeSet<String> = ours().map(|line| format!("{:>5}", line.bytes)).collect();
        let sizes: Vec<&str> = sizes.iter().map(|size| size.trim()).collect();
        let text = format!("--kernel: tcrypt measures {name} at {} bytes only (--size)", sizes.join(", "));
        return note(&mut bench.notes, text);
    }
    if !options.drivers.is_empty() && !options.drivers.contains(&driver) {
        note(
            &mut bench.notes,
            format!(
                "--kernel: tcrypt measures the driver of {name} that the kernel prefers, which is {driver}"
            ),
        );
        return;
    }
    let name = format!("tcrypt, in the kernel, of {driver}");
    if !bench.contestants.iter().any(|one| one.name == name) {
        let driver = Some(driver.clone());
        bench.contestants.push(Contestant {
            name: name.clone(),
            kind: ContestantKind::Tcrypt,
            driver,
            interface: None,
        });
    }
    let is_hardware = matches!(verdict(found, &driver), Some(Verdict::Accelerator | Verdict::Unknown));
    let evidence = Interrupts::of(&driver).ok().filter(|_| is_hardware);
    let evidence = evidence.map(|own| evidence_of(own.evidence(runs.interrupts, runs.lost)));
    for direction in options.direction.of(subject.primitive) {
        let encrypt = direction.map(|direction| direction == Direction::Encrypt);
        for &bytes in &options.sizes.0 {
            // A message that is split into updates is not comparable with one request.
            let of_size = |line: &&Line| line.encrypt == encrypt && line.bytes == bytes && line.requests == 1;
            let lines = runs.lines.iter().filter_map(|run| run.iter().filter(is_ours).find(of_size));
            let wall: Vec<f64> = lines.map(|line| line.seconds(cycles_per_second)).collect();
            if wall.is_empty() {
                continue;
            }
            let series =
                Series { wall, requests: runs.requests, interrupts: runs.interrupts, ..Series::default() };
            let mut figure = figure::figure(&series, bytes);
            if !is_hardware {
                figure.interrupts_per_request = 0.0;
            }
            bench.rows.push(Row {
                cipher: subject.cipher.to_owned(),
                direction: encrypt
                    .map(|encrypt| if encrypt { CipherDirection::Encrypt } else { CipherDirection::Decrypt }),
                bytes: bytes as u64,
                threads: 1,
                depth: runs.depth as u64,
                contestant: name.clone(),
                cpu_off_ms_per_megabyte: None,
                latency_p50_us: None,
                latency_p99_us: None,
                latency_requests: 0,
                context_switches_per_request: None,
                evidence,
                fault: (evidence == Some(Evidence::Contradicted)).then(|| NO_INTERRUPT.to_owned()),
                figure: Some(figure),
            });
        }
    }
}
