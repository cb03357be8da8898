//! Which algorithms are offered. Decided once, when the core first asks.

use std::sync::Arc;

use outboard_abi as abi;
use outboard_accel::{Algorithm, Error, Reached, reach};
use outboard_counters::IN_USE;
use outboard_drivers::find_drivers;
use outboard_drivers::judge::Verdict;
use outboard_drivers::root::Root;
use outboard_policy::{Drivers, SoftDrivers};

use crate::cipher::{CBC_AES, Kind};
use crate::entry::Provider;
use crate::hardware::Hardware;
use crate::log::Level;
use crate::software::SoftCipher;

/// What is offered, with the tables that the core reads.
pub(crate) struct Offer {
    ciphers: [Option<Cipher>; CBC_AES.len()],
    rows: Vec<abi::Algorithm>,
}

/// One offered cipher.
pub(crate) struct Cipher {
    pub(crate) kind: &'static Kind,
    pub(crate) soft: SoftCipher,
    pub(crate) hardware: Arc<Hardware>,
    /// The smallest request in bytes that goes to the accelerator.
    pub(crate) threshold: usize,
}

impl Offer {
    /// Looks for a driver, and offers what it does as far as the policy allows and the default provider,
    /// which must be there, can do it too.
    pub(crate) fn decide(provider: &Provider) -> Offer {
        let wanted = |kind: &Kind| provider.policy.ciphers.has(kind.name);
        let hardware = if CBC_AES.iter().any(wanted) { find(provider, Algorithm::CbcAes) } else { None };
        let ciphers = std::array::from_fn(|index| {
            let kind = &CBC_AES[index];
            let soft = provider.software.cipher(&provider.core, kind.name)?;
            let hardware = hardware.as_ref().filter(|_| wanted(kind))?;
            let threshold = provider.policy.thresholds.of(kind.name);
            provider.log.line(Level::Info, format_args!("offers {} from {threshold} bytes on", kind.name));
            Some(Cipher { kind, soft, hardware: Arc::clone(hardware), threshold })
        });
        let mut rows: Vec<abi::Algorithm> = ciphers.iter().flatten().map(row).collect();
        rows.push(abi::Algorithm::END);
        Offer { ciphers, rows }
    }

    /// An offered cipher by its place in `CBC_AES`.
    pub(crate) fn cipher(&self, kind: usize) -> Option<&Cipher> {
        self.ciphers.get(kind)?.as_ref()
    }

    /// The table for the core; `None` when it would be empty.
    pub(crate) fn rows(&self) -> Option<*const abi::Algorithm> {
        (self.rows.len() > 1).then_some(self.rows.as_ptr())
    }
}

fn row(cipher: &Cipher) -> abi::Algorithm {
    abi::Algorithm {
        names: cipher.kind.names.as_ptr(),
        properties: c"provider=outboard".as_ptr(),
        implementation: cipher.kind.functions.as_ptr(),
        description: c"by an accelerator where it wins, else by the default provider".as_ptr(),
    }
}

/// The best driver of an algorithm that the policy allows and that can be reached.
fn find(provider: &Provider, algorithm: Algorithm) -> Option<Arc<Hardware>> {
    let say = |text: &str| {
        provider.log.line(Level::Info, format_args!("{text}"));
        provider.counters.note(text);
    };
    let names = match allowed(provider, algorithm) {
        Ok(names) => names,
        Err(error) => {
            say(&error.to_string());
            return None;
        }
    };
    if names.is_empty() {
        say(&format!("/proc/crypto lists no driver for {} that may be used", algorithm.kernel_name()));
    }
    for name in names {
        let Reached { accelerator, passed } = reach(&name, algorithm);
        let passed = passed.iter().map(Error::to_string);
        let Some(accelerator) = accelerator else {
            passed.for_each(|why| say(&why));
            continue;
        };
        // Why not the interfaces before it is for those who ask.
        passed.for_each(|why| provider.log.line(Level::Info, format_args!("{why}")));
        say(&format!("{IN_USE}driver {name} over {}", accelerator.interface()));
        return Some(Arc::new(Hardware::new(accelerator, provider.log)));
    }
    None
}

/// The names of the drivers that the policy allows, the preferred one first.
fn allowed(provider: &Provider, algorithm: Algorithm) -> Result<Vec<String>, outboard_drivers::find::Error> {
    // The kernel's own preference comes first in what is found.
    let mut found = find_drivers(&Root::live(), algorithm.kernel_name())?;
    found.retain(|candidate| match (provider.policy.soft_drivers, candidate.judgement.verdict) {
        (SoftDrivers::All, _) | (_, Verdict::Accelerator) => true,
        (SoftDrivers::RejectSoftware, verdict) => verdict == Verdict::Unknown,
        (SoftDrivers::AcceleratorsOnly, _) => false,
    });
    let (accelerators, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|candidate| candidate.judgement.verdict == Verdict::Accelerator);
    let mut names: Vec<String> =
        accelerators.into_iter().chain(others).map(|candidate| candidate.driver).collect();
    if let Drivers::Only(listed) = &provider.policy.drivers {
        names = listed.iter().filter(|name| names.contains(name)).cloned().collect();
    }
    Ok(names)
}
