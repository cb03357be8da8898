//! Mainline's drivers for TI's units (omap-aes, omap-sham) on a model of the AM335x's with EDMA (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const AM335X: ModelNames = ModelNames {
    driver: "omap-aes",
    module: "omap_aes_driver",
    id: ("0x104c", "0x335a"),
    device: "3e158000.aes",
    bound: ("platform/drivers/omap-aes", "3e158000.aes"),
    lines: Some("3e150000.dma_ccint"),
    starts_per_request: 1,
    by_blocks: false,
    ciphers: &["ecb-aes-omap", "cbc-aes-omap", "ctr-aes-omap", "gcm-aes-omap"],
    cbc: "cbc-aes-omap",
    ecb: "ecb-aes-omap",
    not_possible: &[],
};

outboard_tests::tests_of_model! { @tuning_and_faults AM335X }
outboard_tests::tests_of_model! { AM335X:
    status_names_the_engine_and_its_device => status_names_the_engine,
    allow_finds_every_cipher_exact => allow_finds_every_cipher_exact,
    every_request_of_openssl_is_proven_by_its_interrupts => openssl_is_proven,
    streams_end_right_when_the_machine_is_suspended_under_load => streams_end_right_when_it_is_suspended,
    the_commands_of_its_page_run => the_commands_of_its_page_run,
}
outboard_tests::tests_of_model! { AM335X:
    the_kernel_finds_every_cipher_right,
    gcm_seals_and_opens_records,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}
