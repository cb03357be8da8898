//! Decides which algorithms are offered, once, when the core first queries them.

use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;

use outboard_abi as abi;
use outboard_abi::Dispatch;
use outboard_accel::{Algorithm, PIECE, Session, Share, reach};
use outboard_counters::{Decision, KeyStreamSource, SoftwareReason};
use outboard_drivers::root::Root;
use outboard_policy::{Algorithms, LookaheadUse, Policy, Refusal, Tuned, Unfit, from_text};

use crate::hardware::Hardware;
use crate::kinds::{KINDS, Kind};
use crate::log::Level;
use crate::provider::Provider;
use crate::search::{Found, Why, driver_of, find};
use crate::software::SoftCipher;

pub(crate) const NO_SOFTWARE: Why<'_> =
    Why { reason: SoftwareReason::NotConfigured, text: "the default provider does not do it" };

/// Although a driver implements it.
const NOT_MEASURED: Why<'_> =
    Why { reason: SoftwareReason::NotMeasured, text: "not measured: outboard tune" };

/// Although a driver was measured.
const SOFTWARE_WINS: Why<'_> =
    Why { reason: SoftwareReason::SoftwareWins, text: "software was measured to win" };

/// For TLS before 1.3. libssl prefers them where the CPU has instructions for them.
const COMBINED: [&str; 4] =
    ["AES-128-CBC-HMAC-SHA1", "AES-256-CBC-HMAC-SHA1", "AES-128-CBC-HMAC-SHA256", "AES-256-CBC-HMAC-SHA256"];

pub(crate) struct Offer {
    /// Indexed like `KINDS`; `None` if not offered.
    ciphers: Vec<Option<Cipher>>,
    rows: Vec<abi::Algorithm>,
}

pub(crate) struct Cipher {
    pub(crate) kind: &'static Kind,
    pub(crate) soft: SoftCipher,
    /// The block cipher for keys of the same length (for XTS, half of it), by which results are
    /// recomputed.
    pub(crate) ecb: SoftCipher,
    /// If there is none, that of ECB mode: then only look-ahead uses it.
    pub(crate) hardware: Arc<Hardware>,
    /// The driver of ECB mode that computes key stream, if the cipher uses look-ahead.
    pub(crate) ahead: Option<Arc<Hardware>>,
    /// How look-ahead is used, if `ahead` is a driver.
    pub(crate) lookahead: LookaheadUse,
    /// For encryption and for decryption.
    thresholds: [usize; 2],
    /// Number of bytes of a key from which it gets a session with the driver.
    pub(crate) key_bytes: usize,
    /// [`Request::piece`](outboard_accel::Request::piece)
    pub(crate) piece: usize,
}

impl Cipher {
    #[inline]
    pub(crate) fn threshold(&self, encrypt: bool) -> usize {
        let [encryption, decryption] = self.thresholds;
        if encrypt { encryption } else { decryption }
    }
}

impl Offer {
    /// Offers the ciphers that drivers and the default provider, which must be active, implement if
    /// the policy allows it. `functions` are the dispatch tables of `KINDS`.
    #[cold]
    pub(crate) fn decide(provider: &Provider, functions: &[&'static [Dispatch]; KINDS.len()]) -> Offer {
        let tuned = tuned(Path::new("/"), provider);
        Offer::with(provider, tuned.as_ref(), functions, |algorithms, are_named| {
            let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.kernel_name()).collect();
            let share = provider.policy.shadow_checks.ciphers;
            find(&Root::live(), provider, algorithms, &names, are_named, share, reach)
        })
    }

    /// `search` finds the drivers for the algorithms that may be offered; it also gets whether the
    /// configuration names them.
    pub(crate) fn with(
        provider: &Provider,
        tuned: Option<&Tuned>,
        functions: &[&'static [Dispatch]; KINDS.len()],
        search: impl FnOnce(&[Algorithm], bool) -> Vec<Found<Algorithm, dyn Session>>,
    ) -> Offer {
        let refusals: Vec<Option<Why<'static>>> =
            KINDS.iter().map(|kind| refusal(&provider.policy, tuned, kind.name)).collect();
        log_refusals(provider, &refusals);
        let looks_ahead = |kind: &Kind| provider.policy.may_look_ahead(tuned, kind.name, kind.algorithm);
        // A report names a missing driver rather than a missing measurement.
        let is_searched = |refusal: &Option<Why<'_>>| {
            refusal
                .is_none_or(|why| why.reason == SoftwareReason::NotMeasured && provider.counters.is_shared())
        };
        let is_needed = |algorithm: &Algorithm| {
            KINDS.iter().zip(&refusals).any(|(kind, refusal)| {
                let is_source = *algorithm == Algorithm::EcbAes && looks_ahead(kind);
                is_source || (kind.algorithm == *algorithm && is_searched(refusal))
            })
        };
        let algorithms: Vec<Algorithm> = Algorithm::ALL.into_iter().filter(is_needed).collect();
        let found = search(&algorithms, provider.policy.ciphers != Algorithms::All);
        let cipher = |(kind, refusal): (&'static Kind, &Option<Why<'static>>)| {
            let source = if looks_ahead(kind) { driver_of(&found, &Algorithm::EcbAes).ok() } else { None };
            let direct = || driver_of(&found, &kind.algorithm);
            let offered = offered(provider, tuned, kind, *refusal, source, direct);
            let decision = match &offered {
                Ok((cipher, from)) => {
                    let source = cipher.ahead.as_deref().map(|ahead| (ahead, cipher.lookahead));
                    offer_of(&cipher.hardware, *from, source)
                }
                Err(why) => why.decision(),
            };
            decided(provider, kind.name, &decision);
            offered.ok().map(|(cipher, _)| cipher)
        };
        let ciphers: Vec<_> = KINDS.iter().zip(&refusals).map(cipher).collect();
        record_combined(provider);
        let mut rows = Vec::new();
        for (Cipher { kind, .. }, functions) in offered_with(&ciphers, functions) {
            add_row(&mut rows, kind.names, functions);
        }
        rows.push(abi::Algorithm::END);
        Offer { ciphers, rows }
    }

    pub(crate) fn cipher(&self, kind: usize) -> Option<&Cipher> {
        self.ciphers.get(kind)?.as_ref()
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn cipher_mut(&mut self, kind: &Kind) -> Option<&mut Cipher> {
        self.ciphers.iter_mut().flatten().find(|cipher| cipher.kind.name == kind.name)
    }

    pub(crate) fn rows(&self) -> Option<*const abi::Algorithm> {
        (self.rows.len() > 1).then_some(self.rows.as_ptr())
    }
}

/// The policy file of `outboard tune`, if it is valid for the machine whose files are in `root`.
fn tuned(root: &Path, provider: &Provider) -> Option<Tuned> {
    let path = provider.policy.file.path()?;
    let found = Tuned::read(path).and_then(|tuned| {
        tuned.as_ref().map_or(Ok(()), |tuned| tuned.is_of(root))?;
        Ok(tuned)
    });
    found.unwrap_or_else(|why| {
        // A stale file would be a warning in each process after a kernel update, and an unreadable
        // one in each process that may not open files.
        let is_a_mistake = !matches!(why, Unfit::Stale { .. } | Unfit::Io(_));
        let level = if is_a_mistake { Level::Warn } else { Level::Info };
        let line = format!("{}: {why}; software computes what THRESHOLDS does not name", path.display());
        provider.log.line(level, format_args!("{line}"));
        provider.counters.note(&line);
        None
    })
}

/// Records which combined ciphers OpenSSL has here: their records do not reach this provider.
fn record_combined(provider: &Provider) {
    if !provider.counters.is_shared() {
        return;
    }
    let text = "OpenSSL's own code for TLS computes cipher and MAC together on this CPU";
    for name in COMBINED {
        if provider.software.implementation(abi::OP_CIPHER, name).is_some() {
            provider.counters.decide(name, &Why { reason: SoftwareReason::CombinedCode, text }.decision());
        }
    }
}

/// Says which ciphers stay in software although a driver may be there.
fn log_refusals(provider: &Provider, refusals: &[Option<Why<'static>>]) {
    for why in [SOFTWARE_WINS, NOT_MEASURED] {
        let is_its = |refusal: &&Option<Why<'_>>| refusal.is_some_and(|own| own.reason == why.reason);
        let names = KINDS.iter().zip(refusals).filter(|(_, refusal)| is_its(refusal));
        let names: Vec<&str> = names.map(|(kind, _)| kind.name).collect();
        if !names.is_empty() {
            provider.log.line(Level::Info, format_args!("{}: {}", names.join(", "), why.text));
        }
    }
}

/// What a cipher is offered with, and from how many bytes on in each direction. `source`: the driver
/// of ECB mode, if the policy permits look-ahead; `direct`: the cipher's own.
fn offered<'h>(
    provider: &Provider,
    tuned: Option<&Tuned>,
    kind: &'static Kind,
    refusal: Option<Why<'static>>,
    source: Option<&'h Arc<Hardware>>,
    direct: impl FnOnce() -> Result<&'h Arc<Hardware>, Why<'h>>,
) -> Result<(Cipher, [Option<usize>; 2]), Why<'h>> {
    let ahead = source.filter(|hardware| hardware.computes_key_stream()).and_then(|hardware| {
        let driver = hardware.driver();
        let how = provider.policy.key_stream_use(tuned, kind.name, kind.algorithm, driver)?;
        Some((hardware, how))
    });
    let direct = match refusal {
        None => direct(),
        // That there is no driver is the reason that counts.
        Some(why) if why.reason == SoftwareReason::NotMeasured => direct().and(Err(why)),
        Some(why) => Err(why),
    };
    let measured = |hardware: &Hardware| tuned?.of_driver(kind.name, hardware.driver());
    let row_of = |hardware| measured(hardware).unwrap_or_default();
    let from = direct.map_or([None; 2], |hardware| provider.policy.from(Some(row_of(hardware)), kind.name));
    // Another driver was measured.
    let direct = if from.iter().all(Option::is_none) { direct.and(Err(NOT_MEASURED)) } else { direct };
    let hardware = direct.or_else(|why| ahead.map(|(hardware, _)| hardware).ok_or(why))?;
    let software = |name| provider.software.cipher(name).ok_or(NO_SOFTWARE);
    let (soft, ecb) = (software(kind.name)?, software(kind.block_cipher())?);
    let row = row_of(hardware);
    let thresholds = from.map(|from| from.unwrap_or(usize::MAX));
    let key_bytes = provider.policy.key_bytes(Some(row), kind.name);
    let piece = row.piece.unwrap_or(PIECE);
    let hardware = Arc::clone(hardware);
    let (ahead, lookahead) = ahead.map(|(ahead, how)| (Arc::clone(ahead), how)).unzip();
    // Without look-ahead, only messages that are too short for it are no sign of larger ones.
    let shortest = kind.algorithm.shortest_ahead().unwrap_or(0);
    let shortest = LookaheadUse { from: shortest, to: None, start: usize::MAX };
    let lookahead = lookahead.unwrap_or(shortest);
    Ok((Cipher { kind, soft, ecb, hardware, ahead, lookahead, thresholds, key_bytes, piece }, from))
}

fn refusal(policy: &Policy, tuned: Option<&Tuned>, name: &str) -> Option<Why<'static>> {
    policy.refusal(tuned, name).map(|refusal| match refusal {
        Refusal::NotConfigured => {
            Why { reason: SoftwareReason::NotConfigured, text: "CIPHERS does not name it" }
        }
        Refusal::NotMeasured => NOT_MEASURED,
        Refusal::SoftwareWins => SOFTWARE_WINS,
    })
}

pub(crate) fn offered_with<'a, T>(
    all: &'a [Option<T>],
    functions: &[&'static [Dispatch]],
) -> impl Iterator<Item = (&'a T, &'static [Dispatch])> {
    all.iter().zip(functions).filter_map(|(offered, functions)| Some((offered.as_ref()?, *functions)))
}

#[inline(never)]
pub(crate) fn add_row(rows: &mut Vec<abi::Algorithm>, names: &'static CStr, functions: &'static [Dispatch]) {
    rows.push(abi::Algorithm {
        names: names.as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: functions.as_ptr(),
        description: c"by an accelerator where it wins, else by the default provider".as_ptr(),
    });
}

pub(crate) fn offer_of<S: ?Sized + Share>(
    hardware: &Hardware<S>,
    from: [Option<usize>; 2],
    source: Option<(&Hardware, LookaheadUse)>,
) -> Decision {
    Decision::Offered {
        driver: hardware.driver().to_string(),
        interface: hardware.interface().to_owned(),
        from: from.map(|from| from.and_then(|bytes| u32::try_from(bytes).ok())),
        key_stream: source.map(|(ahead, used)| KeyStreamSource {
            driver: ahead.driver().to_string(),
            from: u32::try_from(used.from).unwrap_or(u32::MAX),
            to: used.to.and_then(|to| u32::try_from(to).ok()),
        }),
    }
}

pub(crate) fn decided(provider: &Provider, name: &str, decision: &Decision) {
    // The reasons for algorithms that are not offered were logged where they were found.
    if let Decision::Offered { from, key_stream, .. } = decision {
        let text = sizes_text(*from);
        let ahead = key_stream.as_ref().map(|source| format!(", with key stream by {}", source.driver));
        let ahead = ahead.unwrap_or_default();
        provider.log.line(Level::Info, format_args!("offers {name} {text}{ahead}"));
    }
    provider.counters.decide(name, decision);
}

/// In bytes, for encryption and for decryption.
fn sizes_text(from: [Option<u32>; 2]) -> String {
    let [encrypt, decrypt] = from.map(|from| from_text(from.map(|bytes| bytes as usize)));
    match encrypt == decrypt {
        true => format!("from {encrypt} bytes on"),
        false => format!("from {encrypt} (encryption) or {decrypt} (decryption) bytes on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sham_driver::{Bench, policy, provider};

    fn tuned() -> Tuned {
        Tuned::parse(
            "outboard-policy 2\nmade 2026-11-21T12:00:00Z\ngoal balanced\nkernel 7.2.0\ncpu 0 Some CPU\n\
             AES-128-CBC 4096 2048 engine\nAES-256-CBC never never engine\n\
             lookahead AES-128-CTR 64 engine\nlookahead AES-256-CTR never engine\n"
                .to_owned(),
        )
        .expect("a policy file")
    }

    #[test]
    fn a_measurement_decides_unless_the_configuration_does_or_its_driver_may_not_be_used() {
        let tuned = tuned();
        let reason =
            |lines: &[_], name: &str| refusal(&policy(lines), Some(&tuned), name).map(|why| why.reason);
        assert_eq!(reason(&[], "AES-128-CBC"), None);
        assert_eq!(reason(&[], "AES-192-CBC"), Some(SoftwareReason::NotMeasured));
        assert_eq!(reason(&[("THRESHOLDS", "AES-192-CBC:100")], "AES-192-CBC"), None);
        assert_eq!(reason(&[], "AES-256-CBC"), Some(SoftwareReason::SoftwareWins));
        assert_eq!(reason(&[("DRIVERS", "other")], "AES-256-CBC"), Some(SoftwareReason::NotMeasured));
        assert_eq!(reason(&[("THRESHOLDS", "AES-256-CBC:100")], "AES-256-CBC"), None);
        let other = [("CIPHERS", "AES-128-CTR")];
        assert_eq!(reason(&other, "AES-128-CBC"), Some(SoftwareReason::NotConfigured));
        let from = |lines: &[_], name| policy(lines).from(tuned.of(name), name);
        assert_eq!(from(&[], "AES-128-CBC"), [Some(4096), Some(2048)]);
        assert_eq!(from(&[("THRESHOLDS", "AES-128-CBC:100")], "AES-128-CBC"), [Some(100); 2]);
        assert_eq!(from(&[], "AES-192-CBC"), [None; 2]);
    }

    #[test]
    fn look_ahead_is_for_modes_with_a_key_stream_where_a_measurement_or_the_configuration_permits_it() {
        let tuned = tuned();
        let may = |lines: &[_], name| {
            let kind = KINDS.iter().find(|kind| kind.name == name).expect("a kind");
            policy(lines).may_look_ahead(Some(&tuned), kind.name, kind.algorithm)
        };
        assert!(may(&[], "AES-128-CTR") && !may(&[], "AES-256-CTR") && !may(&[], "AES-192-CTR"));
        assert!(!may(&[("DRIVERS", "other")], "AES-128-CTR") && !may(&[("LOOKAHEAD", "OFF")], "AES-128-CTR"));
        let on = ("LOOKAHEAD", "ON");
        assert!(may(&[on], "AES-192-CTR") && may(&[on], "AES-128-GCM") && !may(&[on], "AES-128-CBC"));
        assert!(!may(&[on, ("CIPHERS", "AES-128-CBC")], "AES-192-CTR"));
    }

    #[test]
    fn drivers_are_searched_for_what_may_be_offered_and_what_was_measured_with_them_is_offered() {
        let text = "AES-128-CTR never never sham-offer\nlookahead AES-128-CTR 64 sham-offer\n\
                    AES-192-CTR 100 200 sham-offer 32768 5000\nAES-128-ECB 300 300 sham-other\n";
        let tuned = Tuned::parse(format!("outboard-policy 2\n{text}")).expect("a policy file");
        let (ctr, cbc, ecb) = (Algorithm::CtrAes, Algorithm::CbcAes, Algorithm::EcbAes);
        let (on, all) = (("LOOKAHEAD", "ON"), ("THRESHOLDS", "ALL:50"));
        for (tuned, lines, algorithms, offered) in [
            (None, &[("CIPHERS", "AES-256-CBC")][..], vec![cbc], vec![]),
            (None, &[("CIPHERS", "AES-256-CBC"), all], vec![cbc], vec![("AES-256-CBC", [50; 2], false)]),
            (None, &[("CIPHERS", "AES-256-CBC"), on], vec![cbc], vec![]),
            (None, &[("CIPHERS", "AES-256-CTR"), all], vec![ctr], vec![("AES-256-CTR", [50; 2], false)]),
            (
                None,
                &[("CIPHERS", "AES-256-CTR"), on],
                vec![ecb, ctr],
                vec![("AES-256-CTR", [usize::MAX; 2], true)],
            ),
            // Only for look-ahead, and with the figures of a driver or those of another one.
            (
                Some(&tuned),
                &[("CIPHERS", "AES-128-CTR")],
                vec![ecb],
                vec![("AES-128-CTR", [usize::MAX; 2], true)],
            ),
            (
                Some(&tuned),
                &[("CIPHERS", "AES-192-CTR")],
                vec![ctr],
                vec![("AES-192-CTR", [100, 200], false)],
            ),
            (Some(&tuned), &[("CIPHERS", "AES-128-ECB")], vec![ecb], vec![]),
            (Some(&tuned), &[("CIPHERS", "AES-128-CBC")], vec![cbc], vec![]),
        ] {
            assert!(!Bench::with("offer", &lines[1..], tuned).are_named, "all may be offered");
            let bench = Bench::with("offer", lines, tuned);
            let mut searched = bench.searched.clone();
            searched.sort_by_key(|algorithm| algorithm.kernel_name());
            let mut expected = algorithms;
            expected.sort_by_key(|algorithm| algorithm.kernel_name());
            assert_eq!((searched, bench.are_named), (expected, true), "{lines:?}");
            let ciphers: Vec<_> = (0..KINDS.len()).filter_map(|place| bench.offer().cipher(place)).collect();
            let found: Vec<_> = ciphers
                .iter()
                .map(|cipher| {
                    (cipher.kind.name, [true, false].map(|way| cipher.threshold(way)), cipher.ahead.is_some())
                })
                .collect();
            assert_eq!(found, offered, "{lines:?}");
            // The table for the core, and the decisions for reports.
            assert_eq!(bench.offer().rows.len(), offered.len() + 1, "{lines:?}");
            let decisions = bench.context.provider.counters.decisions();
            for kind in &KINDS {
                let decision =
                    decisions.iter().find(|(name, _)| name == kind.name).map(|(_, decision)| decision);
                let its = offered.iter().find(|(name, ..)| *name == kind.name);
                match (decision, its) {
                    (
                        Some(Decision::Offered { driver, from, key_stream, .. }),
                        Some((_, sizes, is_ahead)),
                    ) => {
                        assert_eq!((driver.as_str(), key_stream.is_some()), ("sham-offer", *is_ahead));
                        assert_eq!(from.map(|from| from.map_or(usize::MAX, |from| from as usize)), *sizes);
                    }
                    (Some(Decision::Left { .. }), None) => {}
                    other => panic!("{} {lines:?}: {other:?}", kind.name),
                }
            }
            let combined = decisions.iter().filter(|(name, _)| COMBINED.contains(&name.as_str())).count();
            let software = bench.context.provider.software;
            let is_there = |name: &&&str| software.implementation(abi::OP_CIPHER, name).is_some();
            assert_eq!(combined, COMBINED.iter().filter(is_there).count());
        }
    }

    #[test]
    fn without_a_measurement_no_driver_is_searched_and_nothing_is_offered_but_for_a_report() {
        let gcm = "outboard-policy 2\nAES-128-GCM 512 512 engine\nlookahead AES-128-GCM 64 engine\n";
        let gcm = Tuned::parse(gcm.to_owned()).expect("a policy file");
        for (tuned, searched) in [(None, 0), (Some(&gcm), 2)] {
            let counters = outboard_counters::Table::private();
            let provider = Provider { counters, ..provider(policy(&[])) };
            let mut count = 0;
            let offer = Offer::with(&provider, tuned, &crate::tables::CIPHERS, |algorithms, _| {
                count = algorithms.len();
                Vec::new()
            });
            assert_eq!((count, offer.rows()), (searched, None));
        }
        let bench = Bench::with("unmeasured", &[], None);
        assert_eq!((bench.searched.len(), bench.offer().rows()), (Algorithm::ALL.len(), None));
        let decisions = bench.context.provider.counters.decisions();
        for (name, decision) in decisions.iter().filter(|(name, _)| !COMBINED.contains(&name.as_str())) {
            assert_eq!(*decision, NOT_MEASURED.decision(), "{name}");
        }
        // Of one mode, each key length has a measurement of its own.
        let gcm = Tuned::parse("outboard-policy 2\nAES-128-GCM 512 never sham-gcm\n".to_owned());
        let bench = Bench::with("gcm", &[], gcm.as_ref().ok());
        let offered = (0..KINDS.len()).filter_map(|place| bench.offer().cipher(place));
        let offered: Vec<_> = offered.map(|cipher| (cipher.kind.name, cipher.thresholds)).collect();
        assert_eq!(offered, [("AES-128-GCM", [512, usize::MAX])]);
    }

    #[test]
    fn sizes_are_named_for_each_direction_if_they_differ() {
        assert_eq!(sizes_text([Some(64); 2]), "from 64 bytes on");
        let text = sizes_text([Some(64), None]);
        assert!(["64 (encryption)", "never (decryption)"].iter().all(|part| text.contains(part)), "{text}");
    }

    #[test]
    fn a_policy_file_of_another_machine_is_not_used_and_it_is_noted() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(root.join(path).parent().expect("a folder")).expect("a folder");
            std::fs::write(root.join(path), text).expect("a file");
        };
        write("proc/sys/kernel/osrelease", "7.2.0\n");
        write("proc/cpuinfo", "model name : Some CPU\n");
        let cpu = outboard_policy::cpu_identity("model name : Some CPU\n");
        for (text, is_used) in [
            (format!("kernel 7.2.0\ncpu {cpu}\n"), true),
            (format!("kernel 7.1.0\ncpu {cpu}\n"), false),
            ("what is this\n".to_owned(), false),
        ] {
            write("policy", &format!("outboard-policy 2\n{text}AES-128-CBC 4096 2048 engine\n"));
            let path = root.join("policy");
            let provider = provider(policy(&[("POLICY", path.to_str().expect("a name"))]));
            let used =
                super::tuned(root, &provider).and_then(|tuned| tuned.of("AES-128-CBC").map(|row| row.from));
            assert_eq!(used, is_used.then_some([Some(4096), Some(2048)]), "{text}");
            assert_eq!(provider.counters.notes().len(), usize::from(!is_used), "{text}");
        }
    }

    #[test]
    fn a_table_without_ciphers_is_none() {
        let mut offer = Offer { ciphers: vec![None], rows: vec![abi::Algorithm::END] };
        assert!(offer.rows().is_none() && offer.cipher(0).is_none() && offer.cipher(1).is_none());
        offer.rows.insert(0, abi::Algorithm::END);
        assert_eq!(offer.rows(), Some(offer.rows.as_ptr()));
    }
}
