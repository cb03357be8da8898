//! Restarts a running service and verifies that it works, and where its requests are computed.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use outboard_console::progress;
use outboard_measure::evidence::{Evidence, weigh};
use outboard_measure::meter::Meter;
use outboard_services::enable::{AddedFile, Tree, openssl_conf_of_units};
use serde::Serialize;

use super::client::{Endpoint, Exchange};
use super::counters::DriverWork;
use super::init_system::InitSystem;
use super::processes;
use crate::signals;

/// The service by whose name `outboard enable` knows the system's SSH server.
const SSH_SERVER: &str = "sshd";

/// How long a restarted service may take until it answers.
const TIME_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Broken {
    step: &'static str,
    why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "step \"{}\" failed: {}", self.step, self.why)
    }
}

impl std::error::Error for Broken {}

fn broken(step: &'static str) -> impl Fn(anyhow::Error) -> Broken {
    move |why| Broken { step, why: format!("{why:#}") }
}

/// The running units of a service, and where it answers.
pub struct LiveService {
    init: InitSystem,
    units: Vec<String>,
    endpoints: Vec<Endpoint>,
    /// Units with the OPENSSL_CONF that their drop-ins set.
    openssl_conf: Vec<(String, String)>,
}

/// What was verified. Fields are only added within a version of the document that contains it.
#[derive(Debug, Serialize)]
pub struct Verification {
    pub units: Vec<String>,
    /// Number of their processes that have mapped the provider; null where every program maps it.
    pub processes_with_outboard: Option<usize>,
    pub exchanges: Vec<Exchange>,
    /// Requests of these that drivers computed for /dev/outboard; null without the module.
    pub hardware_requests: Option<u64>,
    pub hardware_bytes: Option<u64>,
    /// Interrupts of accelerators meanwhile; null if they cannot be read.
    pub interrupts: Option<u64>,
    pub notes: Vec<String>,
}

impl LiveService {
    pub fn find(tree: &Tree, service: &str, files: &[AddedFile]) -> Result<Self> {
        let init = InitSystem::find()?;
        let units = init.units(tree, service, files);
        if units.is_empty() {
            bail!("{service} has no unit that can be restarted: leave out --restart");
        }
        let running = init.running(&units)?;
        if running.is_empty() {
            bail!("no unit of {service} runs: start it first, or leave out --restart");
        }
        progress(&format!("{service}: a request of a client"));
        let own: BTreeSet<_> = processes::listening(&processes_of(init, &running)?);
        let endpoints = own.into_iter().filter_map(|address| Endpoint::probe(address, service == SSH_SERVER));
        let endpoints = endpoints.collect();
        progress("");
        Ok(Self { init, units: running, endpoints, openssl_conf: openssl_conf_of_units(files) })
    }

    pub fn restart(&self) -> Result<(), Broken> {
        progress(&format!("restarting {}", self.units.join(", ")));
        signals::check().map_err(broken("restart"))?;
        self.init.read_changes().map_err(broken("daemon-reload"))?;
        let restarted = self.init.restart(&self.units).map_err(|why| Broken {
            step: "restart",
            why: format!(
                "{why:#}{}",
                self.units.iter().map(|unit| self.init.last_messages(unit)).collect::<String>()
            ),
        });
        progress("");
        restarted
    }

    /// Verifies that the service works and uses outboard. `ciphers` are those that an accelerator decrypts.
    /// With `force` it may stay in software.
    pub fn verify(&self, module: &Path, ciphers: &[String], force: bool) -> Result<Verification, Broken> {
        for unit in &self.units {
            let set = self.openssl_conf.iter().find(|(name, _)| name == unit || *name == template(unit));
            if let Some((_, wanted)) = set {
                self.init.check_openssl_conf(unit, wanted).map_err(broken("environment"))?;
            }
        }
        progress(&format!("verifying {}", self.units.join(", ")));
        let verified = self.verify_provider(module, true).and_then(|processes| {
            self.work(ciphers, force)
                .map(|found| Verification { processes_with_outboard: Some(processes), ..found })
        });
        progress("");
        verified
    }

    /// Verifies that the service works as before, without outboard.
    pub fn verify_without(&self, module: &Path) -> Result<Verification, Broken> {
        let processes_with_outboard = match self.init.maps_provider_by_service() {
            true => Some(self.verify_provider(module, false)?),
            false => None,
        };
        let exchanges = self.answers()?;
        Ok(Verification { processes_with_outboard, exchanges, ..self.nothing() })
    }

    /// Verifies that the units run and answer where they did.
    pub fn answers(&self) -> Result<Vec<Exchange>, Broken> {
        let exchange = |endpoint: &Endpoint| patiently(|| endpoint.exchange(None)).map_err(broken("request"));
        let exchanges = self.endpoints.iter().map(exchange).collect::<Result<_, _>>()?;
        self.are_active()?;
        Ok(exchanges)
    }

    fn nothing(&self) -> Verification {
        Verification {
            units: self.units.clone(),
            processes_with_outboard: None,
            exchanges: Vec::new(),
            hardware_requests: None,
            hardware_bytes: None,
            interrupts: None,
            notes: Vec::new(),
        }
    }

    fn are_active(&self) -> Result<(), Broken> {
        for unit in &self.units {
            let check = || match self.init.is_active(unit)? {
                true => Ok(()),
                false => bail!("{unit} does not run{}", self.init.last_messages(unit)),
            };
            patiently(check).map_err(broken("active"))?;
        }
        Ok(())
    }

    /// The number of processes that have mapped the provider. Each unit must have one, or none.
    fn verify_provider(&self, module: &Path, wanted: bool) -> Result<usize, Broken> {
        self.are_active()?;
        let module = module.canonicalize().unwrap_or_else(|_| module.to_owned());
        let mut total = 0;
        for unit in &self.units {
            let check = || {
                let all = self.init.processes(unit)?;
                let with = all.iter().filter(|process| processes::has_mapped(**process, &module)).count();
                match (with > 0, wanted) {
                    (true, false) => {
                        bail!("{with} processes of {unit} still have {} mapped", module.display())
                    }
                    (false, true) => match all.iter().find_map(|process| processes::confinement(*process)) {
                        Some(profile) => bail!(
                            "no process of {unit} has {} mapped, and \"{profile}\" confines it: docs/services.md has the \
                             rules for AppArmor",
                            module.display()
                        ),
                        None => bail!(
                            "no process of {unit} has {} mapped: OpenSSL did not load it, or the program uses no OpenSSL of \
                             the system or clears OPENSSL_CONF",
                            module.display()
                        ),
                    },
                    _ => Ok(with),
                }
            };
            total += patiently(check).map_err(broken("provider"))?;
        }
        Ok(total)
    }

    /// Has clients make requests until one was computed by an accelerator.
    fn work(&self, ciphers: &[String], force: bool) -> Result<Verification, Broken> {
        let (meter, before) = (Meter::read(), DriverWork::read());
        let mut found = Verification { exchanges: self.answers()?, ..self.nothing() };
        let work = || DriverWork::read().zip(before).map(|(now, before)| now.since(before));
        // The first exchanges are those of the endpoints, in order.
        let is_closed: Vec<bool> = found.exchanges.iter().map(Exchange::is_without_login).collect();
        'search: for (endpoint, is_closed) in self.endpoints.iter().zip(is_closed) {
            // Another cipher makes no login possible, and each attempt takes seconds.
            for cipher in ciphers.iter().filter(|_| !is_closed) {
                signals::check().map_err(broken("request"))?;
                if work().is_some_and(|work| work.requests > 0) {
                    break 'search;
                }
                // A service need not offer every cipher.
                found.exchanges.extend(endpoint.exchange(Some(cipher)));
            }
        }
        self.are_active()?;
        signals::check().map_err(broken("request"))?;
        let spent = Meter::read().since(&meter);
        found.hardware_requests = work().map(|work| work.requests);
        found.hardware_bytes = work().map(|work| work.bytes);
        if let Ok(devices) = &spent.interrupts {
            found.interrupts = Some(devices.iter().map(|device| device.interrupts).sum());
        }
        if found.exchanges.is_empty() {
            found.notes.push(
                "no request was made: the service listens on no port with TLS or SSH, or curl is not installed".to_owned(),
            );
            return Ok(found);
        }
        let moved = found.hardware_requests.or(found.interrupts).is_some_and(|count| count > 0);
        let carried = found.exchanges.iter().any(|exchange| exchange.bytes > 0);
        match (moved, carried) {
            (true, _) => {}
            (false, false) => found.notes.push(
                "only handshakes were made, which are too short for an accelerator: no login was possible with the keys of \
                 this user; traffic of your clients moves the counters of `outboard status`"
                    .to_owned(),
            ),
            (false, true) if ciphers.is_empty() && !force => found.notes.push(
                "the accelerator only encrypts for this service, and what a test sends is decrypted: downloads of your clients \
                 move the counters of `outboard status`"
                    .to_owned(),
            ),
            (false, true) => {
                let mut used: Vec<_> = found.exchanges.iter().filter_map(|exchange| exchange.cipher.clone()).collect();
                used.sort();
                used.dedup();
                let why = format!(
                    "no accelerator computed a request, with the ciphers {}; `outboard ciphers` shows which ciphers an \
                     accelerator serves",
                    used.join(", ")
                );
                if !force {
                    return Err(Broken { step: "counters", why });
                }
                found.notes.push(why);
            }
        }
        if let (Some(1..), Ok(devices)) = (found.hardware_requests, &spent.interrupts) {
            let lost = devices.iter().any(|device| device.gone || device.restarted);
            let completions = devices.iter().map(|device| device.device.completion);
            if weigh(found.interrupts.unwrap_or(0), lost, completions) == Evidence::Refuted {
                return Err(Broken {
                    step: "interrupts",
                    why: outboard_measure::evidence::NO_INTERRUPT.to_owned(),
                });
            }
        }
        Ok(found)
    }
}

/// The template of an instance, systemd.unit(5).
fn template(unit: &str) -> String {
    match (unit.split_once('@'), unit.rsplit_once('.')) {
        (Some((name, _)), Some((_, kind))) => format!("{name}@.{kind}"),
        _ => unit.to_owned(),
    }
}

fn processes_of(init: InitSystem, units: &[String]) -> Result<Vec<u32>> {
    let all = units.iter().map(|unit| init.processes(unit)).collect::<Result<Vec<_>>>()?;
    Ok(all.concat())
}

/// Repeats a check until it succeeds, or returns its last error.
fn patiently<T>(check: impl Fn() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    loop {
        signals::check()?;
        match check() {
            Err(_) if start.elapsed() < TIME_LIMIT => std::thread::sleep(Duration::from_millis(200)),
            result => return result,
        }
    }
}
