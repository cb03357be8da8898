//! Converts results to the types of the document.

use crate::documents::bench::{CipherDirection, Evidence};
use outboard_accel::Direction;
use outboard_measure::evidence;

pub fn document_direction(direction: Direction) -> CipherDirection {
    match direction {
        Direction::Encrypt => CipherDirection::Encrypt,
        Direction::Decrypt => CipherDirection::Decrypt,
    }
}

pub fn accel_direction(direction: CipherDirection) -> Direction {
    match direction {
        CipherDirection::Encrypt => Direction::Encrypt,
        CipherDirection::Decrypt => Direction::Decrypt,
    }
}

pub fn evidence_of(found: evidence::Evidence) -> Evidence {
    match found {
        evidence::Evidence::Shown => Evidence::Interrupts,
        evidence::Evidence::Lost | evidence::Evidence::Silent => Evidence::Unverified,
        evidence::Evidence::Refuted => Evidence::Contradicted,
    }
}
