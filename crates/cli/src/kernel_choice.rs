//! The drivers that the running kernel selects, and their priorities.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use outboard_drivers::find::Judged;
use outboard_drivers::kernel::Release;
use outboard_drivers::netlink::TrialInstances;
use outboard_drivers::reach::KernelUser;
use outboard_drivers::{netlink, preference};
pub use outboard_measure::kernel_users::chosen::now;
use outboard_measure::kernel_users::load_module;
use outboard_services::enable::{self, PREFERENCES, PreferredDriver, Tree};
use rustix::io::Errno;

/// The kernel's drivers, with the instances that a user would get. They are removed when this is
/// dropped.
pub struct KernelDrivers {
    pub drivers: Vec<Judged>,
    _instances: TrialInstances,
}

impl KernelDrivers {
    /// Has the kernel create the instances that a user would get, and lists all drivers.
    pub fn with_instances_for(user: KernelUser, release: Option<&Release>) -> Result<Self> {
        // Opening the socket loads it on most systems; OpenWrt has no automatic loading.
        load_module("crypto_user");
        let instances = TrialInstances::start()?;
        for need in user.needs() {
            // Other errors: the kernel lacks the algorithm or a part of it, and selects nothing.
            if let Err(netlink::Error::System { errno: Errno::PERM, .. }) =
                instances.request(need.algorithm, user != KernelUser::Disk, user.without(release))
            {
                bail!("which driver the kernel selects is known to root only: try again with sudo")
            }
        }
        Ok(Self { drivers: now()?, _instances: instances })
    }
}

pub fn preferred(tree: &Tree) -> Result<Vec<(String, PreferredDriver)>> {
    enable::all_preferred(tree).with_context(|| PREFERENCES.to_owned())
}

/// The entry of a driver that is to be preferred by the file `name`. Fails if another driver of its
/// algorithm is preferred: which one won would depend on the order of the files.
pub fn to_prefer(
    drivers: &[Judged],
    preferred: &[(String, PreferredDriver)],
    name: &str,
    driver: &str,
) -> Result<PreferredDriver> {
    preference::priority_to_win(drivers, driver)?;
    let named = |name: &str| drivers.iter().find(|one| one.driver.name == name);
    let Some(target) = named(driver) else { bail!("the kernel has no driver {driver}") };
    for (file, other) in preferred.iter().filter(|(file, other)| file != name && other.name != driver) {
        if named(&other.name).is_some_and(|one| one.driver.algorithm == target.driver.algorithm) {
            let undo = match file.strip_prefix("prefer-") {
                Some(_) => format!("outboard prefer {} --undo", other.name),
                None => format!("outboard disable {file}"),
            };
            bail!("{} is preferred for {}: {undo}, then try again", other.name, target.driver.algorithm);
        }
    }
    // A driver that is preferred has a raised priority now.
    let known = preferred.iter().find(|(_, other)| other.name == driver);
    let own_priority = known.map_or(target.driver.priority, |(_, other)| other.own_priority);
    Ok(PreferredDriver { name: driver.to_owned(), own_priority })
}

pub fn raise(preferred: &[PreferredDriver]) -> Result<()> {
    for one in preferred {
        preference::raise(&now()?, &one.name)?;
    }
    Ok(())
}

/// Restores the own priorities of drivers that no file prefers.
pub fn restore(preferred: &[PreferredDriver]) -> Result<()> {
    let drivers = now()?;
    for one in preferred {
        preference::restore(&drivers, &one.name, one.own_priority)?;
    }
    Ok(())
}

/// Restores the drivers of a record before its files are removed. Drivers that another file prefers
/// too stay as they are.
pub fn restore_record(files: &[enable::AddedFile]) -> Result<()> {
    let ours = enable::preferred_of(files);
    if ours.is_empty() {
        return Ok(());
    }
    let all = preferred(&Tree::at(Path::new("/")))?;
    let is_ours = |file: &str| files.iter().any(|one| one.path == Path::new(PREFERENCES).join(file));
    let free: Vec<PreferredDriver> = ours
        .into_iter()
        .filter(|one| !all.iter().any(|(file, other)| other.name == one.name && !is_ours(file)))
        .collect();
    restore(&free)
}
