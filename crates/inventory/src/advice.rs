//! The next steps for the user, those with the greatest effect first. "R10" and the like are lines
//! of docs/requirements.md.

use outboard_catalog::Algorithm;
use outboard_catalog::families::values;
use outboard_drivers::reach::ProgramInterface;

use crate::algorithms::SLOW_AES;
use crate::status::Status;

/// The advice for a status that is otherwise complete.
pub fn advise(status: &Status) -> Vec<String> {
    let mut advice = Vec::new();
    for device in &status.unbound_devices {
        advice.push(format!(
            "no driver is bound to the device {} ({}): modprobe {}; if that is loaded, dmesg tells why it did not take it",
            device.device,
            device.chip,
            device.modules.first().unwrap_or(&"(its module is not known)")
        ));
    }
    selftests(status, &mut advice);
    slow_aes(status, &mut advice);
    match status.accelerators.is_empty() {
        true => {
            without_accelerator(status, &mut advice);
            useless_dev_crypto(status, &mut advice);
        }
        false => with_accelerator(status, &mut advice),
    }
    policy(status, &mut advice);
    wrong(status, &mut advice);
    engines(status, &mut advice);
    if !status.cpu.padlock.is_empty() && status.openssl.ignores_engines() {
        advice.push(
            "the CPU's PadLock units can be used by programs without the kernel, but OpenSSL used them through its \
             padlock engine, which OpenSSL 4 no longer has"
                .into(),
        );
    }
    advice
}

/// Advice about a policy that is not in force: measurements belong to a kernel, a CPU and a driver.
fn policy(status: &Status, advice: &mut Vec<String>) {
    let Some(policy) = &status.policy else { return };
    if let Some(problem) = &policy.problem {
        advice.push(format!(
            "{}: {problem}; until then the provider goes by its built-in thresholds, which are careful",
            policy.path
        ));
    }
}

/// Advice about drivers with wrong results, found by outboard itself.
fn wrong(status: &Status, advice: &mut Vec<String>) {
    for caught in &status.caught {
        let driver = &caught.driver;
        let reports: Vec<String> = caught.reports.iter().map(|reports| reports.to_string()).collect();
        advice.push(format!(
            "{driver} returned wrong results to applications since it was allowed, reported {}: withdraw it with \
             outboard disallow {driver}, and report it to its maintainers; outboard check {driver} looks for the fault",
            reports.join(", ")
        ));
    }
    for checked in &status.checked {
        if let Some(fault) = &checked.fault {
            let (driver, made) = (&checked.driver, &checked.made);
            advice.push(format!(
                "{driver} gave outboard check a wrong result on {made} ({fault}): the provider passes over it; tell its \
                 maintainers, and do not let dm-crypt or IPsec use it either; outboard check --forget {driver} lets it be tried again"
            ));
        }
    }
}

/// R16: after a failed self-test a driver stays listed and is not used, without a message.
fn selftests(status: &Status, advice: &mut Vec<String>) {
    let failed: Vec<&str> = status
        .drivers
        .iter()
        .filter(|d| d.selftest != "passed" && d.kind != "larval" && d.verdict == "accelerator")
        .map(|d| d.name.as_str())
        .collect();
    if !failed.is_empty() {
        advice.push(format!(
            "the self-test of {} has not passed, so the kernel does not use it: `dmesg | grep alg:` tells why",
            failed.join(", ")
        ));
    }
}

/// R10: constant-time C code although the CPU has AES instructions.
fn slow_aes(status: &Status, advice: &mut Vec<String>) {
    if !status.algorithms.iter().any(|a| a.note.as_deref() == Some(SLOW_AES)) {
        return;
    }
    let module = match status.cpu.architecture {
        "x86" => "aesni_intel",
        "arm64" => "aes_ce_blk",
        "arm" => "aes_arm_ce",
        _ => return,
    };
    advice.push(format!(
        "disk encryption and IPsec in this kernel would run AES in plain code, many times slower than the CPU's AES \
         instructions: modprobe {module}"
    ));
}

fn without_accelerator(status: &Status, advice: &mut Vec<String>) {
    if !status.unbound_devices.is_empty() {
        return;
    }
    let remark = status.machine.platform.and_then(|p| p.remark);
    let engine = status.machine.platform.and_then(|p| p.engine);
    if status.cpu.has_aes() {
        advice.push(
            "programs need nothing: there is no accelerator here, and OpenSSL uses this CPU's AES instructions by \
             itself, which are faster than most accelerators"
                .into(),
        );
    } else if let Some(remark) = remark {
        advice.push(remark.to_string());
    } else if let Some(family) = engine.and_then(|id| outboard_catalog::families::all().find(|f| f.id == id))
    {
        advice.push(format!(
            "this chip ({}) has an engine, {}, but no driver for it is registered: modprobe {}, and see whether the \
             device tree enables its node",
            status.machine.platform.map_or("", |p| p.name),
            family.chip,
            values(family.modules).next().unwrap_or("(its module is not known)")
        ));
    } else {
        advice.push(
            "there is no accelerator here, and the CPU has no AES instructions: for TLS and SSH prefer \
             ChaCha20-Poly1305, which is fast in plain code; a card or chip that Linux drives would show here"
                .into(),
        );
    }
}

fn with_accelerator(status: &Status, advice: &mut Vec<String>) {
    let reachable = status.accelerators.iter().any(|a| a.is_reachable_by_programs());
    outranked(status, advice);
    if status.cpu.has_aes() {
        advice.push(
            "this CPU has AES instructions, so OpenSSL's own code is probably faster than the accelerator: measure \
             before you switch anything over"
                .into(),
        );
    }
    if let (false, Some(driver)) = (reachable, not_allowed(status)) {
        advice.push(format!(
            "programs cannot reach the accelerator yet: outboard allow {driver} (as root) offers it at /dev/outboard"
        ));
        return;
    }
    if let (false, Some(waiting)) = (reachable, status.accelerators.iter().find(|a| a.awaits_check)) {
        advice.push(format!(
            "programs cannot reach the accelerator yet: outboard check {} finds out whether it refuses forged tags, which is \
             required of an AEAD that is reached by another interface than /dev/outboard",
            waiting.reach_of
        ));
        return;
    }
    if status.accelerators.iter().all(|a| is_wrong(status, &a.reach_of)) {
        return;
    }
    if !reachable {
        let kernel = status.kernel.release.as_ref();
        let kernel = kernel.map_or_else(|| "this kernel".to_owned(), |release| format!("Linux {release}"));
        advice.push(format!(
            "programs cannot reach the accelerator on {kernel}; what opens a way: the outboard kernel module \
             (/dev/outboard), cryptodev-linux (/dev/crypto), or a kernel before 7.2 (AF_ALG)"
        ));
        return;
    }
    let does = |name: &str| status.algorithms.iter().any(|a| a.name == name && a.accelerator.is_some());
    // No AEAD: `openssl speed -evp` measures AEADs without tags.
    let mut ciphers = Algorithm::ALL.into_iter().filter(|algorithm| !algorithm.has_tags());
    if let Some(algorithm) = ciphers.find(|algorithm| does(algorithm.kernel_name())) {
        let there = if status.saved_tree.is_some() { " on that machine" } else { "" };
        let cipher = algorithm.openssl_name().to_ascii_lowercase();
        advice.push(format!("next{there}: outboard prove -- openssl speed -elapsed -evp {cipher}"));
    }
}

/// A driver that programs could use if root allowed it.
fn not_allowed(status: &Status) -> Option<&str> {
    let list = status.nodes.iter().find(|n| n.path == ProgramInterface::DevOutboard.name())?;
    let usable = status.drivers.iter().filter(|d| d.selftest == "passed").map(|d| d.name.as_str());
    let usable: Vec<&str> = usable.filter(|name| !is_wrong(status, name)).collect();
    let mut candidates = status.accelerators.iter().map(|a| a.reach_of.as_str());
    if list.reach() == Some(true) { candidates.find(|name| usable.contains(name)) } else { None }
}

/// Whether `outboard check` found a driver wrong; [`wrong`] gives the advice for it.
fn is_wrong(status: &Status, driver: &str) -> bool {
    status.checked.iter().any(|checked| checked.driver == driver && checked.fault.is_some())
}

/// R9, R11: an engine with priority 4001 ranks before AES instructions that are many times faster.
fn outranked(status: &Status, advice: &mut Vec<String>) {
    let names: Vec<&str> =
        status.algorithms.iter().filter(|a| a.outranked.is_some()).map(|a| a.name).collect();
    if !names.is_empty() {
        advice.push(format!(
            "for {} the kernel prefers the accelerator to the CPU's own crypto instructions, which are usually far \
             faster for its own users (IPsec, disks): measure, and unload the accelerator's module where it loses",
            names.join(", ")
        ));
    }
}

/// R7: without an accelerator, /dev/crypto leads to the kernel's software, which is slower than
/// OpenSSL's own.
fn useless_dev_crypto(status: &Status, advice: &mut Vec<String>) {
    if status.nodes.iter().any(|n| n.path == "/dev/crypto" && n.exists) {
        advice.push(
            "/dev/crypto is here, but leads to no accelerator: programs that use it get the kernel's software, which is \
             slower than OpenSSL's own; unload cryptodev, or take it out of their configuration"
                .into(),
        );
    }
}

/// Many published instructions configure engines.
fn engines(status: &Status, advice: &mut Vec<String>) {
    let Some(engines) = &status.openssl.engines else { return };
    let at = format!("{} line {}", engines.file, engines.line);
    if status.openssl.ignores_engines() {
        advice.push(format!(
            "{at} configures engines ({}), which OpenSSL {} ignores without a word: take the section out",
            engines.names.join(", "),
            status.openssl.version.as_deref().unwrap_or("4")
        ));
        return;
    }
    let closed = status
        .accelerators
        .iter()
        .any(|a| a.reach_by(ProgramInterface::AfAlg).is_some_and(|r| r.answer == "no"));
    if closed && engines.names.iter().any(|n| n.contains("afalg")) {
        advice.push(format!(
            "{at} configures the engine afalg: it says that it is available, but on this kernel it computes in software"
        ));
    } else {
        advice.push(format!(
            "{at} configures engines ({}), which OpenSSL 4 no longer has: outboard's provider replaces devcrypto and afalg",
            engines.names.join(", ")
        ));
    }
}
