//! Decides which digests and HMACs are offered, once, when the core first queries them.

use std::sync::Arc;

use outboard_abi as abi;
use outboard_abi::Dispatch;
use outboard_accel::{HashAlgorithm, HashSession, reach_hash};
use outboard_counters::SoftwareReason;
use outboard_drivers::root::Root;

use super::kind::{KINDS, Kind};
use super::software::SoftDigest;
use crate::mac::software::SoftMac;
use crate::message::{HashDriver, Keyed};
use crate::offer::{NO_SOFTWARE, add_row, decided, offer_of, offered_with};
use crate::provider::Provider;
use crate::search::{Found, Why, driver_of, find};

/// Reason why a digest is left to the default provider although a driver implements it.
const NOT_MEASURED: Why<'_> = Why {
    reason: SoftwareReason::NotMeasured,
    text: "outboard tune does not measure digests: THRESHOLDS sets from which size on they go to hardware",
};

pub(crate) struct DigestOffer {
    /// Indexed like `KINDS`; `None` if not offered.
    digests: Vec<Option<Digest>>,
    rows: Vec<abi::Algorithm>,
    /// The drivers of HMACs, with the same indices.
    hmacs: Vec<Option<Arc<HashDriver>>>,
    /// The default provider's HMAC, if a driver implements any HMAC.
    pub(crate) soft_hmac: Option<SoftMac>,
}

pub(crate) struct Digest {
    pub(super) kind: &'static Kind,
    pub(super) soft: SoftDigest,
    /// The driver; a digest has no key.
    pub(super) keyed: Keyed,
}

impl DigestOffer {
    /// Offers the digests that drivers implement if DIGESTS allows it, by default none, and
    /// THRESHOLDS names their size.
    #[cold]
    pub(crate) fn decide(provider: &Provider, functions: &[&'static [Dispatch]; KINDS.len()]) -> DigestOffer {
        let policy = &provider.policy;
        // As for ciphers, a report names a missing driver rather than a missing threshold.
        let is_searched = |kind: &&Kind| {
            let has_size = policy.thresholds.explicit(kind.name).is_some();
            policy.digests.has(kind.name) && (has_size || provider.counters.is_shared())
        };
        let wanted = KINDS.iter().filter(is_searched);
        let mut algorithms = Vec::new();
        for kind in wanted {
            algorithms.extend([false, true].map(|hmac| HashAlgorithm { hash: kind.hash, hmac }));
        }
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.kernel_name()).collect();
        let are_named = policy.digests.are_named();
        let reach = |driver: &str, algorithm, _| reach_hash(driver, algorithm);
        let share = policy.shadow_checks.digests;
        let found = find(&Root::live(), provider, &algorithms, &names, are_named, share, reach);
        let soft = |operation, name| provider.software.implementation(operation, name);
        let digest = |kind: &'static Kind| {
            // SAFETY: the table of a digest.
            let soft = soft(abi::OP_DIGEST, kind.name).and_then(|table| unsafe { SoftDigest::new(table) });
            let hash_driver = hash_driver(provider, kind, false, &found, soft.is_some());
            Some(Digest { kind, keyed: Keyed::new(&hash_driver?, &[])?, soft: soft? })
        };
        let digests: Vec<Option<Digest>> = KINDS.iter().map(digest).collect();
        // SAFETY: the table of a MAC.
        let soft_hmac = soft(abi::OP_MAC, "HMAC").and_then(|table| unsafe { SoftMac::new(table) });
        let hmac = |kind: &'static Kind| hash_driver(provider, kind, true, &found, soft_hmac.is_some());
        let hmacs: Vec<Option<Arc<HashDriver>>> = KINDS.iter().map(hmac).collect();
        let soft_hmac = soft_hmac.filter(|_| hmacs.iter().any(Option::is_some));
        let mut rows = Vec::new();
        for (Digest { kind, .. }, functions) in offered_with(&digests, functions) {
            add_row(&mut rows, kind.names, functions);
        }
        rows.push(abi::Algorithm::END);
        DigestOffer { digests, rows, hmacs, soft_hmac }
    }

    /// The driver of an HMAC, by any name of its digest.
    pub(crate) fn hmac(&self, digest: &[u8]) -> Option<&Arc<HashDriver>> {
        self.hmacs[place_of(digest)?].as_ref()
    }

    /// An offered digest by its index in `KINDS`.
    pub(super) fn digest(&self, kind: usize) -> Option<&Digest> {
        self.digests.get(kind)?.as_ref()
    }

    pub(crate) fn rows(&self) -> Option<*const abi::Algorithm> {
        (self.rows.len() > 1).then_some(self.rows.as_ptr())
    }
}

fn place_of(digest: &[u8]) -> Option<usize> {
    let is_its = |kind: &Kind| {
        let mut names = kind.names.to_bytes().split(|&byte| byte == b':');
        names.any(|name| name.eq_ignore_ascii_case(digest))
    };
    KINDS.iter().position(is_its)
}

/// Whether a fetch by this name may return a digest of this provider.
pub(crate) fn may_be_ours(digest: &[u8]) -> bool {
    place_of(digest).is_some()
}

/// The driver of a digest or of its HMAC. Also records the decision.
#[inline(never)]
fn hash_driver(
    provider: &Provider,
    kind: &Kind,
    hmac: bool,
    found: &[Found<HashAlgorithm, dyn HashSession>],
    has_software: bool,
) -> Option<Arc<HashDriver>> {
    let name = if hmac { kind.hmac } else { kind.name };
    let algorithm = HashAlgorithm { hash: kind.hash, hmac };
    let threshold = provider.policy.thresholds.explicit(kind.name);
    let offered = if !provider.policy.digests.has(kind.name) {
        Err(Why { reason: SoftwareReason::NotConfigured, text: "DIGESTS does not name it" })
    } else if !has_software {
        Err(NO_SOFTWARE)
    } else {
        driver_of(found, &algorithm).and_then(|hardware| Ok((hardware, threshold.ok_or(NOT_MEASURED)?)))
    };
    let decision = match offered {
        Ok((hardware, threshold)) => offer_of(hardware, [Some(threshold); 2], None),
        Err(why) => why.decision(),
    };
    decided(provider, name, &decision);
    let (hardware, threshold) = offered.ok()?;
    Some(Arc::new(HashDriver::new(name, algorithm, Arc::clone(hardware), threshold)))
}
