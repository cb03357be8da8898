//! AMD's own driver (ccp, ccp-crypto) on a model of the CCP (models/).

use outboard_tests::modelled::{ModelNames, Modelled};

const CCP: ModelNames = ModelNames {
    driver: "ccp",
    module: "ccp_crypto",
    id: ("0x1022", "0x1468"),
    device: "0000:00:10.0",
    lines: Some("ccp-1"),
    starts_per_request: 4,
    ciphers: &["ecb-aes-ccp", "cbc-aes-ccp", "ctr-aes-ccp", "xts-aes-ccp", "gcm-aes-ccp"],
    cbc: "cbc-aes-ccp",
    ecb: "ecb-aes-ccp",
};

outboard_tests::tests_of_model!(CCP);

#[test]
fn the_kernel_finds_every_cipher_right() {
    if let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &CCP) {
        modelled.self_tests_have_passed();
    }
}
