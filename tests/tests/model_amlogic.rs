//! Mainline's driver for Amlogic's engine (amlogic-gxl-crypto) on a model of the GXL's (models/), whose
//! only source is this driver: it proves plumbing only.

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const GXL: ModelNames = ModelNames {
    driver: "amlogic-gxl-crypto",
    module: "amlogic_gxl_crypto",
    id: ("0x17ef", "0x6c58"),
    device: "3e0b0000.crypto",
    lines: Some("gxl-crypto"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-gxl", "cbc-aes-gxl"],
    cbc: "cbc-aes-gxl",
    ecb: "ecb-aes-gxl",
};

outboard_tests::tests_of_model!(GXL);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &GXL) {
        modelled.self_tests_have_passed();
    }
}

#[test]
fn a_lost_interrupt_is_replaced_by_software() {
    if let Some(modelled) = Modelled::find("a_lost_interrupt_is_replaced_by_software", &GXL) {
        modelled.a_lost_interrupt_is_replaced_by_software();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &GXL) else { return };
    modelled.streams_end_right_when_it_is_unbound("platform/drivers/gxl-crypto", GXL.device, |driver| {
        fs::write(driver.join("bind"), GXL.device).expect("bind, as root");
    });
}
