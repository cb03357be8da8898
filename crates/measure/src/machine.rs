//! The machine that a measurement belongs to.

use std::fs::read_to_string;

use outboard_documents::Machine;

use crate::cpu::cpus;

pub fn here() -> Machine {
    let read = |path| read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    // x86, MIPS, RISC-V, PowerPC; arm64 has only numbers.
    let model = ["model name", "cpu model", "uarch", "cpu", "CPU part"].into_iter().find_map(field);
    Machine {
        kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        cpu: model.unwrap_or_else(|| "unknown".to_owned()),
        cpus: cpus() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_kernel_and_a_cpu() {
        let machine = here();
        assert!(!machine.kernel.is_empty() && !machine.cpu.is_empty() && machine.cpus > 0, "{machine:?}");
    }
}
