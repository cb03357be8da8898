//! AMD's own driver (ccp, ccp-crypto) on a model of the CCP (models/).

use std::fs;

use outboard_tests::modelled::{ModelNames, Modelled};

const CCP: ModelNames = ModelNames {
    driver: "ccp",
    module: "ccp_crypto",
    id: ("0x1022", "0x1468"),
    device: "0000:00:10.0",
    lines: "ccp-1",
    starts_per_request: 4,
    ciphers: &["ecb-aes-ccp", "cbc-aes-ccp", "ctr-aes-ccp", "xts-aes-ccp", "gcm-aes-ccp"],
    cbc: "cbc-aes-ccp",
    ecb: "ecb-aes-ccp",
};

#[test]
fn the_kernel_finds_every_cipher_right() {
    let Some(modelled) = Modelled::find("the_kernel_finds_every_cipher_right", &CCP) else { return };
    let listing = fs::read_to_string("/proc/crypto").expect("proc is mounted");
    for driver in CCP.ciphers {
        let is_its = |entry: &&str| entry.contains(&format!(": {driver}\n"));
        let entry = listing.split("\n\n").find(is_its).unwrap_or_else(|| panic!("{driver}: {listing}"));
        assert!(entry.contains("selftest     : passed"), "{entry}");
    }
    modelled.report("self-tests", format!("{} ciphers passed", CCP.ciphers.len()));
}

#[test]
fn status_names_the_engine_and_its_device() {
    let Some(modelled) = Modelled::find("status_names_the_engine_and_its_device", &CCP) else { return };
    modelled.status_names_the_engine();
}

#[test]
fn allow_finds_every_cipher_exact() {
    let Some(modelled) = Modelled::find("allow_finds_every_cipher_exact", &CCP) else { return };
    modelled.allow_finds_every_cipher_exact();
}

#[test]
fn check_finds_every_cipher_exact_from_two_processes() {
    let Some(modelled) = Modelled::find("check_finds_every_cipher_exact_from_two_processes", &CCP) else {
        return;
    };
    modelled.check_finds_every_cipher_exact();
}

#[test]
fn every_request_of_openssl_is_proven_by_its_interrupts() {
    let Some(modelled) = Modelled::find("every_request_of_openssl_is_proven_by_its_interrupts", &CCP) else {
        return;
    };
    modelled.openssl_is_proven();
}

#[test]
fn look_ahead_serves_ctr_and_gcm_by_its_ecb() {
    let Some(modelled) = Modelled::find("look_ahead_serves_ctr_and_gcm_by_its_ecb", &CCP) else { return };
    modelled.look_ahead_serves_ctr_and_gcm();
}

#[test]
fn tune_measures_it_and_its_policy_is_in_force() {
    let Some(modelled) = Modelled::find("tune_measures_it_and_its_policy_is_in_force", &CCP) else { return };
    modelled.tune_measures_it();
}

#[test]
fn a_damaged_result_never_reaches_an_application_and_is_found() {
    let Some(modelled) = Modelled::find("a_damaged_result_never_reaches_an_application_and_is_found", &CCP)
    else {
        return;
    };
    modelled.a_damaged_result_is_found();
}

#[test]
fn an_error_of_the_engine_is_replaced_by_software() {
    let Some(modelled) = Modelled::find("an_error_of_the_engine_is_replaced_by_software", &CCP) else {
        return;
    };
    modelled.an_error_is_replaced_by_software();
}

#[test]
fn a_late_request_ends_right() {
    let Some(modelled) = Modelled::find("a_late_request_ends_right", &CCP) else { return };
    modelled.a_late_request_ends_right();
}
