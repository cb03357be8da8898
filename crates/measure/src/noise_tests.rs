use std::fs::{create_dir_all, write};
use std::path::PathBuf;

use super::*;

#[test]
fn a_yardstick_that_varies_is_told() {
    assert_eq!(SpeedReference(vec![1.0, 1.01, 0.99, 1.0]).warning(), None);
    let warning = SpeedReference(vec![1.0, 1.2, 0.9, 1.1, 0.8]).warning().unwrap();
    assert!(warning.contains("10.0 %"), "{warning}");
    assert_eq!(SpeedReference::default().warning(), None);
}

/// Creates a directory with these files, for one test only.
fn tree(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = std::env::temp_dir().join(format!("outboard-noise-{name}-{}", std::process::id()));
    for (file, text) in files {
        let path = root.join(file);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, text).unwrap();
    }
    root
}

#[test]
fn a_cpu_that_is_hot_is_told() {
    let at = |cpu: usize| format!("sys/devices/system/cpu/cpu{cpu}/thermal_throttle/core_throttle_count");
    let (first, second) = (at(0), at(1));
    let root = tree(
        "heat",
        &[
            (&first, "3\n"),
            (&second, "4\n"),
            ("sys/class/thermal/cooling_device0/type", "fan\n"),
            ("sys/class/thermal/cooling_device0/cur_state", "5\n"),
            ("sys/class/thermal/cooling_device1/type", "cpufreq-cpu0\n"),
            ("sys/class/thermal/cooling_device1/cur_state", "0\n"),
        ],
    );
    assert_eq!((throttled(&root), cooled(&root)), (7, None));
    write(root.join("sys/class/thermal/cooling_device1/cur_state"), "2\n").unwrap();
    let warning = cooled(&root).unwrap();
    assert!(warning.contains("cpufreq-cpu0") && warning.contains("state 2"), "{warning}");
    std::fs::remove_dir_all(&root).unwrap();
    assert_eq!((throttled(&root), cooled(&root)), (0, None));
}

#[test]
fn a_kernel_that_looks_for_mistakes_is_told() {
    let release = ("proc/sys/kernel/osrelease", "6.12.0-x\n");
    let config =
        ("boot/config-6.12.0-x", "CONFIG_KASAN_GENERIC=y\n# CONFIG_KCSAN is not set\nCONFIG_KMSAN=n\n");
    let root = tree("debug", &[release, config, ("proc/lockdep_stats", "")]);
    let warning = debug_kernel(&root).unwrap();
    assert!(warning.contains("(KASAN_GENERIC, PROVE_LOCKING)"), "{warning}");
    std::fs::remove_dir_all(&root).unwrap();
    let root = tree("plain", &[release, ("boot/config-6.12.0-x", "CONFIG_KASAN=n\nCONFIG_CRYPTO=y\n")]);
    assert_eq!(debug_kernel(&root), None);
    std::fs::remove_dir_all(&root).unwrap();
}

#[test]
fn time_that_others_got_is_told() {
    let all = cpus() as f64;
    assert_eq!(stolen(0.05 * all, 10.0), None);
    let warning = stolen(2.0 * all, 10.0).unwrap();
    assert!(warning.contains("20 %"), "{warning}");
}
