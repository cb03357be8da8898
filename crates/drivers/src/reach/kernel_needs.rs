//! What kTLS, IPsec and dm-crypt request from the kernel's crypto API, the driver that they get,
//! and the accelerators that they could get.

use super::{ReachFacts, Reachable, Route, decide, not_preferred, pick};
use crate::find::Judged;
use crate::flags::Flags;
use crate::judge::Verdict;
use crate::kernel::Release;
use crate::preference::if_preferred;
use crate::template;

outboard_catalog::texts! { name:
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KernelUser {
        Ktls = "ktls",
        Ipsec = "ipsec",
        /// dm-crypt (LUKS).
        Disk = "disk",
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct KernelNeed {
    /// The name that the user passes to the crypto API.
    pub algorithm: &'static str,
    pub setting: &'static str,
    /// Algorithms within it, from the outside in. An accelerator that has one of them, or the
    /// algorithm itself, can serve the user.
    pub parts: &'static [&'static str],
}

const KTLS: &[KernelNeed] = &[
    KernelNeed { algorithm: "gcm(aes)", setting: "TLS_AES_128_GCM_SHA256", parts: &["ctr(aes)"] },
    KernelNeed { algorithm: "ccm(aes)", setting: "TLS_AES_128_CCM_SHA256", parts: &[] },
];
/// With the IV generators of net/xfrm/xfrm_algo.c.
const IPSEC: &[KernelNeed] = &[
    KernelNeed {
        algorithm: "seqiv(rfc4106(gcm(aes)))",
        setting: "aes128gcm16",
        parts: &["rfc4106(gcm(aes))", "gcm(aes)", "ctr(aes)"],
    },
    KernelNeed {
        algorithm: "echainiv(authenc(hmac(sha256),cbc(aes)))",
        setting: "aes128-sha256",
        parts: &["authenc(hmac(sha256),cbc(aes))", "cbc(aes)"],
    },
];
/// Since Linux 5.4 the template essiv computes the IVs of that name (crypt_ctr_cipher_new in
/// drivers/md/dm-crypt.c).
const DISK: &[KernelNeed] = &[
    KernelNeed { algorithm: "xts(aes)", setting: "aes-xts-plain64", parts: &["ecb(aes)"] },
    KernelNeed { algorithm: "essiv(cbc(aes),sha256)", setting: "aes-cbc-essiv:sha256", parts: &["cbc(aes)"] },
    KernelNeed { algorithm: "cbc(aes)", setting: "aes-cbc-plain64", parts: &[] },
];

impl KernelUser {
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|user| user.name() == name)
    }

    pub fn needs(self) -> &'static [KernelNeed] {
        match self {
            Self::Ktls => KTLS,
            Self::Ipsec => IPSEC,
            Self::Disk => DISK,
        }
    }

    pub fn route(self) -> Route {
        match self {
            Self::Ktls => Route::Ktls,
            Self::Ipsec => Route::Ipsec,
            Self::Disk => Route::DmCrypt,
        }
    }

    /// Flags of drivers that it excludes: dm-crypt writes memory to the disk, and must not need
    /// memory for that (Linux 5.10).
    pub fn without(self, release: Option<&Release>) -> u32 {
        match (self, release.map(|release| release.is_at_least(5, 10))) {
            (Self::Disk, None | Some(true)) => Flags::ALLOCATES_MEMORY,
            _ => 0,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prospect {
    Selected,
    /// The kernel would select it if its priority were the highest.
    IfPreferred,
    Excluded(String),
}

#[derive(Debug)]
pub struct ProspectiveDriver<'a> {
    pub driver: &'a Judged,
    pub prospect: Prospect,
}

#[derive(Debug)]
pub struct NeedOutlook<'a> {
    pub need: &'static KernelNeed,
    pub selected: Option<&'a Judged>,
    pub accelerator: Option<&'a Judged>,
    /// The accelerators, those for the algorithm itself first, then by priority.
    pub prospects: Vec<ProspectiveDriver<'a>>,
}

/// The outlook of a user. Instances of templates that are not registered are not selected here: on
/// the running system they are requested first ([`crate::netlink::TrialInstances`]).
pub fn outlook<'a>(
    user: KernelUser,
    drivers: &'a [Judged],
    release: Option<&Release>,
) -> Vec<NeedOutlook<'a>> {
    let facts = ReachFacts { release: release.cloned(), ..ReachFacts::default() };
    let of = |need: &'static KernelNeed| {
        let selected = pick(drivers, need.algorithm, user.without(release));
        let chain: Vec<&str> = std::iter::once(need.algorithm).chain(need.parts.iter().copied()).collect();
        let mut prospects = Vec::new();
        for (depth, algorithm) in chain.iter().enumerate() {
            let mut ours: Vec<&Judged> = drivers
                .iter()
                .filter(|one| one.driver.algorithm == *algorithm)
                .filter(|one| one.judgement.verdict == Verdict::Accelerator)
                .collect();
            ours.sort_by_key(|one| -i64::from(one.driver.priority));
            for driver in ours {
                let case = Case { user, outer: &chain[..depth], drivers, facts: &facts };
                let prospect = case.prospect(driver, selected);
                prospects.push(ProspectiveDriver { driver, prospect });
            }
        }
        let accelerator =
            prospects.iter().find(|one| one.prospect == Prospect::Selected).map(|one| one.driver);
        NeedOutlook { need, selected, accelerator, prospects }
    };
    user.needs().iter().map(of).collect()
}

struct Case<'a> {
    user: KernelUser,
    /// The algorithms around it, from the outside in.
    outer: &'a [&'a str],
    drivers: &'a [Judged],
    facts: &'a ReachFacts,
}

impl Case<'_> {
    fn prospect(&self, driver: &Judged, selected: Option<&Judged>) -> Prospect {
        if selected.is_some_and(|selected| contains(selected, driver)) {
            return Prospect::Selected;
        }
        if let Some(why) = not_preferred(&driver.driver.name) {
            return Prospect::Excluded(why);
        }
        let after = if_preferred(self.drivers, driver);
        // ECB reaches dm-crypt within XTS only, which the reach matrix does not list.
        if driver.driver.algorithm != "ecb(aes)" {
            if let Some(why) = self.refusal(driver, &after) {
                return Prospect::Excluded(why);
            }
        } else if !driver.driver.is_usable() {
            return Prospect::Excluded("its self-test has not passed".to_owned());
        }
        let without = self.user.without(self.facts.release.as_ref());
        if driver.flags.unwrap_or_default().any(without) {
            let names = driver.flags.unwrap_or_default().names_of(without).join(", ");
            return Prospect::Excluded(format!("since Linux 5.10 dm-crypt leaves out drivers with {names}"));
        }
        for outer in self.outer {
            if let Some(other) = pick(&after, outer, without).filter(|other| !contains(other, driver)) {
                let (name, priority) = (&other.driver.name, other.driver.priority);
                return Prospect::Excluded(format!(
                    "{name} (priority {priority}) implements {outer} as a whole"
                ));
            }
        }
        Prospect::IfPreferred
    }

    /// Why the user's route does not lead to the driver even if it is preferred.
    fn refusal(&self, driver: &Judged, after: &[Judged]) -> Option<String> {
        let preferred = after.iter().find(|one| one.driver.name == driver.driver.name)?;
        let routes = decide(preferred, after, self.facts);
        let route = routes.into_iter().find(|decision| decision.route == self.user.route())?;
        (route.reachable == Reachable::No).then_some(route.why)
    }
}

fn contains(selected: &Judged, driver: &Judged) -> bool {
    template::nested(&selected.driver.name).contains(&driver.driver.name.as_str())
}

#[cfg(test)]
#[path = "kernel_needs_tests.rs"]
mod tests;
