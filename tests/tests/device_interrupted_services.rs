//! A fault at each change of a service of the running system, where OpenSSL is loaded with each new
//! configuration (`outboard_tests::interrupted`).

use outboard_tests::command::on_path;
use outboard_tests::interrupted::{Place, machine, services_can_be_undone};
use outboard_tests::skip::skip;

#[test]
fn a_fault_or_a_signal_at_any_change_of_the_running_system_can_be_undone() {
    let test = "a_fault_or_a_signal_at_any_change_of_the_running_system_can_be_undone";
    let Some(_machine) = machine(test) else { return };
    match on_path("outboard").filter(|_| on_path("nginx").is_some()) {
        Some(outboard) => services_can_be_undone(&outboard, &Place::Running),
        None => skip(test, "the nginx command"),
    }
}
