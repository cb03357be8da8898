//! Mainline's driver for Allwinner's Crypto Engine (sun8i-ce) on a model of the A64's (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const A64: ModelNames = ModelNames {
    driver: "sun8i-ce",
    module: "sun8i_ce",
    id: ("0x1f3a", "0x50ce"),
    device: "3e0e0000.crypto",
    bound: ("platform/drivers/sun8i-ce", "3e0e0000.crypto"),
    lines: Some("sun8i-ce-ns"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-sun8i-ce", "cbc-aes-sun8i-ce", "cbc-des3-sun8i-ce"],
    cbc: "cbc-aes-sun8i-ce",
    ecb: "ecb-aes-sun8i-ce",
    not_possible: &[],
};

outboard_tests::tests_of_model!(A64);
outboard_tests::tests_of_model! { A64:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}
