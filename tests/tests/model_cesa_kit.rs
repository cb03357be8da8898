//! The kit's archive (`make kit ARCH=armhf`) on a Debian that has nothing of outboard: Marvell's own
//! driver (marvell-cesa) over AF_ALG, on models of both engines of an Armada 38x (models/).

use std::time::{Duration, Instant};

use outboard_tests::kernel_module::{is_loaded, unload};
use outboard_tests::kit::Kit;
use outboard_tests::model::{Engines, report};

use crate::model_cesa::CESA;

/// What a trial may take beyond its limit, for its file.
const FOR_THE_FILE: Duration = Duration::from_secs(60);

/// A board: the engines without the module, and the unpacked archive.
pub(crate) fn board(test: &str) -> Option<(Engines, Kit)> {
    let engines = Engines::find(test, CESA.id)?;
    if is_loaded("outboard") {
        unload("outboard");
    }
    Some((engines, Kit::of_archive()))
}

#[test]
fn a_trial_of_a_minimal_debian_is_read_with_the_comparison_and_leaves_no_trace() {
    let test = "a_trial_of_a_minimal_debian_is_read_with_the_comparison_and_leaves_no_trace";
    let Some((_engines, kit)) = board(test) else { return };
    let start = Instant::now();
    let (text, read) = kit.tried(600, 0);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(600) + FOR_THE_FILE, "{took:?}: {text}");
    for step in ["module: not tried", "check: done", "tune: done", "prove: done"] {
        assert!(text.contains(step), "{step}: {text}");
    }
    for part in ["mv-cbc-aes over AF_ALG", "marvell-cesa", "of the model", "proven: "] {
        assert!(read.contains(part), "{part}: {read}");
    }
    report(CESA.driver, "kit", format!("a trial of {} s", took.as_secs()));
}
