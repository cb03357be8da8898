//! Mainline's driver for Hifn's 7955 (hifn_795x) on a model of it (models/). It numbers its
//! devices, and begins with 0 only when its module is loaded.

use std::process::Command;

use outboard_tests::modelled::{ModelNames, Modelled};

pub(crate) const HIFN: ModelNames = ModelNames {
    driver: "hifn_795x",
    module: "hifn_795x",
    id: ("0x13a3", "0x0020"),
    device: "0000:00:10.0",
    bound: ("pci/drivers/hifn795x", "0000:00:10.0"),
    lines: Some("hifn0"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-hifn0", "cbc-aes-hifn0", "cbc-3des-hifn0"],
    cbc: "cbc-aes-hifn0",
    ecb: "ecb-aes-hifn0",
    not_possible: &[("self-tests", "its CBC ciphers return no IV")],
};

outboard_tests::tests_of_model!(HIFN);
outboard_tests::tests_of_model! { HIFN: no_hash_of_it_is_used, a_lost_interrupt_is_replaced_by_software }

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_loaded_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_loaded_again";
    let Some(modelled) = Modelled::find(test, &HIFN) else { return };
    modelled.streams_end_right_when_it_is_unbound(|_, _| {
        for arguments in [&["-r", "hifn_795x"][..], &["hifn_795x"]] {
            let status = Command::new("modprobe").args(arguments).status().expect("modprobe runs");
            assert!(status.success(), "modprobe {arguments:?}");
        }
    });
}
