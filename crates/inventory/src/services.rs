//! The services of a system that `outboard enable` knows by name, and the facts for the decision about
//! each: the suites are those that a service offered when it was enabled, or offers by default, and the
//! thresholds those that the provider is expected to use. `outboard setup` and `enable` read the service's configuration and load the provider.

use outboard_advice::{CipherFacts, DriverTask, PolicyState, ServiceFacts, entrants};
use outboard_documents::Goal;
use outboard_documents::status::{CipherOffload, Policy};
use outboard_drivers::root::Root;
use outboard_policy::Tuned;
use outboard_services::enable::{APPLICATIONS, Application, Record, Tree};
use outboard_services::negotiation::{Negotiation, Offered};

use crate::offload::NOT_MEASURED;

const UNITS: [&str; 4] =
    ["etc/systemd/system", "usr/local/lib/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"];

/// What the provider does on this system, and what was measured.
pub(crate) struct Measured<'a> {
    pub offload: &'a [CipherOffload],
    pub policy: Option<&'a Policy>,
    pub tuned: Option<&'a Tuned>,
}

/// Whether `outboard enable` has added files for a service.
fn is_enabled(root: &Root, known: &Application) -> bool {
    root.exists(Record::path(known.name).to_string_lossy().trim_start_matches('/'))
}

pub(crate) fn kernel_users(root: &Root) -> Vec<String> {
    let users = APPLICATIONS.iter().filter(|known| known.programs.is_empty() && is_enabled(root, known));
    users.map(|known| known.name.to_owned()).collect()
}

/// The services with a process of their own that are installed or enabled, in the order of `outboard
/// enable --list`.
pub(crate) fn facts(root: &Root, measured: &Measured<'_>) -> Vec<ServiceFacts> {
    let tree = Tree::at(root.path());
    let of_service = |known: &Application| {
        let is_enabled = is_enabled(root, known);
        let record = Record::read(&tree, known.name).ok().flatten();
        let is_aes_required = record.as_ref().is_some_and(|record| record.aes_required.is_some());
        let offered = record.and_then(|record| record.offered);
        let facts = ServiceFacts { is_enabled, is_aes_required, ..measured.of(known, offered) };
        (is_enabled || is_installed(root, known)).then_some(facts)
    };
    APPLICATIONS.iter().filter(|known| !known.programs.is_empty()).filter_map(of_service).collect()
}

impl Measured<'_> {
    /// `offered`: the suites of its configuration, where these are known.
    pub(crate) fn of(&self, known: &Application, offered: Option<Offered>) -> ServiceFacts {
        let offered = offered.or_else(|| Negotiation::of(known.name).map(Negotiation::by_default));
        let figures = self.tuned.map(Tuned::figures).unwrap_or_default();
        let compared = offered.as_ref().zip(known.requests.bytes);
        let ciphers = known.requests.ciphers.iter();
        ServiceFacts {
            name: known.name.to_owned(),
            bytes: known.requests.bytes,
            ciphers: ciphers.map(|cipher| self.cipher(cipher)).collect(),
            entrants: compared.map(|(offered, bytes)| entrants(offered, bytes, &figures)).unwrap_or_default(),
            offered,
            policy: match self.policy {
                None => PolicyState::Absent,
                Some(policy) => policy.problem.clone().map_or(PolicyState::InForce, PolicyState::Unfit),
            },
            goal: self.tuned.and_then(|tuned| Goal::by_name(tuned.value("goal"))).unwrap_or_default(),
            ..ServiceFacts::default()
        }
    }

    fn cipher(&self, name: &str) -> CipherFacts {
        let facts = CipherFacts { cipher: name.to_owned(), ..CipherFacts::default() };
        let Some(one) = self.offload.iter().find(|one| one.cipher == name) else {
            return CipherFacts { why: "the kernel has no accelerator for it".to_owned(), ..facts };
        };
        let size = |bytes: usize| u32::try_from(bytes).ok();
        let direct = one.direct.as_ref();
        let direct_from = direct.and_then(|direct| direct.from.into_iter().flatten().min()).and_then(size);
        let ahead = one.lookahead.as_ref();
        match (ahead.filter(|ahead| direct_from.is_none_or(|from| size(ahead.from) <= Some(from))), direct) {
            (Some(ahead), _) => CipherFacts {
                driver: Some(ahead.driver.clone()),
                from: size(ahead.from),
                is_measured: true,
                task: DriverTask::Ahead { direct_from },
                ..facts
            },
            (None, Some(direct)) => CipherFacts {
                driver: Some(direct.driver.clone()),
                from: direct_from,
                is_measured: direct.is_measured,
                ..facts
            },
            (None, None) => {
                let why = one.no_lookahead.clone().unwrap_or_default();
                CipherFacts { awaits_measurement: why.starts_with(NOT_MEASURED), why, ..facts }
            }
        }
    }
}

fn is_installed(root: &Root, known: &Application) -> bool {
    let has_unit = |unit: &&str| UNITS.iter().any(|directory| root.exists(&format!("{directory}/{unit}")));
    let has_script = |script: &&str| root.exists(&format!("etc/init.d/{script}"));
    known.units.iter().any(has_unit) || root.exists("sbin/procd") && known.init_scripts.iter().any(has_script)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::decision::Decision;
    use outboard_documents::status::KeyStreamUse;
    use std::fs;

    #[test]
    fn a_service_is_listed_where_it_is_installed_or_enabled() {
        let tree = tempfile::tempdir().unwrap();
        let records = ["etc/outboard/service-openvpn.json", "etc/outboard/service-disk.json"];
        for file in ["usr/lib/systemd/system/nginx.service"].iter().chain(&records) {
            let path = tree.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let ahead = KeyStreamUse { driver: "ecb".to_owned(), from: 2048, to: None, start: 0 };
        let gcm = CipherOffload {
            cipher: "AES-128-GCM".to_owned(),
            direct: None,
            lookahead: Some(ahead),
            no_lookahead: None,
        };
        let root = Root::saved(tree.path()).unwrap();
        let of = |tuned: &str| {
            let tuned = Tuned::parse(format!("outboard-policy 2\n{tuned}")).unwrap();
            let policy =
                Policy { path: String::new(), made: None, goal: None, in_force: true, problem: None };
            let offload = std::slice::from_ref(&gcm);
            let found = facts(&root, &Measured { offload, policy: Some(&policy), tuned: Some(&tuned) });
            let decided = found.iter().map(ServiceFacts::decide);
            decided.map(|one| (one.service, one.enabled, one.decision)).collect::<Vec<_>>()
        };
        // What only a measurement decides about.
        assert_eq!(kernel_users(&root), ["disk"]);
        // A packet of OpenVPN is smaller than 2048 bytes.
        let [nginx, openvpn] = ["nginx", "openvpn"].map(str::to_owned);
        let left = (openvpn, true, Decision::Leave);
        // U5: without a figure of ChaCha20 nothing is known.
        assert_eq!(of(""), [(nginx.clone(), false, Decision::Unknown), left.clone()]);
        let figures = |aes: &str| {
            format!("figure 16384 AES-256-GCM ecb {aes}\nfigure 16384 ChaCha20-Poly1305 - 16/0.01 24\n")
        };
        let [(_, _, prefer), _] = &of(&figures("6/0.01 31"))[..] else { panic!() };
        assert!(matches!(prefer, Decision::Prefer { other, .. } if other.contains("CHACHA20")), "{prefer:?}");
        let faster = of(&figures("60/0.01 3"));
        assert_eq!(faster[1], left);

        // Enabled with a configuration that offers AES only: its suites decide, as they did then.
        let mut offered = Negotiation::Nginx.by_default();
        offered.suites.retain(|suite| suite.cipher.is_some());
        let record = serde_json::json!({
            "schema": "outboard-service/1", "service": "nginx", "files": [], "directories": [], "replaced": [],
            "unverified": false, "aes_required": null, "offered": offered,
        });
        fs::write(tree.path().join("etc/outboard/service-nginx.json"), record.to_string()).unwrap();
        let [(_, true, decision), _] = &of(&figures("6/0.01 31"))[..] else { panic!() };
        assert!(!matches!(decision, Decision::Prefer { .. }), "{decision:?}");
    }
}
