//! A complete run: determines contestants and cells, and collects the results. Nothing is timed
//! here.

use crate::documents::bench::{Bench, ContestantKind};
use anyhow::{Context as _, Result, anyhow};
use outboard_accel::primitive::Primitive;
use outboard_documents::now;
use outboard_drivers::root::Root;
use outboard_drivers::survey;
use outboard_measure::evp::{Context, Library};
use outboard_measure::turns::Stopwatch;
use outboard_measure::{machine, noise, stop};

use super::contestants::{self, ContestantFilter, DriverBackend, note, software_contestant};
use super::cover::{MeasuredCell, cover};
use super::driver_interface::Probe;
use super::plan::{self, Cell};
use super::software::Software;
use super::tally::Tally;
use super::{MeasurementOptions, kernel, lookahead, without_instructions};

struct MeasuredAlgorithm {
    name: &'static str,
    primitive: Primitive,
    backends: Vec<DriverBackend>,
    /// In the order of the interfaces. Each holds a key.
    probes: Vec<Probe>,
}

/// Measures until all is done, the time is over or a signal arrives.
pub fn measure_all(options: &MeasurementOptions) -> Result<Bench> {
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
        without_instructions::check()?;
    }
    let library = Library::open()?;
    let context = Context::software(&library)?;
    let watch = Stopwatch::new().map_err(|error| anyhow!("/proc/interrupts: {error}"))?;
    let mut bench = Bench { notes, ..empty_document(library.version(), warnings) };
    bench.contestants.push(software_contestant(ContestantKind::Openssl));
    bench
        .contestants
        .extend(options.no_cpu_instructions.then(|| software_contestant(ContestantKind::OpensslWithout)));
    let mut subjects = subjects(&names, &context, options, &mut bench)?;
    let backends = subjects.iter().flat_map(|subject| &subject.backends);
    contestants::check_reached(&options.drivers, backends, &bench.notes)?;
    let primitives: Vec<_> = subjects.iter().map(|subject| (subject.name, subject.primitive)).collect();
    let cells = plan::cells(options, &primitives);
    for subject in &subjects {
        let its_cells: Vec<&Cell> = cells.iter().filter(|cell| cell.cipher == subject.name).collect();
        bench.notes.extend(plan::left_out(&its_cells, options, &subject.backends, &subject.probes));
    }
    bench.notes.dedup();
    let entries = |cell: &Cell| {
        let subject = subjects.iter().find(|subject| subject.name == cell.cipher)?;
        let entries = plan::entries(*cell, options, &subject.probes);
        Some((*cell, entries.into_iter().map(Tally::new).collect::<Vec<_>>()))
    };
    let planned: Vec<_> = cells.iter().filter_map(entries).collect();
    // Close the sessions: an accelerator may have key slots for one process only.
    subjects.iter_mut().for_each(|subject| subject.probes.clear());
    let subject_of = |cell: &Cell| subjects.iter().find(|subject| subject.name == cell.cipher);
    let contest =
        |(cell, tallies)| Some(MeasuredCell { backends: &subject_of(&cell)?.backends, cell, tallies });
    let contests = planned.into_iter().filter_map(contest).collect();
    // tcrypt needs time for six runs at each depth.
    let share = if options.kernel { 0.5 } else { 0.9 };
    let time = stop::remaining().map_or(options.time, |left| left.mul_f64(share));
    cover(contests, &watch, time, &mut bench)?;
    for backend in subjects.iter().flat_map(|subject| &subject.backends).filter(|one| one.is_hardware()) {
        let rows = bench.rows.iter().filter(|row| row.contestant == backend.contestant.name);
        let figures = rows.filter_map(|row| Some(row.figure.as_ref()?.interrupts_per_request));
        if let Some(doubt) = backend.interrupts.doubt(figures) {
            note(&mut bench.warnings, doubt);
        }
    }
    if options.kernel && !bench.interrupted {
        kernel::add(options, &names, &context, watch.clock(), &found, &mut bench)?;
    } else if options.kernel && !stop::by_signal() {
        note(&mut bench.notes, kernel::LEFT_OUT.to_owned());
    }
    bench.rows.sort_by_key(|row| {
        let place = |name: &str| names.iter().position(|other| *other == name);
        let contestant = bench.contestants.iter().position(|one| one.name == row.contestant);
        (
            place(&row.cipher),
            row.direction.map(|direction| direction as usize),
            row.threads,
            row.bytes,
            contestant,
            row.depth,
        )
    });
    Ok(bench)
}

pub fn empty_document(openssl: String, warnings: Vec<String>) -> Bench {
    Bench {
        made: now(),
        machine: machine::here(),
        openssl,
        contestants: Vec::new(),
        rows: Vec::new(),
        applications: Vec::new(),
        notes: Vec::new(),
        warnings,
        interrupted: false,
    }
}

fn subjects(
    names: &[&'static str],
    context: &Context<'_>,
    options: &MeasurementOptions,
    bench: &mut Bench,
) -> Result<Vec<MeasuredAlgorithm>> {
    let wanted = ContestantFilter { drivers: &options.drivers, interfaces: &options.interfaces };
    let mut subjects = Vec::new();
    for &name in names {
        let software =
            Software::find(context, name).with_context(|| format!("OpenSSL has no {name} here"))?;
        let Some(primitive) = Primitive::by_openssl_name(name) else { continue };
        let mut backends = contestants::backends(primitive, &software.key(), &wanted, &mut bench.notes)?;
        backends.extend(lookahead::backend(name, options, &mut bench.notes)?);
        let (backends, probes): (Vec<_>, Vec<_>) = backends.into_iter().unzip();
        for backend in &backends {
            if !bench.contestants.contains(&backend.contestant) {
                bench.contestants.push(backend.contestant.clone());
            }
        }
        if !backends.iter().any(DriverBackend::is_hardware) && options.drivers.is_empty() {
            note(
                &mut bench.notes,
                format!(
                    "no accelerator was measured for {}: outboard status shows the hardware and drivers",
                    primitive.kernel_name()
                ),
            );
        }
        subjects.push(MeasuredAlgorithm { name, primitive, backends, probes });
    }
    if !rustix::process::geteuid().is_root() {
        note(
            &mut bench.notes,
            "not run as root: debugging options of the kernel (KASAN, lockdep) and devices that only root may open were not \
             detected; run it with sudo to include them"
                .to_owned(),
        );
    }
    Ok(subjects)
}
