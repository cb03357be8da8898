//! `outboard bench https`: downloads from a web server, or by curl, without and with outboard.

mod server;
mod suite;

use std::fs::{self, File, Permissions};
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::documents::bench::Bench;
use crate::requests::lists;
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use outboard_measure::stop;

use self::server::{FILE, Kind, Program, Server, Site};
use self::suite::Suite;
use super::certificate::{self, Certificate};
use super::common::Common;
use super::configurations::{OpensslConfiguration, WorkFolder};
use super::file::{is_same, write_sample};
use super::measure::{ApplicationJob, UserSystemTime, measure};
use super::peer::{Peer, PeerOption};
use super::server_process::LOCALHOST;
use super::tools;

const DIGESTS_TOO: &str = "OpenSSL with outboard, DIGESTS = ALL";

/// Its full records go to hardware. `outboard tune` does not measure digests.
const MAC_THRESHOLDS: &str = "SHA1:4096,SHA2-256:4096,SHA2-384:4096";

/// Measure downloads from nginx or Apache, or by curl, as OpenSSL is and with outboard.
///
/// Servers that differ only in their openssl.cnf listen on 127.0.0.1 (with --peer on the address in that network), with
/// keys and a configuration of their own. Downloads by curl, with OpenSSL alone, are interleaved, and are compared with
/// the file first. User and system time are the server's. curl decrypts on the same CPUs, unless it runs on another
/// machine (--peer).
///
/// With --client curl is measured: it runs with each configuration, and the server has OpenSSL alone.
#[derive(Args)]
pub struct Options {
    /// A cipher suite by OpenSSL's name; may be repeated [default: of TLS 1.3 those whose cipher the provider offers, AES-128-GCM, and ChaCha20-Poly1305]
    #[arg(long = "suite", value_name = "NAME", value_parser = suite::parse)]
    suites: Vec<Suite>,
    /// Downloads at the same time, separated by commas: 1 to 64
    #[arg(long, value_name = "LIST", default_value = "1,4", value_parser = lists::depths)]
    at_once: lists::Numbers,
    /// Size of the file in MiB; it is created in TMPDIR
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    megabytes: u32,
    /// A third server with DIGESTS = ALL, where a driver for the HMACs of TLS is allowed
    #[arg(long)]
    digests: bool,
    /// The server program [default: nginx, else Apache]
    #[arg(long, value_name = "NAME", value_enum)]
    server: Option<Kind>,
    /// Measure curl instead of the server
    #[arg(long, conflicts_with_all = ["digests", "peer"])]
    client: bool,
    #[command(flatten)]
    peer: PeerOption,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(options: &Options) -> Result<Bench> {
    options.common.run(|bench| all(options, bench))
}

fn all(options: &Options, bench: &mut Bench) -> Result<()> {
    let program = Program::find(options.server)?;
    let module = options.common.module()?;
    let work = WorkFolder::new()?;
    let curl = CurlClient::find(options.peer.reach(&work)?)?;
    let address = curl.peer.as_ref().map_or(LOCALHOST, |peer| peer.address);
    let mut configurations =
        vec![OpensslConfiguration::plain(&work), OpensslConfiguration::with_outboard(&work, &module)?];
    if options.digests {
        configurations.extend(digests_too(&work, &module, bench)?);
    }
    let suites = match &options.suites[..] {
        [] => suite::usual(|cipher| configurations[1].driver(cipher).is_some()),
        named => named.to_vec(),
    };
    suites.iter().try_for_each(|suite| suite.check(&work.plain()))?;
    bench.notes.extend(weak(&suites));
    let place = if curl.peer.is_some() { "another machine" } else { "the same CPUs" };
    let (measured, other) = if options.client { ("curl", "the server") } else { ("the server", "curl") };
    bench.notes.push(format!("user and system time are of {measured}; {other} works on {place}"));

    let (root, file) = site_files(&work, options.megabytes)?;
    let trusted = work.file("trusted.pem");
    let certificates = certificates(&work, &suites, address, &trusted)?;
    let trusted = match &curl.peer {
        Some(peer) => peer.put(&trusted, "trusted.pem")?,
        None => trusted,
    };
    let curl = CurlClient { trusted, plain: work.plain(), ..curl };

    let site = Site { root: &root, certificates: &certificates, suites: &suites, address };
    let mut servers = Vec::new();
    let served = if options.client { &configurations[..1] } else { &configurations[..] };
    for (index, configuration) in served.iter().enumerate() {
        let folder = work.folder(&format!("server-{index}"))?;
        servers.push(program.serve(&folder, &configuration.openssl_cnf, &site)?);
    }
    // The server of a contestant, and the openssl.cnf of its client.
    let pair = |index: usize| match options.client {
        true => (&servers[0], configurations[index].openssl_cnf.as_path()),
        false => (&servers[index], curl.plain.as_path()),
    };
    let name = match options.client {
        true => format!("download by curl from {}", program.version),
        false => format!("download from {}", program.version),
    };
    let jobs = suites.len() * options.at_once.0.len();
    for suite in &suites {
        // Only software has a cipher that the provider has not.
        let contestants = suite.cipher().map_or(&configurations[..1], |_| &configurations[..]);
        for (index, configuration) in contestants.iter().enumerate() {
            curl.compare(suite, pair(index), &file)
                .with_context(|| format!("{}, {}", suite.name, configuration.contestant))?;
        }
        for &at_once in &options.at_once.0 {
            if bench.interrupted || stop::asked() {
                bench.interrupted = true;
                return Ok(());
            }
            let sides = contestants.iter().map(|configuration| configuration.side(suite.cipher().as_deref()));
            let job = ApplicationJob {
                name: name.clone(),
                cipher: suite.name.clone(),
                bytes: (u64::from(options.megabytes) << 20) * at_once as u64,
                at_once: at_once as u64,
                time: options.common.time / jobs as u32,
            };
            measure(bench, job, sides.collect::<Result<_>>()?, &mut |side| {
                let download = |_| curl.download(suite, pair(side), "/dev/null");
                let run = || tools::run_at_once((0..at_once).map(download));
                match options.client {
                    true => UserSystemTime::during(run),
                    false => servers[side].process.during(run),
                }
            })?;
        }
    }
    bench.notes.extend(no_mac(&configurations));
    Ok(())
}

/// The configuration that uses the accelerator for digests too, if it has any of the HMACs of TLS.
fn digests_too(work: &WorkFolder, module: &Path, bench: &mut Bench) -> Result<Option<OpensslConfiguration>> {
    let keys = [("DIGESTS", "ALL"), ("THRESHOLDS", MAC_THRESHOLDS)];
    let with = OpensslConfiguration::with(DIGESTS_TOO, work, module, &keys)?;
    if ["HMAC-SHA1", "HMAC-SHA2-256", "HMAC-SHA2-384"].iter().any(|mac| with.driver(mac).is_some()) {
        return Ok(Some(with));
    }
    bench.notes.push(
        "digests were not measured: no driver for the HMACs of TLS is allowed; outboard ciphers --digests ALL shows the reason"
            .to_owned(),
    );
    Ok(None)
}

/// The folder that the server shows, and the file in it. Independent of the umask: a worker runs as
/// another user.
fn site_files(work: &WorkFolder, megabytes: u32) -> Result<(PathBuf, PathBuf)> {
    work.lets_in()?;
    let root = work.folder("www")?;
    let file = root.join(FILE);
    write_sample(&file, megabytes)?;
    fs::set_permissions(&root, Permissions::from_mode(0o755))?;
    fs::set_permissions(&file, Permissions::from_mode(0o644))?;
    Ok((root, file))
}

/// The certificates that the suites need, which the client trusts by the file `trusted`.
fn certificates(
    work: &WorkFolder,
    suites: &[Suite],
    address: IpAddr,
    trusted: &Path,
) -> Result<Vec<Certificate>> {
    let mut kinds = vec![certificate::Kind::Ec];
    kinds.extend(suites.iter().any(Suite::needs_rsa).then_some(certificate::Kind::Rsa));
    let make = |kind| certificate::make(&work.file(""), kind, address, &work.plain());
    let certificates = kinds.into_iter().map(make).collect::<Result<Vec<_>>>()?;
    certificate::bundle(&certificates, trusted)?;
    Ok(certificates)
}

/// Why no MAC went to the accelerator although it was asked for.
fn no_mac(configurations: &[OpensslConfiguration]) -> Option<String> {
    let digesting = configurations.iter().find(|configuration| configuration.contestant == DIGESTS_TOO)?;
    (digesting.authenticated() == 0).then(|| {
        format!(
            "{DIGESTS_TOO}: no MAC of a record went to hardware: GCM has none, records are shorter than the threshold, or OpenSSL \
             does cipher and MAC in one, where the CPU has instructions for it"
        )
    })
}

fn weak(suites: &[Suite]) -> Option<String> {
    let names: Vec<&str> =
        suites.iter().filter(|suite| suite.is_weak()).map(|suite| suite.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{}: weak, measured because they were named; do not offer them to the world",
            names.join(", ")
        )
    })
}

struct CurlClient {
    file: PathBuf,
    /// The certificates, where curl runs.
    trusted: PathBuf,
    plain: PathBuf,
    peer: Option<Peer>,
}

impl CurlClient {
    fn find(peer: Option<Peer>) -> Result<CurlClient> {
        let file = match &peer {
            Some(peer) => peer.needs("curl").map(|()| PathBuf::from("curl"))?,
            None => tools::find(&["curl"], "curl", "curl")?,
        };
        let curl = CurlClient { file, trusted: PathBuf::new(), plain: PathBuf::new(), peer };
        let mut ask = Command::new(&curl.file);
        ask.arg("--version");
        let version = tools::run(&mut Peer::place(curl.peer.as_ref(), ask))?;
        let first = version.lines().next().unwrap_or_default();
        ensure!(
            first.contains(" OpenSSL/"),
            "this curl is not linked with OpenSSL ({first}) and cannot be told a cipher suite by OpenSSL's name: install one that is"
        );
        Ok(curl)
    }

    fn download(&self, suite: &Suite, (server, openssl_cnf): (&Server, &Path), output: &str) -> Command {
        let mut curl = Command::new(&self.file);
        curl.env("OPENSSL_CONF", openssl_cnf).args(["-q", "--silent", "--show-error", "--fail", "--http1.1"]);
        curl.args(["--noproxy", "*", "--cacert"]).arg(&self.trusted);
        match suite.is_tls13() {
            true => curl.args(["--tlsv1.3", "--tls13-ciphers", &suite.name]),
            false => curl.args(["--tlsv1.2", "--tls-max", "1.2", "--ciphers", &suite.name]),
        };
        curl.args(["--output", output]).arg(format!("https://{}/{FILE}", server.address));
        Peer::place(self.peer.as_ref(), curl)
    }

    /// Verifies the contents of a download before anything is timed.
    fn compare(&self, suite: &Suite, pair: (&Server, &Path), file: &Path) -> Result<()> {
        let mut curl = self.download(suite, pair, "-");
        let mut curl = curl.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut output = curl.stdout.take().context("curl has no output")?;
        let is_same = is_same(&mut output, &mut File::open(file)?)?;
        drop(output);
        let done = curl.wait_with_output()?;
        ensure!(
            is_same || !done.status.success(),
            "the download is not the file: do not use outboard for it, and see outboard check"
        );
        let words = String::from_utf8_lossy(&done.stderr);
        let log = pair.0.process.words();
        ensure!(done.status.success(), "curl: {}: {}; log of the server: {log}", done.status, words.trim());
        Ok(())
    }
}
