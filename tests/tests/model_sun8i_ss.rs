//! Mainline's driver for Allwinner's Security System of the second generation (sun8i-ss) on a model of
//! the A83T's (models/).

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const A83T: ModelNames = ModelNames {
    driver: "sun8i-ss",
    module: "sun8i_ss",
    id: ("0x1f3a", "0x5083"),
    device: "3e120000.crypto",
    lines: Some("sun8i-ss"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-sun8i-ss", "cbc-aes-sun8i-ss", "cbc-des3-sun8i-ss"],
    cbc: "cbc-aes-sun8i-ss",
    ecb: "ecb-aes-sun8i-ss",
};

outboard_tests::tests_of_model!(A83T);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &A83T) {
        modelled.self_tests_have_passed();
    }
}

#[test]
fn a_lost_interrupt_is_replaced_by_software() {
    if let Some(modelled) = Modelled::find("a_lost_interrupt_is_replaced_by_software", &A83T) {
        modelled.a_lost_interrupt_is_replaced_by_software();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &A83T) else { return };
    modelled.streams_end_right_when_it_is_unbound("platform/drivers/sun8i-ss", A83T.device, |driver| {
        fs::write(driver.join("bind"), A83T.device).expect("bind, as root");
    });
}
