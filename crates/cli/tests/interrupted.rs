//! A fault at each change of `outboard enable` and `disable` in an image
//! (`outboard_tests::interrupted`). Those of a running system are tested in test machines:
//! `tests/tests/device_interrupted*.rs`.

use std::path::Path;

use outboard_tests::image;
use outboard_tests::interrupted::{Place, services_can_be_undone};

#[test]
fn a_fault_or_a_signal_at_any_change_of_a_service_can_be_undone() {
    let image = image::with_nginx();
    services_can_be_undone(Path::new(env!("CARGO_BIN_EXE_outboard")), &Place::Image(image.path()));
}
