//! The users within the kernel that get an accelerator by its priority, and whether they are in use.
//! WireGuard is not among them: its cipher has no drivers.

use std::fs;

use outboard_advice::spread::compare;
use outboard_documents::status::{Accelerator, KernelUse, KernelUserFigures, MatrixRow};
use outboard_drivers::find::Judged;
use outboard_drivers::reach::{Consumer, KernelUser, Reachable, Route};
use outboard_drivers::root::Root;
use outboard_policy::{CipherFigure, Tuned};
use outboard_services::enable::{PREFERENCES, preferences};

/// The name of the answer with the users that files of sysfs show.
const ANSWER: &str = "kernel-users";

const USERS: [Route; 4] = [Route::Ipsec, Route::Ovpn, Route::Macsec, Route::DmCrypt];

/// What shows that a user is in use. The kernel does not list the associations of IPsec in a file: the
/// instances that they hold are in /proc/crypto.
#[must_use]
pub fn in_use(root: &Root, user: Route, drivers: &[Judged]) -> Option<String> {
    evidence(user, drivers, &root.answer(ANSWER, shown).unwrap_or_default())
}

fn evidence(user: Route, drivers: &[Judged], shown: &str) -> Option<String> {
    if user == Route::Ipsec {
        let is_held = |one: &&Judged| {
            let has_iv = ["seqiv(", "echainiv("].iter().any(|name| one.driver.algorithm.starts_with(name));
            has_iv && one.driver.refcnt.is_some_and(|users| users > 1)
        };
        let held = drivers.iter().find(is_held)?;
        return Some(format!("/proc/crypto: {} has users", held.driver.name));
    }
    let evidence = match user {
        Route::DmCrypt => "/sys/block/dm-*/dm/uuid: CRYPT",
        _ => "/sys/class/net/*/uevent: DEVTYPE",
    };
    shown.lines().any(|name| name == user.name()).then(|| evidence.to_owned())
}

/// The users that sysfs shows, a line for each. A bundle has this, and no names of disks and interfaces.
fn shown() -> Option<String> {
    let has = |directory: &str, file: &str, is_it: &dyn Fn(&str) -> bool| {
        let of_entry = |entry: fs::DirEntry| fs::read_to_string(entry.path().join(file));
        let texts =
            fs::read_dir(directory).into_iter().flatten().flatten().filter_map(|entry| of_entry(entry).ok());
        texts.into_iter().any(|text| is_it(&text))
    };
    let has_type = |word: &str| {
        has("/sys/class/net", "uevent", &|text| {
            text.lines().any(|line| line.starts_with(&format!("DEVTYPE={word}")))
        })
    };
    let is_shown = |user: &&Route| match user {
        Route::DmCrypt => has("/sys/block", "dm/uuid", &|text| text.starts_with("CRYPT-")),
        Route::Ovpn => has_type("ovpn"),
        Route::Macsec => has_type("macsec"),
        _ => false,
    };
    Some(USERS.iter().filter(is_shown).map(|user| format!("{}\n", user.name())).collect())
}

pub(crate) fn list(
    root: &Root,
    drivers: &[Judged],
    accelerators: &[Accelerator],
    reach: &[MatrixRow],
    enabled: &[String],
    tuned: Option<&Tuned>,
) -> Vec<KernelUse> {
    let figures = tuned.map(Tuned::figures).unwrap_or_default();
    let preferred = preferred(root);
    let shown = root.answer(ANSWER, shown).unwrap_or_default();
    let mut all = Vec::new();
    for user in USERS {
        let in_use = evidence(user, drivers, &shown);
        let consumer = Consumer::Of(user);
        let measured_as = if user == Route::DmCrypt { KernelUser::Disk } else { KernelUser::Ipsec };
        // The out-of-tree module of OpenVPN exists on any kernel.
        let is_its = |answer| {
            answer == Reachable::Yes
                || (user == Route::Ovpn && in_use.is_some() && answer == Reachable::Unclear)
        };
        let gets = |row: &&MatrixRow| {
            row.consumers.iter().any(|cell| cell.consumer == consumer && is_its(cell.answer))
        };
        for accelerator in accelerators {
            let of_it = reach.iter().filter(gets).map(|row| row.driver.clone());
            let names: Vec<String> = of_it.filter(|name| accelerator.drivers.contains(name)).collect();
            if names.is_empty() {
                continue;
            }
            let is_enabled =
                |one: &KernelUser| one.route() == user && enabled.iter().any(|name| name == one.name());
            all.push(KernelUse {
                user: consumer,
                accelerator: accelerator.id.clone(),
                in_use: in_use.clone(),
                is_chosen: KernelUser::ALL.iter().any(is_enabled)
                    || names.iter().any(|name| preferred.contains(name)),
                measured: measured(measured_as, &figures)
                    .into_iter()
                    .filter(|one| names.contains(&one.driver))
                    .collect(),
                drivers: names,
            });
        }
    }
    all
}

/// The drivers that root had the kernel prefer.
fn preferred(root: &Root) -> Vec<String> {
    let directory = PREFERENCES.trim_start_matches('/');
    let files = root.list(directory).into_iter().filter(|entry| !entry.name.contains(".outboard-"));
    let texts = files.filter_map(|entry| root.text(&format!("{directory}/{}", entry.name)));
    let chosen = texts.flat_map(|text| preferences(&text)).filter(|one| !one.is_last);
    chosen.map(|one| one.name).collect()
}

/// What drivers and software cost a user: the figures of drivers that have a figure of software with the
/// same setting. A packet of OpenVPN or MACsec is to the driver what one of IPsec is.
#[must_use]
pub fn measured(user: KernelUser, figures: &[CipherFigure]) -> Vec<KernelUserFigures> {
    let has_setting = |one: &&CipherFigure| user.needs().iter().any(|need| need.setting == one.name);
    let with_software = |one: &CipherFigure| {
        let software = figures.iter().find(|it| it.driver.is_none() && it.name == one.name)?;
        let spread = one.spread + software.spread;
        let speeds = [one.megabytes_per_second, software.megabytes_per_second];
        // As for programs: what costs less wall time times CPU time. A CPU time of 0 is below the resolution of
        // /proc/stat.
        let cpu = one.cpu_ms_per_megabyte.filter(|own| *own > 0.0).zip(software.cpu_ms_per_megabyte);
        let is_worth_it =
            cpu.is_some_and(|(own, other)| compare(own / speeds[0], other / speeds[1], 2.0 * spread).is_lt());
        Some(KernelUserFigures {
            setting: one.name.clone(),
            driver: one.driver.clone()?,
            megabytes_per_second: speeds[0],
            software_megabytes_per_second: speeds[1],
            is_slower: compare(speeds[0], speeds[1], spread).is_lt() && !is_worth_it,
        })
    };
    figures.iter().filter(has_setting).filter_map(with_software).collect()
}
