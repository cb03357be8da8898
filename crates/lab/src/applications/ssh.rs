//! `outboard bench ssh`: copies from an SSH server without and with outboard.

mod client;
mod server;

use std::path::Path;

use crate::documents::bench::Bench;
use crate::requests::lists;
use anyhow::{Context as _, Result, bail};
use clap::Args;
use outboard_measure::stop;

use self::client::Scp;
use self::server::Openssh;
use super::common::Common;
use super::configurations::{OpensslConfiguration, WorkFolder};
use super::file::write_sample;
use super::measure::{ApplicationJob, measure};
use super::peer::PeerOption;
use super::tools;

/// OpenSSH's ciphers with the provider's names. The first is the one that published guides use.
const CIPHERS: [(&str, &str); 9] = [
    ("aes128-ctr", "AES-128-CTR"),
    ("aes192-ctr", "AES-192-CTR"),
    ("aes256-ctr", "AES-256-CTR"),
    ("aes128-cbc", "AES-128-CBC"),
    ("aes192-cbc", "AES-192-CBC"),
    ("aes256-cbc", "AES-256-CBC"),
    ("aes128-gcm@openssh.com", "AES-128-GCM"),
    ("aes256-gcm@openssh.com", "AES-256-GCM"),
    ("3des-cbc", "DES-EDE3-CBC"),
];

const RIVAL: &str = "chacha20-poly1305@openssh.com";

/// MACs for ciphers that are not AEADs, in OpenSSH's order.
const MACS: [&str; 3] =
    ["umac-64-etm@openssh.com", "umac-128-etm@openssh.com", "hmac-sha2-256-etm@openssh.com"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiated {
    pub cipher: String,
    /// `None` for an AEAD.
    pub mac: Option<String>,
}

impl Negotiated {
    fn name(&self) -> String {
        self.mac.as_ref().map_or_else(|| self.cipher.clone(), |mac| format!("{} {mac}", self.cipher))
    }
}

/// Measure copies by scp from an SSH server, as OpenSSL is and with outboard.
///
/// Servers that differ only in their openssl.cnf listen on 127.0.0.1, with keys and a configuration of their own. Copies by scp, with
/// OpenSSL alone, are interleaved, and are compared with the file first. User and system time are those of sshd. scp decrypts on the same
/// CPUs, unless it runs on another machine (--peer). Must be run as root.
#[derive(Args)]
pub struct Options {
    /// A cipher by OpenSSH's name; may be repeated [default: those that the provider offers, else aes128-ctr, and
    /// chacha20-poly1305@openssh.com]
    #[arg(long = "cipher", value_name = "NAME", value_parser = listed)]
    ciphers: Vec<String>,
    /// A MAC by OpenSSH's name, for ciphers that need one; may be repeated [default: umac-64-etm@openssh.com;
    /// without --cipher also umac-128-etm@openssh.com and hmac-sha2-256-etm@openssh.com, with the first cipher]
    #[arg(long = "mac", value_name = "NAME", value_parser = listed)]
    macs: Vec<String>,
    /// Copies at the same time, separated by commas: 1 to 64
    #[arg(long, value_name = "LIST", default_value = "1", value_parser = lists::depths)]
    at_once: lists::Numbers,
    /// Size of the file in MiB; it is created in TMPDIR, twice during the comparison
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    megabytes: u32,
    #[command(flatten)]
    peer: PeerOption,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(options: &Options) -> Result<Bench> {
    options.common.run(|bench| all(options, bench))
}

fn all(options: &Options, bench: &mut Bench) -> Result<()> {
    let openssh = Openssh::find()?;
    let module = options.common.module()?;
    let work = WorkFolder::new()?;
    let configurations =
        [OpensslConfiguration::plain(&work), OpensslConfiguration::with_outboard(&work, &module)?];
    let ciphers = match &options.ciphers[..] {
        [] => usual(&openssh, &configurations[1]),
        named => named.to_vec(),
    };
    ciphers.iter().try_for_each(|cipher| openssh.knows(cipher))?;
    let jobs = combined(&ciphers, &options.macs, options.ciphers.is_empty());
    let peer = options.peer.reach(&work)?;
    let place = if peer.is_some() { "another machine" } else { "the same CPUs" };
    bench.notes.push(format!("user and system time are sshd's; scp works on {place}"));

    let file = work.file("file");
    write_sample(&file, options.megabytes)?;
    openssh.make_keys(&work)?;
    let scp = Scp::new(&openssh, &work, peer)?;
    let mut servers = Vec::new();
    for (index, configuration) in configurations.iter().enumerate() {
        let folder = work.folder(&format!("server-{index}"))?;
        servers.push(openssh.serve(&work, &folder, scp.address(), &configuration.openssl_cnf, &jobs)?);
    }
    let count = jobs.len() * options.at_once.0.len();
    for job in &jobs {
        let provided = provided(&job.cipher);
        // Only software has a cipher that the provider has not.
        let contestants = provided.map_or(&configurations[..1], |_| &configurations[..]);
        for (server, configuration) in servers.iter().zip(contestants) {
            let compared = scp.compare(server, job, &file);
            compared.with_context(|| format!("{}, {}", job.name(), configuration.contestant))?;
        }
        for &at_once in &options.at_once.0 {
            if bench.interrupted || stop::asked() {
                bench.interrupted = true;
                return Ok(());
            }
            let sides = contestants.iter().map(|configuration| configuration.side(provided));
            let measured = ApplicationJob {
                name: format!("copy by scp, {}", openssh.version),
                cipher: job.name(),
                bytes: (u64::from(options.megabytes) << 20) * at_once as u64,
                at_once: at_once as u64,
                time: options.common.time / count as u32,
            };
            measure(bench, measured, sides.collect::<Result<_>>()?, &mut |side| {
                let server = &servers[side];
                let copy = |_| scp.copy(server, job, &file, Path::new("/dev/null"));
                server.process.during(|| tools::run_at_once((0..at_once).map(copy)))
            })?;
        }
    }
    Ok(())
}

fn provided(cipher: &str) -> Option<&'static str> {
    CIPHERS.iter().find(|(name, _)| *name == cipher).map(|(_, provided)| *provided)
}

/// Returns the pairs of ciphers and MACs to measure. Without `macs` each cipher that needs a MAC has
/// the first, and with `each_mac` the first of these ciphers has all.
fn combined(ciphers: &[String], macs: &[String], each_mac: bool) -> Vec<Negotiated> {
    let is_aead = |cipher: &str| cipher.contains("-gcm@") || cipher.contains("poly1305");
    let first = ciphers.iter().find(|cipher| each_mac && !is_aead(cipher));
    let mut all = Vec::new();
    for cipher in ciphers {
        let macs: Vec<Option<String>> = match macs {
            _ if is_aead(cipher) => vec![None],
            [] => {
                let count = if Some(cipher) == first { MACS.len() } else { 1 };
                MACS[..count].iter().map(|mac| Some((*mac).to_owned())).collect()
            }
            named => named.iter().cloned().map(Some).collect(),
        };
        all.extend(macs.into_iter().map(|mac| Negotiated { cipher: cipher.clone(), mac }));
    }
    all
}

fn usual(openssh: &Openssh, with: &OpensslConfiguration) -> Vec<String> {
    let offered = CIPHERS
        .iter()
        .filter(|(name, provided)| with.driver(provided).is_some() && openssh.knows(name).is_ok());
    let names: Vec<String> = offered.map(|(name, _)| (*name).to_owned()).collect();
    let names = if names.is_empty() { vec![CIPHERS[0].0.to_owned()] } else { names };
    names.into_iter().chain(openssh.knows(RIVAL).ok().map(|()| RIVAL.to_owned())).collect()
}

/// Checks that a name can be written to sshd's lists; ssh reports whether a cipher exists.
fn listed(name: &str) -> Result<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-@.".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(is_plain) {
        bail!("\"{name}\" is not a name: write it as ssh -Q cipher or ssh -Q mac does, such as aes128-ctr");
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_have_names_in_openssh_and_in_openssl() {
        assert_eq!(provided("aes256-gcm@openssh.com"), Some("AES-256-GCM"));
        assert_eq!(provided("chacha20-poly1305@openssh.com"), None);
        assert!(MACS.iter().all(|mac| listed(mac).is_ok()));
        assert!(CIPHERS.iter().all(|(name, provided)| {
            listed(name).is_ok() && outboard_catalog::CIPHER_NAMES.contains(provided)
        }));
        for wrong in ["", "-c", "AES128", "aes128-ctr,none", "aes\nPort 22"] {
            assert!(listed(wrong).unwrap_err().to_string().contains("aes128-ctr"), "{wrong}");
        }
    }

    #[test]
    fn the_first_cipher_is_measured_with_each_mac_and_an_aead_without() {
        let ciphers = ["aes128-gcm@openssh.com", "aes128-ctr", "aes256-ctr", RIVAL].map(str::to_owned);
        let names = |macs: &[String], each_mac: bool| -> Vec<String> {
            combined(&ciphers, macs, each_mac).iter().map(Negotiated::name).collect()
        };
        assert_eq!(
            names(&[], true),
            [
                "aes128-gcm@openssh.com",
                "aes128-ctr umac-64-etm@openssh.com",
                "aes128-ctr umac-128-etm@openssh.com",
                "aes128-ctr hmac-sha2-256-etm@openssh.com",
                "aes256-ctr umac-64-etm@openssh.com",
                RIVAL,
            ]
        );
        assert_eq!(
            names(&[], false)[1..3],
            ["aes128-ctr", "aes256-ctr"].map(|it| format!("{it} {}", MACS[0]))
        );
        let named = names(&["hmac-sha1".to_owned()], true);
        assert_eq!(named[1..3], ["aes128-ctr hmac-sha1", "aes256-ctr hmac-sha1"]);
    }
}
