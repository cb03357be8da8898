//! How the provider processes each cipher: by requests to an accelerator, with key stream that one
//! computes in advance (look-ahead), or in software. The reach of the drivers and the policy of
//! `outboard tune` decide; keys of a configuration (THRESHOLDS, LOOKAHEAD) are not considered.

use outboard_catalog::{Algorithm, CIPHERS, OpenSslCipher};
use outboard_documents::status::{CipherOffload, DirectRequests, KeyStreamUse, MatrixRow};
use outboard_policy::{Policy, Refusal, Tuned};

/// Why look-ahead is not used before `outboard tune`.
pub(crate) const NOT_MEASURED: &str = "not measured: outboard tune";

pub(crate) struct Findable<'a> {
    /// The accelerators' drivers, in the order in which the provider tries them.
    pub drivers: Vec<&'a MatrixRow>,
    pub key_stream: Option<&'a str>,
    pub tuned: Option<&'a Tuned>,
}

impl Findable<'_> {
    /// The ciphers for which an accelerator has a driver of their mode or, for CTR and GCM, of ECB mode.
    pub(crate) fn list(&self) -> Vec<CipherOffload> {
        let exists = |algorithm: Algorithm| self.of(algorithm).next().is_some();
        let is_listed = |algorithm: Algorithm| {
            exists(algorithm) || algorithm.shortest_ahead().is_some() && exists(Algorithm::EcbAes)
        };
        let ciphers = CIPHERS.iter().filter(|cipher| is_listed(cipher.algorithm));
        ciphers.map(|cipher| self.cipher(cipher)).collect()
    }

    fn of(&self, algorithm: Algorithm) -> impl Iterator<Item = &MatrixRow> {
        self.drivers.iter().copied().filter(move |row| row.algorithm == algorithm.kernel_name())
    }

    fn cipher(&self, cipher: &OpenSslCipher) -> CipherOffload {
        let policy = Policy::default();
        let (name, algorithm) = (cipher.name, cipher.algorithm);
        let direct = self.of(algorithm).find(|row| row.is_for_openssl()).map(|row| {
            let measured = self.tuned.and_then(|tuned| tuned.of_driver(name, &row.driver));
            let loses = policy.refusal(self.tuned, name) == Some(Refusal::SoftwareWins);
            let (driver, from) = (row.driver.clone(), policy.from(measured, name));
            DirectRequests { driver, from, is_measured: loses || measured.is_some() }
        });
        let (lookahead, no_lookahead) = match algorithm.shortest_ahead().map(|_| self.ahead(&policy, cipher))
        {
            Some(Ok(used)) => (Some(used), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        CipherOffload { cipher: name.to_owned(), direct, lookahead, no_lookahead }
    }

    /// `Err`: why look-ahead is not used.
    fn ahead(&self, policy: &Policy, cipher: &OpenSslCipher) -> Result<KeyStreamUse, String> {
        let driver = self.key_stream.ok_or("/dev/outboard reaches no ecb(aes)")?;
        let row = self.tuned.and_then(|tuned| tuned.lookahead(cipher.name));
        row.filter(|row| row.driver == driver).ok_or(NOT_MEASURED)?;
        let used = policy.key_stream_use(self.tuned, cipher.name, cipher.algorithm, driver);
        let used = used.ok_or_else(|| format!("does not win with {driver}"))?;
        Ok(KeyStreamUse { driver: driver.to_owned(), from: used.from, to: used.to, start: used.start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::status::MatrixCell;
    use outboard_drivers::reach::{Consumer, Reachable};

    fn row(driver: &str, algorithm: &str, answer: Reachable) -> MatrixRow {
        let cell = MatrixCell { consumer: Consumer::OpenSsl, answer, why: String::new() };
        MatrixRow { driver: driver.to_owned(), algorithm: algorithm.to_owned(), consumers: vec![cell] }
    }

    fn listed(
        reach: &[MatrixRow],
        key_stream: Option<&str>,
        policy: &str,
        cipher: &str,
    ) -> Option<CipherOffload> {
        let tuned = Tuned::parse(format!("outboard-policy 2\n{policy}")).unwrap();
        let found = Findable { drivers: reach.iter().collect(), key_stream, tuned: Some(&tuned) };
        found.list().into_iter().find(|row| row.cipher == cipher)
    }

    #[test]
    fn policy_and_reach_decide_between_requests_look_ahead_and_software() {
        let both = [row("e-cbc", "cbc(aes)", Reachable::Yes), row("e-ecb", "ecb(aes)", Reachable::Yes)];
        let policy = "AES-128-CBC 1024 never e-cbc\nlookahead AES-128-CTR 64-8192 e-ecb 4096\n\
                      lookahead AES-256-CTR never e-ecb\nlookahead AES-128-GCM 512 other\n";
        let of = |cipher| listed(&both, Some("e-ecb"), policy, cipher);
        let cbc = of("AES-128-CBC").unwrap();
        let direct = DirectRequests { driver: "e-cbc".into(), from: [Some(1024), None], is_measured: true };
        assert_eq!((cbc.direct, cbc.lookahead, cbc.no_lookahead), (Some(direct), None, None));
        let unmeasured = of("AES-192-CBC").unwrap().direct.unwrap();
        assert_eq!((unmeasured.from, unmeasured.is_measured), ([None; 2], false));
        let ctr = of("AES-128-CTR").unwrap();
        let used = KeyStreamUse { driver: "e-ecb".into(), from: 64, to: Some(8192), start: 4096 };
        assert_eq!((ctr.direct, ctr.lookahead, ctr.no_lookahead), (None, Some(used), None));
        for (cipher, why) in [
            ("AES-256-CTR", "does not win"),
            ("AES-128-GCM", "not measured"),
            ("AES-192-CTR", "not measured"),
        ] {
            let row = of(cipher).unwrap();
            assert!(row.lookahead.is_none() && row.no_lookahead.unwrap().contains(why), "{cipher}");
        }
        // No driver of its mode, and no key stream.
        assert_eq!(of("AES-128-CCM"), None);
        let unreached = listed(&both, None, policy, "AES-128-CTR").unwrap();
        assert!(unreached.no_lookahead.unwrap().contains("/dev/outboard"));
        let reach = [row("e-cbc", "cbc(aes)", Reachable::No)];
        assert_eq!(listed(&reach, None, policy, "AES-128-CBC").unwrap().direct, None);
        // GCM from 512 bytes on, and what lost with a driver that is not the first.
        let policy = "lookahead AES-128-GCM 64 e-ecb\nAES-128-CBC never never other\n";
        let of = |cipher| listed(&both, Some("e-ecb"), policy, cipher).unwrap();
        assert_eq!(of("AES-128-GCM").lookahead.map(|used| used.from), Some(512));
        assert_eq!(of("AES-128-CBC").direct.map(|direct| direct.from), Some([None; 2]));
    }
}
