//! Which digests are offered, and which of their HMACs. Decided once, when the core first asks.

use std::sync::Arc;

use outboard_abi as abi;
use outboard_accel::{HashAlgorithm, HashSession, reach_hash};
use outboard_counters::Decision;

use super::kind::{KINDS, Kind};
use super::software::SoftDigest;
use crate::entry::Provider;
use crate::mac::SoftMac;
use crate::message::{Driven, Keyed};
use crate::offer::{Found, NO_SOFTWARE, decided, driver_of, find, offer_of};

/// What is offered, with the tables that the core reads.
pub(crate) struct DigestOffer {
    /// Each in the place that its kind has in `KINDS`.
    digests: Vec<Option<Digest>>,
    rows: Vec<abi::Algorithm>,
    /// The drivers of HMACs, in the same places.
    hmacs: Vec<Option<Arc<Driven>>>,
    /// The default provider's HMAC, if a driver has one.
    pub(crate) soft_hmac: Option<SoftMac>,
}

/// One offered digest.
pub(crate) struct Digest {
    pub(super) kind: &'static Kind,
    pub(super) soft: SoftDigest,
    /// Its driver, which takes no key.
    pub(super) keyed: Keyed,
}

impl DigestOffer {
    /// Offers what drivers do as far as DIGESTS allows: nothing, unless the configuration says so.
    #[cold]
    pub(crate) fn decide(provider: &Provider) -> DigestOffer {
        let wanted = KINDS.iter().filter(|kind| provider.policy.digests.has(kind.name));
        let algorithms: Vec<HashAlgorithm> = wanted
            .flat_map(|kind| [false, true].map(|hmac| HashAlgorithm { hash: kind.hash, hmac }))
            .collect();
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.kernel_name()).collect();
        let found = find(provider, &algorithms, &names, provider.policy.digests.are_named(), reach_hash);
        let soft = |operation, name| provider.software.implementation(&provider.core, operation, name);
        let digests: Vec<Option<Digest>> = KINDS
            .iter()
            .map(|kind| {
                let soft = || {
                    // SAFETY: the table of a digest.
                    soft(abi::OP_DIGEST, kind.name).and_then(|table| unsafe { SoftDigest::new(table) })
                };
                let (driven, soft) = driven(provider, kind, false, &found, soft)?;
                Some(Digest { kind, soft, keyed: Keyed::new(&driven, &[]) })
            })
            .collect();
        // SAFETY: the table of a MAC.
        let hmac = || soft(abi::OP_MAC, "HMAC").and_then(|table| unsafe { SoftMac::new(table) });
        let hmacs: Vec<_> = KINDS.iter().map(|kind| driven(provider, kind, true, &found, hmac)).collect();
        let soft_hmac = hmacs.iter().flatten().map(|(_, soft)| *soft).next();
        let hmacs = hmacs.into_iter().map(|hmac| hmac.map(|(driven, _)| driven)).collect();
        let mut rows: Vec<abi::Algorithm> = digests.iter().flatten().map(row).collect();
        rows.push(abi::Algorithm::END);
        DigestOffer { digests, rows, hmacs, soft_hmac }
    }

    /// The driver of an HMAC, by any of its digest's names.
    pub(crate) fn hmac(&self, digest: &[u8]) -> Option<&Arc<Driven>> {
        let is_its = |kind: &Kind| {
            let mut names = kind.names.to_bytes().split(|&byte| byte == b':');
            names.any(|name| name.eq_ignore_ascii_case(digest))
        };
        self.hmacs[KINDS.iter().position(is_its)?].as_ref()
    }

    /// An offered digest by its place in `KINDS`.
    pub(super) fn digest(&self, kind: usize) -> Option<&Digest> {
        self.digests.get(kind)?.as_ref()
    }

    /// The table for the core; `None` when it would be empty.
    pub(crate) fn rows(&self) -> Option<*const abi::Algorithm> {
        (self.rows.len() > 1).then_some(self.rows.as_ptr())
    }
}

/// The driver of a digest or of its HMAC, with what the default provider has for it. What is decided is told.
fn driven<T>(
    provider: &Provider,
    kind: &Kind,
    hmac: bool,
    found: &[Found<HashAlgorithm, dyn HashSession>],
    soft: impl FnOnce() -> Option<T>,
) -> Option<(Arc<Driven>, T)> {
    let name = if hmac { kind.hmac } else { kind.name };
    let algorithm = HashAlgorithm { hash: kind.hash, hmac };
    let threshold = provider.policy.thresholds.of(kind.name);
    let offered = if provider.policy.digests.has(kind.name) {
        driver_of(found, &algorithm).and_then(|hardware| Ok((hardware, soft().ok_or(NO_SOFTWARE)?)))
    } else {
        Err("DIGESTS does not name it")
    };
    let decision = match &offered {
        Ok((hardware, _)) => offer_of(hardware, [Some(threshold); 2]),
        Err(why) => Decision::Left { why: (*why).to_owned() },
    };
    decided(provider, name, &decision);
    let (hardware, soft) = offered.ok()?;
    Some((Arc::new(Driven::new(name, algorithm, Arc::clone(hardware), threshold)), soft))
}

fn row(digest: &Digest) -> abi::Algorithm {
    abi::Algorithm {
        names: digest.kind.names.as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: digest.kind.functions.as_ptr(),
        description: c"by an accelerator where it wins, else by the default provider".as_ptr(),
    }
}
