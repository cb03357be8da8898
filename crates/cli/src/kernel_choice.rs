//! The drivers that the running kernel selects, and their priorities.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use outboard_drivers::find::Judged;
use outboard_drivers::judge::Verdict;
use outboard_drivers::kernel::Release;
use outboard_drivers::netlink::TrialInstances;
use outboard_drivers::preference::PreferenceError;
use outboard_drivers::reach::KernelUser;
use outboard_drivers::{netlink, preference};
use outboard_measure::kernel_users::chosen::make_software;
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
    let is_in_the_way = |other: &PreferredDriver| match other.is_last {
        true => other.name == driver,
        false => {
            let algorithm = named(&other.name).map(|one| &one.driver.algorithm);
            other.name != driver && algorithm == Some(&target.driver.algorithm)
        }
    };
    let other = preferred.iter().find(|(file, other)| file != name && is_in_the_way(other));
    if let Some((file, other)) = other {
        let is = if other.is_last { "the last one" } else { "preferred" };
        bail!("{} is {is} for {}: {}, then try again", other.name, target.driver.algorithm, undo(file));
    }
    Ok(entry(target, preferred, false))
}

/// The entries of the drivers that the file `file` is to have selected last: of a driver, or of the
/// accelerator with this kernel module or name in the catalogue.
pub fn to_put_last(
    drivers: &[Judged],
    preferred: &[(String, PreferredDriver)],
    file: &str,
    name: &str,
) -> Result<Vec<PreferredDriver>> {
    let is_of_engine = |one: &Judged| {
        let family = one.judgement.family().map(|family| family.id);
        one.judgement.verdict == Verdict::Accelerator && (one.driver.module == name || family == Some(name))
    };
    let is_it = |one: &&Judged| one.driver.is_usable() && (one.driver.name == name || is_of_engine(one));
    let found: Vec<_> = drivers.iter().filter(is_it).map(|one| entry(one, preferred, true)).collect();
    if found.is_empty() {
        bail!("the kernel has no driver {name}, and no accelerator with such a module: see outboard status");
    }
    let is_chosen = |(other, one): &(String, PreferredDriver)| {
        other != file && found.iter().any(|driver| driver.name == one.name)
    };
    match preferred.iter().find(|other| is_chosen(other)) {
        Some((other, one)) => {
            bail!("{} has another priority already: {}, then try again", one.name, undo(other))
        }
        None => Ok(found),
    }
}

fn undo(file: &str) -> String {
    match file.strip_prefix("prefer-") {
        Some(name) => format!("outboard prefer {name} --undo"),
        None => format!("outboard disable {file}"),
    }
}

/// A driver that has an entry has another priority than its own now.
fn entry(driver: &Judged, preferred: &[(String, PreferredDriver)], is_last: bool) -> PreferredDriver {
    let name = driver.driver.name.clone();
    let known = preferred.iter().find(|(_, other)| other.name == name);
    let own_priority = known.map_or(driver.driver.priority, |(_, other)| other.own_priority);
    PreferredDriver { name, own_priority, is_last }
}

/// Gives a driver the priority that its entry requires, and returns it.
pub fn change(one: &PreferredDriver) -> Result<i32, PreferenceError> {
    let read = || now().map_err(|error| PreferenceError::Excluded(format!("{error:#}")));
    if !one.is_last {
        return preference::raise(&read()?, &one.name);
    }
    let drivers = read()?;
    let algorithm = drivers.iter().find(|it| it.driver.name == one.name).map(|it| &it.driver.algorithm);
    // A kernel that has an accelerator for an algorithm has not made its software.
    algorithm.into_iter().for_each(|algorithm| make_software(algorithm));
    preference::lower(&read()?, &one.name)
}

/// Has the kernel make the software of drivers that are last, after all have changed: an instance that was made
/// for one of them went when the priority of a part of it changed.
pub fn make_software_of<'a>(changed: impl Iterator<Item = &'a PreferredDriver>) {
    let drivers = now().unwrap_or_default();
    for one in changed.filter(|one| one.is_last) {
        let driver = drivers.iter().find(|it| it.driver.name == one.name);
        driver.into_iter().for_each(|it| make_software(&it.driver.algorithm));
    }
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
