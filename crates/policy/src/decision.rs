//! Which requests of a cipher go to a driver: the rule by which the provider offers ciphers, and by
//! which `outboard status` predicts what it offers.

use outboard_catalog::Algorithm;

use crate::{CipherRow, LookaheadUse, Policy, Tuned};

/// Why no driver of a cipher may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `CIPHERS` does not name the cipher.
    NotConfigured,
    /// Neither a measurement of this machine nor `THRESHOLDS` is for the cipher.
    NotMeasured,
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
        if self.thresholds.explicit(cipher).is_some() {
            return None;
        }
        // A measurement of a driver that may not be used does not apply to other drivers.
        match tuned.and_then(|tuned| tuned.of(cipher)).filter(|row| self.drivers.has(row.driver)) {
            None => Some(Refusal::NotMeasured),
            Some(row) => row.is_never().then_some(Refusal::SoftwareWins),
        }
    }

    /// Smallest requests in bytes, for encryption and decryption, that go to a driver that may be used.
    /// openssl.cnf decides, otherwise the measurement of this driver. `None`: software computes.
    pub fn from(&self, row: Option<CipherRow<'_>>, cipher: &str) -> [Option<usize>; 2] {
        let measured = || row.map_or([None; 2], |row| row.from);
        self.thresholds.explicit(cipher).map_or_else(measured, |bytes| [Some(bytes); 2])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_computes_what_neither_the_configuration_nor_a_measurement_gives_to_a_driver() {
        let text = "outboard-policy 2\nAES-128-GCM 512 never engine\nAES-256-GCM never never engine\n";
        let tuned = Tuned::parse(text.to_owned()).expect("a policy file");
        let with = |lines: &[(&str, &str)], tuned: Option<&Tuned>, cipher| {
            let mut policy = Policy::default();
            for (key, value) in lines {
                policy.set(key, value).expect("a valid value");
            }
            let row = tuned.and_then(|tuned| tuned.of_driver(cipher, "engine"));
            (policy.refusal(tuned, cipher), policy.from(row, cipher))
        };
        let (unmeasured, never) = (Some(Refusal::NotMeasured), [None; 2]);
        assert_eq!(with(&[], None, "AES-128-GCM"), (unmeasured, never));
        assert_eq!(with(&[], Some(&tuned), "AES-128-GCM"), (None, [Some(512), None]));
        assert_eq!(with(&[], Some(&tuned), "AES-256-GCM"), (Some(Refusal::SoftwareWins), never));
        assert_eq!(with(&[], Some(&tuned), "AES-128-CBC"), (unmeasured, never));
        assert_eq!(with(&[("DRIVERS", "other")], Some(&tuned), "AES-128-GCM").0, unmeasured);
        let forced = [("THRESHOLDS", "AES-128-CBC:16")];
        assert_eq!(with(&forced, Some(&tuned), "AES-128-CBC"), (None, [Some(16); 2]));
        assert_eq!(with(&forced, None, "AES-128-GCM"), (unmeasured, never));
    }
}
