//! Which users within the kernel get a driver. They name an algorithm and get the driver with the
//! highest priority, some of them without drivers that have certain flags.

use outboard_catalog::{Algorithm, HashAlgorithm};

use super::{ReachFacts, Reachable, Route, pick};
use crate::find::Judged;
use crate::flags::Flags;
use crate::judge::Verdict;
use crate::proc_crypto::DriverType;

pub(super) type Found = (Reachable, String);

/// Ciphers of ESP in transport form (net/xfrm/xfrm_algo.c), and ctr(aes), which rfc3686 and GCM
/// contain.
const ESP_CIPHERS: [&str; 4] = ["cbc(aes)", "cbc(des3_ede)", "rfc3686(ctr(aes))", "ctr(aes)"];

pub(super) fn decide(target: &Judged, drivers: &[Judged], facts: &ReachFacts) -> Vec<(Route, Found)> {
    let user = User { target, drivers, facts };
    vec![
        (Route::Ipsec, user.ipsec()),
        (Route::Ktls, user.ktls()),
        (Route::DmCrypt, user.dm_crypt()),
        (Route::Fscrypt, user.fscrypt()),
        (Route::Fsverity, user.fsverity()),
        (Route::Smb3, user.smb3()),
        (Route::Ovpn, user.ovpn()),
        (Route::Macsec, user.macsec()),
        (Route::Ceph, user.ceph()),
        (Route::Kerberos, user.kerberos()),
    ]
}

/// Users that name an algorithm get the driver that the kernel prefers.
pub(super) fn picked(target: &Judged, drivers: &[Judged], mask: u32) -> Found {
    let algorithm = &target.driver.algorithm;
    match pick(drivers, algorithm, mask) {
        Some(best) if best.driver.name == target.driver.name => (
            Reachable::Yes,
            format!("for {algorithm} the kernel picks it (priority {})", target.driver.priority),
        ),
        Some(best) => (
            Reachable::No,
            format!(
                "for {algorithm} the kernel picks {} (priority {} against {})",
                best.driver.name, best.driver.priority, target.driver.priority
            ),
        ),
        None => (Reachable::No, format!("nothing is left for {algorithm}")),
    }
}

struct User<'a> {
    target: &'a Judged,
    drivers: &'a [Judged],
    facts: &'a ReachFacts,
}

impl User<'_> {
    fn algorithm(&self) -> &str {
        &self.target.driver.algorithm
    }

    fn is_at_least(&self, major: u32, minor: u32) -> Option<bool> {
        self.facts.release.as_ref().map(|release| release.is_at_least(major, minor))
    }

    fn ipsec(&self) -> Found {
        let algorithm = self.algorithm();
        let is_aead = Algorithm::by_kernel_name(algorithm).is_some_and(Algorithm::has_tags);
        let is_combined = algorithm.starts_with("authenc(") || algorithm.starts_with("rfc4106(");
        let is_hmac = HashAlgorithm::by_kernel_name(algorithm).is_some_and(|hash| hash.hmac);
        if !is_aead && !is_combined && !is_hmac && !ESP_CIPHERS.contains(&algorithm) {
            return (Reachable::No, format!("ESP does not use {algorithm}"));
        }
        match algorithm {
            // ESP takes it within GCM; with rfc3686 it is rare.
            "ctr(aes)" => self.within("gcm(aes)"),
            // ESP takes them as parts of authenc(). An instance that was built before, perhaps
            // without drivers of accelerators, is used as long as it is registered.
            _ => match self.instances_around("authenc(").find(|around| !self.is_in(around)) {
                Some(around) => (
                    Reachable::No,
                    format!(
                        "for {} the kernel has {}, which does not contain it",
                        around.driver.algorithm, around.driver.name
                    ),
                ),
                None => picked(self.target, self.drivers, 0),
            },
        }
    }

    /// The instances that the kernel picks for algorithms of a template that have the target's
    /// algorithm as a part. A driver of the whole algorithm leaves others to the target.
    fn instances_around(&self, template: &str) -> impl Iterator<Item = &Judged> {
        let algorithm = self.algorithm();
        let is_around = move |outer: &str| {
            let parts = outer.strip_prefix(template).and_then(|rest| rest.strip_suffix(')'));
            parts.is_some_and(|parts| {
                parts.strip_prefix(algorithm).is_some_and(|rest| rest.starts_with(','))
                    || parts.strip_suffix(algorithm).is_some_and(|rest| rest.ends_with(','))
            })
        };
        let outer = self.drivers.iter().filter(move |one| is_around(&one.driver.algorithm));
        let picked = outer.filter_map(|one| pick(self.drivers, &one.driver.algorithm, 0));
        picked.filter(|one| one.judgement.verdict == Verdict::Wrapper)
    }

    fn is_in(&self, around: &Judged) -> bool {
        around.inner().contains(&self.target.driver.name.as_str())
    }

    /// net/tls takes AEADs only.
    fn ktls(&self) -> Found {
        self.aead(&["gcm(aes)", "ccm(aes)"], "kTLS takes AEADs only, not")
    }

    /// A user of these AEADs, gcm(aes) among them, that takes any driver. `refusal` is followed by the
    /// name of another algorithm.
    fn aead(&self, algorithms: &[&str], refusal: &str) -> Found {
        match self.algorithm() {
            "ctr(aes)" => self.within("gcm(aes)"),
            name if algorithms.contains(&name) => picked(self.target, self.drivers, 0),
            name => (Reachable::No, format!("{refusal} {name}")),
        }
    }

    fn gcm_only(&self) -> Found {
        self.aead(&["gcm(aes)"], "it takes gcm(aes), not")
    }

    /// smb3_crypto_aead_allocate in fs/smb/client/smb2transport.c, alloc_aead in
    /// fs/smb/server/crypto_ctx.c.
    fn smb3(&self) -> Found {
        self.aead(&["gcm(aes)", "ccm(aes)"], "SMB3 encrypts with GCM and CCM, not with")
    }

    /// ovpn_aead_init in drivers/net/ovpn/crypto_aead.c.
    fn ovpn(&self) -> Found {
        match (self.gcm_only(), self.is_at_least(6, 16)) {
            ((Reachable::Yes, why), Some(true)) => (Reachable::Yes, why),
            ((Reachable::Yes, _), _) => {
                (Reachable::Unclear, "ovpn is in Linux 6.16 and newer, and in openvpn-dco-dkms before".into())
            }
            (other, _) => other,
        }
    }

    /// macsec_alloc_tfm in drivers/net/macsec.c.
    fn macsec(&self) -> Found {
        match (self.gcm_only(), self.is_at_least(5, 7), self.is_at_least(6, 6)) {
            ((Reachable::Yes, _), None | Some(true), None | Some(false)) => (
                Reachable::Unclear,
                "Linux 5.7 to 6.5, and stable kernels of the time, take ciphers that run on the CPU".into(),
            ),
            (found, ..) => found,
        }
    }

    /// setup_crypto in net/ceph/messenger_v2.c; the tickets of net/ceph/crypto.c are not data.
    fn ceph(&self) -> Found {
        self.gcm_only()
    }

    /// net/sunrpc/auth_gss and, since Linux 6.15, crypto/krb5/krb5_api.c: the ciphers are in
    /// synchronous mode.
    fn kerberos(&self) -> Found {
        let algorithm = self.algorithm();
        // cbc(aes) is used inside cts(), and both with an HMAC inside krb5enc().
        if !["cbc(aes)", "cts(cbc(aes))", "hmac(sha1)", "hmac(sha256)", "hmac(sha384)"].contains(&algorithm) {
            return (Reachable::No, format!("it does not use {algorithm}"));
        }
        match (self.is_at_least(6, 15), self.is_at_least(7, 3)) {
            (Some(false), _) | (_, Some(true)) => {
                (Reachable::No, "it takes ciphers and digests that run on the CPU only".into())
            }
            _ => (
                Reachable::Unclear,
                "between Linux 6.15 and 7.3 it did not exclude drivers of accelerators".into(),
            ),
        }
    }

    /// Whether the driver that the kernel picks for `outer`, or would build for it, contains the
    /// target (crypto_alg_mod_lookup in crypto/api.c: a registered driver is taken, otherwise
    /// templates build one from the drivers that are picked for its parts).
    fn within(&self, outer: &str) -> Found {
        let name = self.target.driver.name.as_str();
        match pick(self.drivers, outer, 0) {
            Some(best) if best.inner().contains(&name) => (
                Reachable::Yes,
                format!("for {outer} the kernel picks {}, which contains it", best.driver.name),
            ),
            Some(best) => (
                Reachable::No,
                format!(
                    "for {outer} the kernel picks {} (priority {})",
                    best.driver.name, best.driver.priority
                ),
            ),
            None => match picked(self.target, self.drivers, 0) {
                (Reachable::Yes, why) => (Reachable::Yes, format!("{why}, and builds {outer} around it")),
                other => other,
            },
        }
    }

    fn dm_crypt(&self) -> Found {
        let algorithm = self.algorithm();
        if !["cbc(aes)", "xts(aes)"].contains(&algorithm) {
            return (Reachable::No, format!("disks are not usually encrypted with {algorithm}"));
        }
        match (self.target.flags, self.is_at_least(5, 10)) {
            (_, Some(false)) => picked(self.target, self.drivers, 0),
            (Some(flags), _) if flags.any(Flags::ALLOCATES_MEMORY) => (
                Reachable::No,
                "since Linux 5.10 it leaves out drivers with the flag ALLOCATES_MEMORY".into(),
            ),
            (Some(_), _) => picked(self.target, self.drivers, Flags::ALLOCATES_MEMORY),
            (None, _) if self.target.judgement.family().is_some_and(|family| family.allocates_memory) => (
                Reachable::No,
                "since Linux 5.10 it leaves out drivers with the flag ALLOCATES_MEMORY, which Linux's driver has"
                    .into(),
            ),
            (None, _) => match picked(self.target, self.drivers, 0) {
                (Reachable::Yes, _) => (
                    Reachable::Unclear,
                    "since Linux 5.10 the flag ALLOCATES_MEMORY decides, which is not known".into(),
                ),
                other => other,
            },
        }
    }

    fn fscrypt(&self) -> Found {
        let algorithm = self.algorithm();
        // cbc(aes) is used inside cts() and essiv(), which inherit its flags.
        if !["xts(aes)", "cbc(aes)", "cts(cbc(aes))"].contains(&algorithm) {
            return (Reachable::No, format!("it does not use {algorithm}"));
        }
        let is_accelerator = self.target.judgement.verdict == Verdict::Accelerator;
        let off_cpu = self.target.flags.map_or(is_accelerator, |flags| flags.any(Flags::OFF_CPU));
        match self.is_at_least(6, 17) {
            Some(true) if off_cpu => {
                (Reachable::No, "since Linux 6.17 it excludes drivers of accelerators".into())
            }
            _ if off_cpu => (
                Reachable::Unclear,
                "Linux 6.17 closed it to drivers of accelerators, and stable kernels followed in 2025".into(),
            ),
            _ => (Reachable::Unclear, "the driver's flags decide".into()),
        }
    }

    /// fs/verity/hash_algs.c: since Linux 6.5 only shash, which accelerators do not implement.
    fn fsverity(&self) -> Found {
        let algorithm = self.algorithm();
        if !["sha256", "sha512"].contains(&algorithm) {
            return (Reachable::No, format!("it does not use {algorithm}"));
        }
        match self.is_at_least(6, 5) {
            Some(true) if self.target.driver.kind == DriverType::Ahash => {
                (Reachable::No, "since Linux 6.5 it takes digests that run on the CPU only".into())
            }
            None => (Reachable::Unclear, "the kernel's release decides, which is not known".into()),
            _ => picked(self.target, self.drivers, 0),
        }
    }
}

#[cfg(test)]
#[path = "kernel_users_tests.rs"]
mod tests;
