//! The CPU's cryptographic instructions as accelerators: whether the kernel and OpenSSL use them,
//! and how to turn them off for comparison.

use outboard_catalog::families::{fits, values};
use outboard_catalog::instructions::{ALL, Instructions, OpenSslUse};
use outboard_documents::status::{Cpu, CpuInstructions, DriverView};

pub fn views(cpu: &Cpu, drivers: &[DriverView]) -> Vec<CpuInstructions> {
    let has = |set: &&Instructions| {
        set.architecture == cpu.architecture
            && values(set.features).any(|feature| cpu.features.iter().any(|f| f == feature))
    };
    ALL.iter().filter(has).map(|set| one(set, drivers)).collect()
}

fn one(set: &'static Instructions, drivers: &[DriverView]) -> CpuInstructions {
    let (kernel_uses, kernel) = in_kernel(set, drivers);
    CpuInstructions {
        name: set.name.to_owned(),
        serves: set.serves.to_owned(),
        kernel_uses,
        kernel,
        openssl: match set.openssl {
            OpenSslUse::ByItself => "by itself",
            OpenSslUse::No => "no",
            OpenSslUse::Only(when) => when,
        }
        .to_owned(),
        off: Some(set.off.to_owned()).filter(|switch| !switch.is_empty()),
    }
}

fn in_kernel(set: &Instructions, drivers: &[DriverView]) -> (Option<bool>, String) {
    if set.serves == "random numbers" {
        return (Some(true), "the kernel's random number generator mixes them in".into());
    }
    if set.drivers.is_empty() {
        return (Some(false), "no driver uses them".into());
    }
    if drivers.is_empty() {
        return (None, "the drivers are not known".into());
    }
    let plain = |driver: &DriverView| driver.name.trim_start_matches("__").to_owned();
    let mut using = drivers.iter().filter(|driver| fits(set.drivers, &plain(driver)));
    if let Some(driver) = using.find(|driver| !driver.internal).or_else(|| using.next()) {
        return (Some(true), format!("driver {}", driver.name));
    }
    // Since Linux 6.16 hashes and GHASH use the instructions in lib/crypto, below drivers `*-lib`.
    let hashes = match set.serves {
        "SHA-2" => "SHA-224, SHA-256, SHA-384, SHA-512",
        other => other,
    };
    let hashes = hashes.to_ascii_lowercase().replace('-', "");
    let is_of_library =
        |driver: &&DriverView| driver.name.ends_with("-lib") && hashes.contains(&driver.algorithm);
    if let Some(driver) = drivers.iter().find(is_of_library) {
        return (Some(true), format!("lib/crypto, by drivers such as {}", driver.name));
    }
    (Some(false), format!("no driver uses them now: modprobe {}", set.module))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::parse;

    fn names(cpuinfo: &str) -> Vec<String> {
        views(&parse(cpuinfo.as_bytes()), &[]).into_iter().map(|set| set.name).collect()
    }

    #[test]
    fn each_architecture_has_its_own_sets() {
        for (cpuinfo, expected) in [
            (
                "flags : aes pclmulqdq vaes sha_ni rdrand gfni rdseed\n",
                vec!["AES-NI", "PCLMULQDQ", "VAES", "SHA extensions", "GFNI", "RDRAND", "RDSEED"],
            ),
            ("flags : fpu ace ace_en phe_en\n", vec!["VIA PadLock ACE", "VIA PadLock PHE"]),
            ("Features : fp asimd aes rng\n", vec!["Crypto Extensions, AES", "RNDR"]),
            ("Features : half thumb neon\n", vec!["NEON"]),
            ("isa : rv64imafdcv_zvkned_zvkg\n", vec!["Zvkned", "Zvkg"]),
            ("features : esan3 msa\n", vec!["CPACF"]),
            ("cpu : POWER9, altivec supported\nrevision : 2.2\n", vec!["Vector crypto"]),
            ("cpucaps : flush,aes\n", vec!["Crypto opcodes"]),
            ("system type : X\ncpu model : Cavium Octeon III V0.2\n", vec!["Octeon crypto coprocessor"]),
            ("system type : X\ncpu model : MIPS 24Kc V7.4\n", vec![]),
        ] {
            assert_eq!(names(cpuinfo), expected, "{cpuinfo}");
        }
    }

    #[test]
    fn a_driver_of_lib_crypto_is_named_only_for_its_own_algorithm() {
        let driver = |name: &str, algorithm: &str| -> DriverView {
            let json = format!(
                r#"{{"name":"{name}","algorithm":"{algorithm}","module":"kernel","priority":1,"kind":"shash","selftest":"passed",
                    "verdict":"software"}}"#
            );
            serde_json::from_str(&json).unwrap()
        };
        let cpu = parse(b"flags : sha_ni\n");
        let crc = driver("crc32c-lib", "crc32c");
        let used = |drivers: &[DriverView]| views(&cpu, drivers).remove(0);
        assert_eq!(used(std::slice::from_ref(&crc)).kernel_uses, Some(false));
        let set = used(&[crc, driver("sha512-lib", "sha512"), driver("sha256-lib", "sha256")]);
        assert_eq!(set.kernel_uses, Some(true));
        assert!(set.kernel.contains("sha256-lib"), "{set:?}");
    }

    #[test]
    fn without_drivers_the_kernels_use_is_not_known() {
        let cpu = parse(b"flags : aes\n");
        assert_eq!(views(&cpu, &[])[0].kernel_uses, None);
        assert_eq!(views(&cpu, &[])[0].off.as_deref(), Some("OPENSSL_ia32cap=~0x200000000000000"));
    }
}
