//! Mainline's driver for Rockchip's engine (rk_crypto) on a model of the RK3288's (models/).

use outboard_tests::modelled::ModelNames;

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
