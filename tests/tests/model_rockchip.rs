//! Mainline's driver for Rockchip's engine (rk_crypto) on a model of the RK3288's (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const RK3288: ModelNames = ModelNames {
    driver: "rk_crypto",
    module: "rk_crypto",
    id: ("0x1d87", "0x3288"),
    device: "3e0a0000.crypto",
    bound: ("platform/drivers/rk3288-crypto", "3e0a0000.crypto"),
    lines: Some("rk-crypto"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-rk", "cbc-aes-rk", "cbc-des3-ede-rk"],
    cbc: "cbc-aes-rk",
    ecb: "ecb-aes-rk",
    not_possible: &[],
};

outboard_tests::tests_of_model!(RK3288);
outboard_tests::tests_of_model! { RK3288:
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}
