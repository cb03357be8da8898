//! Which digests are offered. Decided once, when the core first asks.

use outboard_abi as abi;
use outboard_accel::{HashAlgorithm, reach_hash};
use outboard_counters::Decision;

use super::driven::Driven;
use super::kind::{KINDS, Kind};
use super::software::SoftDigest;
use crate::entry::Provider;
use crate::offer::{NO_SOFTWARE, decided, driver_of, find, offer_of};

/// What is offered, with the table that the core reads.
pub(crate) struct DigestOffer {
    /// Each in the place that its kind has in `KINDS`.
    digests: Vec<Option<Digest>>,
    rows: Vec<abi::Algorithm>,
}

/// One offered digest.
pub(crate) struct Digest {
    pub(super) kind: &'static Kind,
    pub(super) soft: SoftDigest,
    pub(super) driven: Driven,
}

impl DigestOffer {
    /// Offers what drivers do as far as DIGESTS allows: nothing, unless the configuration says so.
    #[cold]
    pub(crate) fn decide(provider: &Provider) -> DigestOffer {
        let wanted = |kind: &Kind| provider.policy.digests.has(kind.name);
        let algorithm = |kind: &Kind| HashAlgorithm { hash: kind.hash, hmac: false };
        let algorithms: Vec<HashAlgorithm> =
            KINDS.iter().filter(|kind| wanted(kind)).map(algorithm).collect();
        let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.kernel_name()).collect();
        let found = find(provider, &algorithms, &names, provider.policy.digests.are_named(), reach_hash);
        let soft = |kind: &Kind| {
            let table = provider.software.implementation(&provider.core, abi::OP_DIGEST, kind.name)?;
            // SAFETY: the table of a digest.
            unsafe { SoftDigest::new(table) }
        };
        let offered = |kind: &'static Kind| {
            if !wanted(kind) {
                return Err("DIGESTS does not name it");
            }
            let hardware = driver_of(&found, &algorithm(kind))?;
            let soft = soft(kind).ok_or(NO_SOFTWARE)?;
            let threshold = provider.policy.thresholds.of(kind.name);
            let decision = offer_of(hardware, [Some(threshold); 2]);
            Ok((Digest { kind, soft, driven: Driven::new(kind.name, hardware.clone(), threshold) }, decision))
        };
        let digest = |kind: &'static Kind| {
            let (digest, decision) = match offered(kind) {
                Ok((digest, decision)) => (Some(digest), decision),
                Err(why) => (None, Decision::Left { why: why.to_owned() }),
            };
            decided(provider, kind.name, &decision);
            digest
        };
        let digests: Vec<_> = KINDS.iter().map(digest).collect();
        let mut rows: Vec<abi::Algorithm> = digests.iter().flatten().map(row).collect();
        rows.push(abi::Algorithm::END);
        DigestOffer { digests, rows }
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

fn row(digest: &Digest) -> abi::Algorithm {
    abi::Algorithm {
        names: digest.kind.names.as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: digest.kind.functions.as_ptr(),
        description: c"by an accelerator where it wins, else by the default provider".as_ptr(),
    }
}
