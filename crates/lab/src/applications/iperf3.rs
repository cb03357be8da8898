//! Runs iperf3 between two network namespaces, or this machine and another one.

use std::fs::File;
use std::net::SocketAddr;
use std::os::fd::AsRawFd as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use outboard_measure::kernel_users::namespace::Namespace;
use serde_json::Value;

use super::peer::Peer;
use super::server_process::ServerProcess;
use super::tool::{Tool, unnamed};

pub const IPERF3: Tool = Tool { name: "iperf3", debian: "iperf3", openwrt: "iperf3" };

/// Time limit for a connection that transfers nothing; a run takes a few seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// Slowest expected rate in bytes per second, which extends the limit for large transfers.
const SLOWEST: u64 = 100_000;

/// The server, which accepts one client after another.
pub struct Server {
    _process: ServerProcess,
    _log: File,
    /// Where it listens, if that is not the default.
    address: Option<SocketAddr>,
}

impl Server {
    /// Starts the server and waits until it listens. Its output goes to an unnamed file.
    pub fn start(place: &Namespace) -> Result<Server> {
        let mut command = Command::new(IPERF3.name);
        place.enter(&mut command);
        Server::run(command, None)
    }

    pub fn start_at(address: SocketAddr) -> Result<Server> {
        let mut command = Command::new(IPERF3.name);
        command.arg("-B").arg(address.ip().to_string()).arg("-p").arg(address.port().to_string());
        Server::run(command, Some(address))
    }

    fn run(mut command: Command, address: Option<SocketAddr>) -> Result<Server> {
        let log = unnamed().context("no memory file can be made")?;
        let path = format!("/proc/{}/fd/{}", std::process::id(), log.as_raw_fd());
        command.args(["-s", "--forceflush"]);
        let mut process = ServerProcess::start(IPERF3.name, command, path.clone().into())?;
        let is_ready = || std::fs::read_to_string(&path).is_ok_and(|text| text.contains("listening"));
        process.until("it does not listen", is_ready)?;
        Ok(Server { _process: process, _log: log, address })
    }
}

#[derive(Clone, Copy, Default)]
pub struct Transfer<'a> {
    /// Bytes of all connections together.
    pub bytes: u64,
    pub to_client: bool,
    /// Maximum data that may be queued, since iperf3 counts what is sent; `None` leaves the limit to
    /// the kernel.
    pub window: Option<&'a str>,
}

/// Transfers data between a client in `place` and a server at `address`, over `streams` connections.
/// Returns the seconds.
pub fn transfer(
    place: &Namespace,
    address: &str,
    streams: u32,
    transfer: Transfer<'_>,
) -> Result<f64, String> {
    let mut command = client(address, transfer);
    command.arg("-P").arg(streams.to_string());
    place.enter(&mut command);
    finish(command, transfer.bytes)
}

/// As [`transfer`], over one connection between a client on the other machine and the server here.
pub fn transfer_with_peer(peer: &Peer, server: &Server, transfer: Transfer<'_>) -> Result<f64, String> {
    let address = server.address.ok_or("iperf3's server is in a namespace")?;
    let mut command = client(&address.ip().to_string(), transfer);
    command.arg("-p").arg(address.port().to_string());
    finish(peer.command(&command), transfer.bytes)
}

fn finish(command: Command, bytes: u64) -> Result<f64, String> {
    let output = IPERF3.run(command, "", LIMIT + Duration::from_secs(bytes / SLOWEST))?;
    seconds(&output.stdout, bytes)
}

fn client(address: &str, transfer: Transfer<'_>) -> Command {
    let mut command = Command::new(IPERF3.name);
    // iperf3 then checks ten times per second, instead of once, whether all data are sent.
    command.args(["-c", address, "-J", "--interval", "0.1", "--connect-timeout", "20000"]);
    if let Some(bytes) = transfer.window {
        command.args(["--window", bytes]);
    }
    if transfer.to_client {
        // A client on another machine whose tunnel is gone would wait for two minutes.
        command.args(["--reverse", "--rcv-timeout", "20000"]);
    }
    command.arg("-n").arg(transfer.bytes.to_string());
    command
}

/// Extracts the seconds from the output. iperf3 sends slightly more than requested, so the time is
/// scaled to the requested bytes.
fn seconds(stdout: &str, bytes: u64) -> Result<f64, String> {
    let answer: Value =
        serde_json::from_str(stdout).map_err(|_| format!("iperf3 does not answer in JSON: {stdout}"))?;
    if let Some(error) = answer["error"].as_str() {
        return Err(format!("iperf3: {error}"));
    }
    let sum = &answer["end"]["sum_received"];
    match (sum["bytes"].as_f64(), sum["seconds"].as_f64()) {
        (Some(received), Some(seconds)) if received > 0.0 && seconds > 0.0 => {
            Ok(seconds * bytes as f64 / received)
        }
        _ => Err("iperf3's server received nothing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_iperf3_is_parsed() {
        let stdout = r#"{"end": {"sum_received": {"bytes": 2000, "seconds": 4.0}}}"#;
        assert_eq!(seconds(stdout, 1000), Ok(2.0));
        for (text, says) in [
            (r#"{"error": "unable to connect to server"}"#, "iperf3: unable to connect"),
            (r#"{"end": {"sum_received": {"bytes": 0, "seconds": 4.0}}}"#, "received nothing"),
            ("{", "JSON"),
        ] {
            let error = seconds(text, 1000).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
