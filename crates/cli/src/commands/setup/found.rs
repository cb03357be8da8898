//! What is on this machine, and what keeps it from being set up.

use std::path::{Path, PathBuf};

use anyhow::Result;
use outboard_advice::{Obstacles, obstacles};
use outboard_documents::status::Status;
use outboard_drivers::root::Root;
use outboard_openssl_conf::{installation::OpenSsl, provider_file};
use outboard_uapi::DEVICE;

pub struct Machine {
    pub status: Status,
    /// The provider's file; `None` if it is missing, which is an obstacle.
    pub module: Option<PathBuf>,
    /// Whether drivers are used through /dev/outboard, which root allows each to.
    pub has_device: bool,
    /// What prevents the use of an accelerator; nothing is done then.
    pub found: Obstacles,
}

impl Machine {
    /// Examines this machine. `module` is the provider's file that the user named.
    pub fn examine(module: Option<&Path>) -> Result<Self> {
        let provider = provider_file::find(module, &OpenSsl::find());
        let provider = match (provider, module) {
            (Err(error), Some(_)) => return Err(error),
            (provider, _) => provider.ok(),
        };
        Self::of(&Root::live(), provider)
    }

    fn of(root: &Root, module: Option<PathBuf>) -> Result<Self> {
        let facts = outboard_inventory::facts(root, None)?;
        let system = facts.system.clone();
        let status = facts.advise();
        let has_device = status.nodes.iter().any(|node| node.path == DEVICE && node.exists);
        let found = obstacles(&status, &system, module.is_some());
        Ok(Self { status, module, has_device, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outboard_advice::Obstacle;

    /// The sentences and next steps for a saved machine.
    fn examined(fixture: &str) -> (Vec<Obstacle>, Vec<String>) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures").join(fixture);
        let root = Root::saved(&path).unwrap();
        let module = Some(PathBuf::from("/usr/lib/outboard/outboard.so"));
        let found = Machine::of(&root, module).unwrap().found;
        (found.obstacles, found.remarks)
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
        let obstacles = Machine::of(&root, None).unwrap().found.obstacles;
        assert!(obstacles[0].text.contains("outboard.so") && obstacles[0].next.is_some(), "{obstacles:?}");
    }
}
