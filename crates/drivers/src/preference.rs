//! Priorities of drivers in the running kernel: a driver can be given a higher one than all others
//! of its algorithm (CRYPTO_MSG_UPDATEALG, crypto_update_alg in crypto/crypto_user.c). The kernel
//! keeps it until the driver's module is unloaded.
//!
//! UPDATEALG removes the template instances that contain the named driver; those that contain other
//! drivers stay registered and would still be selected. So these drivers get an UPDATEALG with
//! their present priority. Users that hold an instance keep it until they free it.

use rustix::io::Errno;

use crate::find::Judged;
use crate::netlink::{self, change};
use crate::reach::not_preferred;
use crate::template;

#[derive(Debug, thiserror::Error)]
pub enum PreferenceError {
    #[error("the kernel has no driver {0}: load its module first (outboard status lists the drivers)")]
    Unknown(String),
    #[error("{0}")]
    Excluded(String),
    #[error("{0} did not pass the kernel's self-test, so the kernel selects it for no user")]
    Unusable(String),
    /// NETLINK_CRYPTO would truncate the name.
    #[error("{0} is longer than the 63 bytes that NETLINK_CRYPTO accepts")]
    LongName(String),
    #[error("another driver of {0} has the highest priority that exists")]
    NoHigher(String),
    #[error("the kernel has no other driver of {0} than {1}")]
    NoOther(String, String),
    #[error("the kernel did not change the priority of {driver}: {cause}")]
    Kernel { driver: String, cause: netlink::Error },
}

/// The priority with which the kernel selects a driver for all users of its algorithm; the present
/// one if it does so already.
/// Errors: all but [`PreferenceError::Kernel`].
pub fn priority_to_win(drivers: &[Judged], name: &str) -> Result<i32, PreferenceError> {
    if let Some(why) = not_preferred(name) {
        return Err(PreferenceError::Excluded(why));
    }
    let target = target(drivers, name)?;
    let highest = rivals(drivers, target).map(|rival| rival.driver.priority).max();
    match highest {
        Some(highest) if highest >= target.driver.priority => {
            highest.checked_add(1).ok_or_else(|| PreferenceError::NoHigher(target.driver.algorithm.clone()))
        }
        _ => Ok(target.driver.priority),
    }
}

/// Gives a driver the priority of [`priority_to_win`] and returns it. `drivers` are those of the
/// running kernel. Requires root.
/// Errors: [`PreferenceError`].
pub fn raise(drivers: &[Judged], name: &str) -> Result<i32, PreferenceError> {
    let priority = priority_to_win(drivers, name)?;
    change_to(drivers, target(drivers, name)?, priority)?;
    Ok(priority)
}

/// Gives a driver a lower priority than all others of its algorithm, and returns it. Requires root.
/// Errors: [`PreferenceError`].
pub fn lower(drivers: &[Judged], name: &str) -> Result<i32, PreferenceError> {
    let target = target(drivers, name)?;
    let lowest = rivals(drivers, target).map(|rival| rival.driver.priority).min();
    let lowest = lowest.ok_or_else(|| {
        PreferenceError::NoOther(target.driver.algorithm.clone(), target.driver.name.clone())
    })?;
    // Software that is registered later is not expected to have a priority of less than 1.
    let priority = target.driver.priority.min(lowest.saturating_sub(1)).min(0);
    change_to(drivers, target, priority)?;
    Ok(priority)
}

/// Sets the priority, and has the kernel make instances around the driver's rivals anew.
fn change_to(drivers: &[Judged], target: &Judged, priority: i32) -> Result<(), PreferenceError> {
    if priority != target.driver.priority {
        set(&target.driver.name, priority)?;
    }
    for rival in rivals(drivers, target) {
        let rival = &rival.driver;
        let is_contained =
            drivers.iter().any(|one| template::nested(&one.driver.name)[1..].contains(&rival.name.as_str()));
        if is_contained && rival.name.len() <= change::LONGEST_NAME {
            match set(&rival.name, rival.priority) {
                // An instance that went with a part of it, which was changed since the list was made.
                Err(PreferenceError::Kernel {
                    cause: netlink::Error::System { errno: Errno::NOENT, .. },
                    ..
                }) => {}
                changed => changed?,
            }
        }
    }
    Ok(())
}

/// Gives a driver its own priority back. A driver that is gone has it when it returns. Requires
/// root.
/// Errors: [`PreferenceError::Kernel`].
pub fn restore(drivers: &[Judged], name: &str, own: i32) -> Result<(), PreferenceError> {
    match target(drivers, name) {
        Ok(target) if target.driver.priority != own => change_to(drivers, target, own),
        _ => Ok(()),
    }
}

/// The drivers as they would be after [`raise`]: the driver has the highest priority, and no
/// instance contains a rival.
pub fn if_preferred(drivers: &[Judged], target: &Judged) -> Vec<Judged> {
    let rivals: Vec<&str> = rivals(drivers, target).map(|rival| rival.driver.name.as_str()).collect();
    let contains_rival =
        |one: &&Judged| template::nested(&one.driver.name)[1..].iter().any(|name| rivals.contains(name));
    let mut after: Vec<Judged> = drivers.iter().filter(|one| !contains_rival(one)).cloned().collect();
    for one in after.iter_mut().filter(|one| is_same(one, target)) {
        one.driver.priority = i32::MAX;
    }
    after
}

fn set(driver: &str, priority: i32) -> Result<(), PreferenceError> {
    change::prefer(driver, priority)
        .map_err(|cause| PreferenceError::Kernel { driver: driver.to_owned(), cause })
}

fn target<'a>(drivers: &'a [Judged], name: &str) -> Result<&'a Judged, PreferenceError> {
    let mut named = drivers.iter().filter(|one| one.driver.name == name);
    let first = named.next().ok_or_else(|| PreferenceError::Unknown(name.to_owned()))?;
    if name.len() > change::LONGEST_NAME {
        return Err(PreferenceError::LongName(name.to_owned()));
    }
    match std::iter::once(first).chain(named).find(|one| one.driver.is_usable()) {
        Some(usable) => Ok(usable),
        None => Err(PreferenceError::Unusable(name.to_owned())),
    }
}

fn rivals<'a>(drivers: &'a [Judged], target: &'a Judged) -> impl Iterator<Item = &'a Judged> {
    drivers.iter().filter(|one| {
        one.driver.algorithm == target.driver.algorithm && one.driver.is_usable() && !is_same(one, target)
    })
}

fn is_same(one: &Judged, other: &Judged) -> bool {
    one.driver.name == other.driver.name
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::judge::{Judgement, Verdict};
    use crate::module::Hardware;
    use crate::proc_crypto::parse;

    fn drivers(rows: &[(&str, &str, i32, &str)]) -> Vec<Judged> {
        let entry = |(algorithm, name, priority, selftest): &(&str, &str, i32, &str)| {
            let text = format!(
                "name : {algorithm}\ndriver : {name}\nmodule : m\npriority : {priority}\nselftest : {selftest}\n\
                 type : skcipher\n\n"
            );
            Judged {
                driver: parse(text.as_bytes()).0.remove(0),
                flags: None,
                hardware: Arc::new(Hardware::default()),
                interrupt_lines: None,
                judgement: Judgement { verdict: Verdict::Unknown, signature: None },
            }
        };
        rows.iter().map(entry).collect()
    }

    #[test]
    fn one_more_than_the_highest_other_wins() {
        let all = drivers(&[
            ("cbc(aes)", "engine", 300, "passed"),
            ("cbc(aes)", "fast", 400, "passed"),
            ("cbc(aes)", "broken", 900, "unknown"),
            ("xts(aes)", "other", 999, "passed"),
            ("ecb(aes)", "top", i32::MAX, "passed"),
            ("ecb(aes)", "low", 1, "passed"),
        ]);
        assert_eq!(priority_to_win(&all, "engine").unwrap(), 401);
        assert_eq!(priority_to_win(&all, "fast").unwrap(), 400);
        assert_eq!(priority_to_win(&all, "other").unwrap(), 999);
        for (name, text) in [("none", "no driver none"), ("broken", "self-test"), ("low", "highest priority")]
        {
            assert!(priority_to_win(&all, name).unwrap_err().to_string().contains(text), "{name}");
        }
        let equal = drivers(&[("cbc(aes)", "a", 300, "passed"), ("cbc(aes)", "b", 300, "passed")]);
        assert_eq!(priority_to_win(&equal, "b").unwrap(), 301);
    }

    #[test]
    fn instances_around_rivals_are_not_selected_any_more() {
        let all = drivers(&[
            ("cbc(aes)", "engine", 300, "passed"),
            ("cbc(aes)", "cbc(plain)", 400, "passed"),
            ("essiv(cbc(aes),sha256)", "essiv(cbc(plain),sha256-lib)", 400, "passed"),
            ("authenc(hmac(sha1),cbc(aes))", "authenc(hmac-sha1,engine)", 100, "passed"),
            ("aes", "plain", 100, "passed"),
        ]);
        let after = if_preferred(&all, &all[0]);
        let names: Vec<&str> = after.iter().map(|one| one.driver.name.as_str()).collect();
        assert_eq!(names, ["engine", "cbc(plain)", "authenc(hmac-sha1,engine)", "plain"]);
        assert_eq!(after[0].driver.priority, i32::MAX);
    }
}
