//! Probes whether AF_ALG on the running kernel binds a driver by its exact name. No key is set and
//! nothing is computed. The kernel may load the modules af_alg and algif_*, as for any use of
//! AF_ALG.

use std::fmt;
use std::mem;
use std::os::fd::AsRawFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::proc_crypto::DriverType;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    Bound,
    /// There are no AF_ALG sockets for this process.
    NoSocket(Errno),
    Refused(Errno),
    /// The name does not fit into a struct sockaddr_alg (63 bytes).
    NameTooLong,
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bound => f.write_str("bind succeeded"),
            // The same error for a kernel without it, for `install af_alg /bin/false`, and for
            // RestrictAddressFamilies= in a unit of systemd (systemd.exec(5)), a seccomp filter.
            Self::NoSocket(Errno::AFNOSUPPORT) => f.write_str(
                "no AF_ALG socket: this kernel does not have it or does not load its module, or the seccomp filter \
                 RestrictAddressFamilies= of a systemd unit refuses it",
            ),
            Self::NoSocket(Errno::PERM | Errno::ACCESS) => {
                f.write_str("no AF_ALG socket: a seccomp filter or a security module refuses it")
            }
            Self::NoSocket(errno) => write!(f, "no AF_ALG socket: {errno}"),
            Self::Refused(Errno::NOENT) => f.write_str("bind answers ENOENT"),
            Self::Refused(Errno::LIBBAD) => f.write_str("bind answers ELIBBAD: its self-test failed"),
            Self::Refused(errno) => write!(f, "bind fails: {errno}"),
            Self::NameTooLong => f.write_str("its name is longer than AF_ALG takes"),
        }
    }
}

impl Probe {
    /// The word in which a bundle keeps the result.
    pub fn to_text(self) -> String {
        match self {
            Self::Bound => "bound".into(),
            Self::NoSocket(errno) => format!("no-socket {}", errno.raw_os_error()),
            Self::Refused(errno) => format!("refused {}", errno.raw_os_error()),
            Self::NameTooLong => "name-too-long".into(),
        }
    }

    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let word = words.next()?;
        let number = words.next().and_then(|number| number.parse::<i32>().ok());
        let errno = number.filter(|number| (1..4096).contains(number)).map(Errno::from_raw_os_error);
        match (word, errno) {
            ("bound", None) => Some(Self::Bound),
            ("no-socket", Some(errno)) => Some(Self::NoSocket(errno)),
            ("refused", Some(errno)) => Some(Self::Refused(errno)),
            ("name-too-long", None) => Some(Self::NameTooLong),
            _ => None,
        }
    }
}

/// The `salg_type` for a kind of driver; `None` if AF_ALG does not support it.
pub fn af_alg_type(kind: &DriverType) -> Option<&'static str> {
    match kind {
        DriverType::Skcipher | DriverType::Lskcipher => Some("skcipher"),
        DriverType::Ahash | DriverType::Shash => Some("hash"),
        DriverType::Aead => Some("aead"),
        DriverType::Rng => Some("rng"),
        _ => None,
    }
}

/// Binds a socket of type `salg_type` to `driver` and closes it.
pub fn probe_af_alg(salg_type: &str, driver: &str) -> Probe {
    let alg = AddressFamily::from_raw(libc::AF_ALG as u16);
    let socket = match socket_with(alg, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None) {
        Ok(socket) => socket,
        Err(errno) => return Probe::NoSocket(errno),
    };
    let mut address = libc::sockaddr_alg {
        salg_family: libc::AF_ALG as u16,
        salg_type: [0; 14],
        salg_feat: 0,
        salg_mask: 0,
        salg_name: [0; 64],
    };
    if salg_type.len() >= address.salg_type.len()
        || driver.len() >= address.salg_name.len()
        || driver.contains('\0')
    {
        return Probe::NameTooLong;
    }
    address.salg_type[..salg_type.len()].copy_from_slice(salg_type.as_bytes());
    address.salg_name[..driver.len()].copy_from_slice(driver.as_bytes());
    // SAFETY: `address` is a live struct sockaddr_alg and the length is its size; bind(2) only
    // reads it.
    let bound = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            mem::size_of::<libc::sockaddr_alg>() as libc::socklen_t,
        )
    };
    match bound {
        0 => Probe::Bound,
        _ => Probe::Refused(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_too_long_or_unknown_are_not_bound() {
        let long = "x".repeat(64);
        for name in [long.as_str(), "a\0b", "no-such-driver-of-any-kernel"] {
            assert_ne!(probe_af_alg("skcipher", name), Probe::Bound, "{name}");
        }
    }

    #[test]
    fn a_refused_socket_names_the_filter_that_may_refuse_it() {
        for errno in [Errno::AFNOSUPPORT, Errno::PERM, Errno::ACCESS] {
            assert!(Probe::NoSocket(errno).to_string().contains("seccomp"), "{errno}");
        }
        assert!(!Probe::NoSocket(Errno::MFILE).to_string().contains("seccomp"));
    }

    #[test]
    fn results_survive_a_bundle() {
        let refused = [Probe::Refused(Errno::NOENT), Probe::NoSocket(Errno::AFNOSUPPORT)];
        for probe in refused.into_iter().chain([Probe::Bound, Probe::NameTooLong]) {
            assert_eq!(Probe::from_text(&probe.to_text()), Some(probe));
        }
        for odd in ["", "refused", "refused 0", "refused -3", "refused 99999", "open"] {
            assert_eq!(Probe::from_text(odd), None, "{odd}");
        }
    }

    #[test]
    fn only_some_kinds_have_sockets() {
        assert_eq!(af_alg_type(&DriverType::Ahash), Some("hash"));
        assert_eq!(af_alg_type(&DriverType::Akcipher), None);
    }
}
