use std::path::PathBuf;

/// Why a counters file could not be made or used. Each message ends in what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The kernel refused a step.
    #[error("counters file {}: cannot {step} it: {cause}; {advice}", path.display())]
    Os {
        /// The file.
        path: PathBuf,
        /// What was tried: "create", "open", "map" …
        step: &'static str,
        /// The kernel's answer.
        cause: std::io::Error,
        /// What to do.
        advice: &'static str,
    },
    /// It is there and is not what `outboard prove` makes.
    #[error("counters file {}: {cause}; give the file that `outboard prove` made, or leave COUNTERS out", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
}
