//! `outboard bench ipsec`: measures ESP between two network namespaces with each suitable kernel
//! driver and iperf3.

use std::time::Duration;

use crate::documents::bench::Bench;
use crate::requests::contestants::note;
use crate::requests::run::empty_document;
use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use outboard_console::duration;
use outboard_drivers::netlink::change;
use outboard_measure::kernel_users::chosen::Drivers;
use outboard_measure::kernel_users::cleaner::Cleaner;
use outboard_measure::kernel_users::esp::{CHACHA20, Esp, GCM};
use outboard_measure::kernel_users::ipsec::EspDrivers;
use outboard_measure::kernel_users::network::{Mode, Network};
use outboard_measure::{noise, stop};

use super::by_driver::{DriverBackend, measure_each};
use super::iperf3::{IPERF3, Server, Transfer, transfer};
use super::measure::{ApplicationJob, conclude};
use super::start_cleaner;
use super::tool::IP;

/// Approximate minimum duration of a run in seconds: much longer than iperf3's interval for
/// detecting the end of a transfer.
const RUN: f64 = 2.0;

/// Minimum number of bytes to send.
const LEAST: u64 = 1 << 20;

/// Measure IPsec: ESP between two network namespaces, with each kernel driver that it supports, by iperf3.
///
/// The contestants are the kernel's own selection, its best software, and each accelerator, named as in /proc/crypto. One or more
/// TCP connections send through each, interleaved. A packet that IPsec drops is an error. User, system and CPU time are those of the
/// whole system, both ends and iperf3 included.
///
/// Needs root, ip and iperf3. All namespaces and keys are removed at the end, also after a failure.
#[derive(Args)]
pub struct Options {
    /// cbc(aes)+hmac(sha256) (or sha1, sha384, sha512), rfc4106(gcm(aes)) or rfc7539esp(chacha20,poly1305); may be repeated
    /// [default: those of the first two that an accelerator has, else the second, and the third]
    #[arg(long = "esp", value_name = "NAME", value_parser = Esp::parse)]
    esps: Vec<Esp>,
    /// The mode of ESP
    #[arg(long, value_enum, default_value = "tunnel")]
    mode: ModeName,
    /// Bits of the cipher's key
    #[arg(long, value_name = "BITS", default_value = "128", value_parser = bits)]
    bits: usize,
    /// TCP connections at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=128))]
    streams: u32,
    /// Limit of the time for all together: 60s, 5m; what does not fit is left out. 0: no limit, and five runs of each
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = duration)]
    time: Duration,
    /// Print JSON (schema outboard-bench/1)
    #[arg(long)]
    pub json: bool,
}

/// The mode of IPsec (RFC 4303, 3.1).
#[derive(Clone, Copy, ValueEnum)]
enum ModeName {
    /// Whole packets, as gateways do
    Tunnel,
    /// What is in them, as hosts do
    Transport,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Tunnel => Mode::Tunnel,
            ModeName::Transport => Mode::Transport,
        }
    }
}

fn bits(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(bits @ (128 | 192 | 256)) => Ok(bits),
        _ => bail!("AES has 128, 192 or 256"),
    }
}

pub fn run(options: &Options) -> Result<Bench> {
    stop::limit(options.time);
    let mut cleaner = start_cleaner("ipsec")?;
    IP.version("-V")?;
    let mut bench = empty_document(IPERF3.version("--version")?, noise::warnings());
    let outcome = all(options, &mut cleaner, &mut bench);
    drop(cleaner);
    conclude(bench, outcome)
}

fn all(options: &Options, cleaner: &mut Cleaner, bench: &mut Bench) -> Result<()> {
    let esps = if options.esps.is_empty() { defaults()? } else { options.esps.clone() };
    let mut network = Network::new()?;
    let _server = Server::start(&network.right)?;
    for esp in &esps {
        one(options, esp, options.time / esps.len() as u32, &mut network, cleaner, bench)?;
        if bench.interrupted {
            break;
        }
    }
    Ok(())
}

fn defaults() -> Result<Vec<Esp>> {
    let drivers = Drivers::now()?;
    let both = ["cbc(aes)+hmac(sha256)", GCM].map(Esp::parse).into_iter().collect::<Result<Vec<Esp>>>()?;
    let has = |esp: &&Esp| {
        [esp.cipher(), &esp.aead()].iter().any(|algorithm| !drivers.accelerators(algorithm).is_empty())
    };
    let own: Vec<Esp> = both.iter().filter(has).cloned().collect();
    let rival = Esp::parse(CHACHA20)?;
    Ok(if own.is_empty() { both[1..].to_vec() } else { own }.into_iter().chain([rival]).collect())
}

fn candidates(esp: &Esp, bench: &mut Bench) -> Result<Vec<(&'static str, String)>> {
    let asked = esp.asked(&esp.aead());
    // First, so that the kernel selects the driver without any change by this program.
    change::make_any(&asked, 0).map_err(|error| {
        anyhow!(
            "the kernel has no {asked} ({error}): are the modules esp4, authenc, echainiv and seqiv there?"
        )
    })?;
    let choice = Drivers::now()?.preferred(&asked, 0).map(|one| one.driver.name.clone());
    let choice = choice.ok_or_else(|| anyhow!("/proc/crypto has no {asked}"))?;
    let aead = esp.aead();
    let EspDrivers { drivers, mac, software } = EspDrivers::find(esp)?;
    let mut all: Vec<(&'static str, String)> = vec![("the kernel's choice", choice.clone())];
    all.extend(software.map(|driver| ("software", driver)));
    let whole = drivers.accelerators(&aead).into_iter().map(|one| one.driver.name.clone());
    let parts = drivers.accelerators(esp.cipher()).into_iter();
    let parts = parts.map(|one| esp.made_of(&mac, &one.driver.name));
    let hardware: Vec<String> = whole.chain(parts).map(|driver| esp.asked(&driver)).collect();
    match (hardware.first(), drivers.accelerator_in(&choice)) {
        (None, _) if esp.name == CHACHA20 => {}
        (None, _) => note(
            &mut bench.notes,
            format!(
                "{}: no accelerator of this machine does {}, so IPsec is software here",
                esp.name,
                esp.cipher()
            ),
        ),
        (Some(first), None) => note(
            &mut bench.notes,
            format!(
                "{}: by itself the kernel takes {choice}, which is software, and not {first}: what has the highest priority in \
                 /proc/crypto when the connection is made is taken (outboard prefer changes it)",
                esp.name
            ),
        ),
        (Some(_), Some(_)) => {}
    }
    all.extend(hardware.into_iter().map(|driver| ("accelerator", driver)));
    let mut seen = Vec::new();
    all.retain(|(_, driver)| {
        !seen.contains(driver) && {
            seen.push(driver.clone());
            true
        }
    });
    Ok(all)
}

fn one(
    options: &Options,
    esp: &Esp,
    time: Duration,
    network: &mut Network,
    cleaner: &mut Cleaner,
    bench: &mut Bench,
) -> Result<()> {
    let mode = Mode::from(options.mode);
    let mut backends = Vec::new();
    for (contestant, driver) in candidates(esp, bench)? {
        if driver.len() > change::LONGEST_NAME {
            note(
                &mut bench.notes,
                format!("{driver} was not measured: NETLINK_CRYPTO takes names of 63 bytes at most"),
            );
            continue;
        }
        let [_, place] = network.tunnel(esp, options.bits, mode, [&driver; 2], cleaner)?;
        backends.push(DriverBackend { contestant, driver, place });
    }
    let name = format!("ESP, {} mode, iperf3", mode.word());
    let at_once = u64::from(options.streams);
    let job = ApplicationJob { name, cipher: esp.name.clone(), bytes: LEAST, at_once, time };
    let drivers = Drivers::now()?;
    let measured = measure_each(bench, job, RUN, &backends, &drivers, |backend, bytes| {
        send(network, &backend.place, bytes, options.streams)
    });
    network.disconnect()?;
    measured
}

fn send(network: &Network, address: &str, bytes: u64, streams: u32) -> Result<f64, String> {
    network.checked(|| transfer(&network.left, address, streams, Transfer { bytes, ..Transfer::default() }))
}
