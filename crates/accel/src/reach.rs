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

type Way<A, S> = fn(&str, A) -> Result<Box<dyn Accelerator<S>>, Error>;

/// The interfaces, the one to be preferred first: the module is made for accelerators, works in sandboxes and keeps
/// many requests in flight; /dev/crypto is faster than AF_ALG and open on new kernels, but does one request at a time and
/// waits without end for a driver that does not answer; AF_ALG is what old kernels have.
const WAYS: [Way<Algorithm, dyn Session>; 3] = [
    |driver, algorithm| Ok(Box::new(Device::reach(driver, algorithm)?)),
    |driver, algorithm| Ok(Box::new(Cryptodev::reach(driver, algorithm)?)),
    |driver, algorithm| Ok(Box::new(AfAlg::reach(driver, algorithm)?)),
];

/// The same for digests and HMAC.
const HASH_WAYS: [Way<HashAlgorithm, dyn HashSession>; 3] = [
    |driver, algorithm| Ok(Box::new(Device::reach_hash(driver, algorithm)?)),
    |driver, algorithm| Ok(Box::new(Cryptodev::reach_hash(driver, algorithm)?)),
    |driver, algorithm| Ok(Box::new(AfAlg::reach_hash(driver, algorithm)?)),
];

/// What may go over another interface than /dev/outboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// Everything.
    All,
    /// Nothing that authenticates: root allows no driver to /dev/outboard that takes a forged tag, and of this one nothing is
    /// known.
    NoTags,
}

/// Tries each interface for `driver`, an exact driver name of `/proc/crypto`.
pub fn reach(driver: &str, algorithm: Algorithm, beside: Beside) -> Reached {
    if beside == Beside::All || !algorithm.has_tags() {
        return first(&WAYS, driver, algorithm);
    }
    let mut reached = first(&WAYS[..1], driver, algorithm);
    if reached.accelerator.is_none() {
        reached.passed.push(Error::Unchecked { driver: driver.to_owned() });
    }
    reached
}

/// The same for digests and HMAC.
pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Reached<dyn HashSession> {
    first(&HASH_WAYS, driver, algorithm)
}

fn first<A: Copy, S: ?Sized>(ways: &[Way<A, S>], driver: &str, algorithm: A) -> Reached<S> {
    let mut passed = Vec::new();
    for way in ways {
        match way(driver, algorithm) {
            Ok(accelerator) => return Reached { accelerator: Some(accelerator), passed },
            Err(error) => passed.push(error),
        }
    }
    Reached { accelerator: None, passed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_each_interface_says_why<S: ?Sized>(reached: &Reached<S>) {
        assert!(reached.accelerator.is_none());
        let texts: Vec<String> = reached.passed.iter().map(Error::to_string).collect();
        let interfaces = ["/dev/outboard", "/dev/crypto", "AF_ALG"];
        assert_eq!(texts.len(), interfaces.len());
        assert!(
            texts.iter().zip(interfaces).all(|(text, interface)| text.starts_with(interface)),
            "{texts:?}"
        );
    }

    #[test]
    fn what_nobody_reaches_is_explained_for_each_interface() {
        for algorithm in Algorithm::ALL {
            assert_each_interface_says_why(&reach("no-such-driver", algorithm, Beside::All));
        }
        for algorithm in HashAlgorithm::all() {
            assert_each_interface_says_why(&reach_hash("no-such-driver", algorithm));
        }
    }
    #[test]
    fn who_may_take_forged_tags_is_asked_over_one_interface() {
        let reached = reach("no-such-driver", Algorithm::GcmAes, Beside::NoTags);
        assert!(reached.accelerator.is_none());
        let texts: Vec<String> = reached.passed.iter().map(Error::to_string).collect();
        assert!(texts.len() == 2 && texts[0].starts_with("/dev/outboard"), "{texts:?}");
        assert!(texts[1].contains("outboard check no-such-driver"), "{texts:?}");
        let other = reach("no-such-driver", Algorithm::CtrAes, Beside::NoTags);
        assert_each_interface_says_why(&other);
    }
}
