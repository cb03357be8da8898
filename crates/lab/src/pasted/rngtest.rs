//! The output of rngtest, of rng-tools.

use outboard_documents::status::Pasted;

use super::{Line, Notes as _};

/// rngtest of rng-tools. Of a good source, 8 of 10,000 blocks fail (docs/rng.md).
pub(super) fn find(lines: &[Line], pasted: &mut Pasted) {
    let number = |what: &str| {
        let start = format!("rngtest: FIPS 140-2 {what}: ");
        let line = *lines.iter().find(|line| line.text.starts_with(&start))?;
        Some((line, line.text[start.len()..].trim().parse::<u64>().ok()?))
    };
    let (Some((_, passed)), Some((line, failed))) = (number("successes"), number("failures")) else { return };
    pasted.text.recognised.push(format!("rngtest, {} blocks", passed.saturating_add(failed)));
    // More than 1 % is more than ten times what a good source has.
    let is_failing = failed.saturating_mul(100) > passed.saturating_add(failed);
    let verdict = match is_failing {
        true => "far more than the 8 of 10,000 of a good source: do not use this generator",
        false => "as of a good source, of which 8 of 10,000 blocks fail",
    };
    let unit = if failed == 1 { "block" } else { "blocks" };
    pasted.remark(line, format!("{failed} {unit} failed and {passed} passed, {verdict}"));
    if let Some(remark) = pasted.text.remarks.iter_mut().find(|remark| remark.number == line.number) {
        remark.is_failing_rng = is_failing;
    }
}
