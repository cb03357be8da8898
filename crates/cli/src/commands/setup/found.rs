//! What is on this machine, and what keeps it from being set up.

use std::path::{Path, PathBuf};

use anyhow::Result;
use outboard_documents::status::Status;
use outboard_drivers::root::Root;
use outboard_inventory::installing::{Installing, ModuleStep};
use outboard_openssl_conf::{installation::OpenSsl, provider_file};
use outboard_uapi::DEVICE;

use super::document::Obstacle;

/// A machine that was examined.
pub struct Machine {
    pub status: Status,
    /// The provider's file; `None` if it is missing, which is an obstacle.
    pub module: Option<PathBuf>,
    /// Whether drivers are used through /dev/outboard, which root allows each to.
    pub has_device: bool,
    /// What prevents the use of an accelerator; nothing is done then.
    pub obstacles: Vec<Obstacle>,
    /// What is worth knowing.
    pub remarks: Vec<String>,
}

impl Machine {
    /// Examines this machine. `module` is the provider's file that the user named.
    pub fn examine(module: Option<&Path>) -> Result<Self> {
        let root = Root::live();
        let status = outboard_inventory::collect(&root)?;
        let installing = Installing::on(&root);
        let provider = provider_file::find(module, &OpenSsl::find());
        let provider = match (provider, module) {
            (Err(error), Some(_)) => return Err(error),
            (provider, _) => provider.ok(),
        };
        Ok(Self::judge(status, provider, &installing))
    }

    /// Finds the obstacles.
    fn judge(status: Status, module: Option<PathBuf>, installing: &Installing) -> Self {
        let (mut obstacles, mut remarks) = (Vec::new(), Vec::new());
        let has_device = status.nodes.iter().any(|node| node.path == DEVICE && node.exists);
        if !can_be_used(&status) {
            let verdict = status.verdict.as_ref();
            obstacles.extend(verdict.map(|it| Obstacle { text: it.text.clone(), next: it.next.clone() }));
        } else {
            let step = installing.module(status.kernel.release.as_deref());
            let next = (step != ModuleStep::Loaded).then(|| step.to_string());
            let others = status.accelerators.iter().filter(|one| one.preferred.is_some());
            let other =
                others.filter_map(|one| one.preferred.as_deref()).find(|interface| *interface != DEVICE);
            match other {
                _ if has_device => {}
                Some(interface) => remarks.push(format!(
                    "Without outboard's module, programs use {interface}: look-ahead, which serves GCM and CTR, is not possible{}.",
                    next.map(|next| format!(" ({next})")).unwrap_or_default()
                )),
                None => obstacles.push(Obstacle {
                    text: "Programs cannot reach the accelerator without outboard's module, which is not loaded.".to_owned(),
                    next,
                }),
            }
            if status.cpu_has_aes() == Some(true) {
                remarks.push(
                    "This CPU has AES instructions: OpenSSL's own code is probably faster than the accelerator."
                        .to_owned(),
                );
            }
        }
        if module.is_none() && obstacles.is_empty() {
            obstacles.push(Obstacle {
                text: "OpenSSL has no provider outboard.so.".to_owned(),
                next: Some(installing.provider()),
            });
        }
        Self { status, module, has_device, obstacles, remarks }
    }
}

/// Whether there is an accelerator whose drivers work: those that `outboard check` found wrong, and
/// whose self-test failed, are not used.
fn can_be_used(status: &Status) -> bool {
    let mut drivers = status.accelerators.iter().flat_map(|one| &one.drivers);
    drivers.any(|name| status.is_usable(name) && !status.is_wrong(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sentences and next steps for a saved machine.
    fn examined(fixture: &str) -> (Vec<Obstacle>, Vec<String>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures").join(fixture);
        let root = Root::saved(&path).unwrap();
        let status = outboard_inventory::collect(&root).unwrap();
        let module = Some(PathBuf::from("/usr/lib/outboard/outboard.so"));
        let machine = Machine::judge(status, module, &Installing::on(&root));
        (machine.obstacles, machine.remarks)
    }

    #[test]
    fn a_machine_without_a_usable_accelerator_gets_one_sentence() {
        for (fixture, text, next) in [
            ("laptop-aesni", "programs need none", None),
            ("rpi4", "There is no accelerator", None),
            ("pc-without-aes", "no AES instructions", Some("ChaCha20")),
            ("armada388-no-module", "no driver for it", Some("modprobe marvell_cesa")),
            ("ipq4019-openwrt-no-module", "no driver for it", Some("CONFIG_CRYPTO_DEV_QCE")),
            ("c3000-qat-probe-failed", "no driver for it", Some("dmesg")),
        ] {
            let (obstacles, _) = examined(fixture);
            let [obstacle] = &obstacles[..] else { panic!("{fixture}: {obstacles:?}") };
            assert!(obstacle.text.contains(text), "{fixture}: {obstacle:?}");
            let found = obstacle.next.as_deref();
            assert_eq!(found.is_some(), next.is_some(), "{fixture}: {obstacle:?}");
            assert!(found.unwrap_or_default().contains(next.unwrap_or_default()), "{fixture}: {obstacle:?}");
        }
    }

    #[test]
    fn without_the_module_the_line_that_loads_it_is_named() {
        // AF_ALG of Linux 7.2 reaches no accelerator; that of 6.12 does.
        let (obstacles, _) = examined("qemu-virtio-7.2");
        assert!(obstacles.is_empty() || obstacles[0].text.contains("outboard's module"), "{obstacles:?}");
        let (obstacles, remarks) = examined("qemu-virtio-6.12");
        assert!(obstacles.is_empty(), "{obstacles:?}");
        assert!(remarks.iter().any(|remark| remark.contains("AF_ALG")), "{remarks:?}");
    }

    #[test]
    fn a_provider_that_is_missing_is_named() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures/qemu-virtio-6.12");
        let root = Root::saved(&path).unwrap();
        let status = outboard_inventory::collect(&root).unwrap();
        let machine = Machine::judge(status, None, &Installing::on(&root));
        assert!(machine.obstacles[0].text.contains("outboard.so"), "{:?}", machine.obstacles);
        assert!(machine.obstacles[0].next.is_some());
    }
}
