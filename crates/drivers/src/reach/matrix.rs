//! The reach matrix: a driver and everything that consumes drivers.

use std::collections::BTreeMap;

use super::{ProgramInterface, ReachFacts, Reachable, Route, RouteDecision, decide};
use crate::find::Judged;
use crate::flags::Flags;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumer {
    /// Programs with OpenSSL, by outboard's provider.
    OpenSsl,
    /// Programs that use an interface themselves, or a user within the kernel.
    Of(Route),
    Hwrng,
}

impl Consumer {
    /// All of them, in the order of the matrix.
    pub const ALL: [Consumer; 14] = [
        Self::OpenSsl,
        Self::Of(Route::Program(ProgramInterface::DevCrypto)),
        Self::Of(Route::Program(ProgramInterface::AfAlg)),
        Self::Of(Route::Ktls),
        Self::Of(Route::Ipsec),
        Self::Of(Route::DmCrypt),
        Self::Of(Route::Fscrypt),
        Self::Of(Route::Fsverity),
        Self::Of(Route::Smb3),
        Self::Of(Route::Ovpn),
        Self::Of(Route::Macsec),
        Self::Of(Route::Ceph),
        Self::Of(Route::Kerberos),
        Self::Hwrng,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::OpenSsl => "OpenSSL",
            Self::Of(route) => route.name(),
            Self::Hwrng => "hwrng",
        }
    }

    /// Whether it is a user within the kernel that names an algorithm and gets the driver with the
    /// highest priority.
    pub fn selects_by_priority(self) -> bool {
        matches!(self, Self::Of(route) if !route.is_for_programs())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub consumer: Consumer,
    pub reachable: Reachable,
    pub why: String,
}

/// The drivers that can be selected at all: for each algorithm the one that [`super::pick`] selects
/// among all drivers, and the one for users without drivers that allocate memory. Decisions about
/// many drivers need only these.
pub fn contenders(drivers: &[Judged]) -> Vec<Judged> {
    const MASKS: [u32; 2] = [0, Flags::ALLOCATES_MEMORY];
    let mut best: BTreeMap<&str, [Option<&Judged>; 2]> = BTreeMap::new();
    for driver in drivers.iter().filter(|driver| driver.driver.is_usable()) {
        let places = best.entry(&driver.driver.algorithm).or_default();
        for (place, mask) in places.iter_mut().zip(MASKS) {
            let is_better = place.is_none_or(|known| driver.driver.priority > known.driver.priority);
            if is_better && !driver.flags.unwrap_or_default().any(mask) {
                *place = Some(driver);
            }
        }
    }
    best.into_values().flatten().flatten().cloned().collect()
}

/// The row of a driver, from the decision about each route.
pub fn matrix_row(target: &Judged, drivers: &[Judged], facts: &ReachFacts) -> Vec<Cell> {
    let routes = decide(target, drivers, facts);
    let cell = |consumer: Consumer| {
        let (reachable, why) = match consumer {
            Consumer::OpenSsl => openssl(&routes),
            Consumer::Of(route) => of_route(&routes, route),
            Consumer::Hwrng => (Reachable::No, "it is not a random number generator".to_owned()),
        };
        Cell { consumer, reachable, why }
    };
    Consumer::ALL.map(cell).into()
}

fn of_route(routes: &[RouteDecision], route: Route) -> (Reachable, String) {
    match routes.iter().find(|decision| decision.route == route) {
        Some(decision) => (decision.reachable, decision.why.clone()),
        None if routes[0].route == Route::Program(ProgramInterface::Instructions) => {
            (Reachable::No, "outboard's provider executes the instructions; the kernel does so with padlock_aes and padlock_sha".into())
        }
        None => (Reachable::No, "it does not support this type of algorithm".to_owned()),
    }
}

/// outboard's provider takes the first interface that leads to the driver.
fn openssl(routes: &[RouteDecision]) -> (Reachable, String) {
    let programs = || routes.iter().filter(|decision| decision.route.is_for_programs());
    let first = |reachable| programs().find(|decision| decision.reachable == reachable);
    if let Some(decision) = first(Reachable::Yes).or(first(Reachable::Unclear)) {
        let why = format!("through {}: {}", decision.route.name(), decision.why);
        return (decision.reachable, why);
    }
    let whys: Vec<String> =
        programs().map(|decision| format!("{}: {}", decision.route.name(), decision.why)).collect();
    (Reachable::No, whys.join("; "))
}
