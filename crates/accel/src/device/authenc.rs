//! AES-CBC with HMAC in one request, over /dev/outboard.

use std::sync::Arc;

use super::keyed::KeyParts;
use super::session::DeviceSession;
use super::{Access, INTERFACE, OutboardDriver};
use crate::authenc::{AuthencAccelerator, AuthencKeys};
use crate::memory::boxed;
use crate::session_algorithm::SessionAlgorithm;
use crate::{Authenc, Error, Session, Wiped};

/// A driver of AES-CBC with HMAC, reached through /dev/outboard.
pub struct AuthencDevice {
    driver: Arc<OutboardDriver>,
    algorithm: Authenc,
}

impl AuthencDevice {
    /// Checks that root has allowed `driver`, an exact driver name of `/proc/crypto`, and that this
    /// process may open the device.
    pub fn reach(driver: &str, algorithm: Authenc) -> Result<AuthencDevice, Error> {
        AuthencDevice::reach_by(Access::Allowed, driver, algorithm)
    }

    /// The same, by either right.
    pub(crate) fn reach_by(access: Access, driver: &str, algorithm: Authenc) -> Result<AuthencDevice, Error> {
        let mac = algorithm.hash().digest_len();
        let sample: Vec<u8> = (0..mac + Authenc::CIPHER_KEY_LENS[0]).map(|at| at as u8).collect();
        let sample = KeyParts { bytes: &sample, mac, tag: mac };
        let (name, number) = (algorithm.kernel_name(), algorithm.uapi_number());
        Ok(AuthencDevice { driver: OutboardDriver::reach(access, driver, name, number, sample)?, algorithm })
    }
}

impl AuthencAccelerator for AuthencDevice {
    fn driver(&self) -> &str {
        &self.driver.name
    }

    fn interface(&self) -> &'static str {
        INTERFACE
    }

    fn open(&self, keys: AuthencKeys<'_>, tag_len: usize) -> Result<Box<dyn Session>, Error> {
        let both = Wiped::new([keys.mac, keys.cipher].concat());
        let key = KeyParts { bytes: &both, mac: keys.mac.len(), tag: tag_len };
        let algorithm = SessionAlgorithm::Authenc(self.algorithm);
        Ok(boxed(DeviceSession::new(Arc::clone(&self.driver), algorithm, key)?)?)
    }
}
