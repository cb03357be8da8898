//! docs/openwrt.md typed word by word (tests/src/openwrt/session.rs), with the package manager of OpenWrt
//! 24.10 and that of 25.12.

use outboard_tests::command::on_path;
use outboard_tests::machine::{ACCELERATOR, cbc_aes_drivers};
use outboard_tests::openwrt::session::{PackageTool, commands, type_the_page};
use outboard_tests::skip::skip;
use outboard_tests::tuning::Machine;

use super::device_first_steps;

fn try_the_page(test: &str, tool: PackageTool) {
    // `make test` types README's commands by this page.
    let of_readme: Vec<_> = device_first_steps::commands().collect();
    let of_page: Vec<Vec<_>> = commands().map(|line| line.split_whitespace().collect()).collect();
    assert!(of_page.ends_with(&of_readme) && of_readme.len() == 4, "{of_page:?}, {of_readme:?}");
    if let Some(missing) = ["nginx", "curl", "openssl"].into_iter().find(|name| on_path(name).is_none()) {
        return skip(test, format!("the {missing} command"));
    }
    let Some(_machine) = Machine::new(test) else { return };
    // Nothing here opens the device: it would stay open, and the page begins without the module.
    if !cbc_aes_drivers().contains(ACCELERATOR) {
        return skip(test, format!("an accelerator (/proc/crypto lists no {ACCELERATOR})"));
    }
    if let Err(missing) = type_the_page(tool, ACCELERATOR) {
        skip(test, missing);
    }
}

#[test]
fn the_page_ends_in_proven_and_undone_with_opkg() {
    try_the_page("the_page_ends_in_proven_and_undone_with_opkg", PackageTool::Opkg);
}

#[test]
fn the_page_ends_in_proven_and_undone_with_apk() {
    try_the_page("the_page_ends_in_proven_and_undone_with_apk", PackageTool::Apk);
}
