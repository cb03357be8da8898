//! ST's own driver (stm32-cryp) on a model of the CRYP of the STM32MP15 (models/). The CPU moves every word,
//! and each block has an interrupt.

use outboard_tests::modelled::ModelNames;

pub(crate) const STM32MP1: ModelNames = ModelNames {
    driver: "stm32-cryp",
    module: "stm32_cryp",
    id: ("0x104a", "0x5157"),
    device: "3e140000.cryp",
    bound: ("platform/drivers/stm32-cryp", "3e140000.cryp"),
    lines: Some("3e140000.cryp"),
    starts_per_request: 1,
    by_blocks: true,
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
