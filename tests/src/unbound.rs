//! The accelerator's device without its driver.

use std::fs;
use std::path::Path;

use crate::skip::skip;

const DRIVER: &str = "/sys/bus/virtio/drivers/virtio_crypto";

/// The device that is unbound from its driver; bound again when this is dropped.
pub struct Unbound(String);

impl Unbound {
    /// Unbinds it. `None`, and a reported skip, where no device is bound.
    #[track_caller]
    pub fn new(test: &str) -> Option<Unbound> {
        let entries = fs::read_dir(DRIVER).ok().into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let is_device =
            |name: &String| name.strip_prefix("virtio").is_some_and(|rest| rest.parse::<u32>().is_ok());
        let Some(name) = names.find(is_device) else {
            skip(test, format!("a device bound to {DRIVER}"));
            return None;
        };
        fs::write(Path::new(DRIVER).join("unbind"), &name).expect("unbind, as root");
        Some(Unbound(name))
    }

    /// The name of the device on the bus virtio.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl Drop for Unbound {
    fn drop(&mut self) {
        fs::write(Path::new(DRIVER).join("bind"), &self.0).expect("bind, as root");
    }
}
