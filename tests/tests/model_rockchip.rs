//! Mainline's driver for Rockchip's engine (rk_crypto) on a model of the RK3288's (models/).

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const RK3288: ModelNames = ModelNames {
    driver: "rk_crypto",
    module: "rk_crypto",
    id: ("0x1d87", "0x3288"),
    device: "3e0a0000.crypto",
    lines: Some("rk-crypto"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-rk", "cbc-aes-rk", "cbc-des3-ede-rk"],
    cbc: "cbc-aes-rk",
    ecb: "ecb-aes-rk",
};

outboard_tests::tests_of_model!(RK3288);

#[test]
fn a_lost_interrupt_is_replaced_by_software() {
    if let Some(modelled) = Modelled::find("a_lost_interrupt_is_replaced_by_software", &RK3288) {
        modelled.a_lost_interrupt_is_replaced_by_software();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &RK3288) else { return };
    modelled.streams_end_right_when_it_is_unbound(
        "platform/drivers/rk3288-crypto",
        RK3288.device,
        |driver| {
            fs::write(driver.join("bind"), RK3288.device).expect("bind, as root");
        },
    );
}
