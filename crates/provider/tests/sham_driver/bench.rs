//! A provider whose ciphers have a sham driver.

use std::ptr::from_ref;
use std::sync::{Arc, OnceLock};

use outboard_accel::Algorithm;
use outboard_counters::{Counts, SoftwareReason, Table};
use outboard_policy::{Policy, Tuned};

use super::calls::place;
use super::interrupted::interrupted;
use super::{Sham, kind, libcrypto};
use crate::decided::Decided;
use crate::hardware::Hardware;
use crate::kinds::{KINDS, Kind};
use crate::log::Log;
use crate::lookahead::Lookahead;
use crate::offer::{Cipher, Offer};
use crate::provider::Provider;
use crate::provider_context::ProviderContext;
use crate::software::{SoftCipher, SoftContext};
use crate::tables;

/// A policy with these keys of openssl.cnf.
pub(crate) fn policy(lines: &[(&str, &str)]) -> Policy {
    let mut policy = Policy::default();
    for (key, value) in lines {
        assert!(policy.set(key, value).is_ok_and(|skipped| skipped.is_empty()), "{key} = {value}");
    }
    policy
}

/// A provider with this policy, and with counters in a file: only there reasons are counted.
pub(crate) fn provider(policy: Policy) -> Provider {
    let loaded = libcrypto::provider();
    let folder = tempfile::tempdir().expect("a directory");
    let counters = Table::create(&folder.path().join("counters")).expect("counters");
    let lookahead = Lookahead::new(&policy.lookahead);
    let (core, software, log, jobs) = (loaded.core, loaded.software, Log::silent(), None);
    Provider { core, policy, log, lookahead, counters, software, jobs }
}

/// A provider whose ciphers have a sham driver.
pub(crate) struct Bench {
    pub(crate) sham: Sham,
    /// The algorithms of which drivers were searched.
    pub(crate) searched: Vec<Algorithm>,
    /// Whether the configuration names them.
    pub(crate) are_named: bool,
    pub(crate) context: &'static ProviderContext,
}

impl Bench {
    /// Each test has a driver of its own, because trust is the process's; each bench of the test begins
    /// with one that is trusted. `lines` are keys of openssl.cnf.
    pub(crate) fn new(test: &str, lines: &[(&str, &str)]) -> Bench {
        Bench::with(test, lines, None)
    }

    /// With the measurements of a policy file.
    pub(crate) fn with(test: &str, lines: &[(&str, &str)], tuned: Option<&Tuned>) -> Bench {
        let sham = Sham::new(format!("sham-{test}"), Algorithm::CbcAes);
        let provider = provider(policy(lines));
        let (offer, digests) = (Decided::not_yet(), Decided::not_yet());
        let context = Box::leak(Box::new(ProviderContext { provider, is_allowed: true, offer, digests }));
        let (mut searched, mut are_named) = (Vec::new(), false);
        let search = |algorithms: &[Algorithm], named| {
            (searched, are_named) = (algorithms.to_vec(), named);
            let driver = |&algorithm: &Algorithm| {
                let sham = Sham { algorithm, ..sham.clone() };
                let hardware = Hardware::new(Box::new(sham), 0, Log::silent()).expect("memory");
                (algorithm, Ok(Arc::new(hardware)))
            };
            algorithms.iter().map(driver).collect()
        };
        let mut offer = Offer::with(&context.provider, tuned, &tables::CIPHERS, search);
        if let Some(cipher) = offer.cipher_mut(kind("AES-128-GCM")) {
            (cipher.soft, cipher.ecb) = (interrupted::<0>(cipher.soft), interrupted::<1>(cipher.ecb));
        }
        context.offer.set(offer).expect("memory");
        let bench = Bench { sham, searched, are_named, context };
        bench.forget_differences();
        bench
    }

    pub(crate) fn offer(&self) -> &'static Offer {
        self.context.offer.get().expect("it is decided")
    }

    pub(crate) fn cipher(&self, name: &str) -> &'static Cipher {
        let place = KINDS.iter().position(|kind| kind.name == name).expect("a cipher");
        self.offer().cipher(place).expect("it is offered")
    }

    /// A context of this provider, as the core makes one.
    pub(crate) fn context(&self, kind: &Kind) -> SoftContext {
        static FUNCTIONS: [OnceLock<SoftCipher>; KINDS.len()] = [const { OnceLock::new() }; KINDS.len()];
        let place = place(kind);
        // SAFETY: a dispatch table.
        let find = || unsafe { SoftCipher::new(tables::CIPHERS[place].as_ptr()) }.expect("all functions");
        let at = from_ref(self.context).cast_mut().cast();
        SoftContext::new(FUNCTIONS[place].get_or_init(find), at).expect("a context")
    }

    /// Compares no result in full but the first of a key.
    pub(crate) fn end_of_start(&self) {
        self.hardware().for_each(Hardware::end_of_start);
    }

    /// Trusts the driver again.
    pub(crate) fn forget_differences(&self) {
        self.hardware().for_each(Hardware::restore);
    }

    fn hardware(&self) -> impl Iterator<Item = &'static Hardware> {
        let ciphers = (0..KINDS.len()).filter_map(|place| self.offer().cipher(place));
        ciphers.flat_map(|cipher| std::iter::once(&*cipher.hardware).chain(cipher.ahead.as_deref()))
    }

    /// Counts of a cipher whose contexts are freed.
    pub(crate) fn counts(&self, kind: &Kind) -> Counts {
        let counts = self.context.provider.counters.snapshot();
        counts.into_iter().find(|(name, _)| name == kind.name).map(|(_, counts)| counts).unwrap_or_default()
    }

    /// Requests and bytes in software, for each reason.
    pub(crate) fn reasons(&self, kind: &Kind) -> Vec<(SoftwareReason, u64, u64)> {
        self.counts(kind).reasons.iter().collect()
    }
}
