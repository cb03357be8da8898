//! What to do with each service: switch it on, leave it, or use another cipher.

use std::path::Path;

use anyhow::Result;
use outboard_console::progress;
use outboard_drivers::reach::KernelUser;
use outboard_services::enable::{Application, Plan, Tree};

use super::document::{Advice, ServiceAdvice};
use super::needs::AtHand;
use crate::commands::ciphers::service::{UnservedDefault, unserved_default};
use crate::commands::enable::suitability::{self, Suitability};
use crate::commands::enable::{contest, kernel_user};
use crate::commands::tune::GoalName;

/// Has the provider decide for each service, as `outboard enable` does.
pub fn of_services(services: &[AtHand], goal: GoalName) -> Vec<ServiceAdvice> {
    let tree = Tree::at(Path::new("/"));
    let of_service = |service: &AtHand| {
        progress(&format!("{}: loading OpenSSL with the new configuration", service.name));
        let found = match &service.plan {
            Err(why) => Err(why.to_string()),
            Ok(plan) => judged(&tree, service, plan, goal).map_err(|error| format!("{error:#}")),
        };
        progress("");
        let unserved = found.as_ref().ok().and_then(|found| unserved_default(&service.name, &tree, found));
        of_outlook(service, found, unserved)
    };
    services.iter().map(of_service).collect()
}

/// The same for encrypted disks and tunnels in the kernel, where they are used.
pub fn of_kernel_users(services: &[AtHand], goal: GoalName) -> Vec<ServiceAdvice> {
    let has_tunnels = services.iter().any(|service| service.name == "strongswan");
    let at_hand = [(KernelUser::Disk, has_encrypted_disk()), (KernelUser::Ipsec, has_tunnels)];
    let of_user = |user: KernelUser| {
        let found = kernel_user::advise(user, goal);
        let (advice, reason, is_enabled) =
            found.unwrap_or_else(|error| (Advice::Leave, format!("{error:#}"), false));
        kernel_advice(user.name(), advice, reason, is_enabled)
    };
    at_hand.into_iter().filter(|(_, is_at_hand)| *is_at_hand).map(|(user, _)| of_user(user)).collect()
}

fn kernel_advice(service: &str, advice: Advice, reason: String, is_enabled: bool) -> ServiceAdvice {
    let command = match (advice, is_enabled) {
        (Advice::SwitchOn, _) => Some(format!("outboard enable {service}")),
        (Advice::Leave, true) => Some(format!("outboard disable {service}")),
        _ => None,
    };
    ServiceAdvice { service: service.to_owned(), advice, reason, command }
}

/// Whether cryptsetup has opened a disk (the uuid that it gives to a device).
fn has_encrypted_disk() -> bool {
    let is_crypt = |entry: std::fs::DirEntry| {
        let uuid = std::fs::read_to_string(entry.path().join("dm/uuid"));
        uuid.is_ok_and(|uuid| uuid.starts_with("CRYPT-"))
    };
    std::fs::read_dir("/sys/block").is_ok_and(|all| all.flatten().any(is_crypt))
}

fn judged(tree: &Tree, service: &AtHand, plan: &Plan, goal: GoalName) -> Result<Suitability> {
    let mut found = suitability::examine(plan, &service.inputs, Some(goal.name()))?;
    if !service.is_aes_required {
        contest::compare(&service.name, tree, &service.inputs.module, goal.into(), &mut found)?;
    }
    Ok(found)
}

fn of_outlook(
    service: &AtHand,
    found: Result<Suitability, String>,
    unserved: Option<UnservedDefault>,
) -> ServiceAdvice {
    let name = service.name.as_str();
    let advice =
        |advice, reason, command| ServiceAdvice { service: name.to_owned(), advice, reason, command };
    let refusal = match &found {
        Err(why) => Some(why.clone()),
        Ok(found) => found.refusal.clone(),
    };
    let served = found.as_ref().map(with_figures).unwrap_or_default();
    let is_beaten = found.as_ref().is_ok_and(|found| found.contest.is_some());
    match (service.is_enabled, refusal, unserved) {
        (true, None, _) => advice(Advice::Enabled, served, Some(format!("outboard prove --service {name}"))),
        (true, Some(why), _) => {
            advice(Advice::Leave, why, Some(format!("outboard disable {name} --restart")))
        }
        (false, Some(why), _) if is_beaten => advice(Advice::OtherCipher, why, None),
        (false, Some(why), _) => advice(Advice::Leave, why, None),
        (false, None, Some(unserved)) => {
            let why = format!("{} is not served: {}", unserved.suite, unserved.remedy());
            let command = Some(format!("outboard ciphers --service {name}"));
            match unserved.setting {
                Some(_) => advice(Advice::OtherCipher, format!("{why}; {served}"), command),
                None => advice(Advice::Leave, why, command),
            }
        }
        (false, None, None) => advice(Advice::SwitchOn, served, Some(command(name))),
    }
}

/// The command that switches a service on. What has no unit cannot be restarted.
fn command(name: &str) -> String {
    let has_unit = Application::by_name(name).is_some_and(|known| !known.units.is_empty());
    format!("outboard enable {name}{}", if has_unit { " --restart" } else { "" })
}

/// The same with the fastest and the cheapest suite, if that was measured.
fn with_figures(found: &Suitability) -> String {
    let contest = found.contest.as_ref().map(|contest| contest.sentence());
    std::iter::once(served(found)).chain(contest).collect::<Vec<_>>().join("; ")
}

/// The ciphers of which requests are accelerated.
fn served(found: &Suitability) -> String {
    let served = found.ciphers.iter().filter_map(|one| {
        let (driver, from) = one.by.as_ref().ok()?;
        let from = (*from)?;
        let fits = one.measured && found.bytes.is_none_or(|bytes| from <= bytes);
        fits.then_some((one.cipher.as_str(), driver.as_str(), from))
    });
    let mut groups: Vec<(&str, u32, Vec<&str>)> = Vec::new();
    for (cipher, driver, from) in served {
        match groups.iter_mut().find(|(d, f, _)| (*d, *f) == (driver, from)) {
            Some((_, _, ciphers)) => ciphers.push(cipher),
            None => groups.push((driver, from, vec![cipher])),
        }
    }
    let words = groups
        .iter()
        .map(|(driver, from, ciphers)| format!("{} from {from} bytes by {driver}", ciphers.join(", ")));
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::enable::suitability::Outlook;
    use crate::tuning::panel::DriverTask;
    use outboard_services::enable::{Inputs, Unplannable};
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    fn service(name: &str, is_enabled: bool) -> AtHand {
        AtHand {
            name: name.to_owned(),
            plan: Err(Unplannable::InKernel(name.to_owned())),
            inputs: Inputs {
                openssl_cnf: None,
                module: PathBuf::new(),
                programs: Vec::new(),
                units: BTreeMap::new(),
            },
            is_enabled,
            is_aes_required: false,
        }
    }

    fn found(refusal: Option<&str>) -> Result<Suitability, String> {
        let cipher = |cipher: &str, from| Outlook {
            cipher: cipher.to_owned(),
            by: Ok(("engine-ecb-aes".to_owned(), Some(from))),
            measured: true,
            task: DriverTask::Ahead { direct_from: None },
        };
        let ciphers =
            vec![cipher("AES-128-GCM", 512), cipher("AES-256-GCM", 512), cipher("AES-128-CBC", 65536)];
        Ok(Suitability {
            ciphers,
            bytes: Some(16384),
            refusal: refusal.map(str::to_owned),
            contest: None,
            figures: Vec::new(),
        })
    }

    #[test]
    fn a_user_within_the_kernel_has_no_restart() {
        let command = |advice, is_enabled| kernel_advice("disk", advice, String::new(), is_enabled).command;
        assert_eq!(command(Advice::SwitchOn, false).as_deref(), Some("outboard enable disk"));
        assert_eq!(command(Advice::Leave, true).as_deref(), Some("outboard disable disk"));
        for (advice, is_enabled) in
            [(Advice::Leave, false), (Advice::OtherCipher, false), (Advice::Enabled, true)]
        {
            assert_eq!(command(advice, is_enabled), None);
        }
    }

    #[test]
    fn a_service_is_switched_on_left_or_gets_another_cipher() {
        let of = |service: &AtHand, found, unserved: Option<Option<&str>>| {
            let unserved = unserved.map(|setting| UnservedDefault {
                suite: "chacha20".to_owned(),
                setting: setting.map(str::to_owned),
            });
            let it = of_outlook(service, found, unserved);
            (it.advice, it.reason, it.command.unwrap_or_default())
        };
        let (advice, reason, command) = of(&service("nginx", false), found(None), None);
        assert_eq!((advice, command.as_str()), (Advice::SwitchOn, "outboard enable nginx --restart"));
        assert_eq!(reason, "AES-128-GCM, AES-256-GCM from 512 bytes by engine-ecb-aes");
        let (advice, reason, command) = of(&service("nginx", false), found(Some("software wins")), None);
        assert_eq!((advice, reason.as_str(), command.as_str()), (Advice::Leave, "software wins", ""));
        let (advice, _, command) = of(&service("sshd", false), found(None), Some(Some("another")));
        assert_eq!((advice, command.as_str()), (Advice::OtherCipher, "outboard ciphers --service sshd"));
        let (advice, reason, _) = of(&service("sshd", false), found(None), Some(None));
        assert_eq!(advice, Advice::Leave);
        assert_eq!(reason, "chacha20 is not served: only suites with CBC are, which lower security");
        let (advice, _, command) = of(&service("nginx", true), found(None), None);
        assert_eq!((advice, command.as_str()), (Advice::Enabled, "outboard prove --service nginx"));
        let (advice, _, command) = of(&service("nginx", true), found(Some("software wins")), None);
        assert_eq!((advice, command.as_str()), (Advice::Leave, "outboard disable nginx --restart"));
        assert_eq!(of(&service("ssh", false), found(None), None).2, "outboard enable ssh");
        let (advice, reason, _) = of(&service("apache", false), Err("PrivateDevices=yes".to_owned()), None);
        assert_eq!((advice, reason.as_str()), (Advice::Leave, "PrivateDevices=yes"));
    }
}
