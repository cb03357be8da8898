//! The simulated random number generator of kmod/sim, next to the machine's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::command::status_and_output;
use crate::hwrng::CURRENT;
use crate::kernel_module::{self, is_loaded};

/// Its name in /sys/class/misc/hw_random.
pub const NAME: &str = "outboard-sim-rng";
/// The driver of the machine's own generator.
const OWN_DRIVER: &str = "virtio_rng";
const MODULE: &str = "outboard_sim_hwrng";

/// One test at a time: the machine has one /dev/hwrng.
static ALONE: Mutex<()> = Mutex::new(());

/// The loaded module. Afterwards the machine's own generator is in use again.
pub struct SimulatedRng {
    file: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl SimulatedRng {
    /// Loads the module with these parameters and selects it; or returns the part that is missing.
    pub fn new(parameters: &[&str]) -> Result<SimulatedRng, String> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let file = kernel_module::file(MODULE)?;
        let generator = SimulatedRng { file, _alone: alone };
        generator.load(parameters);
        fs::write(CURRENT, NAME).expect("the generator can be selected");
        Ok(generator)
    }

    /// Loads the module again, without a selection.
    #[track_caller]
    pub fn load(&self, parameters: &[&str]) {
        // Debian builds the core as a module. Without another generator it is not loaded yet.
        let _ = Command::new("modprobe").arg("rng-core").status();
        let output = Command::new("insmod").arg(&self.file).args(parameters).output().expect("insmod runs");
        assert!(output.status.success(), "{}", status_and_output(&output));
    }

    /// Removes the driver, as if the chip were unplugged.
    pub fn unload(&self) {
        kernel_module::unload(MODULE);
    }

    /// Changes a parameter of the loaded module.
    #[track_caller]
    pub fn set(&self, parameter: &str, value: u32) {
        let file = Path::new("/sys/module").join(MODULE).join("parameters").join(parameter);
        fs::write(&file, value.to_string()).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

impl Drop for SimulatedRng {
    fn drop(&mut self) {
        if is_loaded(MODULE) {
            let _ = Command::new("rmmod").arg(MODULE).status();
        }
        restore_own();
    }
}

/// Removes the machine's own generator until the simulated one is dropped.
pub fn remove_own() {
    if is_loaded(OWN_DRIVER) {
        kernel_module::unload(OWN_DRIVER);
    }
}

/// Loads the driver of the machine's own generator if it is not loaded.
fn restore_own() {
    let _ = Command::new("modprobe").arg(OWN_DRIVER).status();
    // An empty name lets the kernel choose.
    let _ = fs::write(CURRENT, "\n");
}
