//! The end of `outboard tune`: the drivers that users within the kernel get now, and the kernel's best
//! software, at what those users request. Only users that are in use are measured.

use anyhow::Result;
use outboard_documents::tune::Tune;
use outboard_drivers::reach::{KernelUser, Route};
use outboard_drivers::root::Root;
use outboard_inventory::kernel_use::{self, in_use};
use outboard_measure::kernel_users::{KernelFigure, disk, ipsec};
use outboard_policy::CipherFigure;

use crate::commands::enable::kernel_user;
use crate::kernel_choice;

/// Adds what was found to the answer, and returns the figures for the policy file. A user that cannot be
/// measured is a warning: its driver may be wrong.
pub fn measure(answer: &mut Tune) -> Vec<CipherFigure> {
    let mut figures = Vec::new();
    if !rustix::process::geteuid().is_root() || answer.interrupted {
        return figures;
    }
    let users = [
        (KernelUser::Ipsec, &[Route::Ipsec, Route::Ovpn, Route::Macsec][..], ipsec::PACKET),
        (KernelUser::Disk, &[Route::DmCrypt], disk::SECTOR),
    ];
    for (user, routes, bytes) in users {
        match of_user(user, routes) {
            Ok(measured) => {
                let lines: Vec<_> = measured.iter().map(|one| line(one, bytes as usize)).collect();
                answer.kernel_users.extend(kernel_use::measured(user, &lines));
                figures.extend(lines);
            }
            Err(error) => answer.warn(format!("{} was not measured: {error:#}", user.route().name())),
        }
    }
    figures
}

fn of_user(user: KernelUser, routes: &[Route]) -> Result<Vec<KernelFigure>> {
    let (root, drivers) = (Root::live(), kernel_choice::now()?);
    match routes.iter().any(|route| in_use(&root, *route, &drivers).is_some()) {
        true => kernel_user::measure_selected(user),
        false => Ok(Vec::new()),
    }
}

fn line(one: &KernelFigure, bytes: usize) -> CipherFigure {
    CipherFigure {
        bytes,
        name: one.contestant.setting.clone(),
        driver: one.contestant.accelerator.clone(),
        megabytes_per_second: one.figure.megabytes_per_second,
        spread: one.figure.spread,
        cpu_ms_per_megabyte: one.figure.cpu_ms_per_megabyte,
    }
}
