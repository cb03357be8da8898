//! ST's own drivers (stm32-cryp, stm32-hash) on a model of CRYP and HASH of the STM32MP15 (models/). The CPU
//! moves every word. Each block of CRYP and each digest has an interrupt.

use outboard_tests::modelled::{ModelNames, Modelled};

pub(crate) const STM32MP1: ModelNames = ModelNames {
    driver: "stm32-cryp",
    module: "stm32_cryp",
    id: ("0x104a", "0x5157"),
    device: "3e140000.cryp",
    bound: ("platform/drivers/stm32-cryp", "3e140000.cryp"),
    lines: Some("3e140000.cryp"),
    starts_per_request: 1,
    ciphers: &["stm32-ecb-aes", "stm32-cbc-aes", "stm32-ctr-aes", "stm32-cbc-des3", "stm32-gcm-aes"],
    cbc: "stm32-cbc-aes",
    ecb: "stm32-ecb-aes",
    not_possible: &[],
};

outboard_tests::tests_of_model! { STM32MP1:
    the_kernel_finds_every_cipher_right,
    status_names_the_engine,
    allow_finds_every_cipher_exact,
    openssl_is_proven,
    gcm_seals_and_opens_records,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}

/// The driver computes no message in software.
#[test]
fn hashes_of_the_other_unit_are_exact() {
    let Some(modelled) = Modelled::find("hashes_of_the_other_unit_are_exact", &STM32MP1) else { return };
    modelled.assert_self_tested(&["stm32-md5", "stm32-hmac-md5", "stm32-hmac-sha1", "stm32-hmac-sha224"]);
    modelled.hashes_are_exact(&[
        ("stm32-sha1", "SHA1"),
        ("stm32-sha224", "SHA2-224"),
        ("stm32-sha256", "SHA2-256"),
        ("stm32-hmac-sha256", "HMAC-SHA2-256"),
    ]);
}
