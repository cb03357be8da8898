//! Two ends of a tunnel, each in its own network namespace, and iperf3 through it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail, ensure};
use outboard_measure::kernel_users::namespace::Namespace;

use super::super::cable::{self, CABLE, MTU};
use super::super::certificate::Certificate;
use super::super::configurations::{OpensslConfiguration, WorkFolder};
use super::super::iperf3::{IPERF3, Server, Transfer, transfer};
use super::super::server_process::ServerProcess;
use super::super::tool::{IP, modprobe};
use super::super::tools;

/// Addresses in the tunnel, from a range reserved for documentation (RFC 5737).
const INSIDE: [&str; 2] = ["198.51.100.1", "198.51.100.2"];

/// A small one, so that little data is queued at the end of a transfer.
pub(super) const WINDOW: Option<&str> = Some("256K");

/// Maximum MTU of a veth pair in bytes.
const LONGEST: u32 = 65535;

pub struct Tools {
    pub(super) openvpn: PathBuf,
    /// `2.6.14`
    pub version: String,
}

#[derive(Clone, Copy)]
pub struct TunnelParameters<'a> {
    pub cipher: &'a str,
    pub mtu: u32,
    pub certificate: &'a Certificate,
}

/// A tunnel that is up. Fields are dropped in this order.
pub struct Tunnel {
    _listener: Server,
    _far: ServerProcess,
    pub measured: ServerProcess,
    here: Namespace,
    _there: Namespace,
}

impl Tools {
    pub fn find() -> Result<Tools> {
        ensure!(rustix::process::geteuid().is_root(), "only root may make tunnels and networks: use sudo");
        let openvpn = tools::find(&["openvpn"], "openvpn", "openvpn-openssl")?;
        IPERF3.version("--version")?;
        IP.version("-V")?;
        // Some versions exit with code 1.
        let output = Command::new(&openvpn).arg("--version").env("OPENSSL_CONF", "/dev/null").output()?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = version(&stdout)?;
        ensure!(
            stdout.contains("library versions: OpenSSL"),
            "this OpenVPN is not linked with OpenSSL: install the package openvpn (on OpenWrt openvpn-openssl)"
        );
        if !Path::new("/dev/net/tun").exists() {
            // The module creates the device; if it cannot be loaded, the next check reports it.
            let _ = modprobe("tun");
            ensure!(
                Path::new("/dev/net/tun").exists(),
                "there is no /dev/net/tun: modprobe tun (on OpenWrt install kmod-tun)"
            );
        }
        Ok(Tools { openvpn, version })
    }

    /// Starts a tunnel whose measured end uses this OpenSSL configuration. Its files are in
    /// `folder`.
    pub fn tunnel(
        &self,
        work: &WorkFolder,
        folder: &Path,
        configuration: &OpensslConfiguration,
        terms: &TunnelParameters<'_>,
    ) -> Result<Tunnel> {
        let [here, there] = [Namespace::new()?, Namespace::new()?];
        // The veth pair must not fragment packets of the tunnel.
        cable::join(&here, &there, if terms.mtu > MTU { LONGEST } else { MTU })?;
        let end = |which: usize, space: &Namespace, configuration: &Path| {
            let mut command = Command::new(&self.openvpn);
            let [own, other] = [CABLE[which], CABLE[1 - which]];
            let transport = format!("--local {own} --lport 1194 --remote {other} 1194");
            command
                .args(words(&transport, INSIDE, which, terms))
                .env("OPENSSL_CONF", configuration)
                .current_dir(folder);
            space.enter(&mut command);
            ServerProcess::start("openvpn", command, folder.join(format!("openvpn-{which}.log")))
        };
        let mut measured = end(0, &here, &configuration.openssl_cnf)?;
        let mut far = end(1, &there, &work.plain())?;
        for process in [&mut measured, &mut far] {
            process.wait_for_log("Initialization Sequence Completed")?;
        }
        let listener = Server::start(&there)?;
        Ok(Tunnel { _listener: listener, _far: far, measured, here, _there: there })
    }
}

impl Tunnel {
    /// Sends `bytes` bytes from the measured end, or to it, and returns the seconds.
    pub fn transfer(&self, bytes: u64, receives: bool) -> Result<f64, String> {
        transfer(&self.here, INSIDE[1], 1, Transfer { bytes, to_client: receives, window: WINDOW })
    }
}

/// Returns the options of one end with these for the transport and these addresses in the tunnel; the
/// measured end is the server of the key exchange.
pub(super) fn words(
    transport: &str,
    inside: [&str; 2],
    which: usize,
    terms: &TunnelParameters<'_>,
) -> Vec<String> {
    let (own, other) = (inside[which], inside[1 - which]);
    let role = ["--tls-server --dh none", "--tls-client"][which];
    let mut words = format!(
        "--dev tun --proto udp {transport} --ifconfig {own} {other} {role} --verb 3 --reneg-sec 0 \
         --data-ciphers {cipher} --cipher {cipher} --disable-dco",
        cipher = terms.cipher
    );
    if terms.mtu != MTU {
        words += &format!(" --tun-mtu {} --mssfix 0", terms.mtu);
    }
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let certificate = &terms.certificate.certificate;
    for (option, file) in [("--ca", certificate), ("--cert", certificate), ("--key", &terms.certificate.key)]
    {
        words.extend([option.to_owned(), file.display().to_string()]);
    }
    words
}

/// Extracts `2.6.14` from `OpenVPN 2.6.14 x86_64-pc-linux-gnu [SSL (OpenSSL)] …`; versions without
/// --disable-dco are too old.
fn version(stdout: &str) -> Result<String> {
    let version = stdout.split_whitespace().nth(1).unwrap_or_default();
    // For example 2.7_beta1.
    let mut numbers = version.split(['.', '_']).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (2, 6) => Ok(version.to_owned()),
        _ => bail!("OpenVPN {version} cannot be told what to do here: install 2.6 or newer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_2_6_are_refused() {
        assert_eq!(version("OpenVPN 2.6.14 x86_64-pc-linux-gnu [SSL (OpenSSL)]").unwrap(), "2.6.14");
        assert_eq!(version("OpenVPN 2.7_beta1 x").unwrap(), "2.7_beta1");
        for old in ["OpenVPN 2.5.9 x", "", "mbed TLS"] {
            assert!(version(old).unwrap_err().to_string().contains("2.6 or newer"), "{old}");
        }
    }

    #[test]
    fn both_ends_agree() {
        let certificate =
            Certificate { key: "/run/a b/key".into(), certificate: "/run/a b/certificate".into() };
        let terms = TunnelParameters { cipher: "AES-128-CBC", mtu: 9000, certificate: &certificate };
        let [sender, far] = [0, 1].map(|which| words("--lport 7", INSIDE, which, &terms).join("|"));
        for says in
            ["|--data-ciphers|AES-128-CBC|", "|--tun-mtu|9000|", "|--disable-dco|", "|--key|/run/a b/key"]
        {
            assert!(sender.contains(says) && far.contains(says), "{says}: {sender} {far}");
        }
        assert!(sender.contains("|--ifconfig|198.51.100.1|198.51.100.2|--tls-server|"), "{sender}");
        assert!(far.contains("|--ifconfig|198.51.100.2|198.51.100.1|--tls-client|"), "{far}");
        let usual = words("", INSIDE, 0, &TunnelParameters { mtu: MTU, ..terms }).join("|");
        assert!(!usual.contains("mtu"), "{usual}");
    }
}
