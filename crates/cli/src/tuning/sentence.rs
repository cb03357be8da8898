//! Sentences for the decisions.

use std::fmt::Write;

use outboard_accel::PIECE;
use outboard_documents::SpeedVerdict;
use outboard_documents::tune::{DirectionResult, Lookahead, Point, TunedCipher};

use crate::tuning::ahead;

pub fn cipher(cipher: &TunedCipher) -> String {
    let TunedCipher { name, driver, interface, encrypt, decrypt, .. } = cipher;
    let mut text = match (encrypt.from, decrypt.from) {
        _ if encrypt.undecided || decrypt.undecided => {
            format!("{name}: {}", undecided(encrypt, decrypt))
        }
        (None, None) => format!("{name}: software at every size"),
        (Some(e), Some(d)) if e == d => format!("{name}: hardware from {e} bytes on"),
        (e, d) => format!("{name}: hardware encrypts {} and decrypts {}", range_of(e), range_of(d)),
    };
    let at = |result: &DirectionResult| {
        result.points.first().map(|point| figures(point, IN_SOFTWARE)).unwrap_or_default()
    };
    // Writing to a string cannot fail.
    let _ = write!(text, ", {driver} over {interface}; {}", at(encrypt));
    if encrypt.from.is_some() != decrypt.from.is_some() {
        let _ = write!(text, ", decryption {}", at(decrypt));
    }
    text.push('.');
    let below = [("encryption", encrypt), ("decryption", decrypt)]
        .into_iter()
        .find(|(_, result)| !result.wins_below.is_empty());
    if let Some((what, result)) = below {
        let sizes: Vec<String> = result.wins_below.iter().map(usize::to_string).collect();
        let _ = write!(
            text,
            " At {} bytes hardware wins the {what}, and loses at larger sizes: set THRESHOLDS if all \
             requests are that small.",
            sizes.join(" and ")
        );
    }
    if let Some(pieces) = cipher.pieces.as_ref().filter(|pieces| pieces.bytes > PIECE) {
        let _ = write!(text, " Large requests that can be cut are best in pieces of {} bytes.", pieces.bytes);
    }
    if let Some(bytes) = cipher.key_bytes.filter(|_| encrypt.from.is_some()) {
        let _ = write!(text, " A key pays from {bytes} bytes on.");
    }
    text
}

/// Formats the sentence for a cipher of which a direction is undecided: that stays in software.
fn undecided(encrypt: &DirectionResult, decrypt: &DirectionResult) -> String {
    let why = "because its samples vary too much to decide";
    match (encrypt.undecided, decrypt.undecided) {
        (true, true) => format!("software, {why}"),
        (true, false) => {
            format!("hardware decrypts {}, and software encrypts, {why}", range_of(decrypt.from))
        }
        (false, _) => format!("hardware encrypts {}, and software decrypts, {why}", range_of(encrypt.from)),
    }
}

fn range_of(from: Option<usize>) -> String {
    from.map_or_else(|| "nothing".to_owned(), |bytes| format!("from {bytes} bytes on"))
}

/// The other side of most comparisons.
const IN_SOFTWARE: &str = "in software";

/// Formats a point: `at 65536 bytes 256 MB/s against 67 in software, with 31 % of its CPU time`.
fn figures(point: &Point, other: &str) -> String {
    if let Some(why) = &point.refused {
        return format!("at {} bytes {why}", point.bytes);
    }
    let (hard, soft) = (&point.hardware, &point.software);
    let mut text = format!(
        "at {} bytes {:.0} MB/s against {:.0} {other}",
        point.bytes, hard.megabytes_per_second, soft.megabytes_per_second
    );
    let cpu = hard.cpu_ms_per_megabyte.zip(soft.cpu_ms_per_megabyte).filter(|(_, soft)| *soft > 0.0);
    if let Some((hard, soft)) = cpu {
        let _ = write!(text, ", with {:.0} % of its CPU time", hard / soft * 100.0);
    }
    text
}

/// Formats the decision about look-ahead and its reason.
pub fn lookahead(one: &Lookahead) -> String {
    let Lookahead { name, driver, requests, .. } = one;
    let mut text = match (requests.from, requests.to) {
        _ if requests.undecided => {
            format!("{name}: no look-ahead, because its samples vary too much to decide")
        }
        (None, _) => format!("{name}: no look-ahead"),
        (Some(from), None) => format!("{name}: look-ahead from {from} bytes on"),
        (Some(from), Some(to)) => format!("{name}: look-ahead from {from} to {to} bytes"),
    };
    // A point at which the decision was made: the largest one that look-ahead wins, if it wins at all.
    let is_served = |point: &&Point| requests.to.is_none_or(|to| point.bytes <= to);
    let wins = |point: &&Point| requests.from.is_none() || point.verdict == SpeedVerdict::Wins;
    let points = || requests.points.iter().filter(is_served);
    let point = points().filter(wins).max_by_key(|point| point.bytes).or_else(|| points().next());
    // The other side is a driver where direct requests of that size go to one.
    let other = |point: &Point| match one.direct_from.is_some_and(|from| from <= point.bytes) {
        true => "by direct requests",
        false => IN_SOFTWARE,
    };
    let point = point.map(|point| figures(point, other(point))).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(text, ", key stream by {driver}; {point}.");
    if let Some(from) = one.direct_from {
        let _ = write!(text, " Both sides send other requests of {from} bytes or more to a driver.");
    }
    if let (Some(start), Some(_)) = (ahead::start(one), requests.from) {
        let _ = write!(text, " It starts after {start} bytes with a key.");
    }
    text
}
