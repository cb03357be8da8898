//! `outboard bench openvpn`: a tunnel between two network namespaces, or to another machine, without and
//! with outboard.

mod peer_tunnel;
mod tunnel;

use crate::documents::bench::Bench;
use crate::requests::lists;
use anyhow::{Result, bail};
use clap::Args;
use outboard_measure::stop;

use self::peer_tunnel::{PeerTunnel, prepare};
use self::tunnel::{Tools, Tunnel, TunnelParameters};
use super::cable::MTU;
use super::certificate;
use super::common::Common;
use super::configurations::{OpensslConfiguration, WorkFolder};
use super::measure::{ApplicationJob, RunCost, measure};
use super::peer::PeerOption;
use super::server_process::{LOCALHOST, ServerProcess};

const CIPHERS: [&str; 6] =
    ["AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "AES-128-CBC", "AES-192-CBC", "AES-256-CBC"];

const RIVAL: &str = "CHACHA20-POLY1305";

/// Measure an OpenVPN tunnel with iperf3, as OpenSSL is and with outboard.
///
/// Each tunnel has two OpenVPN processes in network namespaces of their own. The ends that send, or with --receive
/// receive, differ only in their openssl.cnf, and are measured interleaved; user and system time are theirs. The other
/// ends use OpenSSL alone, on the same CPUs. Must be run as root.
///
/// With --peer the other ends are on another machine, for whose root ssh needs no password, and the measured ones are
/// in this machine's own network, with addresses in 203.0.113.0/24.
///
/// A packet is one request: with the usual MTU it is shorter than the threshold on many machines; --mtu makes it
/// longer.
#[derive(Args)]
pub struct Options {
    /// A cipher by OpenVPN's name; may be repeated [default: those that the provider offers, else AES-128-GCM, and CHACHA20-POLY1305]
    #[arg(long = "cipher", value_name = "NAME", value_parser = cipher)]
    ciphers: Vec<&'static str>,
    /// MTU of the tunnel in bytes
    #[arg(long, value_name = "BYTES", default_value_t = MTU, value_parser = clap::value_parser!(u32).range(1280..=60000))]
    mtu: u32,
    /// MiB that are sent in each run
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    megabytes: u32,
    /// Measure the end that receives, and decrypts
    #[arg(long)]
    receive: bool,
    #[command(flatten)]
    peer: PeerOption,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(options: &Options) -> Result<Bench> {
    options.common.run(|bench| all(options, bench))
}

fn all(options: &Options, bench: &mut Bench) -> Result<()> {
    let tools = Tools::find()?;
    let module = options.common.module()?;
    let work = WorkFolder::new()?;
    let configurations =
        [OpensslConfiguration::plain(&work), OpensslConfiguration::with_outboard(&work, &module)?];
    let offered = || CIPHERS.into_iter().filter(|cipher| configurations[1].driver(cipher).is_some());
    let ciphers = match &options.ciphers[..] {
        [] if offered().next().is_none() => vec![CIPHERS[0], RIVAL],
        [] => offered().chain([RIVAL]).collect(),
        named => named.to_vec(),
    };
    let peer = options.peer.reach(&work)?;
    let place = if peer.is_some() { "another machine" } else { "the same CPUs" };
    let [measured, other] = if options.receive { ["receiver", "sender"] } else { ["sender", "receiver"] };
    bench.notes.push(format!("user and system time are the {measured}'s; the {other} works on {place}"));
    let certificate = certificate::make(&work.file(""), certificate::Kind::Ec, LOCALHOST, &work.plain())?;
    let there =
        peer.as_ref().map(|peer| Ok::<_, anyhow::Error>((peer, prepare(peer, &certificate)?))).transpose()?;
    for &cipher in &ciphers {
        let terms = TunnelParameters { cipher, mtu: options.mtu, certificate: &certificate };
        let mut tunnels = Vec::new();
        // Only software has a cipher that the provider has not.
        let contestants = if cipher == RIVAL { &configurations[..1] } else { &configurations[..] };
        for (index, configuration) in contestants.iter().enumerate() {
            tunnels.push(match &there {
                Some((peer, there)) => {
                    let number = tunnels.len();
                    SomeTunnel::ToPeer(tools.peer_tunnel(
                        &work,
                        (number, configuration),
                        &terms,
                        (peer, there),
                    )?)
                }
                None => {
                    let folder = work.folder(&format!("{cipher}-{index}"))?;
                    SomeTunnel::Here(tools.tunnel(&work, &folder, configuration, &terms)?)
                }
            });
        }
        let sides = contestants.iter().map(|configuration| configuration.side(Some(cipher)));
        let sides = sides.collect::<Result<Vec<_>>>()?;
        if bench.interrupted || stop::asked() {
            bench.interrupted = true;
            return Ok(());
        }
        let bytes = u64::from(options.megabytes) << 20;
        let job = ApplicationJob {
            name: format!(
                "iperf3 through OpenVPN {}, MTU {}{}",
                tools.version,
                options.mtu,
                if options.receive { ", receiver" } else { "" }
            ),
            cipher: cipher.to_owned(),
            bytes,
            at_once: 1,
            time: options.common.time / ciphers.len() as u32,
        };
        measure(bench, job, sides, &mut |side| {
            let tunnel = &tunnels[side];
            let mut wall = None;
            let transfer = || tunnel.transfer(bytes, options.receive).map(|seconds| wall = Some(seconds));
            let spent = tunnel.measured().during(transfer)?;
            Ok(RunCost { spent, wall })
        })?;
    }
    Ok(())
}

enum SomeTunnel<'a> {
    Here(Tunnel),
    ToPeer(PeerTunnel<'a>),
}

impl SomeTunnel<'_> {
    fn measured(&self) -> &ServerProcess {
        match self {
            SomeTunnel::Here(tunnel) => &tunnel.measured,
            SomeTunnel::ToPeer(tunnel) => &tunnel.measured,
        }
    }

    fn transfer(&self, bytes: u64, receives: bool) -> Result<f64, String> {
        match self {
            SomeTunnel::Here(tunnel) => tunnel.transfer(bytes, receives),
            SomeTunnel::ToPeer(tunnel) => tunnel.transfer(bytes, receives),
        }
    }
}

/// Parses a cipher that OpenVPN supports, of those that the provider has and the one that competes.
fn cipher(name: &str) -> Result<&'static str> {
    if name.eq_ignore_ascii_case(RIVAL) {
        return Ok(RIVAL);
    }
    match lists::names(name)?.0[..] {
        [cipher] if CIPHERS.contains(&cipher) => Ok(cipher),
        _ => bail!("OpenVPN does not use {name} here: name one of {}, {RIVAL}", CIPHERS.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_openvpn_uses_is_taken() {
        assert_eq!(cipher("aes-256-gcm").unwrap(), "AES-256-GCM");
        assert_eq!(cipher("chacha20-poly1305").unwrap(), RIVAL);
        for wrong in ["AES-128-CTR", "gcm(aes)", "AES-128-CCM"] {
            assert!(cipher(wrong).unwrap_err().to_string().contains("AES-128-GCM"), "{wrong}");
        }
    }
}
