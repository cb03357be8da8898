//! The drivers for digests and HMACs.

use std::sync::Arc;

use outboard_accel::{HashAlgorithm, HashSession, Reached, reach_hash};

use crate::entry::Provider;
use crate::hardware::Hardware;
use crate::offer::find_each;

/// A driver that can be reached.
pub(crate) type Found = (HashAlgorithm, Arc<Hardware<dyn HashSession>>);

/// For each of these algorithms the best driver that the policy allows and that can be reached.
pub(crate) fn find(provider: &Provider, wanted: &[HashAlgorithm]) -> Vec<Found> {
    let names: Vec<&str> = wanted.iter().map(|algorithm| algorithm.kernel_name()).collect();
    let mut found = Vec::new();
    find_each(provider, &names, provider.policy.digests.are_named(), &mut |place, driver| {
        let Reached { accelerator, passed } = reach_hash(driver, wanted[place]);
        let interface = accelerator.map(|accelerator| {
            let interface = accelerator.interface();
            let hardware = Hardware::new(accelerator, provider.policy.shadow_checks, provider.log);
            found.push((wanted[place], Arc::new(hardware)));
            interface
        });
        (interface, passed)
    });
    found
}
