//! How the provider processes each cipher: by requests to an accelerator, with key stream that one
//! computes in advance (look-ahead), or in software. The reach of the drivers and the policy of
//! `outboard tune` decide; keys of a configuration (THRESHOLDS, LOOKAHEAD) are not considered.

use outboard_catalog::{Algorithm, CIPHERS, default_threshold};
use outboard_documents::status::{CipherOffload, DirectRequests, KeyStreamUse, MatrixRow};
use outboard_policy::{LOOKAHEAD_START, Tuned};

/// The ciphers for which an accelerator has a driver of their mode or, for CTR and GCM, of ECB mode.
/// `reach` has the accelerators' drivers, `key_stream` those that can compute key stream, and
/// `tuned` is the policy in force.
pub(crate) fn list(reach: &[MatrixRow], key_stream: &[String], tuned: Option<&Tuned>) -> Vec<CipherOffload> {
    let exists = |algorithm: Algorithm| reach.iter().any(|row| row.algorithm == algorithm.kernel_name());
    let is_listed = |algorithm| exists(algorithm) || has_key_stream(algorithm) && exists(Algorithm::EcbAes);
    let ciphers = CIPHERS.iter().filter(|cipher| is_listed(cipher.algorithm));
    ciphers.map(|cipher| of(cipher.name, cipher.algorithm, reach, key_stream, tuned)).collect()
}

fn has_key_stream(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::CtrAes | Algorithm::GcmAes)
}

fn of(
    cipher: &'static str,
    algorithm: Algorithm,
    reach: &[MatrixRow],
    key_stream: &[String],
    tuned: Option<&Tuned>,
) -> CipherOffload {
    let reached = reach.iter().find(|row| row.algorithm == algorithm.kernel_name() && row.is_for_openssl());
    let direct = reached.map(|row| {
        let measured = tuned.and_then(|tuned| tuned.of(cipher)).filter(|of| of.driver == row.driver);
        let from = measured.map_or([Some(default_threshold(cipher)); 2], |of| of.from);
        DirectRequests { driver: row.driver.clone(), from, is_measured: measured.is_some() }
    });
    let (lookahead, no_lookahead) = match has_key_stream(algorithm) {
        true => match key_stream_use(cipher, key_stream, tuned) {
            Ok(used) => (Some(used), None),
            Err(why) => (None, Some(why)),
        },
        false => (None, None),
    };
    CipherOffload { cipher: cipher.to_owned(), direct, lookahead, no_lookahead }
}

/// `Err`: why look-ahead is not used.
fn key_stream_use(
    cipher: &str,
    key_stream: &[String],
    tuned: Option<&Tuned>,
) -> Result<KeyStreamUse, String> {
    if key_stream.is_empty() {
        return Err("/dev/outboard reaches no ecb(aes)".to_owned());
    }
    let row = tuned.and_then(|tuned| tuned.lookahead(cipher));
    let row = row.filter(|row| key_stream.iter().any(|driver| driver == row.driver));
    let row = row.ok_or("not measured: outboard tune")?;
    let from = row.from.ok_or_else(|| format!("does not win with {}", row.driver))?;
    let start = row.start.unwrap_or(LOOKAHEAD_START);
    Ok(KeyStreamUse { driver: row.driver.to_owned(), from, to: row.to, start })
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

    fn listed(reach: &[MatrixRow], key_stream: &[&str], policy: &str, cipher: &str) -> Option<CipherOffload> {
        let tuned = Tuned::parse(format!("outboard-policy 2\n{policy}")).unwrap();
        let key_stream: Vec<String> = key_stream.iter().map(|name| (*name).to_owned()).collect();
        list(reach, &key_stream, Some(&tuned)).into_iter().find(|row| row.cipher == cipher)
    }

    #[test]
    fn policy_and_reach_decide_between_requests_look_ahead_and_software() {
        let reach = [row("e-cbc", "cbc(aes)", Reachable::Yes), row("e-ecb", "ecb(aes)", Reachable::Yes)];
        let policy = "AES-128-CBC 1024 never e-cbc\nlookahead AES-128-CTR 64-8192 e-ecb 4096\n\
                      lookahead AES-256-CTR never e-ecb\nlookahead AES-128-GCM 512 other\n";
        let of = |cipher| listed(&reach, &["e-ecb"], policy, cipher);
        let cbc = of("AES-128-CBC").unwrap();
        let direct = DirectRequests { driver: "e-cbc".into(), from: [Some(1024), None], is_measured: true };
        assert_eq!((cbc.direct, cbc.lookahead, cbc.no_lookahead), (Some(direct), None, None));
        assert_eq!(of("AES-192-CBC").unwrap().direct.unwrap().from, [Some(4096); 2]);
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
        let unreached = listed(&reach, &[], policy, "AES-128-CTR").unwrap();
        assert!(unreached.no_lookahead.unwrap().contains("/dev/outboard"));
        let reach = [row("e-cbc", "cbc(aes)", Reachable::No)];
        assert_eq!(listed(&reach, &[], policy, "AES-128-CBC").unwrap().direct, None);
    }
}
