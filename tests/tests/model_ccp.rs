//! AMD's own driver (ccp, ccp-crypto) on a model of the CCP (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const CCP: ModelNames = ModelNames {
    driver: "ccp",
    module: "ccp_crypto",
    id: ("0x1022", "0x1468"),
    device: "0000:00:10.0",
    bound: ("pci/drivers/ccp", "0000:00:10.0"),
    lines: Some("ccp-1"),
    starts_per_request: 4,
    ciphers: &["ecb-aes-ccp", "cbc-aes-ccp", "ctr-aes-ccp", "xts-aes-ccp", "gcm-aes-ccp"],
    cbc: "cbc-aes-ccp",
    ecb: "ecb-aes-ccp",
    not_possible: &[],
};

outboard_tests::tests_of_model!(CCP);
outboard_tests::tests_of_model! { CCP:
    the_kernel_finds_every_cipher_right,
    gcm_seals_and_opens_records,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}
