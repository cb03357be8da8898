//! Mainline's driver for Amlogic's engine (amlogic-gxl-crypto) on a model of the GXL's (models/), whose
//! only source is this driver: it proves plumbing only.

use outboard_tests::modelled::ModelNames;

pub(crate) const GXL: ModelNames = ModelNames {
    driver: "amlogic-gxl-crypto",
    module: "amlogic_gxl_crypto",
    id: ("0x17ef", "0x6c58"),
    device: "3e0b0000.crypto",
    bound: ("platform/drivers/gxl-crypto", "3e0b0000.crypto"),
    lines: Some("gxl-crypto"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-gxl", "cbc-aes-gxl"],
    cbc: "cbc-aes-gxl",
    ecb: "ecb-aes-gxl",
    not_possible: &[],
};

outboard_tests::tests_of_model!(GXL);
outboard_tests::tests_of_model! { GXL:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}
