//! Mainline's driver for AMD's Geode LX (geode-aes) on a model of it (models/). It polls with interrupts
//! off, so that no interrupt proves what the engine did.

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const LX: ModelNames = ModelNames {
    driver: "geode-aes",
    module: "geode_aes",
    id: ("0x1022", "0x2082"),
    device: "0000:00:10.0",
    lines: None,
    starts_per_request: 1,
    ciphers: &["ecb-aes-geode", "cbc-aes-geode"],
    cbc: "cbc-aes-geode",
    ecb: "ecb-aes-geode",
};

outboard_tests::tests_of_model!(LX);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &LX) {
        modelled.self_tests_have_passed();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &LX) else { return };
    modelled.streams_end_right_when_it_is_unbound("pci/drivers/Geode LX AES", LX.device, |driver| {
        fs::write(driver.join("bind"), LX.device).expect("bind, as root");
    });
}
