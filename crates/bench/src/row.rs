//! Converts results to the types of the document.

use outboard_accel::Direction;
use outboard_documents::bench::{Evidence, Way};
use outboard_measure::evidence;

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
