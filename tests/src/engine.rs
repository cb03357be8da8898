//! The engine (kmod/engine): a second driver of QEMU's virtio-crypto device, with ECB, CTR and XTS.

use std::fs;
use std::panic;
use std::process::Command;
use std::thread;

use outboard_uapi::SYSFS;

use crate::command::status_and_output;
use crate::kernel_module;
use crate::machine::{is_allowed, tested_drivers_of};
use crate::skip::skip;
use crate::time_limit::wait_until;

/// Its drivers, with the kernel's name of the algorithm of each.
pub const DRIVERS: [(&str, &str); 4] = [
    ("engine-ecb-aes", "ecb(aes)"),
    ("engine-cbc-aes", "cbc(aes)"),
    ("engine-ctr-aes", "ctr(aes)"),
    ("engine-xts-aes", "xts(aes)"),
];

/// The engine instead of virtio_crypto, until dropped.
pub struct Engine(());

impl Engine {
    /// Takes the device from virtio_crypto and waits for the kernel's self-tests. `None`, and a
    /// reported skip, where a part is missing.
    #[track_caller]
    pub fn load(test: &str) -> Option<Engine> {
        let file = kernel_module::file("outboard_engine").map_err(|missing| skip(test, missing)).ok()?;
        if !kernel_module::is_loaded("virtio_crypto") {
            skip(test, "an accelerator (virtio_crypto is not loaded)");
            return None;
        }
        kernel_module::wait_until_unused("virtio_crypto");
        modprobe(&["-r", "virtio_crypto"]);
        kernel_module::load(&file);
        wait_until("tested", || DRIVERS.iter().all(|(name, of)| tested_drivers_of(of).contains(*name)));
        Some(Engine(()))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // After a panic too, so that the failure of one test is not that of others. A second panic
        // would end the process without a report.
        let left = panic::catch_unwind(|| {
            for (driver, _) in DRIVERS.iter().filter(|(driver, _)| is_allowed(driver)) {
                fs::write(format!("{SYSFS}/disallow"), driver).expect("it is allowed");
            }
            kernel_module::unload("outboard_engine");
            modprobe(&["virtio_crypto"]);
        });
        if let (Err(problem), false) = (left, thread::panicking()) {
            panic::resume_unwind(problem);
        }
    }
}

#[track_caller]
fn modprobe(arguments: &[&str]) {
    let output = Command::new("modprobe").args(arguments).output().expect("modprobe runs");
    assert!(output.status.success(), "modprobe {arguments:?}: {}", status_and_output(&output));
}
