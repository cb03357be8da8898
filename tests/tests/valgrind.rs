//! valgrind finds no error during the lifetime of contexts and of the provider.

use outboard_tests::command::{MEMCHECK, helper, on_path, run, status_and_output};
use outboard_tests::skip::skip;
use outboard_tests::world::worlds;

#[test]
fn valgrind_finds_no_error_and_no_leak() {
    let test = "valgrind_finds_no_error_and_no_leak";
    let Some(valgrind) = on_path("valgrind") else {
        return skip(test, "valgrind");
    };
    let helper = match helper("life-of-a-context") {
        Ok(helper) => helper,
        Err(missing) => return skip(test, missing),
    };
    // The first kind of driver is enough: valgrind is slow in an emulated machine.
    if let Some(world) = worlds(test, &[("THRESHOLDS", "ALL:1024")]).into_iter().next() {
        let config = world.config();
        let program = [helper.to_str().expect("a plain name"), config.to_str().expect("a plain name")];
        let arguments = [MEMCHECK, &program].concat();
        let output = run(&valgrind, &config, &arguments);
        assert!(output.status.success(), "{:?}: {}", world.driver_choice, status_and_output(&output));
        world.assert_driver_used();
    }
}
