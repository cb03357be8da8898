//! docs/openwrt.md typed word by word on a router of 32-bit Arm with Marvell's driver and a model of its
//! engine (tests/src/openwrt/session.rs).

use outboard_tests::modelled::Modelled;
use outboard_tests::openwrt::session::{PackageTool, type_the_page};
use outboard_tests::skip::skip;

use super::model_cesa::CESA;

fn try_the_page(test: &str, tool: PackageTool) {
    let Some(modelled) = Modelled::find(test, &CESA) else { return };
    if let Err(missing) = type_the_page(tool, CESA.cbc) {
        return skip(test, missing);
    }
    modelled.assert_nothing_unsupported();
}

#[test]
fn the_page_ends_in_proven_and_undone_with_opkg() {
    try_the_page("the_page_ends_in_proven_and_undone_with_opkg", PackageTool::Opkg);
}

#[test]
fn the_page_ends_in_proven_and_undone_with_apk() {
    try_the_page("the_page_ends_in_proven_and_undone_with_apk", PackageTool::Apk);
}
