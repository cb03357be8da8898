//! The `outboard` command for the tests of this package: cargo builds it with them.

fn main() -> std::process::ExitCode {
    outboard::main()
}
