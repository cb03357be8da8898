//! Finds the interface through which programs reach a driver.

use outboard_catalog::families;
use outboard_drivers::reach::{ProgramInterface, TagCheck};

use crate::af_alg::AfAlg;
use crate::cryptodev::Cryptodev;
use crate::device::Device;
use crate::padlock::Padlock;
use crate::{Accelerator, Algorithm, Error, HashAlgorithm, HashSession, Session};

/// The result of trying the interfaces in order of preference.
pub struct Reached<S: ?Sized = dyn Session> {
    pub accelerator: Option<Box<dyn Accelerator<S>>>,
    pub passed: Vec<Error>,
}

/// In order of preference. `driver` is an exact driver name of `/proc/crypto`.
pub fn reach(driver: &str, algorithm: Algorithm, tags: TagCheck) -> Reached {
    let is_aead = algorithm.has_tags();
    first(driver, |interface| {
        interface.is_open_to(is_aead, tags).then(|| reach_over(interface, driver, algorithm))
    })
}

pub fn reach_hash(driver: &str, algorithm: HashAlgorithm) -> Reached<dyn HashSession> {
    first(driver, |interface| Some(reach_hash_over(interface, driver, algorithm)))
}

pub fn reach_over(
    interface: ProgramInterface,
    driver: &str,
    algorithm: Algorithm,
) -> Result<Box<dyn Accelerator>, Error> {
    accepted_over(interface, driver)?;
    Ok(match interface {
        ProgramInterface::DevOutboard => Box::new(Device::reach(driver, algorithm)?),
        ProgramInterface::DevCrypto => Box::new(Cryptodev::reach(driver, algorithm)?),
        ProgramInterface::AfAlg => Box::new(AfAlg::reach(driver, algorithm)?),
        ProgramInterface::Instructions => Box::new(Padlock::reach(driver, algorithm)?),
    })
}

pub fn reach_hash_over(
    interface: ProgramInterface,
    driver: &str,
    algorithm: HashAlgorithm,
) -> Result<Box<dyn Accelerator<dyn HashSession>>, Error> {
    accepted_over(interface, driver)?;
    Ok(match interface {
        ProgramInterface::DevOutboard => Box::new(Device::reach_hash(driver, algorithm)?),
        ProgramInterface::DevCrypto => Box::new(Cryptodev::reach_hash(driver, algorithm)?),
        ProgramInterface::AfAlg => Box::new(AfAlg::reach_hash(driver, algorithm)?),
        ProgramInterface::Instructions => Box::new(Padlock::reach_hash(driver, algorithm)?),
    })
}

fn accepted(driver: &str) -> Result<(), Error> {
    if families::is_refused(driver) { Err(Error::KnownWrong { driver: driver.into() }) } else { Ok(()) }
}

fn accepted_over(interface: ProgramInterface, driver: &str) -> Result<(), Error> {
    accepted(driver)?;
    match interface.keeps_limits_of(driver) {
        true => Ok(()),
        false => Err(Error::ModuleOnly { interface: interface.name(), driver: driver.into() }),
    }
}

type Attempt<S> = Option<Result<Box<dyn Accelerator<S>>, Error>>;

/// `attempt` returns `None` for an interface that is closed until `outboard check` has shown that
/// the driver rejects forged tags.
fn first<S: ?Sized>(driver: &str, attempt: impl Fn(ProgramInterface) -> Attempt<S>) -> Reached<S> {
    if let Err(error) = accepted(driver) {
        return Reached { accelerator: None, passed: vec![error] };
    }
    let (mut passed, mut awaits_check) = (Vec::new(), false);
    for &interface in ProgramInterface::preferred_first(driver) {
        match attempt(interface) {
            Some(Ok(accelerator)) => return Reached { accelerator: Some(accelerator), passed },
            Some(Err(error)) => passed.push(error),
            None => awaits_check = true,
        }
    }
    if awaits_check {
        passed.push(Error::TagsUnchecked { driver: driver.into() });
    }
    Reached { accelerator: None, passed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_each_interface_gives_its_reason<S: ?Sized>(reached: &Reached<S>) {
        assert!(reached.accelerator.is_none());
        let texts: Vec<String> = reached.passed.iter().map(Error::to_string).collect();
        let interfaces = ProgramInterface::preferred_first("no-such-driver");
        assert_eq!(texts.len(), interfaces.len());
        assert!(
            texts.iter().zip(interfaces).all(|(text, interface)| text.starts_with(interface.name())),
            "{texts:?}"
        );
    }

    #[test]
    fn an_unreachable_driver_is_explained_for_each_interface() {
        for algorithm in Algorithm::ALL {
            assert_each_interface_gives_its_reason(&reach("no-such-driver", algorithm, TagCheck::Passed));
        }
        for algorithm in HashAlgorithm::all() {
            assert_each_interface_gives_its_reason(&reach_hash("no-such-driver", algorithm));
        }
    }

    #[test]
    fn a_driver_that_is_known_to_be_wrong_is_opened_over_no_interface() {
        let driver = "mv-sha256";
        for algorithm in HashAlgorithm::all() {
            let reached = reach_hash(driver, algorithm);
            assert!(reached.accelerator.is_none());
            assert!(matches!(reached.passed[..], [Error::KnownWrong { .. }]), "{:?}", reached.passed);
            for &interface in ProgramInterface::preferred_first("no-such-driver") {
                let opened = reach_hash_over(interface, driver, algorithm);
                assert!(matches!(opened, Err(Error::KnownWrong { .. })));
            }
        }
    }

    #[test]
    fn a_driver_with_limits_is_opened_over_our_own_device_only() {
        let over = |interface| reach_over(interface, "cbc(aes-eip93)", Algorithm::CbcAes).err();
        for interface in [ProgramInterface::DevCrypto, ProgramInterface::AfAlg] {
            assert!(matches!(over(interface), Some(Error::ModuleOnly { .. })), "{interface:?}");
        }
        assert!(!matches!(over(ProgramInterface::DevOutboard), Some(Error::ModuleOnly { .. })));
    }

    #[test]
    fn an_aead_that_was_not_checked_is_tried_over_one_interface() {
        let reached = reach("no-such-driver", Algorithm::GcmAes, TagCheck::Missing);
        assert!(reached.accelerator.is_none());
        let texts: Vec<String> = reached.passed.iter().map(Error::to_string).collect();
        assert!(texts.len() == 2 && texts[0].starts_with("/dev/outboard"), "{texts:?}");
        assert!(texts[1].contains("outboard check no-such-driver"), "{texts:?}");
        let other = reach("no-such-driver", Algorithm::CtrAes, TagCheck::Missing);
        assert_each_interface_gives_its_reason(&other);
    }
}
