//! Converts results to the types of the document.

use outboard_accel::Direction;
use outboard_measure::{evidence, figure};
use outboard_report::bench::{Evidence, Figure, Way};

/// Converts a direction to the document's type.
pub fn way_of(direction: Direction) -> Way {
    match direction {
        Direction::Encrypt => Way::Encrypt,
        Direction::Decrypt => Way::Decrypt,
    }
}

/// Converts a direction of the document.
pub fn direction_of(way: Way) -> Direction {
    match way {
        Way::Encrypt => Direction::Encrypt,
        Way::Decrypt => Direction::Decrypt,
    }
}

/// Converts evidence to the document's type.
pub fn evidence_of(found: evidence::Evidence) -> Evidence {
    match found {
        evidence::Evidence::Shown => Evidence::Interrupts,
        evidence::Evidence::Lost | evidence::Evidence::Silent => Evidence::Unverified,
        evidence::Evidence::Refuted => Evidence::Contradicted,
    }
}

/// Converts a figure to the document's type.
pub fn figure_of(figure: &figure::Figure) -> Figure {
    Figure {
        megabytes_per_second: figure.megabytes_per_second,
        spread: figure.spread,
        samples: figure.samples as u64,
        outliers: figure.outliers as u64,
        cpu_ms_per_megabyte: figure.cpu_ms_per_megabyte,
        interrupts_per_request: figure.interrupts_per_request,
    }
}
