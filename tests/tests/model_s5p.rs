//! Mainline's driver for Samsung's Security SubSystem (s5p-sss) on a model of the Exynos 4's (models/).

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const EXYNOS: ModelNames = ModelNames {
    driver: "s5p-sss",
    module: "s5p_sss",
    id: ("0x144d", "0x4210"),
    device: "3e130000.sss",
    lines: Some("3e130000.sss"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-s5p", "cbc-aes-s5p", "ctr-aes-s5p"],
    cbc: "cbc-aes-s5p",
    ecb: "ecb-aes-s5p",
};

outboard_tests::tests_of_model!(EXYNOS);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &EXYNOS) {
        modelled.self_tests_have_passed();
    }
}

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again";
    let Some(modelled) = Modelled::find(test, &EXYNOS) else { return };
    modelled.streams_end_right_when_it_is_unbound("platform/drivers/s5p-secss", EXYNOS.device, |driver| {
        fs::write(driver.join("bind"), EXYNOS.device).expect("bind, as root");
    });
}
