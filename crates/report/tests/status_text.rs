//! The text of `outboard status` for saved trees of many machines.

use std::path::Path;

use outboard_drivers::root::Root;
use outboard_inventory::{Status, collect};
use outboard_report::{Style, status, verbose};

fn tree(name: &str) -> Status {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures").join(name);
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
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inventory/tests/fixtures");
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
}

#[test]
fn verbose_lists_every_driver_with_its_reasons() {
    insta::assert_snapshot!("verbose", verbose(&tree("odd"), Style::default()));
}

#[test]
fn bold_changes_headings_only() {
    let status_of = |bold| status(&tree("rpi4"), Style { bold, ..Style::default() });
    assert_eq!(status_of(true).replace("\x1b[1m", "").replace("\x1b[0m", ""), status_of(false));
}
