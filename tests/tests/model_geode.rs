//! Mainline's driver for AMD's Geode LX (geode-aes) on a model of it (models/). It polls with interrupts
//! off, so that no interrupt proves what the engine did.

use outboard_tests::modelled::ModelNames;

pub(crate) const LX: ModelNames = ModelNames {
    driver: "geode-aes",
    module: "geode_aes",
    id: ("0x1022", "0x2082"),
    device: "0000:00:10.0",
    bound: ("pci/drivers/Geode LX AES", "0000:00:10.0"),
    lines: None,
    starts_per_request: 1,
    ciphers: &["ecb-aes-geode", "cbc-aes-geode"],
    cbc: "cbc-aes-geode",
    ecb: "ecb-aes-geode",
    not_possible: &[
        ("lost interrupt", "it works without interrupts"),
        ("stop", "its driver has no way to go on after it"),
    ],
};

outboard_tests::tests_of_model!(LX);
outboard_tests::tests_of_model! { LX:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}
