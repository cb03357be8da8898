//! The services that `outboard enable` knows by name.

use outboard_catalog::CIPHER_NAMES;
use outboard_policy::EVERY_PROGRAM;

/// A service, the systemd units that run it, and the requests that it makes.
#[derive(Clone, Copy, Debug)]
pub struct Application {
    pub name: &'static str,
    pub about: &'static str,
    /// Names of its systemd units, in the distributions. All that are installed are changed.
    pub units: &'static [&'static str],
    /// Names of its init scripts on OpenWrt. All that are installed run it.
    pub init_scripts: &'static [&'static str],
    /// Names of its executables that use libcrypto, for OpenWrt.
    pub programs: &'static [&'static str],
    pub requests: Requests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// Ciphers that the service negotiates, by OpenSSL's names.
    pub ciphers: &'static [&'static str],
    /// Size of its large requests in bytes; `None`: any size occurs.
    pub bytes: Option<u32>,
}

/// TLS: a record has at most 16 KiB (RFC 8446, 5.1).
const TLS: Requests =
    Requests { ciphers: &["AES-128-GCM", "AES-256-GCM", "AES-128-CBC", "AES-256-CBC"], bytes: Some(16384) };

/// SSH: OpenSSH fills channel packets with up to 32 KiB (CHAN_SES_PACKET_DEFAULT). Not AES-192-CTR: no
/// client of default configuration prefers it (ssh_config(5), Ciphers), and measuring it takes 25 s.
const SSH: Requests = Requests {
    ciphers: &["AES-128-CTR", "AES-256-CTR", "AES-128-GCM", "AES-256-GCM", "AES-128-CBC", "AES-256-CBC"],
    bytes: Some(32768),
};

/// OpenVPN encrypts packets one by one; the usual MTU is 1500.
const PACKETS: Requests =
    Requests { ciphers: &["AES-128-GCM", "AES-256-GCM", "AES-128-CBC", "AES-256-CBC"], bytes: Some(1500) };

/// strongSwan: the encrypted messages of a new connection have 48 to 272 bytes (IKEv2, X25519). The
/// kernel encrypts the packets.
const IKE: Requests = Requests { bytes: Some(272), ..PACKETS };

/// dm-crypt encrypts sectors of up to 4096 bytes one by one. They do not pass through libcrypto.
const SECTORS: Requests = Requests { ciphers: &["AES-128-XTS", "AES-256-XTS"], bytes: Some(4096) };

pub(super) const ANY: Requests = Requests { ciphers: &CIPHER_NAMES, bytes: None };

/// The whole system: programs without a configuration of their own.
pub const SYSTEM: &str = "openssl";
pub const SSH_CLIENT: &str = "ssh";

pub const APPLICATIONS: [Application; 10] = [
    Application {
        name: SYSTEM,
        about: "every program that has no OPENSSL_CONF of its own",
        units: &[],
        init_scripts: &[],
        programs: &[EVERY_PROGRAM],
        requests: ANY,
    },
    Application {
        name: "nginx",
        about: "the web server",
        units: &["nginx.service"],
        init_scripts: &["nginx"],
        programs: &["nginx"],
        requests: TLS,
    },
    Application {
        name: "apache",
        about: "the web server",
        units: &["apache2.service", "httpd.service"],
        init_scripts: &["apache2"],
        programs: &["apache2"],
        requests: TLS,
    },
    Application {
        name: "sshd",
        about: "OpenSSH's server",
        units: &["ssh.service", "sshd.service", "ssh@.service", "sshd@.service"],
        init_scripts: &["sshd"],
        programs: &["sshd", "sshd-session", "sshd-auth"],
        requests: SSH,
    },
    Application {
        name: SSH_CLIENT,
        about: "OpenSSH's client, and sshfs",
        units: &[],
        init_scripts: &[],
        programs: &["ssh"],
        requests: SSH,
    },
    Application {
        name: "openvpn",
        about: "OpenVPN, client and server",
        units: &["openvpn@.service", "openvpn-client@.service", "openvpn-server@.service"],
        init_scripts: &["openvpn"],
        programs: &["openvpn"],
        requests: PACKETS,
    },
    Application {
        name: "strongswan",
        about: "IKE by the openssl plugin; the kernel encrypts the packets",
        units: &["strongswan.service", "strongswan-starter.service", "ipsec.service"],
        init_scripts: &["swanctl", "ipsec"],
        programs: &["charon"],
        requests: IKE,
    },
    in_kernel("ktls", "TLS records in the kernel", TLS),
    in_kernel("ipsec", "IPsec in the kernel", PACKETS),
    in_kernel("disk", "dm-crypt: encrypted disks", SECTORS),
];

const fn in_kernel(name: &'static str, about: &'static str, requests: Requests) -> Application {
    Application { name, about, units: &[], init_scripts: &[], programs: &[], requests }
}

impl Application {
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        APPLICATIONS.iter().find(|application| application.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cipher_is_one_that_outboard_has() {
        for application in APPLICATIONS {
            for cipher in application.requests.ciphers {
                assert!(CIPHER_NAMES.contains(cipher), "{}: {cipher}", application.name);
            }
        }
    }
}
