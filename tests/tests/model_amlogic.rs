//! Mainline's driver for Amlogic's engine (amlogic-gxl-crypto) on a model of the GXL's (models/), whose
//! only source is this driver: it proves plumbing only.

use outboard_tests::modelled::{ModelNames, Modelled};

const GXL: ModelNames = ModelNames {
    driver: "amlogic-gxl-crypto",
    module: "amlogic_gxl_crypto",
    id: ("0x17ef", "0x6c58"),
    device: "3e0b0000.crypto",
    lines: "gxl-crypto",
    starts_per_request: 1,
    ciphers: &["ecb-aes-gxl", "cbc-aes-gxl"],
    cbc: "cbc-aes-gxl",
    ecb: "ecb-aes-gxl",
};

#[test]
fn status_names_the_engine_and_its_device() {
    let Some(modelled) = Modelled::find("status_names_the_engine_and_its_device", &GXL) else { return };
    modelled.status_names_the_engine();
}

#[test]
fn allow_finds_every_cipher_exact() {
    let Some(modelled) = Modelled::find("allow_finds_every_cipher_exact", &GXL) else { return };
    modelled.allow_finds_every_cipher_exact();
}

#[test]
fn check_finds_every_cipher_exact_from_two_processes() {
    let Some(modelled) = Modelled::find("check_finds_every_cipher_exact_from_two_processes", &GXL) else {
        return;
    };
    modelled.check_finds_every_cipher_exact();
}

#[test]
fn every_request_of_openssl_is_proven_by_its_interrupts() {
    let Some(modelled) = Modelled::find("every_request_of_openssl_is_proven_by_its_interrupts", &GXL) else {
        return;
    };
    modelled.openssl_is_proven();
}

#[test]
fn look_ahead_serves_ctr_and_gcm_by_its_ecb() {
    let Some(modelled) = Modelled::find("look_ahead_serves_ctr_and_gcm_by_its_ecb", &GXL) else { return };
    modelled.look_ahead_serves_ctr_and_gcm();
}

#[test]
fn tune_measures_it_and_its_policy_is_in_force() {
    let Some(modelled) = Modelled::find("tune_measures_it_and_its_policy_is_in_force", &GXL) else { return };
    modelled.tune_measures_it();
}

#[test]
fn a_damaged_result_never_reaches_an_application_and_is_found() {
    let Some(modelled) = Modelled::find("a_damaged_result_never_reaches_an_application_and_is_found", &GXL)
    else {
        return;
    };
    modelled.a_damaged_result_is_found();
}

#[test]
fn an_error_of_the_engine_is_replaced_by_software() {
    let Some(modelled) = Modelled::find("an_error_of_the_engine_is_replaced_by_software", &GXL) else {
        return;
    };
    modelled.an_error_is_replaced_by_software();
}

#[test]
fn a_late_request_ends_right() {
    let Some(modelled) = Modelled::find("a_late_request_ends_right", &GXL) else { return };
    modelled.a_late_request_ends_right();
}
