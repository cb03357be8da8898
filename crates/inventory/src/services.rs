//! The services of a system that `outboard enable` knows by name.

use outboard_documents::status::{CipherOffload, Service};
use outboard_drivers::root::Root;
use outboard_policy::Tuned;
use outboard_services::enable::{APPLICATIONS, Application, Record};

use crate::choices;

const UNITS: [&str; 4] =
    ["etc/systemd/system", "usr/local/lib/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"];

/// The services with a process of their own, in the order of `outboard enable --list`. Users within
/// the kernel, and the whole system, are not among them.
pub(crate) fn list(root: &Root, offload: &[CipherOffload], tuned: Option<&Tuned>) -> Vec<Service> {
    let service = |known: &Application| {
        let record = Record::path(known.name);
        let enabled = root.exists(record.to_string_lossy().trim_start_matches('/'));
        let is_beaten = || choices::contest(known, tuned).is_some_and(|it| it.reason(known.name).is_some());
        let wins = wins(known, offload) && (enabled || !is_beaten());
        let service = Service { name: known.name.to_owned(), enabled, wins };
        (enabled || is_installed(root, known)).then_some(service)
    };
    APPLICATIONS.iter().filter_map(service).collect()
}

fn is_installed(root: &Root, known: &Application) -> bool {
    let has_unit = |unit: &&str| UNITS.iter().any(|directory| root.exists(&format!("{directory}/{unit}")));
    let has_script = |script: &&str| root.exists(&format!("etc/init.d/{script}"));
    known.units.iter().any(has_unit) || root.exists("sbin/procd") && known.init_scripts.iter().any(has_script)
}

fn wins(known: &Application, offload: &[CipherOffload]) -> bool {
    let fits = |from: usize| known.requests.bytes.is_none_or(|bytes| from <= bytes as usize);
    offload.iter().filter(|one| known.requests.ciphers.contains(&one.cipher.as_str())).any(|one| {
        let direct = one.direct.iter().filter(|direct| direct.is_measured);
        let mut direct = direct.flat_map(|direct| direct.from).flatten();
        direct.any(fits) || one.lookahead.as_ref().is_some_and(|ahead| fits(ahead.from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_documents::status::KeyStreamUse;
    use std::fs;

    #[test]
    fn a_service_is_listed_where_it_is_installed_or_enabled() {
        let tree = tempfile::tempdir().unwrap();
        for file in ["usr/lib/systemd/system/nginx.service", "etc/outboard/service-openvpn.json"] {
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
        let of = |tuned: Option<&Tuned>| {
            let found = list(&root, std::slice::from_ref(&gcm), tuned);
            found.into_iter().map(|one| (one.name, one.enabled, one.wins)).collect::<Vec<_>>()
        };
        // A packet of OpenVPN is smaller than 2048 bytes.
        let [nginx, openvpn] = ["nginx", "openvpn"].map(str::to_owned);
        assert_eq!(of(None), [(nginx.clone(), false, true), (openvpn.clone(), true, false)]);
        let beaten = "figure 16384 AES-128-GCM ecb 6/0.01 31\nfigure 16384 ChaCha20-Poly1305 - 16/0.01 24\n";
        let beaten = Tuned::parse(format!("outboard-policy 2\n{beaten}")).unwrap();
        assert_eq!(of(Some(&beaten)), [(nginx, false, false), (openvpn, true, false)]);
    }
}
