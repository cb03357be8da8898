//! Mainline's driver for Inside Secure's EIP-93 on a model of it (models/). `allow` bounds its requests
//! and has a session for each direction.

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

pub(crate) const EIP93: ModelNames = ModelNames {
    driver: "eip93",
    module: "crypto_hw_eip93",
    id: ("0x14c3", "0x0093"),
    device: "3e110000.crypto",
    bound: ("platform/drivers/inside-secure-eip93", "3e110000.crypto"),
    lines: Some("3e110000.crypto"),
    starts_per_request: 1,
    ciphers: &["ecb(aes-eip93)", "cbc(aes-eip93)", "ctr(aes-eip93)", "cbc(des3_ede-eip93)"],
    cbc: "cbc(aes-eip93)",
    ecb: "ecb(aes-eip93)",
    not_possible: &[],
};

outboard_tests::tests_of_model!(EIP93);
outboard_tests::tests_of_model! { EIP93:
    the_kernel_finds_every_cipher_right,
    no_hash_of_it_is_used,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again,
    a_lost_interrupt_is_replaced_by_software
}

#[test]
fn it_is_allowed_with_its_limits() {
    let Some(modelled) = Modelled::find("it_is_allowed_with_its_limits", &EIP93) else { return };
    modelled.allow(&[EIP93.cbc]);
    let allowed = fs::read_to_string("/sys/devices/virtual/misc/outboard/allow").expect("the list");
    let limits = format!(" {} requests=128 one-direction", EIP93.cbc);
    assert!(allowed.lines().any(|line| line.ends_with(&limits)), "{allowed}");
}
