//! `outboard ciphers`: shows the driver that OpenSSL would use for each algorithm, or why it uses
//! none.

mod answer;
pub mod service;
mod text;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use outboard_catalog::kernel_name;
use outboard_console as console;
use outboard_counters::{Decision, Table};
use outboard_drivers::find_drivers;
use outboard_drivers::root::Root;
use outboard_measure::evp::{Context, Library};
use outboard_measure::machine;
use outboard_openssl_conf::compose::Composed;
use outboard_openssl_conf::{Scratch, installation::OpenSsl, provider_file};
use outboard_policy::IN_SECTION;

use self::answer::{Answer, Machine, kernel_names};
use crate::settings::Settings;

/// Show which algorithms go to which driver, and why the others stay in software.
///
/// This loads the provider into this machine's OpenSSL, configured by openssl.cnf and the options below, and shows its decisions.
/// If openssl.cnf does not enable outboard, they are those of a configuration that does. Nothing is changed. To test whether a
/// driver can be reached, it receives a key of zeros and no other.
///
/// Exit code 0 if the decisions are shown, whatever they are; 1 if the provider cannot be loaded.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    settings: Settings,

    /// Show the suites that a service offers (nginx, apache, sshd, ssh, openvpn), which are served and how, and what to prefer
    #[arg(long, value_name = "NAME")]
    service: Option<String>,

    /// With --service: also suites that lower security, with the reason
    #[arg(long, requires = "service")]
    allow_legacy: bool,

    /// Print JSON (schema outboard-ciphers/1, with --service outboard-service-ciphers/1)
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> ExitCode {
    let shown = match &options.service {
        Some(service) => {
            service::show(service, options.allow_legacy, options.json).with_context(|| service.clone())
        }
        None => ciphers(options),
    };
    console::ended("ciphers", shown)
}

fn ciphers(options: &Options) -> Result<()> {
    let openssl = OpenSsl::find();
    let module = provider_file::find(options.settings.module.as_deref(), &openssl)?;
    let (file, left_out) = if options.settings.no_system_config { (None, None) } else { openssl.file() };
    let library = Library::open()?;
    let Decided { decisions, notes, composed } =
        decide(&library, file.as_deref(), &module, options.settings.keys())?;
    let machine = Machine {
        openssl: library.version(),
        kernel: machine::here().kernel,
        configuration: file.map(|file| file.display().to_string()),
        enabled: composed.was_enabled,
        module: module.display().to_string(),
    };
    let candidates = find_drivers(&Root::live(), &kernel_names(&decisions))?;
    let of_section = notes.into_iter().filter(|note| note.starts_with(IN_SECTION));
    let notes = left_out.into_iter().chain(composed.notes).chain(of_section).collect();
    let answer = Answer::new(machine, decisions, &candidates, notes);
    let report = if options.json { outboard_documents::pretty(&answer)? } else { text::report(&answer) };
    Ok(console::answer(&report)?)
}

pub struct Decided {
    /// The decisions about the algorithms of outboard.
    pub decisions: Vec<(String, Decision)>,
    notes: Vec<String>,
    composed: Composed,
}

/// Loads the provider with the configuration `existing` and these keys, and has it decide.
pub fn decide(
    library: &Library,
    existing: Option<&Path>,
    module: &Path,
    keys: Vec<(String, String)>,
) -> Result<Decided> {
    let scratch = Scratch::new()?;
    let table = Table::create(&scratch.counters())?;
    let composed = scratch.configure(existing, module.to_owned(), keys)?;
    ask(library, &scratch, &table).with_context(|| match existing {
        Some(file) => format!("with {} the provider cannot be loaded", file.display()),
        None => "the provider cannot be loaded".to_owned(),
    })?;
    // OpenSSL's combined ciphers are not outboard's.
    let is_own = |(name, _): &(String, Decision)| kernel_name(name).is_some();
    let decisions: Vec<_> = table.decisions().into_iter().filter(is_own).collect();
    if decisions.is_empty() {
        bail!(
            "{} decided nothing: it is of another version than this command, or OpenSSL's default provider is not \
             loaded",
            module.display()
        );
    }
    Ok(Decided { decisions, notes: table.notes(), composed })
}

/// Makes the provider decide, as an application does by its first fetch.
fn ask(library: &Library, scratch: &Scratch, table: &Table) -> Result<()> {
    let explain = |error| {
        // OpenSSL removes the provider's errors from its queue; the provider's notes contain them.
        let messages: Vec<String> = table.notes().into_iter().chain(library.errors()).collect();
        if messages.is_empty() { anyhow::Error::new(error) } else { anyhow::anyhow!(messages.join("; ")) }
    };
    let context = Context::configured(library, &scratch.configuration()).map_err(explain)?;
    context.have_decided(c"outboard").map_err(explain)
}
