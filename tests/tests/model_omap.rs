//! Mainline's drivers for TI's units (omap-aes, omap-sham) on a model of the AM335x's with EDMA (models/).

use outboard_tests::modelled::{ModelNames, Modelled};

pub(crate) const AM335X: ModelNames = ModelNames {
    driver: "omap-aes",
    module: "omap_aes_driver",
    id: ("0x104c", "0x335a"),
    device: "3e158000.aes",
    bound: ("platform/drivers/omap-aes", "3e158000.aes"),
    lines: Some("3e150000.dma_ccint"),
    starts_per_request: 1,
    ciphers: &["ecb-aes-omap", "cbc-aes-omap", "ctr-aes-omap", "gcm-aes-omap"],
    cbc: "cbc-aes-omap",
    ecb: "ecb-aes-omap",
    not_possible: &[],
};

outboard_tests::tests_of_model!(AM335X);
outboard_tests::tests_of_model! { AM335X:
    the_kernel_finds_every_cipher_right,
    gcm_seals_and_opens_records,
    streams_end_right_when_the_driver_is_unbound_under_load_and_bound_again
}

#[test]
fn hashes_of_the_other_unit_are_exact() {
    let Some(modelled) = Modelled::find("hashes_of_the_other_unit_are_exact", &AM335X) else { return };
    modelled.hashes_are_exact(&[
        ("omap-sha1", "SHA1"),
        ("omap-sha256", "SHA2-256"),
        ("omap-hmac-sha256", "HMAC-SHA2-256"),
    ]);
}

/// The queue of the kernel before this driver (crypto_engine) refuses the eleventh packet.
#[test]
fn packets_of_ipsec_are_right_although_its_queue_is_short() {
    let test = "packets_of_ipsec_are_right_although_its_queue_is_short";
    let Some(modelled) = Modelled::find(test, &AM335X) else { return };
    modelled.allow(&[AM335X.cbc]);
    let checked = modelled.machine.checked(&["--for", "2m", AM335X.cbc], 0);
    let line = checked.lines().find(|line| line.ends_with("packets of IPsec were right."));
    let line = line.unwrap_or_else(|| panic!("{checked}"));
    modelled.assert_nothing_unsupported();
    modelled.report("IPsec", line);
}
