//! Activates providers in one order after another, uses them and unloads them, in one process.
//! Usage: provider-orders FOLDER configured|loaded|reloaded|two-contexts ORDER... An order is a
//! list of names, separated by commas.

use std::path::PathBuf;
use std::process::ExitCode;

use outboard_tests::evp::{self, LibraryContext, Provider};
use outboard_tests::providers::{BROKEN, Providers};
use outboard_tests::world::OUTBOARD;

/// The number of times that outboard is loaded again.
const ROUNDS: usize = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, how, orders @ ..] = &arguments[..] else {
        eprintln!("usage: provider-orders FOLDER configured|loaded|reloaded|two-contexts ORDER...");
        return ExitCode::from(2);
    };
    let run = match how.as_str() {
        "configured" => configured,
        "loaded" => loaded,
        "reloaded" => reloaded,
        "two-contexts" => two_contexts,
        other => panic!("{other} is none of the usage's words"),
    };
    let providers = Providers::in_folder(&PathBuf::from(folder)).expect("the provider");
    for order in orders {
        // The last line names the order in which a signal ended the process.
        println!("{order}");
        let order: Vec<&str> = order.split(',').collect();
        evp::clear();
        if let Err(problem) = run(&providers, &order) {
            eprintln!("{how}, {}: {problem}", order.join(","));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// openssl.cnf activates them, in a separate library context.
fn configured(providers: &Providers, order: &[&str]) -> Result<(), String> {
    let context = LibraryContext::new();
    context.load_config(&providers.config(order, true));
    providers.all_work(&context, order)
}

/// OSSL_PROVIDER_load activates them; they are unloaded in the same order.
fn loaded(providers: &Providers, order: &[&str]) -> Result<(), String> {
    let context = LibraryContext::new();
    context.load_config(&providers.config(order, false));
    let loaded = load_all(&context, order)?;
    providers.all_work(&context, order)?;
    drop(loaded);
    still_active(&context, order)
}

/// outboard is unloaded and loaded again, and one of the others every tenth time.
fn reloaded(providers: &Providers, order: &[&str]) -> Result<(), String> {
    let context = LibraryContext::new();
    context.load_config(&providers.config(order, false));
    let mut loaded: Vec<Option<Provider<'_>>> = load_all(&context, order)?;
    let ours = order.iter().position(|&name| name == OUTBOARD).ok_or("outboard is not in the order")?;
    for round in 0..ROUNDS {
        let other = (round % 10 == 9).then_some(round / 10 % order.len());
        for place in [Some(ours), other].into_iter().flatten() {
            loaded[place] = None;
            if context.has_provider(order[place]) {
                return Err(format!("round {round}: {} is active after it was unloaded", order[place]));
            }
            loaded[place] = Some(load(&context, order[place])?);
        }
        providers.all_work(&context, order).map_err(|problem| format!("round {round}: {problem}"))?;
    }
    drop(loaded);
    still_active(&context, order)
}

/// The default library context and two more have them in different orders at the same time.
fn two_contexts(providers: &Providers, order: &[&str]) -> Result<(), String> {
    let reversed: Vec<&str> = order.iter().rev().copied().collect();
    let own = LibraryContext::default_of_the_process();
    own.load_config(&providers.config(order, true));
    let (first, second) = (LibraryContext::new(), LibraryContext::new());
    first.load_config(&providers.config(order, true));
    second.load_config(&providers.config(&reversed, true));
    for context in [&own, &first, &second, &own, &first] {
        providers.all_work(context, order)?;
    }
    drop(first);
    providers.all_work(&second, order)?;
    drop(second);
    providers.all_work(&own, order)
}

fn load_all<'c>(context: &'c LibraryContext, order: &[&str]) -> Result<Vec<Option<Provider<'c>>>, String> {
    let mut loaded = Vec::new();
    for name in order {
        if !BROKEN.contains(name) {
            loaded.push(Some(load(context, name)?));
        } else if context.load_provider(name).is_some() {
            return Err(format!("{name} is loaded"));
        }
    }
    Ok(loaded)
}

fn load<'c>(context: &'c LibraryContext, name: &str) -> Result<Provider<'c>, String> {
    context.load_provider(name).ok_or_else(|| format!("{name} does not load:\n{}", evp::text()))
}

/// No provider may be active after all were unloaded.
fn still_active(context: &LibraryContext, order: &[&str]) -> Result<(), String> {
    match order.iter().find(|name| context.has_provider(name)) {
        Some(name) => Err(format!("{name} is active after all were unloaded")),
        None => Ok(()),
    }
}
