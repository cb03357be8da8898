//! AF_ALG, the kernel's own socket interface, on kernels before 7.2.
//!
//! A socket bound to a driver's exact name holds the key; each socket accepted from it is a request
//! channel. A request is one sendmsg(2) (operation, IV and data; send(2) of a message to be hashed) and
//! one read(2). Sources: Documentation/crypto/userspace-if.rst, crypto/af_alg.c,
//! crypto/algif_skcipher.c, crypto/algif_aead.c, crypto/algif_hash.c.

mod hash;
mod session;
mod socket;

use std::ffi::CStr;
use std::io;
use std::mem::zeroed;

use outboard_drivers::reach::ProgramInterface;

use crate::immediate::Immediate;
use crate::memory::{Shared, boxed, text};
use crate::{Accelerator, Algorithm, DriverName, Error, HashAlgorithm, HashSession, Session};
use hash::AfAlgHash;
use session::AfAlgKey;
use socket::{Socket, SocketType};

const INTERFACE: &str = ProgramInterface::AfAlg.name();

pub struct AfAlg {
    driver: DriverName,
    algorithm: Algorithm,
}

impl AfAlg {
    /// `driver` is an exact driver name of `/proc/crypto`: an algorithm's name such as `cbc(aes)`
    /// would bind to the driver with the highest priority.
    pub fn reach(driver: &str, algorithm: Algorithm) -> Result<AfAlg, Error> {
        let driver = driver.into();
        bind(kind(algorithm), &driver)?;
        Ok(AfAlg { driver, algorithm })
    }

    pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Result<HashAfAlg, Error> {
        let driver = driver.into();
        bind(SocketType::Hash, &driver)?;
        Ok(HashAfAlg { driver, algorithm })
    }
}

impl Accelerator for AfAlg {
    fn driver(&self) -> &str {
        &self.driver
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn Session>, Error> {
        self.open_with_tag(key, self.algorithm.full_tag())
    }

    fn open_with_tag(&self, key: &[u8], tag_len: usize) -> Result<Box<dyn Session>, Error> {
        let bound = bind(kind(self.algorithm), &self.driver)?;
        set_key(&bound, &self.driver, key)?;
        if self.algorithm.has_tags() {
            bound.set_tag_len(tag_len).map_err(|source| request("setsockopt", &self.driver, source))?;
        }
        let driver = DriverName::clone(&self.driver);
        let key = AfAlgKey::new(Shared::new(bound)?, driver, self.algorithm, tag_len)?;
        Ok(boxed(Immediate::new(key))?)
    }
}

fn kind(algorithm: Algorithm) -> SocketType {
    if algorithm.has_tags() { SocketType::Aead } else { SocketType::Skcipher }
}

pub struct HashAfAlg {
    driver: DriverName,
    algorithm: HashAlgorithm,
}

impl Accelerator<dyn HashSession> for HashAfAlg {
    fn driver(&self) -> &str {
        &self.driver
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, key: &[u8]) -> Result<Box<dyn HashSession>, Error> {
        let bound = bind(SocketType::Hash, &self.driver)?;
        if self.algorithm.hmac {
            set_key(&bound, &self.driver, key)?;
        }
        Ok(boxed(AfAlgHash::new(bound, DriverName::clone(&self.driver), self.algorithm)?)?)
    }
}

fn bind(kind: SocketType, driver: &DriverName) -> Result<Socket, Error> {
    let socket = Socket::new().map_err(no_interface)?;
    socket.bind(kind, driver).map_err(|source| unreachable(kind, driver, source))?;
    Ok(socket)
}

fn set_key(bound: &Socket, driver: &DriverName, key: &[u8]) -> Result<(), Error> {
    bound.set_key(key).map_err(|source| Error::KeyRefused { driver: DriverName::clone(driver), source })
}

fn accept(from: &Socket, driver: &DriverName) -> Result<Socket, Error> {
    if !from.is_ours() {
        return Err(Error::DescriptorLost { driver: DriverName::clone(driver) });
    }
    from.accept().map_err(|source| request("accept", driver, source))
}

fn request(call: &'static str, driver: &DriverName, source: io::Error) -> Error {
    Error::Request { call, driver: DriverName::clone(driver), source }
}

/// Fails unless a system call has moved `wanted` bytes.
fn exactly(
    call: &'static str,
    driver: &DriverName,
    moved: io::Result<usize>,
    wanted: usize,
) -> Result<(), Error> {
    match moved {
        Ok(got) if got == wanted => Ok(()),
        Ok(got) => Err(Error::Short { driver: DriverName::clone(driver), got, wanted }),
        Err(source) => Err(request(call, driver, source)),
    }
}

fn no_interface(source: io::Error) -> Error {
    let advice = match source.raw_os_error() {
        Some(libc::EAFNOSUPPORT) => {
            "this kernel is built without CONFIG_CRYPTO_USER_API, or its modules are missing or forbidden: modprobe \
             algif_skcipher, algif_aead or algif_hash"
        }
        Some(libc::EPERM | libc::EACCES) => {
            "a sandbox or security module forbids such sockets to this process"
        }
        Some(libc::EMFILE | libc::ENFILE) => "no file descriptor is left: raise the limit (ulimit -n)",
        _ => "see socket(2)",
    };
    Error::NoInterface { interface: INTERFACE, advice, source }
}

fn unreachable(kind: SocketType, driver: &DriverName, source: io::Error) -> Error {
    let driver = DriverName::clone(driver);
    let kernel = Kernel::running();
    let release = kernel.release();
    let reason = match source.raw_os_error() {
        Some(libc::ENOENT) if closed_to_accelerators(release) => text(format_args!(
            "Linux {release} closed AF_ALG to accelerators (7.2 and later allow it software drivers only): \
             use /dev/outboard, /dev/crypto or a kernel before 7.2"
        )),
        Some(libc::ENOENT) => text(format_args!(
            "Linux {release} knows no such driver for {}: is its module loaded, and does /proc/crypto list it with \
             selftest passed?",
            match kind {
                SocketType::Skcipher => "symmetric ciphers",
                SocketType::Aead => "ciphers that authenticate",
                SocketType::Hash => "digests and HMAC",
            }
        )),
        Some(libc::EAFNOSUPPORT) => {
            text(format_args!("Linux {release} has AF_ALG switched off (see sysctl crypto.af_alg_restrict)"))
        }
        Some(libc::ELIBBAD) => "it failed the kernel's self-test: see dmesg".into(),
        _ => "see bind(2)".into(),
    };
    Error::Unreachable { interface: INTERFACE, driver, reason, source }
}

/// From 7.2 on AF_ALG allocates with a mask that excludes every accelerator.
fn closed_to_accelerators(release: &str) -> bool {
    let mut numbers =
        release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (7, 2)
}

/// The running kernel (uname(2)).
struct Kernel(libc::utsname);

impl Kernel {
    fn running() -> Kernel {
        // SAFETY: an all-zero utsname is a valid value, and the kernel writes no more than one.
        let mut name: libc::utsname = unsafe { zeroed() };
        // SAFETY: `name` is writable. If the call fails, the release is empty.
        unsafe { libc::uname(&mut name) };
        Kernel(name)
    }

    fn release(&self) -> &str {
        // SAFETY: the kernel's strings end with NUL, and so does the array of zeros.
        unsafe { CStr::from_ptr(self.0.release.as_ptr()) }.to_str().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_from_7_2_on_are_closed() {
        for (release, closed) in [
            ("6.1.0-53-amd64", false),
            ("6.12.107", false),
            ("7.1.8-1", false),
            ("7.2.13+deb13-amd64", true),
            ("7.3-rc7-amd64", true),
            ("8.0.0", true),
            ("", false),
            ("garbage", false),
        ] {
            assert_eq!(closed_to_accelerators(release), closed, "{release}");
        }
    }

    #[test]
    fn an_unknown_driver_is_refused_with_its_name_and_the_next_step() {
        let error = AfAlg::reach("no-such-driver", Algorithm::CbcAes).err().expect("it does not exist");
        let text = error.to_string();
        match error {
            Error::NoInterface { .. } => assert!(text.contains("AF_ALG"), "{text}"),
            Error::Unreachable { .. } => assert!(text.contains("no-such-driver"), "{text}"),
            other => panic!("unexpected: {other}"),
        }
    }

    #[test]
    fn a_name_that_no_kernel_could_hold_is_refused() {
        let name = "x".repeat(64);
        assert!(AfAlg::reach(&name, Algorithm::CbcAes).is_err());
        assert!(AfAlg::reach("a\0b", Algorithm::CbcAes).is_err());
    }

    #[test]
    fn a_driver_of_another_kind_is_not_reached() {
        let sha256 = HashAlgorithm::by_kernel_name("sha256").expect("known");
        for driver in ["no-such-driver", "cbc(aes-generic)"] {
            let text = AfAlg::reach_hash(driver, sha256).err().expect("it is no digest").to_string();
            assert!(text.contains("AF_ALG"), "{text}");
        }
    }
}
