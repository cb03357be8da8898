//! Mainline's driver for Inside Secure's SafeXcel engines on a model of the EIP97 (models/). It has GCM and
//! hashes of its own, and CTR mode for IPsec only.

use outboard_tests::modelled::{ModelNames, Modelled};

pub(crate) const SAFEXCEL: ModelNames = ModelNames {
    driver: "safexcel",
    module: "crypto_safexcel",
    id: ("0x14c3", "0x0097"),
    device: "3e160000.crypto",
    bound: ("platform/drivers/crypto-safexcel", "3e160000.crypto"),
    lines: Some("3e160000.crypto"),
    starts_per_request: 1,
    ciphers: &["safexcel-ecb-aes", "safexcel-cbc-aes", "safexcel-cbc-des3_ede", "safexcel-gcm-aes"],
    cbc: "safexcel-cbc-aes",
    ecb: "safexcel-ecb-aes",
    not_possible: &[],
};

outboard_tests::tests_of_model!(SAFEXCEL);
outboard_tests::tests_of_model! { SAFEXCEL:
    the_kernel_finds_every_cipher_right,
    gcm_seals_and_opens_records,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}

#[test]
fn allow_finds_its_hashes_exact_and_digests_are_right() {
    let Some(modelled) = Modelled::find("allow_finds_its_hashes_exact_and_digests_are_right", &SAFEXCEL)
    else {
        return;
    };
    modelled.hashes_are_exact(&[
        ("safexcel-sha1", "SHA1"),
        ("safexcel-sha256", "SHA2-256"),
        ("safexcel-sha512", "SHA2-512"),
    ]);
}
