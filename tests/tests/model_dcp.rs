//! Mainline's driver for NXP's Data Co-Processor (mxs-dcp) on a model of it (models/).

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const DCP: ModelNames = ModelNames {
    driver: "mxs-dcp",
    module: "mxs_dcp",
    id: ("0x1957", "0x0dc9"),
    device: "3e0f0000.crypto",
    lines: Some("dcp-irq"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-dcp", "cbc-aes-dcp"],
    cbc: "cbc-aes-dcp",
    ecb: "ecb-aes-dcp",
};

outboard_tests::tests_of_model!(DCP);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &DCP) {
        modelled.self_tests_have_passed();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &DCP) else { return };
    modelled.streams_end_right_when_it_is_unbound("platform/drivers/mxs-dcp", DCP.device, |driver| {
        fs::write(driver.join("bind"), DCP.device).expect("bind, as root");
    });
}
