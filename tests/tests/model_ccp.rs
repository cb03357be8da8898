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

outboard_tests::tests_of_model!(CCP);

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
