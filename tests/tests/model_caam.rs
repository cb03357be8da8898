//! NXP's own driver (caam, caam_jr) on a model of the CAAM (models/).

use outboard_tests::modelled::{ModelNames, Modelled};

const CAAM: ModelNames = ModelNames {
    driver: "caam_jr",
    module: "caam_jr",
    id: ("0x1957", "0xcaa4"),
    device: "3e0d0000.crypto",
    lines: Some("3e0d1000.jr"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-caam", "cbc-aes-caam", "ctr-aes-caam", "cbc-3des-caam"],
    cbc: "cbc-aes-caam",
    ecb: "ecb-aes-caam",
};

outboard_tests::tests_of_model!(CAAM);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &CAAM) {
        modelled.self_tests_have_passed();
    }
}
