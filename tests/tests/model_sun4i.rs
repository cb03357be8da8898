//! Mainline's driver for Allwinner's Security System (sun4i-ss) on a model of the A20's (models/). It
//! polls, so that no interrupt proves what the engine did.

use outboard_tests::modelled::ModelNames;

pub(crate) const A20: ModelNames = ModelNames {
    driver: "sun4i-ss",
    module: "sun4i_ss",
    id: ("0x1f3a", "0x1c15"),
    device: "3e0c0000.crypto",
    bound: ("platform/drivers/sun4i-ss", "3e0c0000.crypto"),
    lines: None,
    starts_per_request: 1,
    ciphers: &["ecb-aes-sun4i-ss", "cbc-aes-sun4i-ss", "cbc-des3-sun4i-ss"],
    cbc: "cbc-aes-sun4i-ss",
    ecb: "ecb-aes-sun4i-ss",
    not_possible: &[
        ("lost interrupt", "it works without interrupts"),
        ("stop", "its driver waits for each word without a time limit"),
    ],
};

outboard_tests::tests_of_model! { @use A20 }
outboard_tests::tests_of_model! { A20:
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}
