//! Mainline's driver for Allwinner's Crypto Engine (sun8i-ce) on a model of the A64's (models/).

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const A64: ModelNames = ModelNames {
    driver: "sun8i-ce",
    module: "sun8i_ce",
    id: ("0x1f3a", "0x50ce"),
    device: "3e0e0000.crypto",
    lines: Some("sun8i-ce-ns"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-sun8i-ce", "cbc-aes-sun8i-ce", "cbc-des3-sun8i-ce"],
    cbc: "cbc-aes-sun8i-ce",
    ecb: "ecb-aes-sun8i-ce",
};

outboard_tests::tests_of_model!(A64);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &A64) {
        modelled.self_tests_have_passed();
    }
}

#[test]
fn a_lost_interrupt_is_replaced_by_software() {
    if let Some(modelled) = Modelled::find("a_lost_interrupt_is_replaced_by_software", &A64) {
        modelled.a_lost_interrupt_is_replaced_by_software();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &A64) else { return };
    modelled.streams_end_right_when_it_is_unbound("platform/drivers/sun8i-ce", A64.device, |driver| {
        fs::write(driver.join("bind"), A64.device).expect("bind, as root");
    });
}
