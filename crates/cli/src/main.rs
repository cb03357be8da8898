//! The `outboard` command.

fn main() -> std::process::ExitCode {
    outboard::main()
}
