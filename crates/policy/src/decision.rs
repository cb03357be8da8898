//! Which requests of a cipher go to a driver: the rule by which the provider offers ciphers, and by
//! which `outboard status` predicts what it offers.

use outboard_catalog::Algorithm;

use crate::{CipherRow, LookaheadUse, Policy, Tuned};

/// Why no driver of a cipher may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `CIPHERS` does not name the cipher.
    NotConfigured,
    SoftwareWins,
}

impl Tuned {
    /// The thresholds of a cipher, if they were measured with this driver.
    pub fn of_driver(&self, cipher: &str, driver: &str) -> Option<CipherRow<'_>> {
        self.of(cipher).filter(|row| row.driver == driver)
    }
}

impl Policy {
    /// Why a driver of the cipher itself must not be used; `None` if it may be used.
    pub fn refusal(&self, tuned: Option<&Tuned>, cipher: &str) -> Option<Refusal> {
        if !self.ciphers.has(cipher) {
            return Some(Refusal::NotConfigured);
        }
        let row = tuned.and_then(|tuned| tuned.of(cipher));
        // A measurement of a driver that may not be used does not apply to other drivers.
        row.filter(|row| row.is_never() && self.drivers.has(row.driver))?;
        self.thresholds.explicit(cipher).is_none().then_some(Refusal::SoftwareWins)
    }

    /// Smallest requests in bytes, for encryption and decryption, that go to a driver that may be used.
    /// The first of these decides: openssl.cnf, the measurement of this driver, the default.
    pub fn from(&self, row: Option<CipherRow<'_>>, cipher: &str) -> [Option<usize>; 2] {
        match (self.thresholds.explicit(cipher), row) {
            (None, Some(row)) => row.from,
            _ => [Some(self.thresholds.threshold(cipher)); 2],
        }
    }

    /// Whether a cipher may use look-ahead, if there is a driver of ECB mode.
    pub fn may_look_ahead(&self, tuned: Option<&Tuned>, cipher: &str, algorithm: Algorithm) -> bool {
        let row = tuned.and_then(|tuned| tuned.lookahead(cipher));
        let row = row.filter(|row| self.drivers.has(row.driver));
        algorithm.shortest_ahead().is_some() && self.ciphers.has(cipher) && self.lookahead.may_use(row)
    }

    /// How a cipher uses the key stream of a driver of ECB mode. `None`: not at all.
    pub fn key_stream_use(
        &self,
        tuned: Option<&Tuned>,
        cipher: &str,
        algorithm: Algorithm,
        driver: &str,
    ) -> Option<LookaheadUse> {
        let row = tuned.and_then(|tuned| tuned.lookahead(cipher));
        self.lookahead.use_of(row, driver, algorithm.shortest_ahead()?)
    }
}
