//! Marvell's own driver (marvell-cesa) on models of both engines of an Armada 38x (models/).

use std::fs;
use std::process::Command;

use outboard_tests::machine::is_allowed;
use outboard_tests::model::Word;
use outboard_tests::modelled::{ModelNames, Modelled};
use outboard_uapi::SYSFS;

const DEVICE: &str = "3e090000.crypto";
const CBC: &str = "mv-cbc-aes";
pub(crate) const CESA: ModelNames = ModelNames {
    driver: "marvell-cesa",
    module: "marvell_cesa",
    id: ("0x11ab", "0xce5a"),
    device: DEVICE,
    bound: ("platform/drivers/marvell-cesa", DEVICE),
    lines: Some(DEVICE),
    starts_per_request: 1,
    ciphers: &[CBC, "mv-ecb-aes", "mv-cbc-des3-ede"],
    cbc: CBC,
    ecb: "mv-ecb-aes",
    not_possible: &[],
};

outboard_tests::tests_of_model!(CESA);
const HASHES: [&str; 6] = ["mv-md5", "mv-sha1", "mv-sha256", "mv-hmac-md5", "mv-hmac-sha1", "mv-hmac-sha256"];

#[test]
fn streams_end_right_when_the_driver_is_unbound_under_load_and_loaded_again() {
    let test = "streams_end_right_when_the_driver_is_unbound_under_load_and_loaded_again";
    let Some(modelled) = Modelled::find(test, &CESA) else { return };
    // The driver refuses a second bind until its module is loaded anew.
    modelled.streams_end_right_when_it_is_unbound(|_, _| {
        for arguments in [&["-r", "marvell-cesa"][..], &["marvell-cesa"]] {
            let status = Command::new("modprobe").args(arguments).status().expect("modprobe runs");
            assert!(status.success(), "modprobe {arguments:?}");
        }
    });
}

/// Mainline has them at priority 0: known to be wrong. They are refused without being run, so nothing
/// is asked of the engine.
#[test]
fn hashes_are_refused_by_name_over_every_interface_and_never_run() {
    let test = "hashes_are_refused_by_name_over_every_interface_and_never_run";
    let Some(modelled) = Modelled::find(test, &CESA) else { return };
    let started = modelled.engines.sum(Word::Requests);
    let refusal = "is refused: known to be wrong";
    for driver in HASHES {
        for arguments in
            [&["allow", driver][..], &["allow", "--force", driver], &["check", driver], &["prefer", driver]]
        {
            let text = modelled.refused(arguments);
            assert!(text.contains(refusal), "{arguments:?}: {text}");
        }
    }
    // Over AF_ALG, and over /dev/outboard where root has gone around the command.
    for way in ["AF_ALG", "/dev/outboard"] {
        if way == "/dev/outboard" {
            for driver in HASHES.iter().filter(|driver| !driver.contains("md5")) {
                fs::write(format!("{SYSFS}/allow"), driver)
                    .unwrap_or_else(|error| panic!("{driver}: {error}"));
            }
        }
        for settings in
            [&[("DIGESTS", "ALL")][..], &[("DIGESTS", "ALL"), ("MACS", "ALL"), ("USE_SOFTDRIVERS", "1")]]
        {
            let world = modelled.world(&HASHES.join(","), settings);
            for digest in ["SHA1", "SHA2-256"] {
                assert!(world.hard_digest(digest).is_none(), "{digest} over {way}");
            }
            assert!(world.hard_hmac().is_none(), "HMAC over {way}");
        }
    }
    for driver in HASHES.iter().filter(|driver| is_allowed(driver)) {
        fs::write(format!("{SYSFS}/disallow"), driver).expect("it is allowed");
    }
    let listed = modelled.output(&["allow"]);
    assert!(listed.contains(&format!("mv-sha256 {refusal}")), "{listed}");
    assert_eq!(modelled.engines.sum(Word::Requests), started);
    modelled.assert_nothing_unsupported();
    modelled.report("hashes", "refused by name, none was run");
}
