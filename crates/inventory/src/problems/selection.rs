//! The driver that the kernel selects is not the best one.

use outboard_catalog::instructions::Architecture;
use outboard_documents::status::{Algorithm, Pick};
use outboard_drivers::judge::Verdict;

use super::{Found, ProblemId, Status};

pub(super) fn find(status: &Status, found: &mut Found) {
    slow_aes(status, found);
    outranks_cpu(status, found);
    accelerator_outranked(status, found);
}

/// Constant-time C code although the CPU has AES instructions.
fn slow_aes(status: &Status, found: &mut Found) {
    // Without an accelerator an algorithm is listed only for this.
    let Some(algorithm) = status.algorithms.iter().find(|a| a.accelerator.is_none()) else { return };
    let module = match status.cpu.architecture {
        Architecture::X86 => "aesni_intel",
        Architecture::Arm64 => "aes_ce_blk",
        Architecture::Arm => "aes_arm_ce",
        _ => return,
    };
    found.problem(
        ProblemId::SlowAes,
        "disk encryption and IPsec in this kernel would run AES in plain code, many times slower than the CPU's AES \
         instructions"
            .into(),
        format!(
            "/proc/crypto: for {} the kernel picks {} (priority {})",
            algorithm.name, algorithm.picked.driver, algorithm.picked.priority
        ),
        format!("modprobe {module}"),
    );
}

/// An engine with priority 4001 ranks before AES instructions that are many times faster.
fn outranks_cpu(status: &Status, found: &mut Found) {
    let outranking = || status.algorithms.iter().filter(|a| a.outranked.is_some());
    let Some((first, cpu)) = outranking().find_map(|a| Some((a, a.outranked.as_ref()?))) else { return };
    let names: Vec<&str> = outranking().map(|a| a.name.as_str()).collect();
    found.problem(
        ProblemId::OutranksCpu,
        format!(
            "for {} the kernel prefers the accelerator to the CPU's own crypto instructions, which are usually far faster for \
             the kernel's users (IPsec, disks)",
            names.join(", ")
        ),
        format!(
            "/proc/crypto: {} has priority {}, {} has {}",
            first.picked.driver, first.picked.priority, cpu.driver, cpu.priority
        ),
        "measure with outboard bench disk and bench ipsec; where it loses, outboard prefer another driver",
    );
}

/// An accelerator that the kernel's own users do not get.
fn accelerator_outranked(status: &Status, found: &mut Found) {
    let unused = || status.algorithms.iter().filter_map(|a| Some((a, a.accelerator.as_ref()?)));
    let is_unused = |(a, accelerator): &(&Algorithm, &Pick)| {
        a.picked.verdict != Verdict::Accelerator
            && !a.picked.around_accelerator
            && a.picked.driver != accelerator.driver
    };
    let Some((first, accelerator)) = unused().find(is_unused) else { return };
    let names: Vec<&str> = unused().filter(is_unused).map(|(a, _)| a.name.as_str()).collect();
    found.note(
        ProblemId::AcceleratorOutranked,
        format!("for {} the kernel's own users (IPsec, disks) do not get the accelerator", names.join(", ")),
        format!(
            "/proc/crypto: {} has priority {}, {} has {}",
            first.picked.driver, first.picked.priority, accelerator.driver, accelerator.priority
        ),
        "outboard bench disk and bench ipsec measure each driver; programs choose by name and are not affected",
    );
}
