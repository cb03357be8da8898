//! Mainline's driver for Allwinner's Security System of the second generation (sun8i-ss) on a model of
//! the A83T's (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const A83T: ModelNames = ModelNames {
    driver: "sun8i-ss",
    module: "sun8i_ss",
    id: ("0x1f3a", "0x5083"),
    device: "3e120000.crypto",
    bound: ("platform/drivers/sun8i-ss", "3e120000.crypto"),
    lines: Some("sun8i-ss"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-sun8i-ss", "cbc-aes-sun8i-ss", "cbc-des3-sun8i-ss"],
    cbc: "cbc-aes-sun8i-ss",
    ecb: "ecb-aes-sun8i-ss",
    not_possible: &[],
};

outboard_tests::tests_of_model!(A83T);
outboard_tests::tests_of_model! { A83T:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}
