//! All cells of a run.

use anyhow::{Context as _, Result, anyhow};
use outboard_drivers::root::Root;
use outboard_drivers::survey;
use outboard_measure::evp::{Context, Library};
use outboard_measure::noise::{self, Vigil, Yardstick};
use outboard_measure::turns::Stopwatch;
use outboard_measure::{machine, stop};
use outboard_report::bench::{Bench, Contestant, Kind, Machine};

use super::cell::{self, Place, Tally};
use super::contestants::{self, OPENSSL, WITHOUT, Wanted, Way, note};
use super::plan::{self, Budget, Cell};
use super::software::Software;
use super::{Options, kernel, plain, text};
use crate::commands::tune;
use crate::console::{progress, say};
use crate::primitive::Primitive;

/// What is measured of one cipher, digest or HMAC.
struct Subject<'a> {
    name: &'static str,
    primitive: Primitive,
    software: Software<'a>,
    ways: Vec<Way>,
}

impl<'a> Subject<'a> {
    fn place(&'a self, watch: &'a Stopwatch) -> Place<'a> {
        Place { software: &self.software, ways: &self.ways, watch }
    }
}

/// Measures until all is done or ^C came.
pub fn all(options: &Options) -> Result<Bench> {
    let warnings = noise::warnings();
    let found = survey(&Root::live())?;
    let mut notes = Vec::new();
    let names = plan::names(options, &found, &mut notes);
    contestants::check(
        &options.drivers,
        &found,
        &names.iter().filter_map(|name| Primitive::by_openssl_name(name)).collect::<Vec<_>>(),
    )?;
    if options.no_cpu_instructions {
        plain::check()?;
    }
    let library = Library::open()?;
    let context = Context::software(&library)?;
    let watch = Stopwatch::new().map_err(|error| anyhow!("/proc/interrupts: {error}"))?;
    let mut bench = Bench { notes, ..new(library.version(), warnings) };
    let own = |name: &str, kind| Contestant { name: name.to_owned(), kind, driver: None, interface: None };
    bench.contestants.push(own(OPENSSL, Kind::Openssl));
    bench.contestants.extend(options.no_cpu_instructions.then(|| own(WITHOUT, Kind::OpensslWithout)));
    let subjects = subjects(&names, &context, &watch, options, &mut bench)?;
    let ways = subjects.iter().flat_map(|subject| &subject.ways);
    contestants::check_reached(&options.drivers, ways, &bench.notes)?;
    let primitives: Vec<_> = subjects.iter().map(|subject| (subject.name, subject.primitive)).collect();
    let cells = plan::cells(options, &primitives);
    for subject in &subjects {
        let own: Vec<&Cell> = cells.iter().filter(|cell| cell.cipher == subject.name).collect();
        bench.notes.extend(plan::left_out(&own, options, &subject.ways));
    }
    bench.notes.dedup();
    cover(&cells, &subjects, &watch, options, &mut bench)?;
    if options.kernel && !bench.interrupted {
        kernel::add(options, &names, &context, &watch, &found, &mut bench)?;
    }
    bench.rows.sort_by_key(|row| {
        let place = |name: &str| names.iter().position(|other| *other == name);
        let who = bench.contestants.iter().position(|one| one.name == row.contestant);
        (place(&row.cipher), row.direction.map(|way| way as usize), row.threads, row.bytes, who, row.depth)
    });
    Ok(bench)
}

/// Nothing measured yet.
pub fn new(openssl: String, warnings: Vec<String>) -> Bench {
    let machine::Machine { kernel, cpu, cpus } = machine::Machine::here();
    Bench {
        made: tune::now(),
        machine: Machine { kernel, cpu, cpus: cpus as u64 },
        openssl,
        contestants: Vec::new(),
        rows: Vec::new(),
        applications: Vec::new(),
        notes: Vec::new(),
        warnings,
        interrupted: false,
    }
}

/// Ciphers, digests and HMACs, and the ways to their drivers.
fn subjects<'a>(
    names: &[&'static str],
    context: &'a Context<'a>,
    watch: &Stopwatch,
    options: &Options,
    bench: &mut Bench,
) -> Result<Vec<Subject<'a>>> {
    let wanted = Wanted { drivers: &options.drivers, interfaces: &options.interfaces };
    let mut subjects = Vec::new();
    for &name in names {
        let software =
            Software::find(context, name).with_context(|| format!("OpenSSL has no {name} here"))?;
        let Some(primitive) = Primitive::by_openssl_name(name) else { continue };
        let ways = contestants::ways(primitive, &software.key(), &wanted, watch, &mut bench.notes)?;
        for way in &ways {
            if !bench.contestants.contains(&way.contestant) {
                bench.contestants.push(way.contestant.clone());
            }
            if let Some(chip) = way.watch.interrupts().silent.as_ref().filter(|_| way.is_hardware()) {
                note(&mut bench.warnings, tune::silence(chip));
            }
        }
        if !ways.iter().any(Way::is_hardware) && options.drivers.is_empty() {
            note(
                &mut bench.notes,
                format!(
                    "no accelerator was measured for {}: outboard status says what is here",
                    primitive.kernel_name()
                ),
            );
        }
        subjects.push(Subject { name, primitive, software, ways });
    }
    if !rustix::process::geteuid().is_root() {
        note(
            &mut bench.notes,
            "not as root: whether this kernel looks for its own mistakes, and devices that only root may open, could not be \
             seen; sudo shows all"
                .to_owned(),
        );
    }
    Ok(subjects)
}

/// Measures cell by cell, several times over: a machine's speed drifts, and what was measured within a second knows nothing of the next
/// minute's.
fn cover(
    cells: &[Cell],
    subjects: &[Subject<'_>],
    watch: &Stopwatch,
    options: &Options,
    bench: &mut Bench,
) -> Result<()> {
    let of = |cell: &Cell| subjects.iter().find(|subject| subject.name == cell.cipher);
    let mut plans: Vec<_> = cells
        .iter()
        .filter_map(|cell| {
            let subject = of(cell)?;
            let entries = plan::entries(*cell, options, &subject.ways);
            Some((*cell, subject, entries.into_iter().map(Tally::new).collect::<Vec<_>>()))
        })
        .collect();
    let all: usize = plans.iter().map(|(.., tallies)| tallies.len()).sum();
    let mut budget = Budget::new(options.time, all);
    let passes = budget.passes;
    if budget.remaining().as_secs() >= 2 {
        say(&format!(
            "outboard bench: {all} figures, about {}; ^C shows what was measured until then",
            text::time(budget.remaining())
        ));
    }
    let (vigil, mut yardstick) = (Vigil::begin(), Yardstick::default());
    'all: for pass in 1..=passes {
        for (cell, subject, tallies) in &mut plans {
            yardstick.lay();
            let mut each = || {
                progress(&format!(
                    "{}, {} bytes, {pass} of {passes} times, about {} left",
                    cell.cipher,
                    cell.bytes,
                    text::time(budget.remaining())
                ));
            };
            let measured = cell::measure(&subject.place(watch), *cell, tallies, budget.plan(), &mut each);
            measured.map_err(|error| anyhow!("{}: {error}", cell.cipher))?;
            if stop::asked() {
                bench.interrupted = true;
                break 'all;
            }
            budget.spend(tallies.len());
        }
    }
    progress("");
    for (cell, subject, tallies) in plans {
        bench.rows.extend(tallies.into_iter().filter_map(|tally| tally.row(&subject.place(watch), cell)));
    }
    bench.warnings.extend(yardstick.warning());
    bench.warnings.extend(vigil.warnings());
    Ok(())
}
