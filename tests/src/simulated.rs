//! The simulated accelerator (kmod/sim): loaded, unloaded, with injected faults and delays.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use outboard_uapi::{DEVICE, SYSFS};

use crate::command::on_path;
use crate::kernel_module;
use crate::kernel_module::is_loaded;
use crate::machine::{allowed_drivers, is_allowed, set_patience};
use crate::module::module;
use crate::skip::skip;
use crate::time_limit::wait_until;
use crate::world::{DriverChoice, Order, World};

/// Its drivers that the provider can use.
pub const DRIVERS: [&str; 17] = [
    "sim-cbc-aes",
    "sim-ctr-aes",
    "sim-ecb-aes",
    "sim-xts-aes",
    "sim-cbc-des3-ede",
    "sim-gcm-aes",
    "sim-ccm-aes",
    "sim-sha1",
    "sim-sha224",
    "sim-sha256",
    "sim-sha384",
    "sim-sha512",
    "sim-hmac-sha1",
    "sim-hmac-sha224",
    "sim-hmac-sha256",
    "sim-hmac-sha384",
    "sim-hmac-sha512",
];

/// Algorithms of OpenSSL's and the simulation's driver for each.
pub const ALGORITHMS: [(&str, &str); 28] = [
    ("AES-128-CBC", "sim-cbc-aes"),
    ("AES-192-CBC", "sim-cbc-aes"),
    ("AES-256-CBC", "sim-cbc-aes"),
    ("DES-EDE3-CBC", "sim-cbc-des3-ede"),
    ("AES-128-CTR", "sim-ctr-aes"),
    ("AES-192-CTR", "sim-ctr-aes"),
    ("AES-256-CTR", "sim-ctr-aes"),
    ("AES-128-ECB", "sim-ecb-aes"),
    ("AES-192-ECB", "sim-ecb-aes"),
    ("AES-256-ECB", "sim-ecb-aes"),
    ("AES-128-XTS", "sim-xts-aes"),
    ("AES-256-XTS", "sim-xts-aes"),
    ("AES-128-GCM", "sim-gcm-aes"),
    ("AES-192-GCM", "sim-gcm-aes"),
    ("AES-256-GCM", "sim-gcm-aes"),
    ("AES-128-CCM", "sim-ccm-aes"),
    ("AES-192-CCM", "sim-ccm-aes"),
    ("AES-256-CCM", "sim-ccm-aes"),
    ("SHA1", "sim-sha1"),
    ("SHA2-224", "sim-sha224"),
    ("SHA2-256", "sim-sha256"),
    ("SHA2-384", "sim-sha384"),
    ("SHA2-512", "sim-sha512"),
    ("HMAC-SHA1", "sim-hmac-sha1"),
    ("HMAC-SHA2-224", "sim-hmac-sha224"),
    ("HMAC-SHA2-256", "sim-hmac-sha256"),
    ("HMAC-SHA2-384", "sim-hmac-sha384"),
    ("HMAC-SHA2-512", "sim-hmac-sha512"),
];

/// The simulated accelerator, until dropped.
pub struct Simulated(());

/// The simulation, with the parts that applications need to reach it.
pub struct Reachable {
    /// The simulation. /dev/outboard and the provider are present.
    pub simulated: Simulated,
    /// The outboard command.
    pub outboard: PathBuf,
    /// The openssl command.
    pub openssl: PathBuf,
}

impl Simulated {
    /// Its module's file.
    pub fn find(test: &str) -> Option<PathBuf> {
        kernel_module::file("outboard_sim").map_err(|missing| skip(test, missing)).ok()
    }

    /// Loads it if every needed part is present.
    #[track_caller]
    pub fn reachable(test: &str) -> Option<Reachable> {
        let parts = || {
            if !Path::new(DEVICE).exists() {
                return Err(format!("{DEVICE} (insmod outboard.ko)"));
            }
            let command = |name| on_path(name).ok_or_else(|| format!("the {name} command"));
            let commands = (command("outboard")?, command("openssl")?);
            module()?;
            Ok(commands)
        };
        let (outboard, openssl) = parts().map_err(|missing| skip(test, missing)).ok()?;
        let simulated = Simulated::load(&Simulated::find(test)?);
        Some(Reachable { simulated, outboard, openssl })
    }

    /// Loads it, without the kernel's self-tests of its drivers, which take seconds: the themes of the
    /// module have them.
    #[track_caller]
    pub fn load(module: &Path) -> Simulated {
        let switch_tests_off = |off: &str| {
            // A kernel that is built without these tests has no such file.
            let _ = fs::write("/sys/module/cryptomgr/parameters/notests", off);
        };
        switch_tests_off("Y");
        let simulated = Simulated::load_with(module, &[]);
        switch_tests_off("N");
        simulated
    }

    /// Loads it with parameters such as `priority=50`, and waits for the kernel's self-tests of its
    /// drivers, for which the kernel loads software drivers too. Tests hold its requests, so that it
    /// must not count as stopped.
    #[track_caller]
    pub fn load_with(module: &Path, parameters: &[&str]) -> Simulated {
        kernel_module::load_with(module, parameters);
        if is_loaded("outboard") {
            set_patience(Duration::from_secs(600));
        }
        wait_until("tested", || {
            let drivers = fs::read_to_string("/proc/crypto").expect("proc is mounted");
            let mut own = drivers.split("\n\n").filter(|driver| driver.contains(": outboard_sim\n"));
            own.all(|driver| driver.contains(": passed\n"))
        });
        Simulated(())
    }

    /// Allows those of these drivers that are not yet allowed to /dev/outboard, without a check of
    /// their results.
    #[track_caller]
    pub fn allow(&self, drivers: &[&str]) {
        for driver in drivers.iter().filter(|driver| !is_allowed(driver)) {
            fs::write(format!("{SYSFS}/allow"), driver).unwrap_or_else(|error| panic!("{driver}: {error}"));
        }
    }

    /// A world that offloads every cipher, digest and HMAC to it from this threshold.
    #[track_caller]
    pub fn world_of_everything(&self, from: usize) -> World {
        self.allow(&DRIVERS);
        let thresholds = format!("ALL:{from}");
        let settings = [("THRESHOLDS", thresholds.as_str()), ("DIGESTS", "ALL")];
        let world = World::new(DriverChoice::Simulated(DRIVERS.join(",")), &settings, Order::DefaultFirst);
        world.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Adds a fault, such as `sim-ctr-aes wrong every=100`, or removes all: `clear`.
    #[track_caller]
    pub fn fault(&self, rule: &str) {
        fs::write("/sys/kernel/debug/outboard_sim/faults", rule).expect("a rule of the simulation's");
    }

    /// Holds the requests of this driver until the returned value is dropped.
    #[track_caller]
    pub fn hold(&self, driver: &str) -> Held<'_> {
        self.fault(&format!("{driver} never"));
        Held(self)
    }

    /// Removes all faults and completes the requests that a rule `never` has held.
    #[track_caller]
    pub fn let_go(&self) {
        self.fault("clear");
        fs::write("/sys/kernel/debug/outboard_sim/held", "0").expect("debugfs is mounted");
    }

    /// Unbinds its devices. The requests that a rule `never` holds end with ENODEV meanwhile, as
    /// those of a driver that notices the loss: the module waits for them, and keeps the handles of
    /// a driver that does not end them, so that its module could not be unloaded.
    #[track_caller]
    pub fn unbind_with_held_requests(&self) {
        thread::scope(|scope| {
            let unbinding = scope.spawn(|| self.each_device("unbind"));
            while !unbinding.is_finished() {
                fs::write("/sys/kernel/debug/outboard_sim/held", "19").expect("debugfs is mounted");
                thread::sleep(Duration::from_millis(10));
            }
            unbinding.join().expect("its devices can be unbound");
        });
    }

    /// The number of its requests in flight.
    #[track_caller]
    pub fn outstanding(&self) -> u64 {
        self.number("outstanding")
    }

    /// The number of requests that it got so far.
    #[track_caller]
    pub fn requests(&self) -> u64 {
        self.number("requests")
    }

    #[track_caller]
    fn number(&self, file: &str) -> u64 {
        let text = fs::read_to_string(format!("/sys/kernel/debug/outboard_sim/outboard-sim.0/{file}"));
        text.expect("debugfs is mounted").trim().parse().expect("a number")
    }

    /// Unbinds or binds its devices: `unbind`, `bind`.
    #[track_caller]
    pub fn each_device(&self, file: &str) {
        for entry in fs::read_dir("/sys/bus/platform/devices").expect("the platform's") {
            let device = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            if device.starts_with("outboard-sim.") {
                let file = format!("/sys/bus/platform/drivers/outboard_sim/{file}");
                fs::write(file, device).expect("bind and unbind, as root");
            }
        }
    }

    /// Sets the time that each request takes.
    #[track_caller]
    pub fn takes(&self, time: Duration) {
        self.set("latency_ns", &time.as_nanos().to_string());
    }

    /// Sets a parameter of its model.
    #[track_caller]
    pub fn set(&self, parameter: &str, value: &str) {
        let file = format!("/sys/module/outboard_sim/parameters/{parameter}");
        fs::write(file, value).expect("a parameter of the simulation's");
    }
}

/// The interrupts that its devices have raised (/proc/interrupts).
#[track_caller]
pub fn interrupts() -> u64 {
    let text = fs::read_to_string("/proc/interrupts").expect("proc is mounted");
    let lines = text.lines().filter(|line| line.contains("outboard-sim."));
    let counts = |line: &str| -> u64 {
        let words = line.split_whitespace().skip(1);
        words.map_while(|word| word.parse::<u64>().ok()).sum()
    };
    lines.map(counts).sum()
}

/// Requests that do not complete until this is dropped.
pub struct Held<'s>(&'s Simulated);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.0.let_go();
        }
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        for driver in allowed_drivers().iter().filter(|driver| driver.starts_with("sim-")) {
            fs::write(format!("{SYSFS}/disallow"), driver).expect("it is allowed");
        }
        kernel_module::unload("outboard_sim");
    }
}
