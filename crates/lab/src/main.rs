//! The laboratory of `outboard`, which starts it.

fn main() -> std::process::ExitCode {
    outboard_lab::main()
}
