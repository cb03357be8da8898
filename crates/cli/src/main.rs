//! The `outboard` command.
fn main() {}
