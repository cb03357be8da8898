//! A tunnel to another machine, and iperf3 through it: this end is measured.

use std::net::UdpSocket;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::super::certificate::Certificate;
use super::super::configurations::{OpensslConfiguration, WorkFolder};
use super::super::iperf3::{IPERF3, Server, Transfer, transfer_with_peer};
use super::super::peer::Peer;
use super::super::server_process::{ServerProcess, free_port};
use super::tunnel::{Tools, TunnelParameters, WINDOW, words};

/// The far end stops when it has heard nothing for 20 s, also if this process was killed.
const ENDS_ALONE: &str = "--ping 2 --ping-exit 20";

/// A tunnel that is up. Fields are dropped in this order.
pub struct PeerTunnel<'a> {
    listener: Server,
    _far: ServerProcess,
    pub measured: ServerProcess,
    peer: &'a Peer,
}

/// Checks what the other machine needs, and copies the certificate there. Returns its files there.
pub fn prepare(peer: &Peer, certificate: &Certificate) -> Result<Certificate> {
    ["openvpn", IPERF3.name].iter().try_for_each(|program| peer.needs(program))?;
    let mut modprobe = Command::new("modprobe");
    // Where it is built in there is no module, and OpenVPN reports a missing /dev/net/tun.
    let _ = peer.command(modprobe.arg("tun")).output();
    let put = |file, name| peer.put(file, name);
    Ok(Certificate {
        key: put(&certificate.key, "openvpn-key.pem")?,
        certificate: put(&certificate.certificate, "openvpn-certificate.pem")?,
    })
}

impl Tools {
    /// Starts a tunnel to `peer`, the `index`th one, whose end here uses this OpenSSL configuration.
    /// `there` has the certificate's files on the other machine.
    pub fn peer_tunnel<'a>(
        &self,
        work: &WorkFolder,
        (index, configuration): (usize, &OpensslConfiguration),
        terms: &TunnelParameters<'_>,
        (peer, there): (&'a Peer, &Certificate),
    ) -> Result<PeerTunnel<'a>> {
        // From a range reserved for documentation (RFC 5737), two addresses for each tunnel.
        let first = 4 * index + 1;
        ensure!(first < 250, "too many tunnels");
        let inside = [first, first + 1].map(|last| format!("203.0.113.{last}"));
        let ends = inside.each_ref().map(String::as_str);
        let port = UdpSocket::bind((peer.address, 0)).and_then(|socket| socket.local_addr());
        let port = port.with_context(|| format!("no port of {}", peer.address))?.port();
        let here = peer.address;
        let folder = work.folder(&format!("{}-{index}", terms.cipher))?;

        let mut command = Command::new(&self.openvpn);
        command.args(words(&format!("--local {here} --lport {port}"), ends, 0, terms));
        command.env("OPENSSL_CONF", &configuration.openssl_cnf).current_dir(&folder);
        let mut measured = ServerProcess::start("openvpn", command, folder.join("openvpn-0.log"))?;
        let mut command = Command::new("openvpn");
        let far_terms = TunnelParameters { certificate: there, ..*terms };
        let transport = format!("--nobind --remote {here} {port} {ENDS_ALONE}");
        command.args(words(&transport, ends, 1, &far_terms));
        let mut far = ServerProcess::start(
            "openvpn on the other machine",
            peer.command(&command),
            folder.join("openvpn-1.log"),
        )?;
        for process in [&mut measured, &mut far] {
            process.wait_for_log("Initialization Sequence Completed")?;
        }
        let listener = Server::start_at(free_port(inside[0].parse()?)?)?;
        Ok(PeerTunnel { listener, _far: far, measured, peer })
    }
}

impl PeerTunnel<'_> {
    /// Sends `bytes` bytes from this machine, or to it, and returns the seconds. The other machine is
    /// the client.
    pub fn transfer(&self, bytes: u64, receives: bool) -> Result<f64, String> {
        transfer_with_peer(
            self.peer,
            &self.listener,
            Transfer { bytes, to_client: !receives, window: WINDOW },
        )
    }
}
