//! Mainline's driver for Samsung's Security SubSystem (s5p-sss) on a model of the Exynos 4's (models/).

use outboard_tests::modelled::ModelNames;

pub(crate) const EXYNOS: ModelNames = ModelNames {
    driver: "s5p-sss",
    module: "s5p_sss",
    id: ("0x144d", "0x4210"),
    device: "3e130000.sss",
    bound: ("platform/drivers/s5p-secss", "3e130000.sss"),
    lines: Some("3e130000.sss"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-s5p", "cbc-aes-s5p", "ctr-aes-s5p"],
    cbc: "cbc-aes-s5p",
    ecb: "ecb-aes-s5p",
    not_possible: &[],
};

outboard_tests::tests_of_model!(EXYNOS);
outboard_tests::tests_of_model! { EXYNOS:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}
