use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("counters file {}: cannot {step} it: {cause}; {advice}", path.display())]
    Os {
        path: PathBuf,
        /// The failed step: "create", "open", "map" …
        step: &'static str,
        cause: std::io::Error,
        advice: &'static str,
    },
    #[error("counters file {}: {cause}; give the file that `outboard prove` made or the directory of `outboard enable`, or leave COUNTERS out", path.display())]
    NotOurs { path: PathBuf, cause: String },
}
