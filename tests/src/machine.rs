//! What this machine supports. The kernel is queried without the provider, so that a provider which
//! finds no driver fails its tests and does not skip them.

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use outboard_accel::cryptodev::Cryptodev;
use outboard_accel::device::Device;
use outboard_accel::{Accelerator, Algorithm};

use crate::skip::skip;

/// The driver of the test machines' accelerator.
pub const ACCELERATOR: &str = "virtio_crypto_aes_cbc";

/// The accelerator, or why it cannot be reached.
pub fn reachable_accelerator() -> Result<String, String> {
    interface_to_accelerator().map(|_| ACCELERATOR.to_owned())
}

/// The interface that reaches the accelerator, or why none does.
pub fn interface_to_accelerator() -> Result<&'static str, String> {
    if !cbc_aes_drivers().contains(ACCELERATOR) {
        return Err(format!("an accelerator (/proc/crypto lists no {ACCELERATOR})"));
    }
    if is_allowed(ACCELERATOR) {
        // Opens a session instead of reading the list: the module looks for a missing driver once a
        // second.
        let device = Device::reach(ACCELERATOR, Algorithm::CbcAes);
        let opened = device.and_then(|device| device.open(&[0; 16]).map(|_| device.interface()));
        return opened.map_err(|error| format!("an accelerator ({error})"));
    }
    if let Ok(reached) = Cryptodev::reach(ACCELERATOR, Algorithm::CbcAes) {
        return Ok(reached.interface());
    }
    bind(ACCELERATOR)
        .map(|()| "AF_ALG")
        .map_err(|error| format!("an accelerator that AF_ALG reaches ({ACCELERATOR}: {error})"))
}

/// Whether /proc/interrupts counts the interrupts of each accelerator. On IBM Z all virtio devices
/// are counted in one line.
pub fn are_interrupts_counted() -> bool {
    let lines = fs::read_to_string("/proc/interrupts").unwrap_or_default();
    !lines.lines().any(|line| line.trim_start().starts_with("VAI:"))
}

/// As [`are_interrupts_counted`]; if they are not, skips the test.
pub fn counts_interrupts(test: &str) -> bool {
    let is_counted = are_interrupts_counted();
    if !is_counted {
        skip(test, "interrupts of the accelerator's own");
    }
    is_counted
}

/// Sets how long the module lets an engine have a request in any case, before it has stopped. Root
/// only.
#[track_caller]
pub fn set_patience(time: Duration) {
    let milliseconds = time.as_millis().to_string();
    fs::write("/sys/module/outboard/parameters/patience", milliseconds).expect("the module's parameter");
}

/// The drivers that root has allowed to /dev/outboard. Limits may follow a name.
pub fn allowed_drivers() -> Vec<String> {
    let list = fs::read_to_string(format!("{}/allow", outboard_uapi::SYSFS)).unwrap_or_default();
    list.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect()
}

/// Whether root has allowed a driver to /dev/outboard.
pub fn is_allowed(driver: &str) -> bool {
    allowed_drivers().iter().any(|allowed| allowed == driver)
}

/// A software driver of the kernel for `cbc(aes)` that AF_ALG reaches, as a second test of the
/// provider's hardware path.
pub fn reachable_software_driver() -> Result<String, String> {
    // Once per process: for an unknown name the kernel runs modprobe twice.
    static DRIVER: OnceLock<Result<String, String>> = OnceLock::new();
    let names = ["cbc(aes-generic)", "cbc(aes-lib)", "cbc(aes)"];
    DRIVER.get_or_init(|| find_software_driver("cbc(aes)", &names)).clone()
}

/// Software drivers of the kernel that AF_ALG reaches, one for each algorithm of the provider.
pub fn reachable_software_drivers() -> Result<Vec<String>, String> {
    static DRIVERS: OnceLock<Result<Vec<String>, String>> = OnceLock::new();
    let find = || {
        [
            reachable_software_driver(),
            find_software_driver("ctr(aes)", &["ctr(aes-generic)", "ctr(aes-lib)", "ctr(aes)"]),
            find_software_driver("ecb(aes)", &["ecb(aes-generic)", "ecb(aes-lib)", "ecb(aes)"]),
            find_software_driver("xts(aes)", &["xts(ecb(aes-generic))", "xts(ecb(aes-lib))", "xts(aes)"]),
            find_software_driver("cbc(des3_ede)", &["cbc(des3_ede-generic)", "cbc(des3_ede)"]),
        ]
        .into_iter()
        .collect()
    };
    DRIVERS.get_or_init(find).clone()
}

/// A registered driver, or one that the kernel loads for one of these names.
fn find_software_driver(algorithm: &str, names: &[&str]) -> Result<String, String> {
    let is_software = |driver: &String| driver != ACCELERATOR && !driver.starts_with("sim-");
    let known =
        || tested_drivers_of(algorithm).into_iter().filter(is_software).find(|driver| bind(driver).is_ok());
    if let Some(driver) = known() {
        return Ok(driver);
    }
    // Binding makes the kernel instantiate the template, so that /proc/crypto lists it.
    let attempts: Vec<_> = names.iter().map(|name| bind(name)).collect();
    let reason = attempts.into_iter().find_map(Result::err).unwrap_or_else(|| "no driver".to_owned());
    known().ok_or_else(|| {
        format!("a software driver of the kernel's for {algorithm} that AF_ALG reaches ({reason})")
    })
}

/// The tested drivers of cbc(aes).
pub fn cbc_aes_drivers() -> BTreeSet<String> {
    tested_drivers_of("cbc(aes)")
}

/// The drivers of this algorithm in /proc/crypto that are not internal to others and have passed
/// their self-test.
pub fn tested_drivers_of(algorithm: &str) -> BTreeSet<String> {
    let listing = fs::read_to_string("/proc/crypto").unwrap_or_default();
    listing
        .split("\n\n")
        .filter_map(|entry| {
            let value = |wanted: &str| {
                let pairs = entry.lines().filter_map(|line| line.split_once(':'));
                pairs
                    .map(|(key, value)| (key.trim(), value.trim()))
                    .find(|(key, _)| *key == wanted)
                    .map(|(_, value)| value)
            };
            let usable = value("name") == Some(algorithm)
                && value("internal") == Some("no")
                && value("selftest") == Some("passed")
                // The larval entry of a driver under test also reports "passed"
                // (crypto/algapi.c).
                && value("type") != Some("larval");
            usable.then(|| value("driver").map(str::to_owned)).flatten()
        })
        .collect()
}

/// Binds an AF_ALG socket to a cipher of this name and closes it again.
fn bind(driver: &str) -> Result<(), String> {
    // SAFETY: no pointer is passed.
    let socket = unsafe { libc::socket(libc::AF_ALG, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(format!("AF_ALG sockets: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: sockaddr_alg is plain data, for which zeroes are valid.
    let mut address: libc::sockaddr_alg = unsafe { std::mem::zeroed() };
    address.salg_family = libc::AF_ALG as u16;
    address.salg_type[..8].copy_from_slice(b"skcipher");
    address.salg_name[..driver.len()].copy_from_slice(driver.as_bytes());
    let length = libc::socklen_t::try_from(size_of::<libc::sockaddr_alg>()).expect("a small structure");
    // SAFETY: the address is initialised and its length is correct; this function owns the socket
    // and closes it once.
    unsafe {
        let outcome = libc::bind(socket, (&raw const address).cast(), length);
        let error = std::io::Error::last_os_error();
        libc::close(socket);
        if outcome == 0 { Ok(()) } else { Err(error.to_string()) }
    }
}

/// Whether the CPU has AES instructions. If it has, libssl prefers the default provider's stitched
/// AES-CBC-HMAC ciphers.
pub fn cpu_has_aes() -> bool {
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    cpus.lines()
        .filter(|line| line.starts_with("flags"))
        .any(|line| line.split_whitespace().any(|flag| flag == "aes"))
}

/// The memory of this machine in bytes: MemTotal in /proc/meminfo (proc_meminfo(5)).
pub fn memory() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").expect("proc is mounted");
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.strip_suffix("kB"));
    total.and_then(|kib| kib.trim().parse::<u64>().ok()).expect("MemTotal in kB") * 1024
}
