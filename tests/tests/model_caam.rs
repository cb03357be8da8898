//! NXP's own driver (caam, caam_jr) on a model of the CAAM (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const CAAM: ModelNames = ModelNames {
    driver: "caam_jr",
    module: "caam_jr",
    id: ("0x1957", "0xcaa4"),
    device: "3e0d0000.crypto",
    bound: ("platform/drivers/caam_jr", "3e0d1000.jr"),
    lines: Some("3e0d1000.jr"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-caam", "cbc-aes-caam", "ctr-aes-caam", "cbc-3des-caam", "gcm-aes-caam"],
    cbc: "cbc-aes-caam",
    ecb: "ecb-aes-caam",
    not_possible: &[],
};

outboard_tests::tests_of_model!(CAAM);
outboard_tests::tests_of_model! { CAAM:
    the_kernel_finds_every_cipher_right,
    gcm_seals_and_opens_records,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}
