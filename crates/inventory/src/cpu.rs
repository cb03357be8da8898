//! The CPU's own crypto instructions, from /proc/cpuinfo. Every architecture has its own format
//! (arch/*/kernel/…/proc.c).

use outboard_catalog::instructions::Architecture::{self, *};
use outboard_documents::status::Cpu;
use outboard_drivers::root::Root;

/// Reads /proc/cpuinfo; every field is empty if it is missing.
pub fn read(root: &Root) -> Cpu {
    root.read("proc/cpuinfo").map(|bytes| parse(&bytes)).unwrap_or_default()
}

/// The relevant features of each architecture: AES, GCM, SHA, PadLock.
const FEATURES: &[(Architecture, [&[&str]; 4])] = &[
    (
        X86,
        [
            &["aes", "vaes"],
            &["pclmulqdq", "vpclmulqdq"],
            &["sha_ni", "sha512"],
            &["ace_en", "ace2_en", "phe_en"],
        ],
    ),
    (Arm64, [&["aes"], &["pmull"], &["sha1", "sha2", "sha3", "sha512"], &[]]),
    (Arm, [&["aes"], &["pmull"], &["sha1", "sha2"], &[]]),
    (S390, [&["msa"], &["msa"], &["msa"], &[]]),
    (Sparc, [&["aes"], &["xmpmul"], &["sha1", "sha256", "sha512"], &[]]),
    (
        Riscv,
        [
            &["zvkned", "zvkn", "zvkng", "zkn", "zkne"],
            &["zvkg", "zvkng", "zbc"],
            &["zvknha", "zvknhb", "zvkn", "zknh"],
            &[],
        ],
    ),
];

/// The features of the first CPU; the others are assumed to be equal.
pub fn parse(bytes: &[u8]) -> Cpu {
    let text = String::from_utf8_lossy(bytes);
    let fields: Vec<(&str, &str)> =
        text.lines().filter_map(|l| l.split_once(':')).map(|(k, v)| (k.trim(), v.trim())).collect();
    let first = |key: &str| fields.iter().find(|(k, v)| *k == key && !v.is_empty()).map(|(_, v)| *v);
    // Boards of MIPS, Arm and Power without a device tree are named only here.
    let systems = ["system type", "machine", "Hardware"].into_iter().filter_map(first);
    let systems = systems.map(String::from).collect();
    let model = ["model name", "cpu model", "cpu", "uarch", "system type", "Processor"]
        .into_iter()
        .find_map(first)
        .map(String::from);
    let cpus = fields.iter().filter(|(k, _)| *k == "processor" || k.starts_with("processor ")).count();
    let mut cpu = Cpu { model, systems, cpus: cpus as u64, ..Cpu::default() };
    let words: Vec<&str> = if let Some(flags) = first("flags") {
        cpu.architecture = X86;
        // Only 32-bit kernels report this bug (arch/x86/kernel/cpu/proc.c); lm: long mode.
        let has_64_bits = flags.split_whitespace().any(|flag| flag == "lm");
        cpu.kernel_is_narrower = has_64_bits && first("fdiv_bug").is_some();
        flags.split_whitespace().collect()
    } else if let Some(features) = first("Features") {
        // An arm64 kernel always lists asimd or fp; only 32-bit kernels list swp, half or thumb.
        let is_32_bit = features.split_whitespace().any(|f| ["swp", "half", "thumb"].contains(&f));
        cpu.architecture = if is_32_bit { Arm } else { Arm64 };
        cpu.kernel_is_narrower = is_32_bit && first("CPU architecture").is_some_and(|v| v.starts_with('8'));
        features.split_whitespace().collect()
    } else if let Some(isa) = first("isa") {
        cpu.architecture = Riscv;
        isa.split('_').collect()
    } else if let Some(features) = first("features") {
        cpu.architecture = S390;
        features.split_whitespace().collect()
    } else if let Some(caps) = first("cpucaps") {
        cpu.architecture = Sparc;
        caps.split(',').collect()
    } else if first("system type").is_some() || first("cpu model").is_some_and(|m| m.contains("MIPS")) {
        cpu.architecture = Mips;
        // These CPUs have crypto coprocessor instructions (arch/mips/cavium-octeon/crypto).
        if first("cpu model").is_some_and(|model| model.contains("Cavium Octeon")) {
            vec!["octeon"]
        } else {
            Vec::new()
        }
    } else if first("cpu").is_some() && first("revision").is_some() {
        cpu.architecture = Power;
        if first("cpu").is_some_and(has_power_crypto) {
            cpu.features.push("vcipher".into());
            cpu.aes.push("vcipher".into());
            cpu.gcm.push("vpmsumd".into());
            cpu.sha.push("vshasigmaw".into());
        }
        Vec::new()
    } else {
        Vec::new()
    };
    cpu.features.extend(words.iter().map(|word| word.to_string()));
    if let Some((_, rows)) = FEATURES.iter().find(|(arch, _)| *arch == cpu.architecture) {
        let found = |row: &[&str]| row.iter().filter(|f| words.contains(f)).map(|f| f.to_string()).collect();
        [cpu.aes, cpu.gcm, cpu.sha, cpu.padlock] = rows.map(found);
    }
    cpu
}

/// POWER8 and later have the vector crypto facility.
fn has_power_crypto(cpu: &str) -> bool {
    let Some(rest) = cpu.strip_prefix("POWER").or_else(|| cpu.strip_prefix("Power")) else { return false };
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<u32>().is_ok_and(|n| n >= 8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_architecture_is_recognised() {
        for (text, architecture, aes) in [
            (
                "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\nflags\t\t: fpu aes vaes sha_ni pclmulqdq\n",
                X86,
                "aes vaes",
            ),
            ("processor\t: 0\nmodel name\t: QEMU Virtual CPU\nflags\t\t: fpu sse2\n", X86, ""),
            (
                "processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32\n",
                Arm64,
                "aes",
            ),
            ("processor\t: 0\nFeatures\t: fp asimd evtstrm crc32 cpuid\n", Arm64, ""),
            (
                "processor : 0\nmodel name\t: ARMv7 Processor rev 1\nFeatures\t: half thumb fastmult vfp neon\n",
                Arm,
                "",
            ),
            ("system type\t\t: MediaTek MT7621 ver:1 eco:3\ncpu model\t\t: MIPS 1004Kc V2.15\n", Mips, ""),
            ("processor\t: 0\ncpu\t\t: POWER9, altivec supported\nrevision\t: 2.2\n", Power, "vcipher"),
            ("processor\t: 0\ncpu\t\t: e500v2\nrevision\t: 5.1\n", Power, ""),
            ("vendor_id       : IBM/S390\nfeatures\t: esan3 zarch stfle msa ldisp\n", S390, "msa"),
            ("processor\t: 0\nisa\t\t: rv64imafdcv_zba_zvkned_zvkg\n", Riscv, "zvkned"),
            ("cpu\t\t: SPARC-T4\ncpucaps\t\t: flush,stbar,aes,des,sha1\n", Sparc, "aes"),
            ("", Unknown, ""),
        ] {
            let cpu = parse(text.as_bytes());
            assert_eq!((cpu.architecture, cpu.aes.join(" ").as_str()), (architecture, aes), "{text}");
        }
    }

    #[test]
    fn padlock_is_not_taken_for_aes_instructions() {
        let cpu = parse(b"processor : 0\nflags : fpu sse2 ace ace_en phe phe_en\n");
        assert!(!cpu.has_aes());
        assert_eq!(cpu.padlock, ["ace_en", "phe_en"]);
    }

    #[test]
    fn a_mips_board_is_named_by_its_system_type_and_its_machine() {
        let cpu = parse(
            b"system type\t\t: Broadcom BCM4704\nmachine\t\t\t: Asus WL-500gP V1\nprocessor\t\t: 0\n\
              cpu model\t\t: Broadcom BMIPS3300 V0.6\n",
        );
        assert_eq!(cpu.model.as_deref(), Some("Broadcom BMIPS3300 V0.6"));
        assert_eq!(cpu.systems, ["Broadcom BCM4704", "Asus WL-500gP V1"]);
        assert_eq!(cpu.architecture, Mips);
    }

    #[test]
    fn a_32_bit_kernel_on_a_64_bit_cpu_is_noticed() {
        for (text, narrower) in [
            ("processor : 0\nfdiv_bug\t: no\nflags : fpu lm aes\n", true),
            ("processor : 0\nfdiv_bug\t: no\nflags : fpu sse2\n", false),
            ("processor : 0\nfpu\t: yes\nflags : fpu lm aes\n", false),
            ("processor : 0\nFeatures : half thumb neon aes\nCPU architecture: 8\n", true),
            ("processor : 0\nFeatures : half thumb neon\nCPU architecture: 7\n", false),
            ("processor : 0\nFeatures : fp asimd aes\nCPU architecture: 8\n", false),
        ] {
            assert_eq!(parse(text.as_bytes()).kernel_is_narrower, narrower, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            parse(&bytes);
        }
    }
}
