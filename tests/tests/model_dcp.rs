//! Mainline's driver for NXP's Data Co-Processor (mxs-dcp) on a model of it (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const DCP: ModelNames = ModelNames {
    driver: "mxs-dcp",
    module: "mxs_dcp",
    id: ("0x1957", "0x0dc9"),
    device: "3e0f0000.crypto",
    bound: ("platform/drivers/mxs-dcp", "3e0f0000.crypto"),
    lines: Some("dcp-irq"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-dcp", "cbc-aes-dcp"],
    cbc: "cbc-aes-dcp",
    ecb: "ecb-aes-dcp",
    not_possible: &[],
};

outboard_tests::tests_of_model!(DCP);
outboard_tests::tests_of_model! { DCP:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}
