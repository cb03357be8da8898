//! The best way down to a driver.

use crate::af_alg::AfAlg;
use crate::cryptodev::Cryptodev;
use crate::device::Device;
use crate::{Accelerator, Algorithm, Error, HashAlgorithm, HashSession, Session};

/// A way down, if there is one.
pub struct Reached<S: ?Sized = dyn Session> {
    /// The first interface that leads to the driver.
    pub accelerator: Option<Box<dyn Accelerator<S>>>,
    /// Why those that come before it do not.
    pub passed: Vec<Error>,
}

type Way = fn(&str, Algorithm) -> Result<Box<dyn Accelerator>, Error>;

/// The interfaces, the one to be preferred first: the module is made for accelerators, works in sandboxes and keeps
/// many requests in flight; /dev/crypto is faster than AF_ALG and open on new kernels, but does one request at a time and
/// waits without end for a driver that does not answer; AF_ALG is what old kernels have.
const WAYS: [Way; 3] = [
    |driver, algorithm| Ok(Box::new(Device::reach(driver, algorithm)?)),
    |driver, algorithm| Ok(Box::new(Cryptodev::reach(driver, algorithm)?)),
    |driver, algorithm| Ok(Box::new(AfAlg::reach(driver, algorithm)?)),
];

/// The last of them, as programs may go it.
const AF_ALG: Way = |driver, algorithm| match algorithm.has_tags() {
    true => Err(Error::NoTags { interface: "AF_ALG", driver: driver.to_owned() }),
    false => Ok(Box::new(AfAlg::reach(driver, algorithm)?)),
};

/// Tries each interface for `driver`, an exact driver name of `/proc/crypto`.
pub fn reach(driver: &str, algorithm: Algorithm) -> Reached {
    let mut passed = Vec::new();
    let [outboard, cryptodev, _] = WAYS;
    for way in [outboard, cryptodev, AF_ALG] {
        match way(driver, algorithm) {
            Ok(accelerator) => return Reached { accelerator: Some(accelerator), passed },
            Err(error) => passed.push(error),
        }
    }
    Reached { accelerator: None, passed }
}

/// All ways down to `driver`, in the order of preference, or why one does not lead there: for who compares them.
pub fn reach_all(driver: &str, algorithm: Algorithm) -> [Result<Box<dyn Accelerator>, Error>; 3] {
    WAYS.map(|way| way(driver, algorithm))
}

/// The same for digests and HMAC: programs go over /dev/outboard alone, see [`Error::NoHashes`].
pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Reached<dyn HashSession> {
    match Device::reach_hash(driver, algorithm) {
        Ok(accelerator) => Reached { accelerator: Some(Box::new(accelerator)), passed: Vec::new() },
        Err(error) => {
            let others =
                Error::NoHashes { interfaces: "/dev/crypto and AF_ALG are", driver: driver.to_owned() };
            Reached { accelerator: None, passed: vec![error, others] }
        }
    }
}

/// All ways down to `driver` for digests and HMAC, in the order of [`reach_all`]: for who compares them.
pub fn reach_all_hash(
    driver: &str,
    algorithm: HashAlgorithm,
) -> [Result<Box<dyn Accelerator<dyn HashSession>>, Error>; 3] {
    [
        Device::reach_hash(driver, algorithm).map(|found| Box::new(found) as _),
        Err(Error::NoHashes { interfaces: "/dev/crypto is", driver: driver.to_owned() }),
        AfAlg::reach_hash(driver, algorithm).map(|found| Box::new(found) as _),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reaches_is_explained_for_each_interface() {
        let reached = reach("no-such-driver", Algorithm::CbcAes);
        assert!(reached.accelerator.is_none());
        assert!(reach_all("no-such-driver", Algorithm::CbcAes).iter().all(Result::is_err));
        let texts: Vec<String> = reached.passed.iter().map(Error::to_string).collect();
        let interfaces = ["/dev/outboard", "/dev/crypto", "AF_ALG"];
        assert_eq!(texts.len(), interfaces.len());
        assert!(
            texts.iter().zip(interfaces).all(|(text, interface)| text.starts_with(interface)),
            "{texts:?}"
        );
    }

    #[test]
    fn digests_have_one_way_and_the_reason_says_why() {
        let algorithm = HashAlgorithm::by_kernel_name("sha256").expect("known");
        let reached = reach_hash("no-such-driver", algorithm);
        assert!(reached.accelerator.is_none());
        let texts: Vec<String> = reached.passed.iter().map(Error::to_string).collect();
        assert!(texts[0].starts_with("/dev/outboard"), "{texts:?}");
        assert!(
            texts[1].contains("/dev/crypto and AF_ALG") && texts[1].contains("outboard allow no-such-driver"),
            "{texts:?}"
        );
        assert!(reach_all_hash("no-such-driver", algorithm).iter().all(Result::is_err));
    }
}
