//! The text of `outboard status` for saved trees of many machines.

use std::path::Path;

use outboard_documents::status::Status;
use outboard_drivers::root::Root;
use outboard_inventory::collect;
use outboard_inventory::text::{Style, status, verbose};

fn tree(name: &str) -> Status {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    collect(&Root::saved(&path).unwrap()).unwrap()
}

macro_rules! texts {
    ($($test:ident: $tree:literal,)*) => {
        $(
            #[test]
            fn $test() {
                insta::assert_snapshot!($tree, status(&tree($tree), Style::default()));
            }
        )*
        /// Every saved tree has its test.
        #[test]
        fn no_tree_is_forgotten() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
            for entry in std::fs::read_dir(path).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!([$($tree),*].contains(&name.as_str()), "{name}");
            }
        }
    };
}

texts! {
    a_helios4_shows_its_cesa: "armada388-helios4",
    an_armada_without_the_module_is_told_which: "armada388-no-module",
    an_am64x_shows_its_sa2ul: "am64x-sa2ul",
    an_am62x_without_the_module_is_told_which: "am62x-no-driver",
    an_mt7621_shows_its_eip93_although_its_names_look_like_templates: "mt7621-eip93",
    a_laptop_needs_nothing: "laptop-aesni",
    a_pc_without_aes_is_told_what_helps: "pc-without-aes",
    an_alix_shows_its_polled_engine: "alix-geode",
    a_raspberry_pi_4_has_no_engine: "rpi4",
    a_qat_that_outranks_the_cpu_is_noted: "qat-server",
    strangers_and_damage_are_named: "odd",
    virtio_on_6_1: "qemu-virtio-6.1",
    virtio_on_6_12: "qemu-virtio-6.12",
    virtio_on_7_2_is_out_of_reach: "qemu-virtio-7.2",
    a_bcm47xx_is_known_by_its_system_type: "bcm47xx-wl500gp",
    a_bcm5365_has_an_ipsec_core_without_a_driver: "bcm5365-wgt634u",
    a_via_c7_shows_its_padlock: "via-c7-padlock",
    a_via_c7_without_the_module_is_told_which: "via-c7-no-module",
    a_soekris_shows_its_hifn_card: "soekris-vpn1411",
    a_beaglebone_shows_its_omap_units: "am335x-beaglebone",
    an_am57x_is_told_the_option_that_is_missing: "am57x-des-not-built",
    a_32_bit_kernel_on_a_64_bit_cpu_is_noticed: "pc-32-bit-kernel",
    a_sun_card_that_linux_cannot_drive_is_named: "pc-sun-sca1000",
    a_raspberry_pi_5_has_aes_instructions: "rpi5",
    an_imx8mm_shows_its_caam: "imx8mm-caam",
    an_mt7986_shows_its_safexcel: "mt7986-safexcel",
    an_ipq4019_is_told_its_package: "ipq4019-openwrt-no-module",
    an_rk3328_shows_its_engine: "rk3328-rock64",
    an_rk3588_runs_slow_aes: "rk3588-rock5b",
    an_ast2600_shows_its_hace: "ast2600-bmc",
    a_jh7110_waits_for_its_dma: "jh7110-deferred",
    a_sheevaplug_shows_its_cesa: "kirkwood-sheevaplug",
    a_c3000_whose_qat_failed_to_probe: "c3000-qat-probe-failed",
    a_xeon_with_vaes_needs_nothing: "xeon-vaes",
    an_s390x_uses_cpacf: "s390x-cpacf",
    a_container_without_sys_is_read: "container-without-sys",
    an_am437x_shows_its_omap_units: "am437x-evm",
    a_dra7_shows_its_omap_units: "dra7-evm",
    an_am65x_shows_its_sa2ul: "am65x-evm",
    a_j721e_shows_its_sa2ul: "j721e-sk",
    a_j721s2_shows_its_sa2ul: "j721s2-evm",
    a_j784s4_shows_its_sa2ul: "j784s4-evm",
    an_am62l_shows_its_dthev2: "am62l-dthev2",
    a_cisco_card_that_linux_cannot_drive_is_named: "pc-cisco-vac-plus",
    a_lantiq_vr9_shows_its_deu: "vr9-lantiq-deu",
    an_android_without_proc_crypto_is_read: "android-without-proc-crypto",
}

#[test]
fn verbose_lists_every_driver_with_its_reasons() {
    insta::assert_snapshot!("verbose", verbose(&tree("odd"), Style::default()));
}

const ALL: [&str; 14] = [
    "alix-geode",
    "am62x-no-driver",
    "am64x-sa2ul",
    "armada388-helios4",
    "armada388-no-module",
    "laptop-aesni",
    "mt7621-eip93",
    "odd",
    "pc-without-aes",
    "qat-server",
    "qemu-virtio-6.1",
    "qemu-virtio-6.12",
    "qemu-virtio-7.2",
    "rpi4",
];

#[test]
fn colour_changes_no_word() {
    for name in ALL {
        let status_of = |color| status(&tree(name), Style { color, ..Style::default() });
        let mut plain = String::new();
        for (index, part) in status_of(true).split('\x1b').enumerate() {
            plain.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
        }
        assert_eq!(plain, status_of(false));
    }
}

#[test]
fn the_summary_begins_with_the_verdict_and_fits_a_screen() {
    for name in ALL {
        let text = status(&tree(name), Style { color: false, columns: Some(100) });
        assert!(text.starts_with("Verdict "), "{text}");
        assert!(text.lines().count() <= 24, "{name}: {} lines\n{text}", text.lines().count());
    }
}

#[test]
fn forty_columns_are_enough() {
    for name in ALL {
        for text in [
            status(&tree(name), Style { color: false, columns: Some(40) }),
            verbose(&tree(name), Style { color: false, columns: Some(40) }),
        ] {
            for line in text.lines().filter(|line| line.chars().count() > 40) {
                // A name that is longer than a line is not broken, so that it can be copied.
                assert_eq!(line.split_whitespace().count(), 1, "{name}: {line}");
            }
        }
    }
}
